//! A host against servers that do as they are told, lie included.
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at files of their own"
)]

use std::{
    fmt::Write as _,
    sync::{Arc, Mutex},
    time::Duration,
};

use expect_test::{Expect, expect};
use prowess::{Catalog, Limits, LoadOptions, MemorySource, Source};
use serde_json::json;

use super::*;
use script::{Reply, Script};
use skill::Skill;

mod approve;
mod copies;
mod corpus;
mod door;
mod follow;
mod kill;
mod lies;
mod script;
mod secure;
mod serving;
mod skill;
mod stdio;

/// A folder for copies and approvals.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn options(&self) -> HostOptions {
        HostOptions {
            cache: Some(self.0.path().join("cache")),
            approvals: Some(self.0.path().join("approvals")),
            ..HostOptions::default()
        }
    }
}

fn server(label: &str, script: &Script) -> ServerConfig {
    let mut config = ServerConfig::url(label, script.url());
    // The machine may have much else to do.
    config.timeout = Duration::from_secs(60);
    config
}

fn catalog_of(host: &Host) -> Catalog {
    Catalog::load(&host.sources(), &LoadOptions::default()).unwrap()
}

/// A server whose list can be exchanged.
fn changing(skills: Vec<Skill>) -> (Script, Arc<Mutex<Vec<Skill>>>) {
    let skills = Arc::new(Mutex::new(skills));
    let served = Arc::clone(&skills);
    let script =
        Script::new(move |method, params| script::serve(&served.lock().unwrap(), method, params));
    (script, skills)
}

/// What a reader sees of a catalog: each skill, then each finding.
fn seen(catalog: &Catalog) -> String {
    let mut text = String::new();
    for skill in catalog.skills() {
        let origin = skill.origin();
        writeln!(
            text,
            "{} {} {} {}: {}",
            skill.name(),
            origin.scope,
            origin.label,
            skill.state().as_str(),
            skill.described()
        )
        .unwrap();
    }
    for finding in catalog.findings() {
        let diagnostic = &finding.diagnostic;
        let help = diagnostic.help.as_deref().unwrap_or_default();
        writeln!(
            text,
            "[{}] {} ({help})",
            diagnostic.code, diagnostic.message
        )
        .unwrap();
    }
    text
}

fn check_catalog(servers: Vec<ServerConfig>, expected: &Expect) {
    let host = Host::start(servers, HostOptions::default()).unwrap();
    expected.assert_eq(&seen(&catalog_of(&host)));
}

