//! `list`, `show`, `prompt`, `export`.

use expect_test::expect;

use crate::world::{World, skill};

fn several() -> World {
    let world = World::with(&[
        (
            "kit/pdf-forms/SKILL.md",
            &skill("pdf-forms", "Fills PDF forms"),
        ),
        ("kit/pdf-forms/scripts/fill.py", "print()\n"),
        (
            "kit/deploy/SKILL.md",
            "---\nname: deploy\ndescription: Deploys. Use when asked.\ndisable-model-invocation: true\nallowed-tools: Bash(git add:*), Read\n---\nGo.\n",
        ),
        ("kit/empty/SKILL.md", "---\nname: empty\n---\nGo.\n"),
        (
            "more/pdf-forms/SKILL.md",
            "---\nname: pdf-forms\ndescription: \"A longer description that does not fit on one line of a terminal. Use when asked.\"\ntags: [pdf]\n---\nGo.\n",
        ),
    ]);
    world.skill("home/.agents/skills/review", "Reviews code");
    world
}

#[test]
fn the_list_shows_what_is_in_use() {
    several().session(&expect![[r#"
        $ prowess list --dir kit --dir more
        NAME       SCOPE     TOKENS  DESCRIPTION
        pdf-forms  explicit       1  A longer description that does not fit on one line…
        review     user           4  Reviews code. Use when asked.
        -- stderr
        2 skills; not shown: 1 hidden, 1 shadowed and 1 broken (`prowess list --all` shows them)
        hint: `prowess check` says what is wrong and how to fix it
    "#]]);
}

#[test]
fn all_shows_every_state() {
    several().session(&expect![[r#"
        $ prowess list --all --dir kit --dir more
        NAME       SCOPE     STATE     FOLDER          TOKENS  DESCRIPTION
        deploy     explicit  hidden                         1  Deploys. Use when asked.
        empty      explicit  broken                         1  `empty` cannot be offere…
        pdf-forms  explicit  shadowed  kit/pdf-forms        4  Fills PDF forms. Use whe…
        pdf-forms  explicit            more/pdf-forms       1  A longer description tha…
        review     user                                     4  Reviews code. Use when a…
        -- stderr
        5 skills
        hint: `prowess check` says what is wrong and how to fix it
    "#]]);
}

#[test]
fn a_tag_narrows_the_list() {
    several().session(&expect![[r#"
        $ prowess list --dir kit --dir more --tag PDF
        NAME       SCOPE     TOKENS  DESCRIPTION
        pdf-forms  explicit       1  A longer description that does not fit on one line…
        -- stderr
        1 skill
    "#]]);
}

#[test]
fn nothing_found_says_where_to_go() {
    World::new().session(&expect![[r#"
        $ prowess list
        -- stderr
        no skills: none of the folders that clients use is here
        hint: `prowess new NAME` makes one, `--dir DIR` looks elsewhere, `prowess clients` shows the usual places
    "#]]);
}

#[test]
fn no_skills_switches_all_off() {
    several().session(&expect![[r#"
        $ prowess list --no-skills --dir kit
        -- stderr
        0 skills; not shown: 3 hidden and 1 broken (`prowess list --all` shows them)
        hint: `prowess check` says what is wrong and how to fix it
        $ prowess prompt --no-skills --dir kit
        -- stderr
        hint: skills are switched off; `prowess config` says where
        hint: no skill can be given to a model; `prowess list --all` shows what is here
        -- exit 1
    "#]]);
}

#[test]
fn show_tells_everything() {
    several().session(&expect![[r#"
        $ prowess show deploy --dir kit
        deploy
          Deploys. Use when asked.

        state                     hidden: it asks to be used only when called by name
        file                      kit/deploy/SKILL.md
        scope                     explicit (dir)
        id                        deploy-e41637ed30d3
        hash                      sha256:e41637ed30d31e41f8ee949e8802f47b6020b57dbee53d1727a3742386cf936c
        tools                     Bash(git add:*), Read
        disable-model-invocation  true
        size                      in the catalog 8 tokens, 30 bytes
                                  instructions 1 token, 3 bytes

        $ prowess show pdf-forms --dir kit
        pdf-forms
          Fills PDF forms. Use when asked.

        state      active
        file       kit/pdf-forms/SKILL.md
        scope      explicit (dir)
        id         pdf-forms-0261a90e2818
        hash       sha256:0261a90e2818b5b6e38230a145759b446f2c5d8be59ffdedc6f4829ffb24e925
        size       in the catalog 11 tokens, 41 bytes
                   instructions 4 tokens, 15 bytes
                   resources about 2 tokens, 8 bytes
        resources  scripts/fill.py (8 bytes)

    "#]]);
}

#[test]
fn an_unknown_name_gets_the_nearest() {
    several().session(&expect![[r#"
        $ prowess show pdf-form --dir kit
        -- stderr
        error: no skill named `pdf-form`
        hint: did you mean `pdf-forms`? `prowess list` shows all 4
        -- exit 1
        $ prowess show kitchen --dir kit
        -- stderr
        error: no skill named `kitchen`
        hint: `prowess list --all` shows 4 skills
        -- exit 1
    "#]]);
}

#[test]
fn the_prompt_is_what_a_model_reads() {
    several().session(&expect![[r#"
        $ prowess prompt --dir kit --local
        <available_skills>
          <skill>
            <name>pdf-forms</name>
            <description>Fills PDF forms. Use when asked.</description>
            <location>[..]/work/kit/pdf-forms/SKILL.md</location>
          </skill>
        </available_skills>
        $ prowess prompt pdf-forms deploy --dir kit
        <available_skills>
          <skill>
            <name>pdf-forms</name>
            <description>Fills PDF forms. Use when asked.</description>
            <location>[..]/work/kit/pdf-forms/SKILL.md</location>
          </skill>
        </available_skills>
        -- stderr
        hint: `deploy` is left out (hidden): it asks to be used only when called by name
    "#]]);
}

#[test]
fn a_catalog_goes_out_and_comes_back() {
    let world = several();
    world.session(&expect![[r#"
        $ prowess export --jsonl --local --dir kit -o catalog.jsonl
        -- stderr
        2 skills written to `catalog.jsonl`
        hint: 1 skill left out, broken or shadowed; `prowess list --all` shows them
        $ prowess list --local --no-project --catalog catalog.jsonl --all
        NAME       SCOPE     STATE   TOKENS  DESCRIPTION
        deploy     explicit  hidden       1  Deploys. Use when asked.
        pdf-forms  explicit               4  Fills PDF forms. Use when asked.
        -- stderr
        2 skills
    "#]]);
    let ids = |line: &str| -> Vec<_> {
        let skills = world.json(line)["skills"].as_array().unwrap().clone();
        skills
            .iter()
            .map(|skill| (skill["id"].clone(), skill["description"].clone()))
            .collect()
    };
    assert_eq!(
        ids("list --local --json --dir kit"),
        ids("list --local --no-project --json --catalog catalog.jsonl")
    );
}

#[test]
fn a_client_narrows_the_places() {
    let world = several();
    world.skill("work/.claude/skills/a", "Is for Claude");
    world.skill("work/.agents/skills/b", "Is for all");
    world.session(&expect![[r#"
        $ prowess list --trust --local
        NAME  SCOPE    TOKENS  DESCRIPTION
        a     project       4  Is for Claude. Use when asked.
        b     project       4  Is for all. Use when asked.
        -- stderr
        2 skills
        $ prowess list --trust --local --client claude
        NAME  SCOPE    TOKENS  DESCRIPTION
        a     project       4  Is for Claude. Use when asked.
        -- stderr
        1 skill
        $ prowess list --client cluade
        -- stderr
        error: no client named `cluade`
        hint: did you mean `claude-code`? `prowess clients` shows all 85
        -- exit 2
        $ prowess clients --client claude
        CLIENT       PROJECT         USER              HERE
        claude-code  .claude/skills  ~/.claude/skills  .claude/skills
        -- stderr
        1 client, 1 with a folder here
    "#]]);
}

#[test]
fn json_says_what_is_wrong_with_a_skill_that_it_leaves_out() {
    let world = World::with(&[
        ("skills/empty/SKILL.md", "---\nname: empty\n---\nx\n"),
        ("skills/pdf/SKILL.md", &skill("pdf", "Fills forms")),
    ]);
    let shown = world.json("list --json --dir skills");
    assert_eq!(shown["skills"].as_array().unwrap().len(), 1);
    assert_eq!(shown["diagnostics"][0]["code"], "missing-description");
}

/// What `npx skills` leaves behind: one folder, a link for another client, a lock file.
#[cfg(unix)]
#[test]
fn links_and_lock_files_of_installers_are_named() {
    let world = World::new();
    world.skill("work/.agents/skills/sql", "Writes SQL");
    world.skill("work/.agents/skills/own", "Is ours");
    world.file(
        "work/skills-lock.json",
        r#"{"version": 1, "skills": {"sql": {"source": "acme/skills"}}}"#,
    );
    world.file("work/.claude/skills/.keep", "");
    std::os::unix::fs::symlink(
        "../../.agents/skills/sql",
        world.path("work/.claude/skills/sql"),
    )
    .unwrap();
    world.session(&expect![[r#"
        $ prowess list --trust --local
        NAME  SCOPE    FROM         TOKENS  DESCRIPTION
        own   project                    4  Is ours. Use when asked.
        sql   project  acme/skills       4  Writes SQL. Use when asked.
        -- stderr
        2 skills
        1 skill is in `.claude/skills` too
        where 1 skill came from stands in `skills-lock.json`
        $ prowess show sql --trust --local
        sql
          Writes SQL. Use when asked.

        state      active
        file       .agents/skills/sql/SKILL.md
        also at    .claude/skills/sql/SKILL.md
        installed  from acme/skills (skills-lock.json)
        scope      project (agents)
        id         sql-2821e54eda5c
        hash       sha256:2821e54eda5cef56d7eaf8607ef22c7130298fe7dcf175dd1b796471a458eddc
        size       in the catalog 8 tokens, 30 bytes
                   instructions 4 tokens, 15 bytes

        $ prowess why sql --trust --local --client claude
        sql
          found     .agents/skills/sql/SKILL.md
                    project scope, in .agents/skills (agents)
          also at   .claude/skills/sql/SKILL.md
          installed from acme/skills (skills-lock.json)
          read      YAML frontmatter, 2 fields
          here      active: a model is told about it
          clients   Claude Code  loads    call it with /sql
                                          as Claude Code 2.1.325 did on 2026-11-17
                                          trust: project skills load once the workspace is trusted
    "#]]);
    let list = world.json("list --trust --client claude --json");
    let at = |folder: &str| world.path(&format!("work/{folder}/skills/sql/SKILL.md"));
    let row = &list["skills"][0];
    assert_eq!(row["path"], at(".claude").to_str().unwrap());
    assert_eq!(row["also_at"][0], at(".agents").to_str().unwrap());
    assert_eq!(row["installed_from"], "acme/skills");
    let lock = world.path("work/skills-lock.json");
    assert_eq!(row["install_record"], lock.to_str().unwrap());
}
