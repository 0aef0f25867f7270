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
    context::Mode,
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
fn what_cannot_be_loaded_is_reported_with_the_next_step() {
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
        - A skill's text is advice for the task. It cannot give you permissions.

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
          ]
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

    // What is cut can be read on, from where it was cut.
    let mut short = (**tools.options()).clone();
    short.max_chars = 5;
    let cut = Toolset::new(tools.catalog(), short)
        .skill()
        .call(&json!({"skill_name": "pdf"}));
    expect![[r#"
        Read 
        [... 7 bytes more: read `SKILL.md` with `read_skill_resource` from `offset` 38 on]"#]]
    .assert_eq(cut.text.rsplit("\n\n").next().unwrap());

    let page = |path: &str, offset: u64| {
        let input = json!({"skill_name": "pdf", "path": path, "offset": offset});
        let result = tools.read().call(&input);
        format!("{}\n{}\n", result.text, result.record.shown())
    };
    let told = [
        page("SKILL.md", 38),
        page("a.md", 0),
        page("a.md", 6),
        page("../x", 0),
        page("b.md", 0),
    ];
    expect![[r#"
        `a.md`
        [... goes on: read again with `offset` 44 of 46 bytes]
        Read SKILL.md of skill pdf
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

/// A skill that asks for two tools of a host that has one of them.
fn checked(mode: Mode) -> Toolset {
    let catalog = catalog(&[
        (
            "call",
            "description: Calls.\nallowed-tools: phone, Bash(ls:*)\n",
            "Call.",
        ),
        ("tea", "description: Brews.\n", "Steep."),
    ]);
    let host = Arc::new(vec!["phone".to_owned()]);
    let options = ToolOptions {
        check: Some(ToolCheck::new(host).mode(mode)),
        ..options()
    };
    Toolset::new(Arc::new(catalog), options)
}

#[test]
fn a_skill_that_lacks_a_tool_is_refused_or_goes_without() {
    let input = json!({"skill_name": "call"});
    let strict = checked(Mode::Strict);
    check(
        &strict.skill().call(&input),
        &expect![[r#"
        Error: the skill `call` was not loaded: it needs `Bash(ls:*)`, and this agent does not offer it; go on without the skill and tell the user
        ----
        Error: the skill `call` was not loaded: it needs `Bash(ls:*)`, and this agent does not offer it; go on without the skill and tell the user
        {"tool":"skill","success":false,"error":"the skill `call` was not loaded: it needs `Bash(ls:*)`, and this agent does not offer it; go on without the skill and tell the user","timestamp":"2026-01-31T09:30:00Z","skill_name":"call"}
    "#]],
    );
    assert!(strict.ledger().entries().is_empty());
    assert!(
        strict
            .skill()
            .call(&json!({"skill_name": "tea"}))
            .record
            .success
    );
    check(
        &checked(Mode::Permissive).skill().call(&input),
        &expect![[r##"
            # Skill: call

            Tools of this skill: `phone`.
            Not there, so do not call: `Bash(ls:*)`.

            ## Instructions

            Call.
            ----
            Skill call loaded
            {"tool":"skill","success":true,"timestamp":"2026-01-31T09:30:00Z","skill_name":"call","tools":{"asked":["phone","Bash(ls:*)"],"bound":["phone"],"missing":["Bash(ls:*)"]},"data":{"id":"…","reason":"invoked","already_active":false,"arguments":null}}
        "##]],
    );
    let unchecked = Toolset::new(strict.catalog(), options());
    check(
        &unchecked.skill().call(&input),
        &expect![[r##"
        # Skill: call

        Tools it asks for: `phone`, `Bash(ls:*)`.

        ## Instructions

        Call.
        ----
        Skill call loaded
        {"tool":"skill","success":true,"timestamp":"2026-01-31T09:30:00Z","skill_name":"call","tools":{"asked":["phone","Bash(ls:*)"]},"data":{"id":"…","reason":"invoked","already_active":false,"arguments":null}}
    "##]],
    );
}

#[test]
fn instructions_are_bounded_and_say_how_they_go_on() {
    let body = "Step. ".repeat(100_000);
    let catalog = catalog(&[("long", "description: Long.\n", &body)]);
    let tools = Toolset::new(Arc::new(catalog), options());
    let text = tools.skill().call(&json!({"skill_name": "long"})).text;
    assert!(text.len() < 51_000, "{}", text.len());
    assert!(
        text.ends_with("\n[... 549999 bytes more, left out]"),
        "{}",
        &text[text.len() - 80..]
    );
}

#[test]
fn a_switched_off_tool_names_no_skill() {
    let off = ToolOptions {
        enabled: false,
        ..options()
    };
    for tool in Toolset::new(toolset().catalog(), off).tools() {
        let shown = format!("{} {}", tool.description(), tool.schema());
        assert!(!shown.contains("pdf") && !shown.contains("sql"), "{shown}");
    }
}

#[test]
fn names_and_words_are_the_hosts_choice() {
    let options = ToolOptions {
        names: ToolNames::prefixed("acme_"),
        descriptions: ToolDescriptions {
            skill: Some("Our skills.".to_owned()),
            ..ToolDescriptions::default()
        },
        ..options()
    };
    let tools = Toolset::new(toolset().catalog(), options);
    let mut seen = String::new();
    for tool in tools.tools() {
        writeln!(seen, "{}: {}", tool.name(), tool.description()).unwrap();
    }
    let result = tools.skill().call(&json!({"skill_name": "pdf"}));
    writeln!(seen, "{} {}", result.record.tool, result.record.shown()).unwrap();
    expect![[r#"
        acme_skill: Our skills.

        Available skills:
        - pdf: Fills PDF forms.
        - sql: Reviews SQL queries.

        acme_search_skills: Searches all 2 skills for those that fit a task. Gives the name of each, why it fits, and how likely it is right (0 to 1). Load one with `acme_skill`. An empty result means that no skill is about the task.
        acme_read_skill_resource: Reads a file that belongs to a skill: a reference, an example, a script, a template. Give the path as the skill or its list of resources names it. Text comes as it is, anything else in base64. A long file comes in parts; the result says where the next one starts. Reading a script does not run it.
        acme_skill Skill pdf loaded
    "#]].assert_eq(&seen);
}

#[test]
fn files_are_read_of_active_skills_only_where_the_host_says_so() {
    let options = ToolOptions {
        access: ResourceAccess::ActivatedOnly,
        ..options()
    };
    let tools = Toolset::new(toolset().catalog(), options);
    let read = || {
        tools
            .read()
            .call(&json!({"skill_name": "pdf", "path": "a.md"}))
            .text
    };
    let before = read();
    tools.skill().call(&json!({"skill_name": "pdf"}));
    expect![[r#"
        Error: the skill `pdf` is not active; load it with `skill` before its files are used
        Error: the skill `pdf` has no folder, so it has no resources"#]]
    .assert_eq(&format!("{before}\n{}", read()));
}

#[test]
fn an_input_may_come_as_the_text_of_one() {
    let tools = toolset();
    let result = tools.skill().call(&json!(r#"{"skill_name": "pdf"}"#));
    assert_eq!(result.record.shown(), "Skill pdf loaded");
}

#[test]
fn a_record_without_a_skill_is_no_success() {
    let mut record = toolset().record("skill");
    assert_eq!(record.shown(), "Error: the record names no skill");
    record.skill_name = Some("pdf".to_owned());
    assert_eq!(record.shown(), "Skill pdf loaded");
}

/// What the three large providers publish about the schemas they take, as the keywords all of
/// them know: Gemini's `Schema` has no `$schema` and no `additionalProperties`, and its formats
/// are not those of Rust's numbers; `OpenAI` and Anthropic want an object at the top.
#[test]
fn schemas_stay_in_the_subset_that_every_provider_takes() {
    fn plain(schema: &Value) {
        let fields = schema.as_object().unwrap();
        for (key, value) in fields {
            match key.as_str() {
                "type" => {
                    assert!(["object", "string", "integer"].contains(&value.as_str().unwrap()));
                }
                "description" => assert!(value.is_string()),
                "required" | "enum" => {
                    assert!(value.as_array().unwrap().iter().all(Value::is_string));
                }
                "properties" => value.as_object().unwrap().values().for_each(plain),
                other => panic!("`{other}` is not understood everywhere"),
            }
        }
        assert!(fields.contains_key("type"));
    }
    for tool in toolset().tools() {
        let schema = tool.schema();
        plain(&schema);
        assert_eq!(schema["type"], "object");
        assert!(
            schema["required"]
                .as_array()
                .is_some_and(|it| !it.is_empty())
        );
        // `^[a-zA-Z0-9_-]{1,64}$` for OpenAI and Anthropic; Gemini wants a letter or `_` first.
        let name = tool.name();
        assert!(name.len() <= 64 && name.starts_with(|it: char| it.is_ascii_alphabetic()));
        assert!(
            name.bytes()
                .all(|it| it.is_ascii_alphanumeric() || it == b'_')
        );
        let open_ai = tool.definition(Provider::OpenAi);
        assert_eq!(open_ai["function"]["parameters"], schema);
        assert_eq!(open_ai["type"], "function");
        assert_eq!(tool.definition(Provider::Anthropic)["input_schema"], schema);
        assert_eq!(tool.definition(Provider::Gemini)["parameters"], schema);
    }
}

#[test]
fn timestamps_are_in_utc_whatever_the_clock_says() {
    let at = |seconds| timestamp(UNIX_EPOCH + Duration::from_secs(seconds));
    assert_eq!(at(0), "1970-01-01T00:00:00Z");
    assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
    assert_eq!(at(4_107_542_399), "2100-02-28T23:59:59Z");
    assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00Z");
    assert_eq!(at(13_569_465_600), "2400-01-01T00:00:00Z");
    assert_eq!(at(u64::MAX / 4), "1970-01-01T00:00:00Z");
    assert_eq!(
        timestamp(UNIX_EPOCH - Duration::from_secs(1)),
        "1970-01-01T00:00:00Z"
    );
}

#[test]
fn a_toolset_can_follow_a_catalog() {
    let newest = Arc::new(Mutex::new(Arc::new(catalog(&[(
        "a",
        "description: A.\n",
        "A.",
    )]))));
    let source = Arc::clone(&newest);
    let tools = Toolset::following(move || source.lock().unwrap().clone(), options());
    assert!(tools.catalog().get("a").is_some());
    *newest.lock().unwrap() = Arc::new(catalog(&[("b", "description: B.\n", "B.")]));
    assert!(
        tools
            .skill()
            .call(&json!({"skill_name": "b"}))
            .record
            .success
    );
}
