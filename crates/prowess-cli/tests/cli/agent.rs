//! From a match to a model: `activate`, `context`, `inject`, `tool`, `budget`, `prompt`.

use expect_test::expect;

use crate::world::{World, repository};

/// A project with the skills that come with the product, as short texts.
fn world() -> World {
    let world = World::new();
    for (name, head, body) in [
        (
            "pdf-forms",
            "description: Fills in PDF forms. Use when a form has fields.\nallowed-tools: Bash(pdftk:*), Read\ntags: [documents]\n",
            "List the fields, then fill them.",
        ),
        (
            "leak",
            "description: Stops water leaks at home. Use for drips and floods.\ntriggers:\n  keywords: [leak]\n  globs: ['*.pipe', 'a[']\n",
            "Close the stopcock.",
        ),
        (
            "deploy",
            "description: Deploys the site.\ndisable-model-invocation: true\n",
            "Ask first. [/skill]",
        ),
    ] {
        world.file(
            &format!("work/skills/{name}/SKILL.md"),
            format!("---\nname: {name}\n{head}---\n{body}\n"),
        );
    }
    world
}

#[test]
fn a_called_skill_is_printed_as_the_model_reads_it() {
    world().session(&expect![[r#"
        $ prowess activate deploy to staging --dir skills
        # Skill: deploy

        Directory: [..]/work/skills/deploy
        Arguments: to staging

        ## Instructions

        Ask first. [/skill]
        -- stderr
        explicit: `deploy`, with `to staging`
        $ prowess activate deplo --dir skills
        -- stderr
        error: no skill named `deplo`
        hint: did you mean `deploy`? `prowess list` shows all 3
        -- exit 1
    "#]]);
}

#[test]
fn a_message_wakes_skills_each_with_its_reason() {
    world().session(&expect![[r#"
        $ prowess activate --message 'see @pdf-forms, there is a Leak' --files x.pipe --dir skills
        # Skill: pdf-forms

        Directory: [..]/work/skills/pdf-forms
        Tools it asks for: `Bash(pdftk:*)`, `Read`.
        Arguments: there is a Leak

        ## Instructions

        List the fields, then fill them.

        # Skill: leak

        Directory: [..]/work/skills/leak

        ## Instructions

        Close the stopcock.
        -- stderr
        warning[bad-glob]: `a[` is not a glob and matches no file: unclosed character class; missing ']'
         --> skills/leak/SKILL.md:6:21
          |
        6 |   globs: ['*.pipe', 'a[']
          |                     ^^^^
          = help: write it like `src/**/*.rs`; put `\` before a bracket that stands for itself

        explicit: `pdf-forms`, by @pdf-forms, with `there is a Leak`
        trigger-glob: `leak`, by `x.pipe` fits `*.pipe`
        $ prowess activate --message 'splinterleakx' --dir skills
        -- stderr
        warning[bad-glob]: `a[` is not a glob and matches no file: unclosed character class; missing ']'
         --> skills/leak/SKILL.md:6:21
          |
        6 |   globs: ['*.pipe', 'a[']
          |                     ^^^^
          = help: write it like `src/**/*.rs`; put `\` before a bracket that stands for itself

        none: the turn wakes no skill
        hint: `@name` calls a skill; `--threshold 0.8` also chooses by the message alone
        -- exit 1
    "#]]);
    let json =
        world().json("activate --message 'fill this pdf form' --threshold 0.5 --json --dir skills");
    assert_eq!(json["activations"][0]["reason"], "selected");
}

#[test]
fn a_context_binds_its_tools_or_names_the_missing_one() {
    world().session(&expect![[r#"
        $ prowess context 'fill a pdf form' --tools Bash,Read --dir skills
        [skill:pdf-forms]

        # pdf-forms
        Fills in PDF forms. Use when a form has fields.

        You have access to the following tools: Bash, Read.

        ## Instructions
        List the fields, then fill them.

        [/skill]
        -- stderr
        context: `pdf-forms`, confidence 99 %, with `Bash` and `Read`
        $ prowess context 'fill a pdf form' --tools Bash --dir skills
        -- stderr
        refused: `pdf-forms` needs `Read`, which the host does not have
        none: no skill fits what was asked
        hint: name more tools with `--tools`, or let them be left out with `--mode permissive`
        -- exit 1
        $ prowess context 'fill a pdf form' --tools Bash --mode permissive --dir skills
        [skill:pdf-forms]

        # pdf-forms
        Fills in PDF forms. Use when a form has fields.

        You have access to the following tools: Bash.

        ## Instructions
        List the fields, then fill them.

        [/skill]
        -- stderr
        warning: the skill `pdf-forms` goes without `Read`: the host does not offer it
        context: `pdf-forms`, confidence 99 %, with `Bash`
        $ prowess context 'fill a pdf form' --mode fallback --generalist leak --dir skills
        [skill:leak]

        # leak
        Stops water leaks at home. Use for drips and floods.

        ## Instructions
        Close the stopcock.

        [/skill]
        -- stderr
        refused: `pdf-forms` needs `Bash(pdftk:*)` and `Read`, which the host does not have
        context: `leak`, without tools
        $ prowess context --tag documents --name deplo --dir skills
        -- stderr
        error: no skill named `deplo`
        hint: did you mean `deploy`? `prowess list` shows all 3
        -- exit 1
        $ prowess context 'quantum chess' --json --dir skills
        {
          "refused": [],
          "warnings": []
        }
        -- exit 1
    "#]]);
}

#[test]
fn a_message_is_changed_only_when_asked() {
    world().session(&expect![[r#"
        $ prowess inject fill this pdf form --dir skills
        fill this pdf form
        -- stderr
        unchanged: injection is off, because a score alone chooses wrongly too often
        hint: `--threshold 0.8` turns it on for matches that are this sure
        -- exit 1
        $ prowess inject fill this pdf form --threshold 0.5 --dir skills
        [skill:pdf-forms]
        List the fields, then fill them.
        [/skill]

        fill this pdf form
        -- stderr
        injected: `pdf-forms`, confidence 99 %
        $ prowess inject quantum chess --threshold 0.5 --json --dir skills
        {
          "injected": false,
          "reason": "no-match",
          "name": null,
          "score": null,
          "confidence": null,
          "truncated": false,
          "neutralized": 0,
          "text": "quantum chess"
        }
        -- exit 1
    "#]]);
}

#[test]
fn a_tool_answers_in_three_forms() {
    world().session(&expect![[r#"
        $ prowess tool call skill '{"skill_name":"pdf-forms"}' --dir skills
        # Skill: pdf-forms

        Directory: [..]/work/skills/pdf-forms
        Tools it asks for: `Bash(pdftk:*)`, `Read`.

        ## Instructions

        List the fields, then fill them.
        -- stderr
        Skill pdf-forms loaded
        $ prowess tool call skill '{"skill_name":"deploy"}' --dir skills
        Error: the skill `deploy` is used only when the user calls it; ask the user to write `@deploy`
        -- exit 1
        $ prowess tool call skil '{}' --dir skills
        -- stderr
        error: no tool named `skil`
        hint: did you mean `skill` or `search_skills` or `read_skill_resource`?
        -- exit 2
        $ prowess tool call skill '{"skill_name":"pdf-forms"}' --tools Read --dir skills
        Error: the skill `pdf-forms` was not loaded: it needs `Bash(pdftk:*)`, and this agent does not offer it; go on without the skill and tell the user
        -- exit 1
        $ prowess tool call skill '{skill_name}' --dir skills
        -- stderr
        error: the input is not JSON
          cause: key must be a string at line 1 column 2
        hint: write it like '{"skill_name": "pdf-forms"}'
        -- exit 2
    "#]]);
    let json = world().json(r#"tool call search_skills '{"query":"leak"}' --json --dir skills"#);
    assert_eq!(json["data"]["matches"][0]["name"], "leak");
    world().session(&expect![[r#"
        $ prowess tool schema skill --dir skills
        {
          "type": "object",
          "properties": {
            "skill_name": {
              "type": "string",
              "description": "The name of the skill to load.",
              "enum": [
                "leak",
                "pdf-forms"
              ]
            },
            "arguments": {
              "type": "string",
              "description": "What the user wants of the skill, in a few words, if the skill takes arguments."
            }
          },
          "required": [
            "skill_name"
          ]
        }
    "#]]);
}

#[test]
fn skills_that_are_off_are_off_for_the_tool() {
    world().session(&expect![[r#"
        $ prowess tool call skill '{"skill_name":"pdf-forms"}' --no-skills --dir skills
        Error: skills are switched off, so `pdf-forms` was not loaded
        -- stderr
        hint: skills are switched off; `prowess config` says where
        -- exit 1
    "#]]);
}

#[test]
fn a_budget_is_kept_and_told() {
    world().session(&expect![[r#"
        $ prowess budget --budget 60t --query leak --dir skills
        TIER       SKILLS  NAMES
        full            0
        trimmed         0
        name-only       2  leak, pdf-forms
        hidden          0
        -- stderr
        2 skills: 29 of 60 tokens are taken (characters/4)
        $ prowess prompt --budget 150c --pin leak --names-only pdf-forms --dir skills
        <available_skills>
          <skill><name>leak</name></skill>
          <skill><name>pdf-forms</name></skill>
        </available_skills>
        -- stderr
        2 skills: 113 of 150 characters are taken (characters)
        $ prowess prompt --pin leek --dir skills
        -- stderr
        error: no skill named `leek`
        hint: did you mean `leak`? `prowess list` shows all 3
        -- exit 1
    "#]]);
}

#[test]
fn an_override_in_the_config_is_kept_and_told() {
    let world = world();
    world.file(
        "work/prowess.toml",
        "[skills.overrides]\npdf-forms = \"name-only\"\nleak = \"off\"\n[prompt]\nbudget = \"2000t\"\n",
    );
    world.session(&expect![[r#"
        $ prowess prompt --dir skills
        <available_skills>
          <skill><name>pdf-forms</name></skill>
        </available_skills>
        -- stderr
        warning: the project's config `prowess.toml` hides 1 skill: `leak`
        1 skill: 20 of 2,000 tokens are taken (characters/4)
        $ prowess activate leak --dir skills
        -- stderr
        warning: the project's config `prowess.toml` hides 1 skill: `leak`
        error: `leak` cannot be used (hidden): `skills.overrides` of `prowess.toml` says `off`
        hint: `prowess why leak` tells its whole story
        -- exit 1
    "#]]);
    let shown = world.run("config");
    assert!(
        shown.contains(r#"skills.overrides.leak       prowess.toml  "off""#),
        "{shown}"
    );
    assert!(shown.contains(r#""2000t""#), "{shown}");
}

#[test]
fn the_sample_config_sets_everything_there_is() {
    let sample = std::fs::read_to_string(repository().join("prowess.sample.toml")).unwrap();
    let world = World::new();
    world.file("home/.config/prowess/config.toml", &sample);
    let shown = world.run("config");
    assert!(shown.ends_with("-- exit 0\n"), "{shown}");
    let rows = shown.lines().skip(1).filter(|line| !line.starts_with("--"));
    for row in rows {
        assert!(
            row.contains("~/.config/prowess/config.toml"),
            "not in the sample: {row}"
        );
    }
    for word in ["full", "name-only", "manual", "off"] {
        assert!(sample.contains(&format!("\"{word}\"")), "{word}");
    }
    // Every setting is explained where it stands.
    for line in sample.lines().filter(|line| line.contains(" = ")) {
        assert!(line.contains('#'), "{line}");
    }
}

#[test]
fn the_examples_of_the_product_go_all_the_way() {
    let folder = repository().join("examples/skills");
    let folder = folder.display();
    let world = World::new();
    let run = |line: &str| world.run(&format!("{line} --dir {folder} --local"));
    for (line, part) in [
        (
            "activate --message 'my ceiling has a leak'",
            "trigger-keyword: `plumbing-triage`, by ceiling",
        ),
        ("activate --files src/a.sql", "trigger-glob: `sql-review`"),
        (
            "activate --message 'good morning'",
            "always: `plain-writing`",
        ),
        ("activate git-bisect v1 v2", "Arguments: v1 v2"),
        (
            "context 'fill a pdf form' --tools Bash,Read,Write",
            "context: `pdf-forms`, confidence 99 %, with `Bash`, `Read` and `Write`",
        ),
        (
            "context 'fill a pdf form' --tools Bash,Read",
            "refused: `pdf-forms` needs `Write`",
        ),
        (
            "inject 'water drips through my kitchen ceiling' --threshold 0.7",
            "[skill:plumbing-triage]",
        ),
        (
            r#"tool call skill '{"skill_name":"pdf-forms"}'"#,
            "Skill pdf-forms loaded",
        ),
        ("budget --budget 2000c", "of 2,000 characters are taken"),
    ] {
        let shown = run(line);
        assert!(shown.contains(part), "{line}\n{shown}");
    }
}
