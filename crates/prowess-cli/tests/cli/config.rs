//! Settings and where they come from.

use expect_test::expect;

use crate::world::{World, repository, skill};

#[test]
fn the_project_stands_over_the_user() {
    let world = World::with(&[
        (
            "prowess.toml",
            "[skills]\nallowed = [\"a\"]\n[limits]\ndepth = 3\n",
        ),
        (".agents/skills/a/SKILL.md", &skill("a", "Is allowed")),
        (".agents/skills/b/SKILL.md", &skill("b", "Is not")),
    ]);
    world.file(
        "home/.config/prowess/config.toml",
        "[skills]\nallowed = [\"b\"]\n[trust]\nprojects = [\"~/../work\"]\n[prompt]\nbudget = 8000\n",
    );
    world.session(&expect![[r#"
        $ prowess config
        SETTING                FROM                           VALUE
        skills.enabled         default                        true
        skills.allowed         prowess.toml                   ["a"]
        sources.client         default                        null
        sources.conventions    default                        false
        select.ranker          default                        "lexical"
        prompt.budget          ~/.config/prowess/config.toml  8000
        run.policy             default                        "ask"
        cache.enabled          default                        true
        limits.file-bytes      default                        1048576
        limits.depth           prowess.toml                   3
        limits.entries         default                        1000000
        limits.seconds         default                        30
        limits.skill-files     default                        2000
        limits.skill-bytes     default                        67108864
        limits.page-bytes      default                        262144
        limits.resource-bytes  default                        16777216
        trust.projects         ~/.config/prowess/config.toml  "[..]/home/../work"
        $ prowess list --all
        NAME  SCOPE    STATE   TOKENS  DESCRIPTION
        a     project               4  Is allowed. Use when asked.
        b     project  hidden       4  Is not. Use when asked.
        -- stderr
        warning: the project's config `prowess.toml` hides 1 skill: `b`
        2 skills
    "#]]);
    assert!(
        world
            .run("why b")
            .contains("hidden: it is not in `skills.allowed` of `prowess.toml`")
    );
}

#[test]
fn a_slip_in_a_config_stops_the_run() {
    let world = World::with(&[(
        "prowess.toml",
        "[skills]\nenabeld = false\n\n[limits]\ndepth = \"deep\"\n",
    )]);
    world.session(&expect![[r#"
        $ prowess list
        -- stderr
        error[invalid-config]: `enabeld` is no setting of `[skills]`
         --> prowess.toml:2:1
          |
        2 | enabeld = false
          | ^^^^^^^ did you mean `enabled`?

        error[invalid-config]: `limits.depth` has to be a whole number from 0 on
         --> prowess.toml:5:9
          |
        5 | depth = "deep"
          |         ^^^^^^

        error: the config `prowess.toml` has 2 errors
        hint: fix it, or name another with `--config FILE`
        -- exit 3
    "#]]);
    world.file("work/other.toml", "[skills]\nenabled = true\n");
    assert!(
        world
            .run("list --config other.toml")
            .ends_with("-- exit 0\n")
    );
    world.session(&expect![[r#"
        $ prowess list --config missing.toml
        -- stderr
        error: there is no config `missing.toml`
        -- exit 3
    "#]]);
}

#[test]
fn a_config_adds_a_client() {
    let world = World::with(&[
        (
            "prowess.toml",
            "[clients.mine]\ntitle = \"Mine\"\nproject = [\"prompts/skills\"]\n",
        ),
        ("prompts/skills/a/SKILL.md", &skill("a", "Is mine")),
    ]);
    world.session(&expect![[r#"
        $ prowess list --client mine
        NAME  SCOPE    STATE      TOKENS  DESCRIPTION
        a     project  untrusted       4  Is mine. Use when asked.
        -- stderr
        1 skill
        hint: 1 untrusted skill is not given to a model until you look at the project and run `prowess trust`
    "#]]);
}

#[test]
fn the_sample_in_the_docs_is_a_config() {
    let page = std::fs::read_to_string(repository().join("docs/CONFIG.md")).unwrap();
    let sample = page.split("```toml\n").nth(1).unwrap();
    let sample = sample.split("```").next().unwrap();
    let world = World::new();
    world.file("home/.config/prowess/config.toml", sample);
    let shown = world.run("config");
    assert!(shown.ends_with("-- exit 0\n"), "{shown}");
    // Every setting that can be shown is in the sample, so the page can not fall behind.
    for row in shown.lines().skip(1).filter(|line| !line.starts_with("--")) {
        assert!(
            row.contains("~/.config/prowess/config.toml") || row.contains("skills.enabled"),
            "{row}"
        );
    }
}

#[test]
fn what_settings_leave_out_is_said() {
    let world = World::with(&[
        ("skills/deploy/SKILL.md", &skill("deploy", "Deploys")),
        ("skills/pdf/SKILL.md", &skill("pdf", "Fills forms")),
        ("prowess.toml", "[skills]\nallowed = [\"deplyo\"]\n"),
    ]);
    world.session(&expect![[r#"
        $ prowess export --dir skills
        -- stderr
        warning: the project's config `prowess.toml` hides 2 skills: `deploy` and `pdf`
        warning: `skills.allowed` in `prowess.toml` names `deplyo`, which no skill here is called; did you mean `deploy`?
        0 skills written
    "#]]);
    world.file("work/prowess.toml", "[limits]\nentries = 1\n");
    let limit = "warning: a limit ended the scan early, so skills may be missing: `limits.entries` is 1 by `prowess.toml`";
    for line in [
        "prompt",
        "select deploy",
        "select deploy --json",
        "export",
        "list --json",
        "tool call search_skills '{\"query\":\"deploy\"}'",
    ] {
        let shown = world.run(&format!("{line} --dir skills"));
        assert!(shown.contains(limit), "{line}: {shown}");
    }
}
