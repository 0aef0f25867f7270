//! What an observer sees, and that `docs/OBSERVABILITY.md` names it. A test binary of its own:
//! `tracing` decides once for the whole process whether anybody listens at a place, and other
//! tests would have reached the places first.

use std::{
    fmt::{Debug, Write as _},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use expect_test::expect;
use prowess::{
    Catalog, ContextOptions, Coordinator, Injection, LoadOptions, MemorySource, Policy, Source,
    Strategy, Tool as _, ToolOptions, Toolset, Triggers, Turn, format::Profile, inject::Message,
};
use serde_json::json;
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

const PAGE: &str = include_str!("../../../docs/OBSERVABILITY.md");

/// Writes down every span and event with its fields, and holds each name against the page.
#[derive(Clone, Default)]
struct Observer {
    seen: Arc<Mutex<String>>,
    spans: Arc<AtomicU64>,
}

/// The fields of one span or event, as text.
struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            let name = format!("{value:?}");
            assert!(PAGE.contains(&format!("| `{name}` |")), "{name}");
            self.0.insert_str(0, &format!(" {name}"));
        } else {
            assert!(PAGE.contains(&format!("`{}`", field.name())), "{field}");
            let name = field.name().trim_start_matches("gen_ai.");
            write!(self.0, " {name}={value:?}").unwrap();
        }
    }
}

impl Observer {
    fn note(&self, what: &str, fields: &Fields) {
        writeln!(self.seen.lock().unwrap(), "{what}{}", fields.0).unwrap();
    }
}

impl Subscriber for Observer {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("prowess::observe")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let name = span.metadata().name();
        assert!(PAGE.contains(&format!("| `{name}` |")), "{name}");
        let mut fields = Fields(String::new());
        span.record(&mut fields);
        self.note(name, &fields);
        Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        let mut fields = Fields(String::new());
        values.record(&mut fields);
        self.note(" ", &fields);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(String::new());
        event.record(&mut fields);
        self.note("  event", &fields);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn observers_see_which_skill_and_why() {
    let source = MemorySource::new("test")
        .skill(
            "pdf/SKILL.md",
            "---\nname: pdf\ndescription: Fills PDF forms.\n---\nFill.\n",
        )
        .skill(
            "phone/SKILL.md",
            "---\nname: phone\ndescription: Calls people.\nallowed-tools: dial\n---\nCall.\n",
        )
        .skill("broken/SKILL.md", "---\nname: broken\n---\n");
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let observer = Observer::default();
    tracing::subscriber::with_default(observer.clone(), || {
        let catalog = Arc::new(Catalog::load(&sources, &LoadOptions::default()).unwrap());
        let strict = LoadOptions {
            profile: Profile::Strict,
            ..LoadOptions::default()
        };
        Catalog::load(&sources, &strict).unwrap_err();
        catalog.select("fill this PDF form", &Policy::default());
        let turn = Turn {
            message: "@pdf please",
            ..Turn::default()
        };
        Triggers::new(&catalog).activate(&catalog, &turn, None);
        let tools = Toolset::new(catalog.clone(), ToolOptions::default());
        tools.skill().call(&json!({"skill_name": "pdf"}));
        tools.skill().call(&json!({"skill_name": "pfd"}));
        let host = Arc::new(Vec::<String>::new());
        let coordinator = Coordinator::new(catalog.clone(), host, ContextOptions::default());
        coordinator.resolve(&["phone", "pdf"].map(|name| Strategy::Name(name.to_owned())));
        let mut message = Message::<()>::text("user", "fill this PDF form");
        Injection::above(0.0).inject(&catalog, &mut message);
    });
    let seen = observer.seen.lock().unwrap();
    let mut lines: Vec<&str> = seen.lines().collect();
    // How sure a match is belongs to other tests.
    for line in &mut lines {
        for figure in [" skill.confidence", " skill.score"] {
            *line = line.split(figure).next().unwrap_or_default();
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    expect![[r#"
        skill.load skill.sources=1
          skill.count=2
          event skill finding skill.finding.code="missing-description" skill.finding.path="broken/SKILL.md" skill.finding.line=2 error.message="`broken` cannot be offered to a model without a description"
          skill.findings=1
        skill.load skill.sources=1
          skill.count=2
          event skill finding skill.finding.code="missing-description" skill.finding.path="broken/SKILL.md" skill.finding.line=2 error.message="`broken` cannot be offered to a model without a description"
          skill.findings=1
          error.message="1 error in the skills, so none is loaded\n  broken/SKILL.md:2:1: error[missing-description]: `broken` cannot be offered to a model without a description"
        skill.select
          skill.count=1
          skill.decision="confident"
          skill.name="pdf"
        skill.activate
          skill.count=1
          event skill activated skill.name="pdf" skill.trigger="explicit" skill.evidence="@pdf"
        skill.tool tool.name="skill"
          event skill loaded skill.name="pdf" skill.source.uri="skill://test/pdf/SKILL.md" skill.trigger="invoked" skill.already_active=false
          skill.success=true
          skill.name="pdf"
        skill.tool tool.name="skill"
          skill.success=false
          skill.name="pfd"
          error.message="no skill named `pfd`; did you mean `pdf`? available: pdf, phone"
        skill.resolve
          event skill refused skill.name="phone" skill.tools.missing="dial"
          event skill resolved skill.name="pdf" skill.source.uri="skill://test/pdf/SKILL.md" skill.trigger="explicit"
        skill.inject
        skill.select
          skill.count=1
          skill.decision="confident"
          skill.name="pdf"
          event skill injected skill.name="pdf" skill.source.uri="skill://test/pdf/SKILL.md""#]].assert_eq(&lines.join("\n"));
}
