//! Rules as a user sets them, fixes beside other skills, and the page of a rule.

use expect_test::expect;

use crate::world::{World, skill};

const ODD: &str =
    "---\nname: odd\ndescription: Sorts notes. Use when asked.\nowner: me\n---\nGo.\n";

fn odd() -> World {
    World::with(&[("skills/odd/SKILL.md", ODD)])
}

/// The last line of what a person reads, and the exit code.
fn verdict(world: &World, arguments: &str) -> String {
    let said = world.run(arguments);
    let lines = said
        .lines()
        .filter(|line| line.contains("checked") || line.starts_with("-- exit"));
    lines.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_rule_is_set_by_flag_config_and_comment() {
    let world = odd();
    let check = |flags: &str| verdict(&world, &format!("check skills {flags}"));
    assert_eq!(
        check(""),
        "1 skill checked (standard profile): 1 warning -- exit 0"
    );
    assert_eq!(
        check("--rule unknown-field=off"),
        "1 skill checked (standard profile): nothing wrong -- exit 0"
    );
    assert_eq!(
        check("--rule unknown-field=error"),
        "1 skill checked (standard profile): 1 error -- exit 1"
    );
    assert_eq!(
        check("--max-warnings 0"),
        "1 skill checked (standard profile): 1 warning -- exit 1"
    );
    world.file(
        "work/prowess.toml",
        "[check]\nmax-warnings = 5\n[check.rules]\nunknown-field = \"hint\"\n",
    );
    assert_eq!(
        check(""),
        "1 skill checked (standard profile): 1 hint -- exit 0"
    );
    world.file(
        "work/prowess.toml",
        "[check.ignore]\n\"skills/**\" = [\"unknown-field\"]\n",
    );
    assert_eq!(
        check(""),
        "1 skill checked (standard profile): nothing wrong -- exit 0"
    );
    world.file(
        "work/prowess.toml",
        "[check.rules]\nunknown-feild = \"off\"\n",
    );
    let said = world.run("check skills");
    assert!(said.contains("did you mean `unknown-field`?"), "{said}");
    world.file("work/prowess.toml", "");
    world.file(
        "work/skills/odd/SKILL.md",
        ODD.replace("owner:", "# prowess-ignore: unknown-field\nowner:"),
    );
    assert_eq!(
        check(""),
        "1 skill checked (standard profile): nothing wrong -- exit 0"
    );
}

#[test]
fn what_a_baseline_holds_is_not_reported_again() {
    let world = odd();
    let said = world.run("check skills --baseline known.json --write-baseline");
    assert!(said.contains("`known.json` holds 1 findings"), "{said}");
    let check = || verdict(&world, "check skills --baseline known.json");
    assert_eq!(
        check(),
        "1 skill checked (standard profile): nothing wrong -- exit 0"
    );
    // Lines above it may come and go; another finding is new.
    world.file(
        "work/skills/odd/SKILL.md",
        ODD.replace("name:", "license: MIT\nname:")
            .replace("---\nGo.", "team: us\n---\nGo."),
    );
    assert_eq!(
        check(),
        "1 skill checked (standard profile): 1 warning -- exit 0"
    );
}

#[test]
fn a_fix_gives_no_skill_the_name_of_another() {
    let text = |name: &str| skill(name, "Sorts notes");
    let world = World::with(&[
        ("skills/notes/SKILL.md", &text("Notes")),
        ("skills/other/SKILL.md", &text("notes")),
        ("skills/sub_notes/SKILL.md", &text("Sub Notes")),
        ("skills/sub-notes/SKILL.md", &text("Sub_Notes")),
    ]);
    let before = world.read("work/skills/notes/SKILL.md");
    let said = world.run("check skills/notes --fix");
    assert!(
        said.contains("is not fixed: another skill is called `notes`: skills/other/SKILL.md"),
        "{said}"
    );
    assert_eq!(world.read("work/skills/notes/SKILL.md"), before);
    world.run("check skills --fix");
    let names = |world: &World| {
        let listed = world.json("list --dir skills --all --json");
        let skills = listed["skills"].as_array().unwrap().iter();
        let mut names: Vec<String> = skills
            .map(|it| {
                format!(
                    "{} {}",
                    it["name"].as_str().unwrap(),
                    it["state"].as_str().unwrap()
                )
            })
            .collect();
        names.sort();
        names.join("\n")
    };
    expect![[r#"
        Notes active
        Sub Notes active
        other active
        sub-notes active"#]]
    .assert_eq(&names(&world));
}

#[test]
fn the_answer_is_the_same_before_and_after_trust() {
    let world = World::with(&[
        ("work/.agents/skills/odd/SKILL.md", ODD),
        (
            "work/.claude/skills/odd2/SKILL.md",
            &ODD.replace("name: odd", "name: odd2"),
        ),
    ]);
    let before = world.run("check");
    world.run("trust");
    assert_eq!(before, world.run("check"));
}

#[test]
fn a_rule_has_its_page() {
    let world = World::with(&[]);
    let page = world.run("explain unknown-field");
    assert!(page.starts_with("# unknown-field\n"), "{page}");
    assert!(page.ends_with("-- exit 0\n"), "{page}");
    let all = world.run("explain");
    assert!(all.contains("\nunknown-field "), "{all}");
    world.session(&expect![[r#"
        $ prowess explain unknown-feild
        -- stderr
        error: no rule is called `unknown-feild`; did you mean `unknown-field`?
        -- exit 2
    "#]]);
}

#[test]
fn sarif_is_the_same_from_every_folder_and_names_no_machine() {
    let world = odd();
    std::fs::create_dir_all(world.path("work/.git")).unwrap();
    let here = world.json("check skills --format sarif");
    let root = world.path("work/skills").display().to_string();
    let there = world.json(&format!("check {root} --format sarif"));
    assert_eq!(here["runs"][0]["results"], there["runs"][0]["results"]);
    assert!(!there.to_string().contains(&root));
    let result = &here["runs"][0]["results"][0];
    assert_eq!(
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "skills/odd/SKILL.md"
    );
    assert_eq!(
        result["partialFingerprints"]["prowess/v1"]
            .as_str()
            .unwrap()
            .len(),
        32
    );
    for rule in here["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap()
    {
        assert!(
            rule["fullDescription"]["text"].as_str().unwrap().len() > 20,
            "{rule}"
        );
        assert!(rule["help"]["markdown"].is_string(), "{rule}");
    }
}
