//! What an observer sees. A test binary of its own: `tracing` decides once for the whole process
//! whether anybody listens at a place, and other tests would have reached the places first.

use std::{
    fmt::Write as _,
    sync::{Arc, Mutex},
};

use expect_test::expect;
use prowess::{Catalog, LoadOptions, MemorySource, Source, Tool as _, ToolOptions, Toolset};
use serde_json::json;

/// Writes down the fields of every event.
struct Observer(Arc<Mutex<String>>);

impl tracing::field::Visit for Observer {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        let mut seen = self.0.lock().unwrap();
        writeln!(seen, "{} = {value:?}", field.name()).unwrap();
    }
}

impl tracing::Subscriber for Observer {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut Observer(Arc::clone(&self.0)));
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn observers_see_which_skill_and_why() {
    let source = MemorySource::new("test").skill(
        "pdf/SKILL.md",
        "---\nname: pdf\ndescription: Fills PDF forms.\n---\nFill.\n",
    );
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let catalog = Catalog::load(&sources, &LoadOptions::default()).unwrap();
    let seen = Arc::new(Mutex::new(String::new()));
    tracing::subscriber::with_default(Observer(Arc::clone(&seen)), || {
        let tools = Toolset::new(Arc::new(catalog), ToolOptions::default());
        tools.skill().call(&json!({"skill_name": "pdf"}));
    });
    expect![[r#"
        message = skill loaded
        gen_ai.skill.name = "pdf"
        gen_ai.skill.source.uri = "skill://test/pdf/SKILL.md"
        gen_ai.skill.trigger = "invoked"
        gen_ai.skill.already_active = false
    "#]]
    .assert_eq(&seen.lock().unwrap());
}
