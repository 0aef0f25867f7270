//! Every JSON shape of the agent side has a schema in `docs/schema/`, and real values fit it.

use std::sync::Arc;

use expect_test::{ExpectFile, expect_file};
use prowess::{
    Catalog, LoadOptions, MemorySource, Source,
    activate::{Activation, Reason, Triggers, Turn},
    context::{ContextOptions, Coordinator, Envelope, Strategy},
    ledger::Ledger,
    select::Ranker,
    tool::{Tool as _, ToolOptions, ToolRecord, Toolset},
};
use schemars::JsonSchema;
use serde_json::{Value, json};

fn catalog() -> Catalog {
    let source = MemorySource::new("example").skill(
        "pdf/SKILL.md",
        "---\nname: pdf\ndescription: Fills PDF forms.\nallowed-tools: Bash(pdftk:*), Read\n---\nFill.\n",
    );
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    Catalog::load(&sources, &LoadOptions::default()).unwrap()
}

/// The published schema is the one of the type, and the value fits it.
fn check<Shape: JsonSchema>(file: &ExpectFile, values: &[Value]) {
    let schema = schemars::schema_for!(Shape).to_value();
    let mut text = serde_json::to_string_pretty(&schema).unwrap();
    text.push('\n');
    file.assert_eq(&text);
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).unwrap();
    for value in values {
        let errors: Vec<_> = validator
            .iter_errors(value)
            .map(|e| e.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?} in {value}");
    }
    assert!(
        !validator.is_valid(&json!({})),
        "the schema asks for something"
    );
}

#[test]
fn a_context_fits_its_schema() {
    let catalog = catalog();
    let tools = vec!["Bash".to_owned(), "Read".to_owned()];
    let mut options = ContextOptions::default();
    options.policy.ranker = Ranker::Overlap;
    let coordinator = Coordinator::new(catalog, Arc::new(tools), options);
    let values: Vec<Value> = [Strategy::Name("pdf".into()), Strategy::Query("pdf".into())]
        .into_iter()
        .map(|strategy| {
            let context = coordinator.resolve(&[strategy]).context.unwrap();
            serde_json::to_value(context.envelope()).unwrap()
        })
        .collect();
    check::<Envelope>(&expect_file!["../../../docs/schema/context.json"], &values);
}

#[test]
fn an_activation_fits_its_schema() {
    let catalog = catalog();
    let turn = Turn {
        message: "@pdf fill tax.pdf",
        ..Turn::default()
    };
    let woken = Triggers::new(&catalog).activate(&catalog, &turn, None);
    assert_eq!(woken.len(), 1);
    let values: Vec<_> = woken
        .iter()
        .map(|a| serde_json::to_value(a).unwrap())
        .collect();
    check::<Activation>(
        &expect_file!["../../../docs/schema/activation.json"],
        &values,
    );
}

#[test]
fn a_tool_result_fits_its_schema() {
    let tools = Toolset::new(Arc::new(catalog()), ToolOptions::default());
    let input = json!({ "skill_name": "pdf", "query": "fill a form", "path": "a.md" });
    let mut values = Vec::new();
    for tool in tools.tools() {
        values.push(serde_json::to_value(tool.call(&input).record).unwrap());
    }
    let unknown = tools.skill().call(&json!({ "skill_name": "pfd" }));
    values.push(serde_json::to_value(unknown.record).unwrap());
    check::<ToolRecord>(
        &expect_file!["../../../docs/schema/tool-result.json"],
        &values,
    );
}

#[test]
fn a_ledger_fits_its_schema() {
    let catalog = catalog();
    let mut ledger = Ledger::default();
    ledger.load(catalog.get("pdf").unwrap(), Reason::Explicit);
    let value = serde_json::from_str(&ledger.export()).unwrap();
    check::<Ledger>(&expect_file!["../../../docs/schema/ledger.json"], &[value]);
}
