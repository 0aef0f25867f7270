use std::{collections::BTreeMap, sync::Arc};

use expect_test::expect;
use proptest::prelude::*;

use super::*;
use crate::{
    authority::Grant,
    frame::unframe,
    sample::{catalog, overlap},
};

const SKILLS: &[(&str, &str, &str)] = &[
    (
        "emergency",
        "description: Handle a gas leak or a water emergency.\ntags: [plumber, fallback]\nallowed-tools: [knowledge, transfer_call]\n",
        "Dispatch.",
    ),
    (
        "advice",
        "description: Answer questions about a gas leak.\ntags: [fallback]\n",
        "Answer.",
    ),
    (
        "git",
        "description: Commit changes with git.\nallowed-tools: Bash(git add:*), mcp__db__*, Read(\n",
        "Commit.",
    ),
];

fn host(names: &[&str]) -> Arc<BTreeMap<String, usize>> {
    let numbered = names.iter().enumerate();
    let tools = numbered.map(|(at, name)| ((*name).to_owned(), at));
    Arc::new(tools.collect())
}

fn options(mode: Mode) -> ContextOptions {
    ContextOptions {
        mode,
        policy: overlap(),
        ..ContextOptions::default()
    }
}

fn query(text: &str) -> [super::Strategy; 1] {
    [super::Strategy::Query(text.to_owned())]
}

fn name(text: &str) -> [super::Strategy; 1] {
    [super::Strategy::Name(text.to_owned())]
}

#[test]
fn a_missing_tool_passes_the_task_to_the_next_skill() {
    let catalog = Arc::new(catalog(SKILLS));
    let tools = host(&["knowledge"]);
    let coordinator = Coordinator::new(catalog.clone(), tools.clone(), options(Mode::Strict));
    let resolution = coordinator.resolve(&query("gas leak emergency"));
    let context = resolution.context.unwrap();
    assert_eq!(context.provenance.name.as_deref(), Some("advice"));
    assert_eq!(resolution.refused[0].name, "emergency");
    assert_eq!(resolution.refused[0].tools_missing, ["transfer_call"]);
}

#[test]
fn a_weak_match_does_not_step_in_for_a_refused_one() {
    let skills = [
        SKILLS[0],
        (
            "piano",
            "description: Tune a piano, and keep it away from water.\n",
            "Tune.",
        ),
    ];
    let catalog = Arc::new(catalog(&skills));
    let tools = host(&[]);
    let resolve = |policy: Policy| {
        let options = ContextOptions {
            policy,
            ..ContextOptions::default()
        };
        let resolution = Coordinator::new(catalog.clone(), tools.clone(), options)
            .resolve(&query("water and gas emergency"));
        let refused: Vec<_> = resolution.refused.into_iter().map(|it| it.name).collect();
        let taken = resolution.context.and_then(|it| it.provenance.name);
        (refused.join(" "), taken)
    };
    assert_eq!(resolve(Policy::default()), ("emergency".to_owned(), None));
    // A host that names a score of its own takes what has it.
    let any = Policy {
        min_score: Some(0.0),
        ..Policy::default()
    };
    assert_eq!(
        resolve(any),
        ("emergency".to_owned(), Some("piano".to_owned()))
    );
}

