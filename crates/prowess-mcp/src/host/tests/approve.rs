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
    assert!(
        acme.approvals()
            .unwrap()
            .approve("acme", entry, Extent::Fields)
            .unwrap()
    );
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
    assert_eq!(loaded.approved, None);
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

/// What was approved before is known, and nobody can be asked.
#[cfg(feature = "run")]
struct Known;

#[cfg(feature = "run")]
impl prowess::tool::Approver for Known {
    fn is_approved(&self, skill: &prowess::Skill, staged: &prowess::run::Staged) -> bool {
        staged.is_approved(skill, &prowess::TrustStore::default())
    }
    fn ask(&self, _: &prowess::tool::ScriptCall) -> Option<bool> {
        None
    }
}

/// A call of `run_skill_script` where nobody can be asked.
#[cfg(feature = "run")]
fn ran(host: &Host, policy: prowess::run::RunPolicy) -> String {
    use prowess::{Tool as _, run::Unconfined, tool::RunOptions};
    let mut run = RunOptions::new(Unconfined::default());
    run.policy = policy;
    run.approver = Some(Arc::new(Known));
    let mut options = prowess::ToolOptions::default();
    options.run = Some(run);
    let tools = prowess::Toolset::new(Arc::new(catalog_of(host)), options);
    let Some(tool) = tools.run() else {
        return "not offered".to_owned();
    };
    let input = json!({"skill_name": "pdf", "script": "scripts/count.sh", "arguments": "a b"});
    tool.call(&input).text
}

#[cfg(feature = "run")]
#[test]
fn scripts_run_after_an_approval_that_says_so_and_while_no_file_changes() {
    use prowess::run::RunPolicy;
    let home = Home::new();
    let skill = |script: &str| {
        Skill::new("pdf")
            .file("scripts/count.sh", script)
            .file("more.txt", "x")
    };
    let (script, skills) = changing(vec![skill("echo $# words\n")]);
    let start = || Host::start(vec![server("acme", &script)], home.options()).unwrap();
    let host = start();
    assert_eq!(ran(&host, RunPolicy::Trusted), "not offered");
    // An approval of what the skill asks for is not one of its scripts.
    approve(&host);
    drop(host);
    let host = start();
    assert_eq!(ran(&host, RunPolicy::Trusted), "not offered");
    let acme = host.server("acme").unwrap();
    let entry = &acme.list_blocking().entries[0];
    let approvals = acme.approvals().unwrap();
    approvals.approve("acme", entry, Extent::Scripts).unwrap();
    assert_eq!(acme.relist_blocking().entries.len(), 1);
    assert_eq!(
        ran(&host, RunPolicy::Trusted),
        "Exit status: 0\n\nStandard output:\n2 words\n"
    );
    // Where a person is asked each time, the approval is no answer.
    assert!(ran(&host, RunPolicy::Ask).contains("nobody can be asked here"));
    // Taken back, it does not run, though the catalog is an old one.
    let catalog = Arc::new(catalog_of(&host));
    approvals.revoke("acme", "skill://pdf/SKILL.md").unwrap();
    let staged = prowess::run::Staged::new(catalog.get("pdf").unwrap(), &Limits::default());
    expect!["scripts of `pdf` of the MCP server `acme` do not run: nobody approved that"]
        .assert_eq(&staged.unwrap_err().to_string());
    approvals.approve("acme", entry, Extent::Scripts).unwrap();
    drop(host);
    // One changed byte of any file, and it asks again.
    for changed in [
        skill("echo $# wordz\n"),
        skill("echo $# words\n").file("new.txt", ""),
    ] {
        *skills.lock().unwrap() = vec![changed];
        let host = start();
        assert_eq!(ran(&host, RunPolicy::Trusted), "not offered");
        let acme = host.server("acme").unwrap();
        assert_eq!(acme.approvals().unwrap().all().unwrap(), []);
        let entry = &acme.list_blocking().entries[0];
        let approvals = acme.approvals().unwrap();
        approvals.approve("acme", entry, Extent::Scripts).unwrap();
    }
}

#[cfg(feature = "run")]
#[test]
fn a_file_that_is_not_the_one_that_was_approved_is_not_laid_out() {
    let home = Home::new();
    let (old, new) = (
        Skill::new("pdf").file("run.sh", "echo old\n"),
        Skill::new("pdf").file("run.sh", "echo new\n"),
    );
    let entry = old.entry();
    // Lists the old skill for ever, and serves the new file.
    let script = Script::new(move |method, params| match method {
        "skills/list" => Reply::result(json!({"skills": [entry]})),
        "skills/get" => Reply::result(json!({"skill": entry})),
        _ => script::serve(std::slice::from_ref(&new), method, params),
    });
    let host = Host::start(vec![server("acme", &script)], home.options()).unwrap();
    let acme = host.server("acme").unwrap();
    let entry = &acme.list_blocking().entries[0];
    let approvals = acme.approvals().unwrap();
    approvals.approve("acme", entry, Extent::Scripts).unwrap();
    let catalog = catalog_of(&host);
    let staged = prowess::run::Staged::new(catalog.get("pdf").unwrap(), &Limits::default());
    expect!["`skill://pdf/run.sh` of the MCP server `acme` is not used: its digest is not the one in the list"]
        .assert_eq(&staged.unwrap_err().to_string());
}
