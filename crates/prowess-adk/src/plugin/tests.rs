use adk_core::Part;
use expect_test::{Expect, expect};
use prowess::{Reason, inject::SkipReason};

use super::*;
use crate::{
    registry::HostTools,
    sample::{Named, catalog, empty},
};

fn asked(text: &str) -> Content {
    let image = Part::FileData {
        mime_type: "image/png".into(),
        file_uri: "file:///a.png".into(),
        annotations: None,
    };
    let mut content = Content::new("user").with_text(text);
    content.parts.insert(0, image);
    content
}

fn on(injection: Injection) -> Injector {
    let options = InjectorOptions {
        injection,
        tools: Some(Arc::new(HostTools::default().tool(Named::tool("lookup")))),
        ..InjectorOptions::default()
    };
    Injector::new(catalog(), options)
}

/// What the model would read, and what was done about it.
fn check(injector: &Injector, text: &str, ledger: Option<&Ledger>, expected: &Expect) {
    let mut content = asked(text);
    let outcome = injector.inject(&mut content, ledger);
    let changed = content.parts != asked(text).parts;
    assert_eq!(outcome.changed(), changed);
    let activated = outcome.activated.iter();
    let mut seen: Vec<_> = activated
        .map(|it| format!("{} {}", it.reason.as_str(), it.name))
        .collect();
    seen.extend(outcome.injected.iter().map(|injected| match injected {
        InjectionResult::Yes { name, .. } => format!("injected {name}"),
        InjectionResult::No(why) => format!("{why:?}"),
        other => format!("{other:?}"),
    }));
    let refused = outcome.refused.iter();
    seen.extend(refused.map(|it| format!("refused {}: {}", it.name, it.tools_missing.join(" "))));
    let text = content.parts[1].text().unwrap();
    let seen = format!("{text}\n--\n{}\n", seen.join("\n"));
    expected.assert_eq(&seen);
}

#[test]
fn words_alone_choose_nothing_until_it_is_turned_on() {
    let off = on(Injection::default());
    check(
        &off,
        "weather of a town",
        None,
        &expect![[r#"
            weather of a town
            --
            Off
        "#]],
    );
    check(
        &on(Injection::above(0.0)),
        "weather of a town",
        None,
        &expect![[r#"
            [skill:weather]
            Look the town up.
            [/skill]

            weather of a town
            --
            injected weather
        "#]],
    );
}

#[test]
fn names_and_triggers_activate_skills_and_hidden_ones_too() {
    check(
        &on(Injection::above(0.0)),
        "put the kettle on, then @vault and @alarm",
        None,
        &expect![[r#"
            [skill:vault]
            Open it.
            [/skill]

            [skill:tea]
            Steep it.
            [/skill]

            the skill `alarm` was not loaded: it needs `siren`, and this agent does not offer it; go on without the skill and tell the user

            put the kettle on, then @vault and @alarm
            --
            explicit vault
            trigger-keyword tea
            refused alarm: siren
        "#]],
    );
}

#[test]
fn what_the_conversation_holds_is_not_said_again() {
    let mut ledger = Ledger::default();
    ledger.load(catalog().get("tea").unwrap(), Reason::Explicit);
    let injector = on(Injection::default());
    check(
        &injector,
        "@tea again",
        Some(&ledger),
        &expect![[r#"
            @tea again
            --
            Off
        "#]],
    );
    let mut content = asked("@tea");
    assert!(injector.inject(&mut content, None).changed());
    let framed = content.clone();
    assert!(!injector.inject(&mut content, None).changed());
    assert_eq!(content.parts, framed.parts);
}

#[test]
fn activation_can_be_turned_off() {
    let options = InjectorOptions {
        activate: false,
        ..InjectorOptions::default()
    };
    check(
        &Injector::new(catalog(), options),
        "@tea",
        None,
        &expect![[r#"
            @tea
            --
            Off
        "#]],
    );
}

#[test]
fn a_skill_without_its_tools_is_not_injected() {
    check(
        &on(Injection::above(0.0)),
        "ring the alarm",
        None,
        &expect![[r#"
            ring the alarm
            --
            Refused(Refusal { name: "alarm", tools_missing: ["siren"] })
            refused alarm: siren
        "#]],
    );
}

#[test]
fn a_newer_catalog_is_seen_by_plugins_made_before() {
    let injector = on(Injection::above(0.0));
    let manager = injector.plugin_manager("skills");
    assert_eq!(manager.plugin_names(), ["skills"]);
    injector.replace(empty());
    let outcome = injector.inject(&mut asked("@tea"), None);
    assert_eq!(
        outcome.injected,
        Some(InjectionResult::No(SkipReason::NoMatch))
    );
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test makes the files it reads"
)]
fn an_injector_takes_the_skills_of_a_project() {
    let root = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put(".skills/a.md", "---\nname: a\ndescription: A.\n---\nA.\n");
    put(
        ".agents/skills/b/SKILL.md",
        "---\nname: b\ndescription: B.\n---\nB.\n",
    );
    put("AGENTS.md", "# House rules\n");
    let injector = Injector::from_root(root.path(), InjectorOptions::default()).unwrap();
    let catalog = injector.catalog();
    let names: Vec<_> = catalog.model_visible().map(prowess::Skill::name).collect();
    assert_eq!(names, ["a", "agents", "b"]);
    let outcome = injector.inject(&mut asked("@a please"), None);
    assert_eq!(outcome.activated[0].name, "a");
}
