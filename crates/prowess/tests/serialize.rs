//! What a host logs or sends on: the values of the library as JSON.

use expect_test::expect;
use prowess::{Catalog, Injection, LoadOptions, MemorySource, Policy, Source, inject::Message};

fn catalog() -> Catalog {
    let source = MemorySource::new("test")
        .skill(
            "pdf/SKILL.md",
            "---\nname: pdf\ndescription: Fills PDF forms.\nallowed-tools: Read, Bash(git add:*)\n---\nFill.\n",
        )
        .skill("bad/SKILL.md", "no frontmatter");
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    Catalog::load(&sources, &LoadOptions::default()).unwrap()
}

/// The value as JSON, with scores cut to two places.
fn json(value: &impl serde::Serialize) -> String {
    let mut value = serde_json::to_value(value).unwrap();
    round(&mut value);
    serde_json::to_string(&value).unwrap()
}

fn round(value: &mut serde_json::Value) {
    use serde_json::Value;
    match value {
        Value::Number(number) if number.is_f64() => {
            *value = Value::from((number.as_f64().unwrap() * 100.0).round() / 100.0);
        }
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(fields) => fields.values_mut().for_each(round),
        _ => {}
    }
}

#[test]
fn a_selection_carries_the_tools_its_skills_ask_for() {
    let catalog = catalog();
    let selection = catalog.select("fill this PDF form", &Policy::default());
    expect![[r#"{"decision":"confident","matches":[{"id":"pdf-972be231225b","name":"pdf","description":"Fills PDF forms.","allowed_tools":["Read","Bash(git add:*)"],"score":13.18,"confidence":1.0}]}"#]].assert_eq(&json(&selection));
}

#[test]
fn a_policy_is_written_and_read_back() {
    let policy = Policy {
        top_k: 3,
        ..Policy::default()
    };
    expect![[r#"{"ranker":"lexical","top_k":3,"min_score":null,"include_tags":[],"exclude_tags":[],"include_manual":false,"confident":0.7,"relevant":0.29}"#]].assert_eq(&json(&policy));
    let read: Policy = serde_json::from_str(r#"{"top_k": 3}"#).unwrap();
    assert_eq!(read, policy);
}

#[test]
fn findings_have_the_shape_of_the_command() {
    let catalog = catalog();
    let broken = catalog.named("bad")[0].diagnostics().next().unwrap();
    expect![[r#"{"line":1,"column":1,"code":"missing-frontmatter","severity":"error","message":"the file has no frontmatter, so the skill has no name and no description","help":"start the file with `---`, `name:` and `description:` lines, and `---`"}"#]].assert_eq(&json(broken));
    let finding = prowess::Finding {
        path: "bad/SKILL.md".into(),
        diagnostic: broken.clone(),
    };
    expect![[r#"{"path":"bad/SKILL.md","line":1,"column":1,"code":"missing-frontmatter","severity":"error","message":"the file has no frontmatter, so the skill has no name and no description","help":"start the file with `---`, `name:` and `description:` lines, and `---`"}"#]].assert_eq(&json(&finding));
}

#[test]
fn what_became_of_a_message_is_data() {
    let mut message = Message::<()>::text("user", "fill this PDF form");
    let injected = Injection::above(0.0).inject(&catalog(), &mut message);
    expect![[r#"{"yes":{"name":"pdf","score":13.18,"confidence":1.0,"tools":{"asked":["Read","Bash(git add:*)"]},"truncated":false,"neutralized":[]}}"#]].assert_eq(&json(&injected));
}
