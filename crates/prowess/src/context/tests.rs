use std::collections::BTreeMap;

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

fn host(names: &[&str]) -> BTreeMap<String, usize> {
    let numbered = names.iter().enumerate();
    numbered
        .map(|(at, name)| ((*name).to_owned(), at))
        .collect()
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
    let catalog = catalog(SKILLS);
    let tools = host(&["knowledge"]);
    let coordinator = Coordinator::new(&catalog, &tools, options(Mode::Strict));
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
    let catalog = catalog(&skills);
    let tools = host(&[]);
    let resolve = |policy: Policy| {
        let options = ContextOptions {
            policy,
            ..ContextOptions::default()
        };
        let resolution =
            Coordinator::new(&catalog, &tools, options).resolve(&query("water and gas emergency"));
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
    let catalog = catalog(SKILLS);
    let tools = host(&["knowledge"]);
    let coordinator = Coordinator::new(&catalog, &tools, options(Mode::Permissive));
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
    let catalog = catalog(SKILLS);
    let tools = host(&["Bash", "Read", "mcp__db__query", "mcp__db__list"]);
    let coordinator = Coordinator::new(&catalog, &tools, options(Mode::Permissive));
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
    let catalog = catalog(SKILLS);
    let tools = host(&["knowledge", "transfer_call"]);
    let mut options = options(Mode::Strict);
    options.authority.host = Grant::of(["knowledge"]);
    let coordinator = Coordinator::new(&catalog, &tools, options);
    let resolution = coordinator.resolve(&name("emergency"));
    assert!(resolution.context.is_none());
    assert_eq!(resolution.refused[0].tools_missing, ["transfer_call"]);
}

#[test]
fn the_generalist_takes_over_in_fallback_mode() {
    let catalog = catalog(SKILLS);
    let tools = host(&["knowledge"]);
    let mut options = options(Mode::Fallback);
    options.generalist = Some(Generalist::Text {
        instruction: "Help as well as you can.".into(),
        tools: vec!["knowledge".into(), "web".into()],
    });
    let coordinator = Coordinator::new(&catalog, &tools, options.clone());
    let context = coordinator.resolve(&query("bake bread")).context.unwrap();
    assert_eq!(context.instruction, "Help as well as you can.");
    assert_eq!(context.envelope().tools, ["knowledge"]);
    assert_eq!(context.provenance.matched, Matched::Fallback);
    options.generalist = Some(Generalist::Skill("advice".into()));
    let coordinator = Coordinator::new(&catalog, &tools, options);
    let context = coordinator.resolve(&query("bake bread")).context.unwrap();
    assert_eq!(context.provenance.name.as_deref(), Some("advice"));
    assert_eq!(context.provenance.matched, Matched::Fallback);
}

#[test]
fn a_gate_lets_only_sure_matches_through() {
    let catalog = catalog(SKILLS);
    let tools = host(&["knowledge", "transfer_call"]);
    let coordinator = Coordinator::new(&catalog, &tools, options(Mode::Strict));
    assert!(coordinator.gate("gas leak", 0.0).context.is_some());
    assert!(coordinator.gate("gas leak", 1.1).context.is_none());
}

#[test]
fn close_matches_make_a_menu_of_what_can_be_used() {
    let catalog = catalog(SKILLS);
    let mut options = options(Mode::Strict);
    // Whatever is found is neither sure nor irrelevant.
    options.policy.confident = 2.0;
    options.policy.relevant = 0.0;
    let menu = |tools: &BTreeMap<String, usize>, options: &ContextOptions| match Coordinator::new(
        &catalog,
        tools,
        options.clone(),
    )
    .answer("gas leak")
    {
        Answer::Menu(choices) => choices.into_iter().map(|choice| choice.name).collect(),
        Answer::Context(context) => vec![format!("context {:?}", context.provenance.name)],
        Answer::None => vec!["none".to_owned()],
    };
    let all = host(&["knowledge", "transfer_call"]);
    assert_eq!(menu(&all, &options), ["advice", "emergency"]);
    assert_eq!(menu(&host(&[]), &options), ["advice"]);
    options.policy.confident = 0.0;
    assert_eq!(menu(&all, &options), [r#"context Some("advice")"#]);
    options.policy.min_score = Some(1_000.0);
    assert_eq!(menu(&all, &options), ["none"]);
}

proptest! {
    #[test]
    fn no_output_names_a_tool_that_is_not_bound(
        have in prop::sample::subsequence(
            vec!["knowledge", "transfer_call", "Bash", "Read", "mcp__db__query"], 0..=5),
        skill in prop::sample::select(vec!["emergency", "advice", "git"]),
        permissive in any::<bool>(),
    ) {
        let catalog = catalog(SKILLS);
        let tools = host(&have);
        let mode = if permissive { Mode::Permissive } else { Mode::Strict };
        let coordinator = Coordinator::new(&catalog, &tools, options(mode));
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
