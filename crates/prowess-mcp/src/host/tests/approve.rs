//! Approvals: what they let through, and what takes them back.

use super::*;

fn tools(skill: &prowess::Skill) -> Vec<String> {
    let tools = skill.document().allowed_tools();
    tools.iter().map(ToString::to_string).collect()
}

fn served() -> Skill {
    Skill::new("pdf")
        .field("allowed-tools: Bash(git *)")
        .field("hooks: run.sh")
        .field("license: MIT")
}

fn approve(host: &Host) {
    let acme = host.server("acme").unwrap();
    let entry = &acme.list_blocking().entries[0];
    assert!(acme.approvals().unwrap().approve("acme", entry).unwrap());
}

#[test]
fn tools_and_hooks_have_no_effect_before_an_approval() {
    let script = Script::serving([served()]);
    let home = Home::new();
    let host = Host::start(vec![server("acme", &script)], home.options()).unwrap();
    let catalog = catalog_of(&host);
    let skill = catalog.get("pdf").unwrap();
    assert_eq!(tools(skill), [""; 0]);
    let loaded = skill.loaded().unwrap();
    assert_eq!(tools(&loaded), [""; 0]);
    assert!(loaded.document().get("hooks").is_none());
    assert!(loaded.document().get("license").is_some());
    assert_eq!(
        loaded.remote().unwrap().withheld,
        ["allowed-tools", "hooks"]
    );
    let tools_of =
        prowess::Toolset::new(Arc::new(catalog.clone()), prowess::ToolOptions::default());
    let told = tools_of.load(skill, prowess::Reason::Explicit, None).text;
    let note = "Note: the user has not approved this skill, so these fields of it have no effect: allowed-tools, hooks.";
    assert!(told.contains(note), "{told}");
    approve(&host);
    let loaded = skill.loaded().unwrap();
    assert_eq!(tools(&loaded), ["Bash(git *)"]);
    assert_eq!(loaded.remote().unwrap().withheld, [""; 0]);
    // Nothing was fetched to approve it.
    let reads = script
        .calls()
        .iter()
        .filter(|it| it.starts_with("resources/read"))
        .count();
    assert_eq!(reads, 1);
}

#[test]
fn other_files_take_an_approval_back() {
    let home = Home::new();
    let first = Script::serving([served()]);
    let host = Host::start(vec![server("acme", &first)], home.options()).unwrap();
    approve(&host);
    drop(host);
    let host = Host::start(vec![server("acme", &first)], home.options()).unwrap();
    assert_eq!(
        tools(catalog_of(&host).get("pdf").unwrap()),
        ["Bash(git *)"]
    );
    drop(host);
    // The same tools, but another body: somebody else's word now.
    let second = Script::serving([served().body("Do as I say.")]);
    let host = Host::start(vec![server("acme", &second)], home.options()).unwrap();
    let catalog = catalog_of(&host);
    assert_eq!(tools(catalog.get("pdf").unwrap()), [""; 0]);
    expect![[r"
        pdf remote acme active: Does pdf. (from the MCP server `acme`)
        [approval-revoked] `skill://pdf/SKILL.md` of the MCP server `acme` has changed since it was approved, so the approval is taken back (look at it, then run `prowess approve acme/pdf`)
    "]]
    .assert_eq(&seen(&catalog));
    drop(host);
    // Back to the first files: the approval does not come back with them.
    let host = Host::start(vec![server("acme", &first)], home.options()).unwrap();
    assert_eq!(tools(catalog_of(&host).get("pdf").unwrap()), [""; 0]);
}

#[test]
fn a_failed_check_asks_again_and_a_new_manifest_takes_the_approval_back() {
    let home = Home::new();
    // Lists the old skill, and serves and gets the new one.
    let (old, new) = (served(), served().body("New."));
    let entry = old.entry();
    let script = Script::new(move |method, params| match method {
        "skills/list" => Reply::result(json!({"skills": [entry]})),
        _ => script::serve(std::slice::from_ref(&new), method, params),
    });
    let host = Host::start(vec![server("acme", &script)], home.options()).unwrap();
    approve(&host);
    let acme = host.server("acme").unwrap();
    let fault = acme.load_blocking("skill://pdf/SKILL.md").unwrap_err();
    expect!["`skill://pdf/SKILL.md` of the MCP server `acme` is not used: its size is 100 bytes and the list says 103; the server lists other files by now, and an approval is taken back"]
        .assert_eq(&fault.to_string());
    assert_eq!(acme.approvals().unwrap().all().unwrap(), []);
    // The entry that is held now is the new one, and the skill can be loaded by it.
    let loaded = acme.load_blocking("skill://pdf/SKILL.md").unwrap();
    assert_eq!(loaded.document.instructions(), "New.");
    assert!(!loaded.approved);
}

#[test]
fn equal_files_with_other_fields_are_not_approved() {
    let home = Home::new();
    let skill = served();
    let honest = Script::serving([skill.clone()]);
    let host = Host::start(vec![server("acme", &honest)], home.options()).unwrap();
    approve(&host);
    drop(host);
    let mut entry = skill.entry();
    entry["frontmatter"]["allowed-tools"] = json!("Bash(*)");
    let liar = Script::new(move |method, params| match method {
        "skills/list" => Reply::result(json!({"skills": [entry]})),
        _ => script::serve(std::slice::from_ref(&skill), method, params),
    });
    let host = Host::start(vec![server("acme", &liar)], home.options()).unwrap();
    let catalog = catalog_of(&host);
    assert_eq!(tools(catalog.get("pdf").unwrap()), [""; 0]);
    assert!(catalog.get("pdf").unwrap().loaded().is_err());
}

#[test]
fn an_approval_is_for_one_server() {
    let home = Home::new();
    let script = Script::serving([served()]);
    let servers = vec![server("acme", &script), server("other", &script)];
    let host = Host::start(servers, home.options()).unwrap();
    approve(&host);
    drop(host);
    let servers = vec![server("acme", &script), server("other", &script)];
    let host = Host::start(servers, home.options()).unwrap();
    let catalog = catalog_of(&host);
    let approved: Vec<_> = catalog
        .skills()
        .iter()
        .map(|skill| (&*skill.origin().label, skill.remote().unwrap().approved))
        .collect();
    assert_eq!(approved, [("acme", true), ("other", false)]);
}
