use expect_test::expect;

use super::*;
use crate::{State, testing::Tree};

/// A project with skills for several clients, and a user who has some.
fn tree() -> Tree {
    Tree::new()
        .folder("home/work/.git")
        .skill("home/work/.agents/skills/shared")
        .skill("home/work/.claude/skills/claudes")
        .file(
            "home/work/.skills/flat.md",
            "---\nname: flat\ndescription: Does flat things.\n---\nDo it.\n",
        )
        .file("home/work/AGENTS.md", "# House rules\n")
        .skill("home/work/sub/.agents/skills/nearest")
        .skill("home/.agents/skills/users")
}

fn options(tree: &Tree) -> OpenOptions {
    OpenOptions::new().environment(Environment {
        home: Some(tree.at("home")),
        ..Environment::default()
    })
}

/// Every skill with its scope and state.
fn show(catalog: &Catalog) -> String {
    let skills = catalog.skills().iter().map(|skill| {
        let scope = skill.origin().scope;
        format!("{} {scope} {}\n", skill.name(), skill.state().as_str())
    });
    skills.collect()
}

#[test]
fn a_project_is_opened_with_everything_its_clients_find() {
    let tree = tree();
    let opened = options(&tree).trust(ProjectTrust::All);
    let opened = opened.open(tree.at("home/work/sub")).unwrap();
    expect![[r#"
        agents project active
        claudes project active
        flat project active
        nearest project active
        shared project active
        users user active
    "#]]
    .assert_eq(&show(&opened));
}

#[test]
fn a_project_reaches_a_model_when_the_user_says_so() {
    let tree = tree();
    let untrusted = options(&tree).open(tree.at("home/work")).unwrap();
    let states = |catalog: &Catalog| -> Vec<State> {
        let of_project = catalog.skills().iter().filter(|it| it.name() != "users");
        of_project.map(crate::Skill::state).collect()
    };
    assert_eq!(states(&untrusted), [State::Untrusted; 4]);
    assert_eq!(untrusted.model_visible().count(), 1);

    // As `prowess trust` writes it: each skill by its real path and its files.
    let looked = options(&tree).trust(ProjectTrust::All);
    let looked = looked.open(tree.at("home/work")).unwrap();
    let mut store = TrustStore::default();
    for skill in looked.skills() {
        store.approve(skill, &Limits::default()).unwrap();
    }
    let tree = tree.file(
        "home/.local/state/prowess/trust.json",
        store.to_json().unwrap(),
    );
    let trusted = options(&tree).open(tree.at("home/work")).unwrap();
    assert_eq!(states(&trusted), [State::Active; 4]);

    // A store that cannot be read is never guessed at.
    let tree = tree.file("home/.local/state/prowess/trust.json", "{");
    let error = options(&tree).open(tree.at("home/work")).unwrap_err();
    assert!(error.to_string().contains("trust.json"), "{error}");
    let none = options(&tree).trust(ProjectTrust::None);
    assert_eq!(
        states(&none.open(tree.at("home/work")).unwrap()),
        [State::Untrusted; 4]
    );
}

#[test]
fn one_client_no_user_and_no_conventions_can_be_asked_for() {
    let tree = tree();
    let options = options(&tree)
        .trust(ProjectTrust::All)
        .client("claude")
        .local(true)
        .conventions(false)
        .dir(tree.at("home/work/.skills"));
    expect![[r#"
        claudes project active
    "#]]
    .assert_eq(&show(&options.open(tree.at("home/work")).unwrap()));
}

#[test]
fn what_cannot_be_opened_is_an_error_that_names_it() {
    let tree = tree();
    let missing = options(&tree).open(tree.at("nowhere")).unwrap_err();
    assert!(missing.to_string().contains("nowhere"), "{missing}");
    let unknown = options(&tree).client("cluade").open(tree.at("home/work"));
    assert_eq!(unknown.unwrap_err().to_string(), "no client named `cluade`");
}

#[test]
fn folders_alone_say_which_skills_of_a_project_they_leave_out() {
    let tree = tree();
    let catalog = Catalog::from_dirs([tree.at("home/work")]);
    let root = format!("{}/", tree.root().display());
    let findings: Vec<String> = catalog
        .findings()
        .iter()
        .map(|it| it.to_string().replace(&root, ""))
        .collect();
    expect![[r#"
        home/work/.skills/flat.md:1:1: hint[loose-file]: `home/work/.skills/flat.md` is not loaded: only folders with a `SKILL.md` are
        home/work/AGENTS.md:1:1: hint[loose-file]: `home/work/AGENTS.md` is not loaded: only folders with a `SKILL.md` are"#]]
    .assert_eq(&findings.join("\n"));
}

#[cfg(feature = "watch")]
#[test]
fn the_same_follows_its_folders() {
    let tree = tree();
    let live = options(&tree).trust(ProjectTrust::All);
    let live = live.live(tree.at("home/work")).unwrap();
    assert_eq!(live.snapshot().model_visible().count(), 5);
    let _tree = tree.skill("home/work/.agents/skills/new");
    live.refresh();
    assert!(live.snapshot().get("new").is_some());
}
