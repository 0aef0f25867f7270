//! The coordinator and the injector answer as adk-skill does, except where that is wrong.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use prowess::{
    Catalog, LoadOptions, MemorySource, Source,
    context::{ContextOptions, Coordinator, Mode, Strategy},
    frame::{frame_at_most, frame_instruction},
    inject::{Injection, InjectionResult, Message, Part},
    select::{Policy, Ranker},
};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct File {
    path: String,
    content: String,
}

#[derive(Deserialize)]
struct CasePolicy {
    top_k: usize,
    min_score: f32,
    #[serde(default)]
    include_tags: Vec<String>,
    #[serde(default)]
    exclude_tags: Vec<String>,
}

impl CasePolicy {
    fn policy(&self) -> Policy {
        Policy {
            ranker: Ranker::Overlap,
            top_k: self.top_k,
            min_score: Some(self.min_score),
            include_tags: self.include_tags.clone(),
            exclude_tags: self.exclude_tags.clone(),
            ..Policy::default()
        }
    }
}

fn load(files: &[File]) -> Catalog {
    let mut source = MemorySource::new("case");
    for file in files {
        source = source.skill(&file.path, &file.content);
    }
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    Catalog::load(&sources, &LoadOptions::default()).expect("a lenient load")
}

/// Runs each line of a file of cases and gives their number.
fn each(cases: &str, check: impl Fn(Value)) -> usize {
    let lines = cases.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| check(serde_json::from_str(line).expect("a case")))
        .count()
}

#[derive(Deserialize)]
struct ContextCase {
    id: String,
    skills: Vec<File>,
    registry: Vec<String>,
    validation_mode: String,
    policy: CasePolicy,
    max_instruction_chars: usize,
    strategies: Vec<(String, String)>,
    #[serde(alias = "adk_0_6_0")]
    expect: Value,
}

fn check_context(case: Value) {
    let case: ContextCase = serde_json::from_value(case).expect("a case");
    let catalog = load(&case.skills);
    let strategies: Vec<Strategy> = case
        .strategies
        .iter()
        .map(|(kind, value)| match kind.as_str() {
            "ByName" => Strategy::Name(value.clone()),
            "ByQuery" => Strategy::Query(value.clone()),
            _ => Strategy::Tag(value.clone()),
        })
        .collect();
    let mut options = ContextOptions::default();
    options.mode = match case.validation_mode.as_str() {
        "Permissive" => Mode::Permissive,
        "Fallback" => Mode::Fallback,
        _ => Mode::Strict,
    };
    options.policy = case.policy.policy();
    options.max_chars = case.max_instruction_chars;
    let coordinator = Coordinator::new(catalog, Arc::new(case.registry.clone()), options);
    let resolution = coordinator.resolve(&strategies);
    let told = resolution.context.as_ref().map_or(Value::Null, |context| {
        json!({
            "name": context.provenance.name,
            "score": context.provenance.score.map(|score| format!("{score:.6}")),
            "active_tools": context.envelope().tools,
            "system_instruction": context.instruction,
        })
    });
    let mut expected = case.expect;
    // Called by name, there is no score to tell.
    if case.strategies.iter().all(|(kind, _)| kind == "ByName") && !expected.is_null() {
        expected["score"] = Value::Null;
    }
    let short = |told: &Value| json!([told["name"], told["score"], told["active_tools"]]);
    match case.id.as_str() {
        // The next best candidate is tried, by query and by tag.
        "c002" => assert_eq!(short(&told), json!(["general", "2.500000", []])),
        "c009" => assert_eq!(short(&told), json!(["general", "0.000000", []])),
        // Such a skill is used only by its name.
        "c015" => assert_eq!(told, Value::Null),
        id => assert_eq!(told, expected, "case {id}"),
    }
    // What is missing is never passed over in silence.
    if let Some(context) = resolution.context {
        let missing = &context.provenance.tools_missing;
        let mut warnings = resolution.warnings.iter();
        let told = warnings.find(|warning| warning.contains("goes without"));
        assert_eq!(missing.is_empty(), told.is_none(), "{}", case.id);
        for tool in missing {
            assert!(told.is_some_and(|it| it.contains(tool)), "{}", case.id);
        }
    }
}