#[test]
fn a_list_is_all_that_is_asked_for_before_a_skill_is_loaded() {
    let script = Script::serving([Skill::new("pdf").file("forms.md", "Boxes.")]);
    let host = Host::start(vec![server("acme", &script)], HostOptions::default()).unwrap();
    let catalog = catalog_of(&host);
    expect![[r"
        pdf remote acme active: Does pdf. (from the MCP server `acme`)
    "]]
    .assert_eq(&seen(&catalog));
    let skill = catalog.get("pdf").unwrap();
    assert_eq!(skill.instructions(), "");
    assert_eq!(skill.resources(&Limits::default()).unwrap().files.len(), 1);
    assert_eq!(script.calls(), ["server/discover", "skills/list"]);
    let loaded = skill.loaded().unwrap();
    assert_eq!(loaded.instructions(), "Do pdf.");
    assert_eq!(loaded.hash(), skill.hash());
    let page = loaded.read_resource("forms.md", 0, &Limits::default());
    assert_eq!(page.unwrap().size, 6);
    let reads = &script.calls()[2..];
    assert_eq!(
        reads,
        [
            "resources/read skill://pdf/SKILL.md",
            "resources/read skill://pdf/forms.md"
        ]
    );
}

#[test]
fn an_older_server_is_greeted_the_old_way() {
    let script = Script::serving([Skill::new("pdf")]).older();
    let host = Host::start(vec![server("acme", &script)], HostOptions::default()).unwrap();
    let catalog = catalog_of(&host);
    let skill = catalog.get("pdf").unwrap().loaded().unwrap();
    assert_eq!(skill.instructions(), "Do pdf.");
    assert!(script.calls().contains(&"initialize".to_owned()));
}

#[test]
fn pages_are_followed() {
    let script = Script::new(|method, params| match (method, params["cursor"].as_str()) {
        ("skills/list", None) => Reply::result(json!({
            "skills": [Skill::new("a").entry()], "nextCursor": "2",
        })),
        ("skills/list", Some("2")) => Reply::result(json!({"skills": [Skill::new("b").entry()]})),
        _ => Reply::default(method),
    });
    check_catalog(
        vec![server("acme", &script)],
        &expect![[r"
            a remote acme active: Does a. (from the MCP server `acme`)
            b remote acme active: Does b. (from the MCP server `acme`)
        "]],
    );
}

/// Servers on the official SDKs put `_meta` into every result.
#[test]
fn results_are_read_with_whatever_servers_add_to_them() {
    let script = Script::new(|method, params| {
        let skills = [Skill::new("pdf").file("forms.md", "Boxes.")];
        match script::serve(&skills, method, params) {
            Reply::Result(mut result) => {
                let server = json!({"name": "other", "version": "1"});
                result["_meta"] = json!({"io.modelcontextprotocol/serverInfo": server});
                result["resultType"] = json!("complete");
                result["content"] = json!([]);
                Reply::Result(result)
            }
            other => other,
        }
    });
    let host = Host::start(vec![server("acme", &script)], HostOptions::default()).unwrap();
    let catalog = catalog_of(&host);
    let skill = catalog.get("pdf").unwrap().loaded().unwrap();
    assert_eq!(skill.instructions(), "Do pdf.");
    let page = skill.read_resource("forms.md", 0, &Limits::default());
    assert_eq!(page.unwrap().size, 6);
}

#[test]
fn an_entry_without_a_size_costs_that_skill_alone() {
    let script = Script::new(|method, params| {
        let mut entry = Skill::new("b").entry();
        entry["resources"][0]
            .as_object_mut()
            .unwrap()
            .remove("size");
        match method {
            "skills/list" => Reply::result(json!({
                "skills": [Skill::new("a").entry(), entry, Skill::new("c").entry()],
            })),
            _ => script::serve(&[], method, params),
        }
    });
    check_catalog(
        vec![server("acme", &script)],
        &expect![[r"
            a remote acme active: Does a. (from the MCP server `acme`)
            c remote acme active: Does c. (from the MCP server `acme`)
            [server-entry] a skill of the MCP server `acme` is left out: `skill://b/SKILL.md` lists `skill://b/SKILL.md` without a size (tell the owner of the server)
        "]],
    );
}

#[test]
fn a_remote_skill_never_takes_the_name_of_a_local_one() {
    let script = Script::serving([Skill::new("pdf")]);
    let host = Host::start(vec![server("acme", &script)], HostOptions::default()).unwrap();
    let local = MemorySource::new("here")
        .scope(prowess::Scope::System)
        .skill(
            "pdf/SKILL.md",
            "---\nname: pdf\ndescription: Local.\n---\nLocal.\n",
        );
    let mut sources = host.sources();
    sources.push(Box::new(local) as Box<dyn Source>);
    let catalog = Catalog::load(&sources, &LoadOptions::default()).unwrap();
    expect![[r"
        pdf system here active: Local.
        pdf remote acme shadowed: Does pdf. (from the MCP server `acme`)
    "]]
    .assert_eq(&seen(&catalog));
    let told: Vec<_> = catalog.skills()[1].diagnostics().collect();
    assert_eq!(told[0].code, "shadowed");
}

#[test]
fn two_servers_may_serve_one_uri_and_each_is_asked_for_its_own() {
    let one = Script::serving([Skill::new("pdf").body("One.").file("a.md", "first")]);
    let two = Script::serving([Skill::new("pdf").body("Two.").file("a.md", "second")]);
    let servers = vec![server("one", &one), server("two", &two)];
    let host = Host::start(servers, HostOptions::default()).unwrap();
    let catalog = catalog_of(&host);
    let read = |label: &str| {
        let skill = catalog
            .skills()
            .iter()
            .find(|it| it.origin().label == label);
        let skill = skill.unwrap().loaded().unwrap().into_owned();
        let page = skill.read_resource("a.md", 0, &Limits::default()).unwrap();
        format!(
            "{} {} {:?}",
            skill.state().as_str(),
            skill.instructions(),
            page.content
        )
    };
    assert_eq!(read("one"), r#"active One. Text("first")"#);
    assert_eq!(read("two"), r#"shadowed Two. Text("second")"#);
}

#[test]
fn what_a_model_reads_says_where_it_is_from() {
    let script = Script::serving([Skill::new("pdf").file("a.md", "text")]);
    let host = Host::start(vec![server("acme", &script)], HostOptions::default()).unwrap();
    let catalog = Arc::new(catalog_of(&host));
    let tools = prowess::Toolset::new(Arc::clone(&catalog), prowess::ToolOptions::default());
    let mut read = catalog.format_for_prompt();
    for (tool, input) in [
        (
            &tools.skill() as &dyn prowess::Tool,
            json!({"skill_name": "pdf"}),
        ),
        (&tools.read(), json!({"skill_name": "pdf", "path": "a.md"})),
    ] {
        write!(read, "\n--\n{}", tool.call(&input).text).unwrap();
    }
    let registry = Arc::new(Vec::<String>::new());
    let options = prowess::ContextOptions::default();
    let coordinator = prowess::Coordinator::new(Arc::clone(&catalog), registry, options);
    let found = coordinator.resolve(&[prowess::Strategy::Name("pdf".to_owned())]);
    write!(read, "\n--\n{}", found.context.unwrap().instruction).unwrap();
    expect![[r#"
        <available_skills>
          <skill>
            <name>pdf</name>
            <description>Does pdf. (from the MCP server `acme`)</description>
            <location>skill://pdf/SKILL.md</location>
          </skill>
        </available_skills>
        --
        # Skill: pdf

        Origin: from the MCP server `acme`, skill://pdf/SKILL.md
        Resources, to be read with `read_skill_resource`:
        - a.md (4 bytes)

        ## Instructions

        Do pdf.
        --
        (a.md, from the MCP server `acme`)
        text
        --
        [skill:pdf]

        # pdf
        Does pdf. (from the MCP server `acme`)

        ## Instructions
        Do pdf.

        [/skill]"#]]
    .assert_eq(&read);
    let found = prowess::Tool::call(&tools.search(), &json!({"query": "pdf"})).text;
    assert!(found.contains("(from the MCP server `acme`)"), "{found}");
}

#[test]
fn a_list_is_asked_for_again_when_its_host_says_so() {
    let count = std::sync::atomic::AtomicUsize::new(0);
    let script = Script::new(move |method, params| {
        let names: &[&str] = if method == "skills/list" {
            match count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
                0 => &["a"],
                _ => &["a", "b"],
            }
        } else {
            &[]
        };
        let skills: Vec<_> = names.iter().map(|name| Skill::new(name)).collect();
        script::serve(&skills, method, params)
    });
    let host = Host::start(vec![server("acme", &script)], HostOptions::default()).unwrap();
    assert_eq!(catalog_of(&host).skills().len(), 1);
    assert_eq!(catalog_of(&host).skills().len(), 1, "the list is held");
    host.server("acme").unwrap().relist_blocking();
    assert_eq!(catalog_of(&host).skills().len(), 2);
}

#[test]
fn what_a_conversation_holds_is_not_fetched_again() {
    let script = Script::serving([Skill::new("pdf")]);
    let host = Host::start(vec![server("acme", &script)], HostOptions::default()).unwrap();
    let tools = prowess::Toolset::new(Arc::new(catalog_of(&host)), prowess::ToolOptions::default());
    let call = || prowess::Tool::call(&tools.skill(), &json!({"skill_name": "pdf"})).text;
    assert!(call().contains("Do pdf."));
    assert!(call().contains("already active"));
    let reads = script
        .calls()
        .iter()
        .filter(|it| it.contains("SKILL.md"))
        .count();
    assert_eq!(reads, 1);
}

#[test]
fn one_call_is_made_by_async_code_on_any_executor() {
    let script = Script::serving([Skill::new("pdf")]);
    let host = Host::idle(vec![server("acme", &script)], HostOptions::default()).unwrap();
    let acme = host.server("acme").unwrap();
    let loaded = futures::executor::block_on(async {
        assert_eq!(acme.list().await.entries.len(), 1);
        acme.load("skill://pdf/SKILL.md").await
    });
    assert_eq!(loaded.unwrap().document.instructions(), "Do pdf.");
}

#[test]
fn a_skill_of_a_server_is_not_served_under_our_name() {
    let script = Script::serving([Skill::new("pdf")]);
    let host = Host::start(vec![server("acme", &script)], HostOptions::default()).unwrap();
    let catalog = catalog_of(&host);
    let refusal = crate::server::refusal(catalog.get("pdf").unwrap()).unwrap();
    expect!["it is of the MCP server `acme` and is not passed on; connect the client to that"]
        .assert_eq(&refusal.to_string());
}
