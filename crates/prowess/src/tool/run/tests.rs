use std::sync::Mutex;

use expect_test::{Expect, expect};

use super::*;
use crate::{
    Catalog, TrustStore,
    run::{Answer, Denial, Run, Unconfined},
    testing::Tree,
    tool::ToolOptions,
};

/// A host's own runner: says what it was asked for.
struct Host;

impl Runner for Host {
    fn start(&self, request: Request) -> Result<Run, RunError> {
        self.describe(&request)?;
        Ok(Run::spawn(move |_| {
            let mut answer = Answer::new(Stop::Exit { code: 3 });
            let input = match &request.input {
                Input::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                _ => String::new(),
            };
            answer.stdout = format!("{:?} {input}", request.args).into_bytes();
            answer.dropped = (7, 0);
            let mut denial = Denial::new("cannot open /srv/x: Permission denied");
            denial.grant = Some("read:/srv/x".to_owned());
            answer.denied.push(denial);
            Ok(answer)
        }))
    }

    fn describe(&self, request: &Request) -> Result<Vec<String>, RunError> {
        if !request.script_path().is_file() {
            return Err(RunError::NotInside {
                script: request.script.clone(),
                folder: request.folder.clone(),
            });
        }
        Ok(vec!["anything".to_owned()])
    }
}

/// A person who looked at some skills before, and answers questions in one way.
#[derive(Default)]
struct Person {
    store: Mutex<TrustStore>,
    answer: Option<bool>,
    heard: Mutex<Vec<String>>,
}

impl Approver for Person {
    fn is_approved(&self, skill: &Skill, staged: &Staged) -> bool {
        staged.is_approved(skill, &self.store.lock().unwrap())
    }

    fn ask(&self, call: &ScriptCall) -> Option<bool> {
        self.heard.lock().unwrap().push(call.question());
        self.answer
    }
}

fn tree() -> Tree {
    Tree::new()
        .skill("skills/a")
        .file("skills/a/scripts/run.sh", "echo one\n")
        .file("skills/a/notes.txt", "none\n")
        .skill("skills/plain")
}

fn toolset(tree: &Tree, run: RunOptions) -> Toolset {
    let catalog = Catalog::from_dirs([tree.at("skills")]);
    let mut options = ToolOptions {
        clock: || std::time::UNIX_EPOCH,
        ..ToolOptions::default()
    };
    options.run = Some(run);
    Toolset::new(Arc::new(catalog), options)
}

fn person(answer: Option<bool>) -> (Arc<Person>, RunOptions) {
    let person = Arc::new(Person {
        answer,
        ..Person::default()
    });
    let mut options = RunOptions::new(Host);
    options.approver = Some(person.clone());
    (person, options)
}

fn check(tools: &Toolset, input: &Value, expected: &Expect) {
    expected.assert_eq(&format!(
        "{}\n",
        tools.run().unwrap().call(input).text.trim_end()
    ));
}

