//! Text that a person does not see, planted wherever a server's skill has text, and looked for in
//! whatever the library gives a model of it. `prowess-cli`, `tests/faults/door.rs`, does the same
//! for skills on disk, through every verb and every request of the server.

use prowess::{Coordinator, Injection, Strategy, Tool, ToolOptions, Toolset, inject::Message};

use super::*;

const HIDDEN: &str = "\u{e006f}\u{e0062}\u{e0065}\u{e0079}\u{202e}";

/// The word every clean text has, so that a surface which says nothing is found out.
const CLEAN: &str = "wheelbarrow";

fn planted() -> Vec<Skill> {
    let clean = |name: &str| {
        let note = format!("A {CLEAN}.");
        Skill::new(name)
            .body(&format!("Push the {CLEAN}."))
            .file("note.md", &note)
    };
    vec![
        clean("clean"),
        clean(&format!("in-name{HIDDEN}")),
        clean("in-body").body(&format!("Push the {CLEAN}.{HIDDEN}")),
        clean("in-license").field(&format!("license: MIT{HIDDEN}")),
        clean("in-unknown").field(&format!("unknown: a{HIDDEN}")),
        clean("in-compatibility").field(&format!("compatibility: a{HIDDEN}")),
        clean("in-file").file("more.md", &format!("A {CLEAN}.{HIDDEN}")),
        clean("in-file-name").file(&format!("more{HIDDEN}.md"), CLEAN),
    ]
}

/// What models get of a catalog, each text with the surface it comes from.
fn surfaces(catalog: &Arc<Catalog>, names: &[String]) -> Vec<(&'static str, String)> {
    let mut all = vec![("prompt", catalog.format_for_prompt())];
    let tools = Toolset::new(Arc::clone(catalog), ToolOptions::default());
    for tool in tools.tools() {
        all.push(("description", tool.description()));
        all.push(("schema", tool.schema().to_string()));
    }
    let mut call = |surface, tool: &dyn Tool, input: serde_json::Value| {
        // The record beside it is for the host's log.
        all.push((surface, tool.call(&input).text));
    };
    call(
        "search",
        &tools.search(),
        json!({"query": "clean in body file name license"}),
    );
    for name in names {
        call("skill", &tools.skill(), json!({"skill_name": name}));
        for path in ["note.md", "more.md", &format!("more{HIDDEN}.md")] {
            let input = json!({"skill_name": name, "path": path});
            call("read", &tools.read(), input);
        }
    }
    let coordinator = Coordinator::new(
        Arc::clone(catalog),
        Arc::new(Vec::<String>::new()),
        prowess::ContextOptions::default(),
    );
    for name in names {
        let resolution = coordinator.resolve(&[Strategy::Name(name.clone())]);
        all.extend(resolution.context.map(|it| ("context", it.instruction)));
        let mut message = Message::<()>::text("user", format!("does {name}"));
        Injection::above(0.0).inject(catalog, &mut message);
        // The words of the request itself come last.
        let text: String = message.parts.iter().filter_map(|it| it.text()).collect();
        all.push(("inject", text.replace(&format!("does {name}"), "")));
    }
    let mut lines = Vec::new();
    let callable = catalog.skills().iter().filter(|it| it.is_callable());
    prowess::export_jsonl(callable, &mut lines).unwrap();
    all.push(("export", String::from_utf8(lines).unwrap()));
    all
}

#[test]
fn nothing_a_server_hides_reaches_a_model() {
    let skills = planted();
    let script = Script::serving(skills);
    let host = Host::start(vec![server("acme", &script)], HostOptions::default()).unwrap();
    let catalog = Arc::new(catalog_of(&host));
    let mut names: Vec<String> = ["clean", "in-body", "in-license", "in-unknown"]
        .into_iter()
        .chain(["in-compatibility", "in-file", "in-file-name"])
        .map(str::to_owned)
        .collect();
    names.push(format!("in-name{HIDDEN}"));
    let mut clean = Vec::new();
    for (surface, text) in surfaces(&catalog, &names) {
        let found = text.chars().find(|it| HIDDEN.contains(*it));
        assert_eq!(found, None, "{surface}: {text:?}");
        if text.contains(CLEAN) {
            clean.push(surface);
        }
    }
    clean.sort_unstable();
    clean.dedup();
    assert_eq!(clean, ["context", "inject", "read", "skill"]);
}
