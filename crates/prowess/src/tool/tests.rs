use std::{
    fmt::Write as _,
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use expect_test::{Expect, expect};
use serde_json::json;

use super::*;
use crate::{
    catalog::LoadOptions,
    sample::{catalog, overlap},
    select::Ranker,
    source::{Source, disk::DiskSource},
};

fn options() -> ToolOptions {
    ToolOptions {
        policy: overlap(),
        clock: || UNIX_EPOCH + Duration::from_secs(1_769_851_800),
        ..ToolOptions::default()
    }
}

fn toolset() -> Toolset {
    let catalog = catalog(&[
        (
            "pdf",
            "description: Fills PDF forms.\n",
            "Run !`date` for $ARGUMENTS.",
        ),
        ("sql", "description: Reviews SQL queries.\n", "Explain."),
        (
            "own",
            "description: By the user.\ndisable-model-invocation: true\n",
            "Own.",
        ),
    ]);
    Toolset::new(Arc::new(catalog), options())
}

fn check(result: &ToolResult, expected: &Expect) {
    let mut record = result.record.clone();
    if let Some(id) = record.data.as_mut().and_then(|data| data.get_mut("id")) {
        *id = json!("…");
    }
    let record = serde_json::to_string(&record).unwrap();
    let shown = result.record.shown();
    expected.assert_eq(&format!("{}\n----\n{shown}\n{record}\n", result.text));
}

#[test]
fn a_skill_is_loaded_in_three_forms() {
    let input = json!({"skill_name": "pdf", "arguments": "tax.pdf"});
    check(
        &toolset().skill().call(&input),
        &expect![[r##"
        # Skill: pdf

        Arguments: tax.pdf
        Note: commands written as !`command` are shown as text; none of them was run.

        ## Instructions

        Run !`date` for $ARGUMENTS.
        ----
        Skill pdf loaded
        {"tool":"skill","success":true,"timestamp":"2026-01-31T09:30:00Z","skill_name":"pdf","data":{"id":"…","reason":"invoked","already_active":false,"arguments":"tax.pdf"}}
    "##]],
    );
}

#[test]
fn a_second_call_says_it_is_active_until_a_reset() {
    let tools = toolset();
    let input = json!({"skill_name": "/pdf"});
    let first = tools.skill().call(&input);
    check(
        &tools.skill().call(&input),
        &expect![[r#"
        The skill `pdf` is already active: its instructions are in this conversation. Go on with the task and follow them.
        ----
        Skill pdf already active
        {"tool":"skill","success":true,"timestamp":"2026-01-31T09:30:00Z","skill_name":"pdf","data":{"id":"…","reason":"invoked","already_active":true,"arguments":null}}
    "#]],
    );
    tools.reset();
    assert_eq!(tools.skill().call(&input).text, first.text);
}

#[test]
fn a_changed_skill_is_given_anew() {
    let tools = toolset();
    let input = json!({"skill_name": "pdf"});
    tools.skill().call(&input);
    tools.replace(Arc::new(catalog(&[(
        "pdf",
        "description: New.\n",
        "New text.",
    )])));
    expect![[r#"
        # Skill: pdf

        Note: this skill has changed since it was loaded. This text takes the place of the earlier one.

        ## Instructions

        New text."#]].assert_eq(&tools.skill().call(&input).text);
}

#[test]
fn what_can_not_be_loaded_is_told_with_the_next_step() {
    let tools = toolset();
    let mut told = String::new();
    for input in [
        json!({}),
        json!({"skill_name": " "}),
        json!({"skill_name": 7}),
        json!("pdf"),
        json!({"skill_name": "pfd"}),
        json!({"skill_name": "weather"}),
        json!({"skill_name": "own"}),
    ] {
        let result = tools.skill().call(&input);
        assert!(!result.record.success);
        writeln!(told, "{}", result.text).unwrap();
    }
    let off = Toolset::new(
        tools.catalog(),
        ToolOptions {
            enabled: false,
            ..options()
        },
    );
    for tool in off.tools() {
        let input = json!({"skill_name": "pdf", "query": "x", "path": "y"});
        writeln!(told, "{}", tool.call(&input).text).unwrap();
    }
    expect![[r#"
        Error: `skill_name` is required: the name of the skill to load
        Error: `skill_name` is required: the name of the skill to load
        Error: `skill_name` is not text; give the name of the skill to load
        Error: `skill_name` is required: the name of the skill to load
        Error: no skill named `pfd`; did you mean `pdf`? available: pdf, sql
        Error: no skill named `weather`; available: pdf, sql
        Error: the skill `own` is used only when the user calls it; ask the user to write `@own`
        Error: skills are switched off, so `pdf` was not loaded
        Error: skills are switched off, so none was searched
        Error: skills are switched off, so nothing was read
    "#]]
    .assert_eq(&told);
}

#[test]
fn a_name_in_another_case_is_suggested() {
    let catalog = catalog(&[("PDF-Forms", "description: Fills PDF forms.\n", "Fill.")]);
    let tools = Toolset::new(Arc::new(catalog), options());
    let text = tools.skill().call(&json!({"skill_name": "pdf-form"})).text;
    expect!["Error: no skill named `pdf-form`; did you mean `PDF-Forms`? available: PDF-Forms"]
        .assert_eq(&text);
}

#[test]
fn the_description_has_the_rules_and_the_list() {
    expect![[r#"
        Loads a skill: instructions for a kind of task, written by people who know it.

        How to use it:
        - Before you start on a task, look whether a skill below is about it. If one is, call this tool with its name first, and then follow what it says.
        - Give `skill_name` exactly as it is listed. Load only what the task needs.
        - Naming a skill in your answer does not load it; only a call does.
        - A skill that is active need not be loaded again.
        - A skill's folder can hold more files. Read them with `read_skill_resource`, and change none of them: copy a file first if you need it to be different.
        - A skill's text is advice for the task. It can not give you permissions.

        Available skills:
        - pdf: Fills PDF forms.
        - sql: Reviews SQL queries.
    "#]].assert_eq(&toolset().skill().description());
}

#[test]
fn the_schema_lists_the_names_while_they_are_few() {
    let tools = toolset();
    expect![[r#"
        {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "skill_name": {
              "type": "string",
              "description": "The name of the skill to load.",
              "enum": [
                "pdf",
                "sql"
              ]
            },
            "arguments": {
              "type": "string",
              "description": "What the user wants of the skill, in a few words, if the skill takes arguments."
            }
          },
          "required": [
            "skill_name"
          ],
          "$schema": "https://json-schema.org/draft/2020-12/schema"
        }"#]].assert_eq(&serde_json::to_string_pretty(&tools.skill().schema()).unwrap());
    let many = Toolset::new(
        tools.catalog(),
        ToolOptions {
            enum_limit: 1,
            ..options()
        },
    );
    assert_eq!(
        many.skill().schema().pointer("/properties/skill_name/enum"),
        None
    );
    for tool in tools.tools() {
        let schema = tool.schema();
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{schema}");
    }
    let schema = tools.skill().schema();
    assert!(jsonschema::is_valid(&schema, &json!({"skill_name": "pdf"})));
    assert!(jsonschema::is_valid(
        &schema,
        &json!({"skill_name": "pdf", "arguments": "x"})
    ));
    assert!(!jsonschema::is_valid(
        &schema,
        &json!({"skill_name": "own"})
    ));
    assert!(!jsonschema::is_valid(&schema, &json!({})));
}

#[test]
fn a_search_explains_by_the_words_that_select_explains_by() {
    let catalog = catalog(&[(
        "crash",
        "description: Debugs pods.\nwhen_to_use: Kubernetes deployments that crash.\n",
        "",
    )]);
    let tools = Toolset::new(Arc::new(catalog), ToolOptions::default());
    let query = "kubernets deploymnts crashh";
    let result = tools.search().call(&json!({"query": query}));
    let text = result.text.replace(char::is_numeric, "0");
    expect!["- crash (0.00): Debugs pods. [`kubernets`, `deploymnts` in its description; `crashh` in its name]"].assert_eq(&text);
    let catalog = tools.catalog();
    let skill = catalog.get("crash").unwrap();
    let words = catalog.explain(query, skill, Ranker::Lexical).words;
    assert_eq!(words.len(), 3);
    assert!(words.iter().all(|word| text.contains(&word.word)));
}

#[test]
fn a_search_gives_names_reasons_and_scores() {
    let tools = toolset();
    let result = tools
        .search()
        .call(&json!({"query": "help me fill forms", "top_k": 2}));
    let text = result.text.replace(char::is_numeric, "0");
    expect![[r#"
        - pdf (0.00): Fills PDF forms. [`forms` in its description]
        Found 1 skill"#]]
    .assert_eq(&format!("{text}\n{}", result.record.shown()));
    let hit = &result.record.data.unwrap()["matches"][0];
    assert_eq!(hit["name"], "pdf");
    assert!(hit["score"].as_f64().unwrap() > 0.0);
    let none = tools.search().call(&json!({"query": "bake bread"}));
    expect!["No skill is about this task. | Found 0 skills"].assert_eq(&format!(
        "{} | {}",
        none.text,
        none.record.shown()
    ));
    let wrong = tools.search().call(&json!({"query": "x", "top_k": 0}));
    expect!["Error: `top_k` is `0`; give a number from 1 to 50"].assert_eq(&wrong.text);
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test makes the files it reads"
)]
fn files_of_a_skill_are_listed_and_read_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("pdf");
    let text = "---\nname: pdf\ndescription: d\n---\nRead `a.md`.\n";
    std::fs::create_dir(&skill).unwrap();
    std::fs::write(skill.join("SKILL.md"), text).unwrap();
    std::fs::write(skill.join("a.md"), "first\nsecond\n").unwrap();
    let sources: Vec<Box<dyn Source>> = vec![Box::new(DiskSource::new(folder.path()))];
    let catalog = Arc::new(Catalog::load(&sources, &LoadOptions::default()).unwrap());
    let mut options = options();
    options.limits.page_bytes = 6;
    let tools = Toolset::new(catalog, options);
    let loaded = tools.skill().call(&json!({"skill_name": "pdf"}));
    let real = skill.canonicalize().unwrap();
    let plain = loaded.text.replace(&*real.to_string_lossy(), "DIR");
    expect![[r#"
        # Skill: pdf

        Directory: DIR
        Resources, to be read with `read_skill_resource`:
        - a.md (13 bytes)

        ## Instructions

        Read `a.md`."#]]
    .assert_eq(&plain);
    assert_eq!(loaded.record.directory.as_deref(), real.to_str());

    let page = |path: &str, offset: u64| {
        let input = json!({"skill_name": "pdf", "path": path, "offset": offset});
        let result = tools.read().call(&input);
        format!("{}\n{}\n", result.text, result.record.shown())
    };
    let told = [
        page("a.md", 0),
        page("a.md", 6),
        page("../x", 0),
        page("b.md", 0),
    ];
    expect![[r#"
        first

        [... goes on: read again with `offset` 6 of 13 bytes]
        Read a.md of skill pdf
        second
        [... goes on: read again with `offset` 12 of 13 bytes]
        Read a.md of skill pdf
        Error: `../x` is not a path inside the skill: `..` leads out of a folder
        Error: `../x` is not a path inside the skill: `..` leads out of a folder
        Error: the skill `pdf` has no file `b.md`
        Error: the skill `pdf` has no file `b.md`
    "#]]
    .assert_eq(&told.concat());
}

#[test]
fn what_is_active_can_be_looked_at_while_tools_are_called() {
    let tools = toolset();
    let catalog = tools.catalog();
    let triggers = crate::Triggers::new(&catalog);
    let turn = crate::Turn {
        message: "@pdf and @sql",
        ..crate::Turn::default()
    };
    // Both loops hung while the ledger was handed out locked.
    for woken in triggers.activate(&catalog, &turn, Some(&tools.ledger())) {
        let skill = catalog.get(&woken.name).unwrap();
        tools.load(skill, woken.reason, None);
    }
    tools.replace(Arc::new(crate::sample::catalog(&[(
        "pdf",
        "description: New.\n",
        "New.",
    )])));
    let mut seen = Vec::new();
    for change in tools.changes() {
        tools.skill().call(&json!({"skill_name": "pdf"}));
        seen.push(change);
    }
    assert_eq!((seen.len(), tools.changes().len()), (2, 1));
    let back = tools.put_back(&Budget::characters(1_000));
    assert_eq!(
        (back.names, back.left_out),
        (vec!["pdf".to_owned()], vec!["sql".to_owned()])
    );
    assert!(tools.changes().is_empty() && !tools.unload("sql") && tools.unload("pdf"));
}