#[derive(Deserialize)]
struct InjectCase {
    id: String,
    skills: Vec<File>,
    content_before: Content,
    policy: CasePolicy,
    max_injected_chars: usize,
    #[serde(alias = "adk_0_6_0")]
    expect: InjectExpected,
}

#[derive(Deserialize)]
struct InjectExpected {
    matched: Option<String>,
    content_after: Content,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Content {
    role: String,
    parts: Vec<Value>,
}

fn check_inject(case: Value) {
    if case["id"].as_str().is_some_and(|id| id.starts_with('e')) {
        return check_blocks(&case);
    }
    let case: InjectCase = serde_json::from_value(case).expect("a case");
    let catalog = load(&case.skills);
    let parts = case.content_before.parts.iter().cloned();
    let mut message = Message {
        role: case.content_before.role.clone(),
        parts: parts
            .map(|part| match part["text"].as_str() {
                Some(text) => Part::Text(text.to_owned()),
                None => Part::Other(part),
            })
            .collect(),
    };
    let mut injection = Injection::above(0.0);
    injection.policy = case.policy.policy();
    injection.max_chars = case.max_injected_chars;
    let injected = injection.inject(&catalog, &mut message);
    let matched = match injected {
        InjectionResult::Yes { name, .. } => Some(name),
        _ => None,
    };
    let after = Content {
        role: message.role,
        parts: message
            .parts
            .into_iter()
            .map(|part| match part {
                Part::Text(text) => json!({ "text": text }),
                Part::Other(other) => other,
            })
            .collect(),
    };
    let mut expected = case.expect;
    match case.id.as_str() {
        // No text is doubled.
        "j005" => {
            let text = expected.content_after.parts[0]["text"]
                .as_str()
                .expect("a text");
            let own = text.strip_suffix("\nand more").expect("the doubled text");
            expected.content_after.parts[0] = json!({ "text": own });
        }
        // A message that carries a block is left alone.
        "j013" => {
            expected.matched = None;
            expected.content_after = case.content_before;
        }
        // A body can not close its frame.
        "j018" => {
            let text = expected.content_after.parts[0]["text"]
                .as_str()
                .expect("a text");
            let text = text.replacen("[/skill]", "[\\/skill]", 1);
            expected.content_after.parts[0] = json!({ "text": text });
        }
        _ => {}
    }
    assert_eq!(after, expected.content_after, "case {}", case.id);
    assert_eq!(matched, expected.matched, "case {}", case.id);
}

fn check_blocks(case: &Value) {
    let body = case["body"].as_str().expect("a body");
    let max = case["max_chars"].as_u64().expect("a number") as usize;
    let tools = case["active_tools"].as_array().expect("a list").iter();
    let tools: Vec<&str> = tools.filter_map(Value::as_str).collect();
    let told = json!({
        "engineer_instruction": frame_instruction("demo", "A demo skill.", &tools, body, max).text,
        "engineer_prompt_block": frame_at_most("demo", body, max).text,
    });
    let expected = case.get("adk_0_6_0").unwrap_or(&case["expect"]);
    assert_eq!(&told, expected, "case {}", case["id"]);
}

#[expect(
    clippy::disallowed_methods,
    reason = "the cases lie outside the repository"
)]
fn shared(file: &str) -> Option<String> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("PROWESS_SHARED").map_or(beside, PathBuf::from);
    let cases = std::fs::read_to_string(shared.join("vectors/context").join(file)).ok();
    if cases.is_none() {
        println!("note: the shared cases are not here; set PROWESS_SHARED to check them");
    }
    cases
}

#[test]
fn every_shared_context_is_as_told() {
    if let Some(cases) = shared("coordinator.jsonl") {
        assert_eq!(each(&cases, check_context), 19);
    }
}

#[test]
fn every_shared_injection_is_as_told() {
    if let Some(cases) = shared("inject.jsonl") {
        assert_eq!(each(&cases, check_inject), 25);
    }
}

#[test]
fn own_cases_hold() {
    assert_eq!(each(include_str!("context.jsonl"), check_context), 7);
    assert_eq!(each(include_str!("inject.jsonl"), check_inject), 7);
}
