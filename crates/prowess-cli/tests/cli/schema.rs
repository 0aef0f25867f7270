//! The published shapes, held against real output.

use serde_json::Value;

use crate::world::{World, repository};

fn world() -> World {
    let world = World::with(&[
        (
            ".agents/skills/pdf/SKILL.md",
            "---\nname: pdf\ndescription: Fills: forms. Use when asked.\ntags: [a]\n---\nRun `scripts/go.sh`.\n",
        ),
        (".agents/skills/pdf/references/notes.md", "Notes.\n"),
        (
            ".agents/skills/empty/SKILL.md",
            "---\nname: empty\ndesciption: x\n---\n",
        ),
        (".agents/skills/binary/SKILL.md", "\u{0}"),
        ("catalog.jsonl", "nonsense\n"),
        (
            "base.jsonl",
            "{\"name\":\"tea\",\"description\":\"Makes tea.\"}\n{\"name\":\"pdf\",\"description\":\"Fills forms.\"}\n",
        ),
        (
            "cases.jsonl",
            "{\"query\":\"fill a form\",\"expect\":[\"pdf\"]}\n{\"query\":\"tea\",\"expect\":[]}\n{\"query\":\"forms\",\"not\":[\"pdf\"]}\n",
        ),
    ]);
    world.skill("home/.agents/skills/pdf", "Fills other forms");
    world
}

#[test]
fn real_output_has_the_published_shape() {
    let world = world();
    for (name, line) in [
        ("list", "list --json --all --catalog catalog.jsonl"),
        ("list", "list --json"),
        ("show", "show pdf --json"),
        ("show", "show binary --json"),
        ("check", "check --json --catalog catalog.jsonl"),
        ("check", "check --format json --profile skills-ref"),
        ("why", "why pdf --json"),
        ("why", "why empty --json --client codex"),
        ("select", "select forms --json --trust"),
        ("select", "select 'fill a form' --json --explain --trust"),
        ("why-query", "why pdf --query 'fill a form' --json --trust"),
        ("why-query", "why pdf --query tea --json --trust"),
        ("eval", "eval cases.jsonl --json --trust"),
        ("drift", "drift --base base.jsonl --json --trust"),
        ("rivals", "rivals --json --trust"),
        ("resources", "resources pdf --json --trust"),
        ("read", "read pdf references/notes.md --json --trust"),
        ("clients", "clients --json"),
        ("trust", "trust --list --json"),
        ("config", "config --json"),
        ("activate", "activate pdf --json --trust"),
        (
            "activate",
            "activate --message '@pdf now' --threshold 0 --json --trust",
        ),
        ("resolution", "context forms --json --trust"),
        ("resolution", "context --name pdf --json --trust"),
        ("resolution", "context --tag a --json --trust"),
        ("resolution", "context 'quantum chess' --json"),
        ("inject", "inject forms --json"),
        ("inject", "inject forms --json --threshold 0 --trust"),
        ("tools", "tool describe --json --trust"),
        ("tools", "tool schema"),
        (
            "tool-result",
            r#"tool call skill '{"skill_name":"pdf"}' --json --trust"#,
        ),
        ("tool-result", "tool call skill '{}' --json"),
        (
            "tool-result",
            r#"tool call search_skills '{"query":"forms"}' --json --trust"#,
        ),
        ("budget", "budget --json --trust"),
        ("budget", "budget --json --budget 20t --query forms"),
    ] {
        let path = repository().join(format!("docs/schema/{name}.json"));
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let mut faults = Vec::new();
        check(&world.json(line), &schema, &schema, "$", &mut faults);
        assert!(faults.is_empty(), "prowess {line}: {faults:#?}");
    }
}

#[test]
fn every_exported_line_has_the_published_shape() {
    let world = world();
    let path = repository().join("docs/schema/export.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let output = world.output("export --trust");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().count() > 0);
    for line in text.lines() {
        let mut faults = Vec::new();
        check(
            &serde_json::from_str(line).unwrap(),
            &schema,
            &schema,
            "$",
            &mut faults,
        );
        assert!(faults.is_empty(), "{faults:#?}");
    }
}

#[test]
fn the_shape_can_be_missed() {
    let schema = serde_json::json!({
        "type": "object",
        "required": ["a"],
        "additionalProperties": false,
        "properties": { "a": { "enum": [1, 2] }, "b": { "type": ["string", "null"] } }
    });
    let faults = |value: Value| {
        let mut faults = Vec::new();
        check(&value, &schema, &schema, "$", &mut faults);
        faults.len()
    };
    assert_eq!(faults(serde_json::json!({ "a": 1, "b": null })), 0);
    assert_eq!(faults(serde_json::json!({ "a": 3, "b": 4, "c": 5 })), 3);
    assert_eq!(faults(serde_json::json!({})), 1);
    assert_eq!(faults(serde_json::json!([])), 1);
}

/// A published shape.
pub(crate) fn schema(name: &str) -> Value {
    let path = repository().join(format!("docs/schema/{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Holds what a run prints against a published shape.
#[cfg(unix)]
pub(crate) fn fits(world: &World, name: &str, line: &str) {
    let path = repository().join(format!("docs/schema/{name}.json"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut faults = Vec::new();
    check(&world.json(line), &schema, &schema, "$", &mut faults);
    assert!(faults.is_empty(), "prowess {line}: {faults:#?}");
}

/// The part of JSON Schema the published shapes use.
pub(crate) fn check(
    value: &Value,
    schema: &Value,
    root: &Value,
    place: &str,
    faults: &mut Vec<String>,
) {
    if let Some(name) = schema["$ref"].as_str() {
        let target = root.pointer(name.trim_start_matches('#')).unwrap();
        return check(value, target, root, place, faults);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let fits = |choice: &&Value| {
            let mut misfits = Vec::new();
            check(value, choice, root, place, &mut misfits);
            misfits.is_empty()
        };
        if choices.iter().filter(fits).count() != 1 {
            faults.push(format!("{place} is {value}, not one of the shapes"));
        }
    }
    if let Some(only) = schema.get("const")
        && only != value
    {
        faults.push(format!("{place} is {value}, not {only}"));
    }
    if let Some(kinds) = schema.get("type") {
        let kinds = kinds
            .as_array()
            .cloned()
            .unwrap_or_else(|| vec![kinds.clone()]);
        if !kinds
            .iter()
            .any(|kind| is_kind(value, kind.as_str().unwrap()))
        {
            faults.push(format!("{place} is {value} where {kinds:?} is expected"));
            return;
        }
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        faults.push(format!("{place} is {value}, none of {values:?}"));
    }
    if let Some(items) = schema.get("items") {
        for (at, item) in value.as_array().into_iter().flatten().enumerate() {
            check(item, items, root, &format!("{place}[{at}]"), faults);
        }
    }
    let Some(object) = value.as_object() else {
        return;
    };
    for key in schema["required"].as_array().into_iter().flatten() {
        if !object.contains_key(key.as_str().unwrap()) {
            faults.push(format!("{place} has no {key}"));
        }
    }
    for (key, item) in object {
        match (
            schema["properties"].get(key),
            &schema["additionalProperties"],
        ) {
            (Some(property), _) => check(item, property, root, &format!("{place}.{key}"), faults),
            (None, Value::Bool(false)) => faults.push(format!("{place}.{key} is not published")),
            (None, _) => {}
        }
    }
}

fn is_kind(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the published shapes use `{other}`, which this test does not know"),
    }
}