#[test]
fn permissive_names_what_is_missing() {
    let catalog = Arc::new(catalog(SKILLS));
    let tools = host(&["knowledge"]);
    let coordinator = Coordinator::new(catalog.clone(), tools.clone(), options(Mode::Permissive));
    let resolution = coordinator.resolve(&name("emergency"));
    expect!["the skill `emergency` goes without `transfer_call`: the host does not offer it"]
        .assert_eq(&resolution.warnings.join("\n"));
    let context = resolution.context.unwrap();
    assert!(context.instruction.contains("tools: knowledge."));
    let mut provenance = context.provenance.clone();
    provenance.hash = None;
    provenance.id = None;
    expect![[r#"{"name":"emergency","match":{"by":"name","value":"emergency"},"origin":{"scope":"explicit","label":"test","path":"emergency/SKILL.md"},"reason":"explicit","permission":"preapprove","tools_asked":["knowledge","transfer_call"],"tools_missing":["transfer_call"],"truncated":false,"neutralized":0}"#]]
        .assert_eq(&provenance.to_json());
}

#[test]
fn patterns_are_matched_against_the_tools_there_are() {
    let catalog = Arc::new(catalog(SKILLS));
    let tools = host(&["Bash", "Read", "mcp__db__query", "mcp__db__list"]);
    let coordinator = Coordinator::new(catalog.clone(), tools.clone(), options(Mode::Permissive));
    let context = coordinator.resolve(&name("git")).context.unwrap();
    assert_eq!(
        context.envelope().tools,
        ["Bash", "mcp__db__list", "mcp__db__query"]
    );
    assert_eq!(
        context.provenance.tools_missing,
        ["Read("],
        "a slip grants nothing"
    );
}

#[test]
fn what_the_host_forbids_is_missing() {
    let catalog = Arc::new(catalog(SKILLS));
    let tools = host(&["knowledge", "transfer_call"]);
    let mut options = options(Mode::Strict);
    options.authority.host = Grant::of(["knowledge"]);
    let coordinator = Coordinator::new(catalog.clone(), tools.clone(), options);
    let resolution = coordinator.resolve(&name("emergency"));
    assert!(resolution.context.is_none());
    assert_eq!(resolution.refused[0].tools_missing, ["transfer_call"]);
}

#[test]
fn the_generalist_takes_over_in_fallback_mode() {
    let catalog = Arc::new(catalog(SKILLS));
    let tools = host(&["knowledge"]);
    let mut options = options(Mode::Fallback);
    options.generalist = Some(Generalist::Text {
        instruction: "Help as well as you can.".into(),
        tools: vec!["knowledge".into(), "web".into()],
    });
    let coordinator = Coordinator::new(catalog.clone(), tools.clone(), options.clone());
    let context = coordinator.resolve(&query("bake bread")).context.unwrap();
    assert_eq!(context.instruction, "Help as well as you can.");
    assert_eq!(context.envelope().tools, ["knowledge"]);
    assert_eq!(context.provenance.matched, MatchedBy::Fallback);
    options.generalist = Some(Generalist::Skill("advice".into()));
    let coordinator = Coordinator::new(catalog.clone(), tools.clone(), options);
    let context = coordinator.resolve(&query("bake bread")).context.unwrap();
    assert_eq!(context.provenance.name.as_deref(), Some("advice"));
    assert_eq!(context.provenance.matched, MatchedBy::Fallback);
}

#[test]
fn a_gate_lets_only_sure_matches_through() {
    let catalog = Arc::new(catalog(SKILLS));
    let tools = host(&["knowledge", "transfer_call"]);
    let coordinator = Coordinator::new(catalog.clone(), tools.clone(), options(Mode::Strict));
    assert!(coordinator.gate("gas leak", 0.0).context.is_some());
    assert!(coordinator.gate("gas leak", 1.1).context.is_none());
}

#[test]
fn close_matches_make_a_menu_of_what_can_be_used() {
    let catalog = Arc::new(catalog(SKILLS));
    let mut options = options(Mode::Strict);
    // Whatever is found is neither sure nor irrelevant.
    options.policy.confident = 2.0;
    options.policy.relevant = 0.0;
    let menu = |tools: &Arc<BTreeMap<String, usize>>, options: &ContextOptions| {
        let coordinator = Coordinator::new(catalog.clone(), tools.clone(), options.clone());
        let answer = coordinator.answer("gas leak");
        match answer.context {
            Some(context) => vec![format!("context {:?}", context.provenance.name)],
            None if answer.menu.is_empty() => vec!["none".to_owned()],
            None => answer.menu.into_iter().map(|choice| choice.name).collect(),
        }
    };
    let all = host(&["knowledge", "transfer_call"]);
    assert_eq!(menu(&all, &options), ["advice", "emergency"]);
    assert_eq!(menu(&host(&[]), &options), ["advice"]);
    options.policy.confident = 0.0;
    assert_eq!(menu(&all, &options), [r#"context Some("advice")"#]);
    options.policy.min_score = Some(1_000.0);
    assert_eq!(menu(&all, &options), ["none"]);
}

/// What a person would read about an answer: the skill or the menu, who was refused, and what
/// else there is to know.
fn told(resolution: Resolution<usize>) -> String {
    let skill = resolution.context.and_then(|it| it.provenance.name);
    let menu: Vec<_> = resolution.menu.into_iter().map(|it| it.name).collect();
    let refused: Vec<_> = resolution.refused.into_iter().map(|it| it.name).collect();
    format!(
        "{} | {} | {}\n{}\n",
        skill.unwrap_or_default(),
        menu.join(" "),
        refused.join(" "),
        resolution.warnings.join("\n")
    )
}

#[test]
fn nothing_is_passed_over_in_silence() {
    let catalog = Arc::new(catalog(SKILLS));
    let answer = |mode, generalist: Option<&str>, confident: f32| {
        let mut options = options(mode);
        (options.policy.confident, options.policy.relevant) = (confident, 0.0);
        options.generalist = generalist.map(|name| Generalist::Skill(name.to_owned()));
        Coordinator::new(catalog.clone(), host(&[]), options)
    };
    let emergency = "water emergency dispatch";
    let mut seen = String::new();
    // A name nobody has.
    seen += &told(answer(Mode::Strict, None, 0.0).resolve(&name("emergncy")));
    // The best match is refused, and the generalist is for fallback mode only.
    seen += &told(answer(Mode::Strict, Some("advice"), 0.0).answer(emergency));
    seen += &told(answer(Mode::Fallback, Some("advice"), 0.0).answer(emergency));
    // A menu without those that would be refused.
    seen += &told(answer(Mode::Strict, None, 2.0).answer("gas leak emergency"));
    // A generalist that is not there, and none at all.
    seen += &told(answer(Mode::Fallback, Some("advise"), 0.0).answer(emergency));
    seen += &told(answer(Mode::Fallback, None, 0.0).answer(emergency));
    // Two ways lead to one refusal.
    let twice = [
        super::Strategy::Query(emergency.to_owned()),
        super::Strategy::Tag("plumber".to_owned()),
    ];
    seen += &told(answer(Mode::Strict, None, 0.0).resolve(&twice));
    expect![[r#"
         |  | 
        no skill named `emergncy`; did you mean `emergency`? available: advice, emergency, git
         |  | emergency

        advice |  | emergency

         |  | emergency

         |  | emergency
        the generalist is missing: no skill named `advise`; did you mean `advice`? available: advice, emergency, git
         |  | emergency
        no skill fits, and fallback mode has no generalist
         |  | emergency

    "#]].assert_eq(&seen);
}

#[test]
fn a_coordinator_is_stored_beside_its_catalog_and_crosses_threads() {
    struct Server {
        catalog: Arc<crate::Catalog>,
        coordinator: Coordinator<usize>,
    }
    let catalog = Arc::new(catalog(SKILLS));
    let server = Server {
        coordinator: Coordinator::new(catalog.clone(), host(&[]), options(Mode::Strict)),
        catalog,
    };
    let found = std::thread::spawn(move || {
        let resolution = server.coordinator.resolve(&name("advice"));
        (resolution.context.is_some(), server.catalog.skills().len())
    });
    assert_eq!(found.join().unwrap(), (true, 3));
}

proptest! {
    #[test]
    fn no_output_names_a_tool_that_is_not_bound(
        have in prop::sample::subsequence(
            vec!["knowledge", "transfer_call", "Bash", "Read", "mcp__db__query"], 0..=5),
        skill in prop::sample::select(vec!["emergency", "advice", "git"]),
        permissive in any::<bool>(),
    ) {
        let catalog = Arc::new(catalog(SKILLS));
        let tools = host(&have);
        let mode = if permissive { Mode::Permissive } else { Mode::Strict };
        let coordinator = Coordinator::new(catalog.clone(), tools.clone(), options(mode));
        if let Some(context) = coordinator.resolve(&name(skill)).context {
            let frame = unframe(&context.instruction).unwrap();
            let named: Vec<&str> = frame
                .body
                .lines()
                .find_map(|line| line.strip_prefix("You have access to the following tools: "))
                .map_or(Vec::new(), |line| line.trim_end_matches('.').split(", ").collect());
            prop_assert_eq!(&named, &context.envelope().tools);
            for name in named {
                prop_assert!(have.contains(&name));
            }
        } else {
            prop_assert!(!permissive);
        }
    }
}