#[test]
fn a_person_says_yes_and_the_script_runs() {
    let tree = tree();
    let (person, options) = person(Some(true));
    let tools = toolset(&tree, options);
    let names: Vec<String> = tools
        .tools()
        .iter()
        .map(|it| it.name().to_owned())
        .collect();
    assert_eq!(names.last().unwrap(), "run_skill_script");
    let result = tools.run().unwrap().call(&json!({
        "skill_name": "a",
        "script": "scripts/run.sh",
        "arguments": "--to 'a b' $HOME",
        "stdin": "given",
    }));
    expect![[r#"
        Exit status: 3

        Standard output:
        ["--to", "a b", "$HOME"] given
        [... 7 bytes more of it were not kept]

        The sandbox refused it something. Only the user can widen that, by: read:/srv/x
    "#]]
    .assert_eq(&result.text);
    assert_eq!(
        result.record.shown(),
        "Ran scripts/run.sh of skill a: exit status 3"
    );
    let data = result.record.data.unwrap();
    let staged = Staged::new(tools.catalog().get("a").unwrap(), &tools.options().limits).unwrap();
    assert_eq!(data["seal"], staged.seal().hash().to_string());
    assert_eq!(data["hash"], ContentHash::of(b"echo one\n").to_string());
    let heard = person.heard.lock().unwrap();
    let hash = &staged.seal().hash().to_string()[..12];
    assert_eq!(
        heard.as_slice(),
        [format!(
            "Run the script `scripts/run.sh` of the skill `a` with `--to` `a b` `$HOME` and 5 \
             bytes of input? It reads its skill's folder and writes into a new work folder; it \
             reaches no other file and no network. Files of the skill: sha256 {hash}."
        )]
    );
}

#[test]
fn without_a_yes_nothing_runs() {
    let tree = tree();
    let input = json!({ "skill_name": "a", "script": "scripts/run.sh" });
    check(
        &toolset(&tree, person(Some(false)).1),
        &input,
        &expect![[r#"
            Error: `scripts/run.sh` was not run: the user said no; go on without it and say so
        "#]],
    );
    check(
        &toolset(&tree, person(None).1),
        &input,
        &expect![[r#"
            Error: `scripts/run.sh` was not run: it needs the user's yes, and nobody can be asked here; go on without it and say so
        "#]],
    );
    let alone = toolset(&tree, RunOptions::new(Host));
    let prepared = alone.run().unwrap().prepare(&input).unwrap();
    assert!(prepared.needs_approval());
    assert!(!prepared.start().unwrap_err().record.success);
}

#[test]
fn what_is_wrong_with_a_call_is_for_the_model_to_read() {
    let tree = tree();
    let tools = toolset(&tree, person(Some(true)).1);
    let wrong = |input: Value| tools.run().unwrap().call(&input).text;
    let texts = [
        wrong(json!({})),
        wrong(json!({ "skill_name": "a", "script": "scripts/ran.sh" })),
        wrong(json!({ "skill_name": "a", "script": "../b/run.sh" })),
        wrong(json!({ "skill_name": "b", "script": "run.sh" })),
        wrong(json!({ "skill_name": "plain", "script": "run.sh" })),
        wrong(json!({ "skill_name": "a", "script": "scripts/run.sh", "arguments": "'" })),
        wrong(json!({ "skill_name": "a", "script": "scripts/run.sh", "stdin": 1 })),
    ];
    expect![[r#"
        Error: `skill_name` is required: the name of the skill
        Error: the skill `a` has no script `scripts/ran.sh`; it has scripts/run.sh
        Error: the skill `a` has no script `../b/run.sh`; it has scripts/run.sh
        Error: no skill named `b`; did you mean `a`? available: a, plain
        Error: the skill `plain` has no scripts
        Error: `arguments` is not a line of text; close every quote in it
        Error: `stdin` is not text"#]]
    .assert_eq(&texts.join("\n"));
}

#[test]
fn it_is_offered_only_where_something_could_run() {
    let tree = tree();
    let catalog = Arc::new(Catalog::from_dirs([tree.at("skills")]));
    let none = Toolset::new(catalog, ToolOptions::default());
    assert!(none.run().is_none());
    assert_eq!(none.tools().len(), 3);
    let mut never = RunOptions::new(Host);
    never.policy = RunPolicy::Never;
    assert!(toolset(&tree, never.clone()).run().is_none());
    never.overrides.insert("plain".to_owned(), RunPolicy::Ask);
    assert!(toolset(&tree, never.clone()).run().is_none(), "no script");
    never.overrides.insert("a".to_owned(), RunPolicy::Ask);
    let tools = toolset(&tree, never);
    assert!(tools.run().is_some());
    let loaded = tools.skill().call(&json!({ "skill_name": "a" })).text;
    assert!(
        loaded.contains("Scripts, to be run with `run_skill_script`: `scripts/run.sh`\n"),
        "{loaded}"
    );
    let loaded = tools.skill().call(&json!({ "skill_name": "plain" })).text;
    assert!(!loaded.contains("run_skill_script"), "{loaded}");
}

#[test]
fn a_single_skill_can_be_kept_from_running() {
    let tree = tree().skill("skills/b").file("skills/b/run.sh", "echo b\n");
    let (_, mut options) = person(Some(true));
    options.overrides.insert("a".to_owned(), RunPolicy::Never);
    check(
        &toolset(&tree, options),
        &json!({ "skill_name": "a", "script": "scripts/run.sh" }),
        &expect![[r#"
            Error: scripts of the skill `a` do not run here: the user's policy is `never`
        "#]],
    );
}

#[test]
fn what_was_approved_runs_again_until_a_file_changes() {
    let tree = tree();
    let (person, mut options) = person(None);
    options.policy = RunPolicy::Trusted;
    let tools = toolset(&tree, options.clone());
    let skill = tools.catalog().get("a").unwrap().clone();
    let staged = Staged::new(&skill, &tools.options().limits).unwrap();
    staged.approve(&skill, &mut person.store.lock().unwrap());
    let input = json!({ "skill_name": "a", "script": "scripts/run.sh" });
    assert!(tools.run().unwrap().call(&input).record.success);
    // A grant of the host is a question all the same.
    options.grants.push(Grant::Net);
    let widened = toolset(&tree, options).run().unwrap();
    assert!(!widened.call(&input).record.success);
    let _tree = tree.file("skills/a/notes.txt", "some\n");
    assert!(!tools.run().unwrap().call(&input).record.success);
}

#[test]
fn a_call_that_nobody_waits_for_any_more_ends_with_all_it_started() {
    let tree = tree().file("skills/a/long.sh", "sleep 300 & sleep 300\n");
    let mut options = RunOptions::new(Unconfined::default());
    options.limits.time = std::time::Duration::from_secs(20);
    let tool = toolset(&tree, options).run().unwrap();
    let input = json!({ "skill_name": "a", "script": "long.sh" });
    let run = tool.prepare(&input).unwrap().approve().start().unwrap();
    let canceller = run.canceller();
    canceller.cancel();
    let result = run.wait();
    assert_eq!(
        result.text,
        "It was cancelled before it ended.\nIt printed nothing.\n"
    );
}
