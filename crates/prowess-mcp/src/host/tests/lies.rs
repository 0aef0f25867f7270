//! Servers that lie, flood, stammer or say nothing.

use super::*;

/// Serves one skill with one file, but reads are answered by the test.
fn lying(read: impl Fn(&str, &Skill) -> Reply + Send + Sync + 'static) -> Script {
    let skill = Skill::new("pdf").file("forms.md", "Boxes.");
    Script::new(
        move |method, params| match (method, params["uri"].as_str()) {
            ("resources/read", Some(uri)) => read(uri, &skill),
            _ => script::serve(std::slice::from_ref(&skill), method, params),
        },
    )
}

fn text(uri: &str, text: &str) -> Reply {
    Reply::result(json!({"contents": [{"uri": uri, "text": text}]}))
}

fn check_load(script: &Script, expected: &Expect) {
    check_load_within(script, 60, expected);
}

fn check_load_within(script: &Script, seconds: u64, expected: &Expect) {
    let mut config = server("acme", script);
    config.timeout = Duration::from_secs(seconds);
    let host = Host::start(vec![config], HostOptions::default()).unwrap();
    let catalog = catalog_of(&host);
    let skill = catalog.get("pdf").unwrap();
    let told = match skill.loaded() {
        Ok(skill) => skill.instructions().to_owned(),
        Err(error) => format!("{error} ({})", error.help),
    };
    expected.assert_eq(&told);
}

#[test]
fn another_digest() {
    let script = lying(|uri, skill| text(uri, &skill.text().replace("Do", "No")));
    check_load(
        &script,
        &expect![
            "`skill://pdf/SKILL.md` of the MCP server `acme` is not used: its digest is not the one in the list (do not use the skill, and tell the owner of the server)"
        ],
    );
    let calls = script.calls();
    assert_eq!(calls.last().unwrap(), "skills/get skill://pdf/SKILL.md");
}

#[test]
fn another_size() {
    let script = lying(|uri, skill| text(uri, &format!("{}more", skill.text())));
    check_load(
        &script,
        &expect![
            "`skill://pdf/SKILL.md` of the MCP server `acme` is not used: its size is 53 bytes and the list says 49 (do not use the skill, and tell the owner of the server)"
        ],
    );
}

#[test]
fn another_file() {
    let script = lying(|_, skill| text("skill://other/SKILL.md", &skill.text()));
    check_load(
        &script,
        &expect![
            "`skill://pdf/SKILL.md` of the MCP server `acme` is not used: the server answered with another file (do not use the skill, and tell the owner of the server)"
        ],
    );
}

#[test]
fn another_frontmatter() {
    let skill = Skill::new("pdf");
    let mut entry = skill.entry();
    entry["frontmatter"]["description"] = json!("Does something else.");
    let script = Script::new(move |method, params| match method {
        "skills/list" => Reply::result(json!({"skills": [entry]})),
        _ => script::serve(std::slice::from_ref(&skill), method, params),
    });
    check_load(
        &script,
        &expect![
            "`skill://pdf/SKILL.md` of the MCP server `acme` is not used: its field `description` is not what the list says (do not use the skill, and tell the owner of the server)"
        ],
    );
}

#[test]
fn a_file_that_is_not_listed() {
    let script = lying(|uri, skill| match uri {
        "skill://pdf/SKILL.md" => text(uri, &skill.text()),
        _ => text(uri, "secret"),
    });
    let host = Host::start(vec![server("acme", &script)], HostOptions::default()).unwrap();
    let catalog = catalog_of(&host);
    let skill = catalog.get("pdf").unwrap().loaded().unwrap();
    let read = |path| {
        let page = skill.read_resource(path, 0, &Limits::default());
        page.unwrap_err().to_string()
    };
    let told = [
        read("hidden.md"),
        read("../other/SKILL.md"),
        read("forms.md"),
    ];
    expect![[r"
        `skill://pdf/hidden.md` of the MCP server `acme` is not used: it is not in the list of the skill's files
        `../other/SKILL.md` is not a path inside the skill: `..` leads out of a folder
        `skill://pdf/forms.md` of the MCP server `acme` is not used: its digest is not the one in the list"]]
    .assert_eq(&told.join("\n"));
    assert!(!script.calls().iter().any(|call| call.contains("hidden")));
}

#[test]
fn ten_gigabytes_are_not_taken() {
    let script = lying(|_, _| Reply::Huge(10_000_000_000));
    check_load(
        &script,
        &expect![
            "the MCP server `acme` sends a message that is too large (tell the owner of the server)"
        ],
    );
    let most = HostLimits::default().message_bytes as u64;
    assert!(
        script.taken() < 2 * most,
        "{} bytes were taken",
        script.taken()
    );
}

#[test]
fn nothing_at_all() {
    let script = lying(|_, _| Reply::Silence);
    check_load_within(
        &script,
        4,
        &expect![
            "the MCP server `acme` does not answer within 4 s (see whether it is busy, or raise its `timeout`)"
        ],
    );
}

#[test]
fn no_such_file_although_it_is_listed() {
    let script = lying(|_, _| Reply::Error(-32_602, "gone \u{1b}[31m"));
    check_load(
        &script,
        &expect![[
            r"the MCP server `acme` does not give `skill://pdf/SKILL.md`: gone \u{1b}[31m (list the skills again)"
        ]],
    );
}

#[test]
fn binary_files_come_in_base64_and_are_checked_too() {
    let script = Script::new(|method, params| {
        let uri = "skill://pdf/a.bin";
        match (method, params["uri"].as_str()) {
            ("skills/list", _) => {
                let mut entry = Skill::new("pdf").entry();
                let files = entry["resources"].as_array_mut().unwrap();
                files.push(skill::listed(uri, "abc"));
                files.push(skill::listed("skill://pdf/b.bin", "abc"));
                Reply::result(json!({"skills": [entry]}))
            }
            ("resources/read", Some("skill://pdf/a.bin")) => {
                Reply::result(json!({"contents": [{"uri": uri, "blob": "YWJj"}]}))
            }
            ("resources/read", Some(other)) => {
                Reply::result(json!({"contents": [{"uri": other, "blob": "???"}]}))
            }
            _ => Reply::default(method),
        }
    });
    let host = Host::start(vec![server("acme", &script)], HostOptions::default()).unwrap();
    let acme = host.server("acme").unwrap();
    let read = |path| acme.read_blocking("skill://pdf/SKILL.md", path);
    assert_eq!(read("a.bin").unwrap(), b"abc");
    expect!["`skill://pdf/b.bin` of the MCP server `acme` is not used: it is no base64"]
        .assert_eq(&read("b.bin").unwrap_err().to_string());
}

#[test]
fn files_made_on_request_are_said_to_be_unverified() {
    let skill = Skill::new("pdf").file("a.md", "made now");
    let mut entry = skill.entry();
    entry["resources"] = json!("dynamic");
    let script = Script::new(move |method, params| match method {
        "skills/list" => Reply::result(json!({"skills": [entry]})),
        _ => script::serve(std::slice::from_ref(&skill), method, params),
    });
    let home = Home::new();
    let host = Host::start(vec![server("acme", &script)], home.options()).unwrap();
    let catalog = catalog_of(&host);
    let skill = catalog.get("pdf").unwrap().loaded().unwrap();
    let page = skill.read_resource("a.md", 0, &Limits::default()).unwrap();
    assert_eq!(page.size, 8);
    expect!["Does pdf. (from the MCP server `acme`, not verified)"].assert_eq(&skill.described());
    let (acme, uri) = (host.server("acme").unwrap(), "skill://pdf/SKILL.md");
    let entry = acme.held(uri).unwrap().entry;
    assert!(
        !acme
            .approvals()
            .unwrap()
            .approve("acme", &entry, Extent::Scripts)
            .unwrap()
    );
}

#[test]
fn endless_lists_end() {
    let turning = Script::new(|method, _| match method {
        "skills/list" => Reply::result(json!({
            "skills": [Skill::new("a").entry()], "nextCursor": "again",
        })),
        _ => Reply::default(method),
    });
    let count = std::sync::atomic::AtomicU64::new(0);
    let endless = Script::new(move |method, _| match method {
        "skills/list" => {
            let page = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let name = format!("s{page}");
            Reply::result(json!({
                "skills": [Skill::new(&name).entry()], "nextCursor": name,
            }))
        }
        _ => Reply::default(method),
    });
    let limits = HostLimits {
        pages: 3,
        ..HostLimits::default()
    };
    let options = HostOptions {
        limits,
        ..HostOptions::default()
    };
    let servers = vec![server("turning", &turning), server("endless", &endless)];
    let host = Host::start(servers, options).unwrap();
    let catalog = catalog_of(&host);
    assert!(catalog.is_partial());
    let told = seen(&catalog);
    let told: Vec<_> = told
        .lines()
        .filter(|line| !line.contains(" active"))
        .collect();
    let told = told.join("\n");
    assert!(told.contains("[server-limit] the list of the MCP server `turning` is cut: it gives the same page again and again"), "{told}");
    assert!(
        told.contains(
            "[server-limit] the list of the MCP server `endless` is cut: it has more than 3 pages"
        ),
        "{told}"
    );
    assert!(
        told.contains("`skill://a/SKILL.md` is listed twice"),
        "{told}"
    );
    assert_eq!(catalog.skills().len(), 4);
}

#[test]
fn one_bad_server_costs_a_finding_and_no_skill_of_another() {
    let good = Script::serving([Skill::new("pdf")]);
    let html = Script::new(|_, _| Reply::Raw(200, "text/html", b"<html>".to_vec()));
    let garbage = Script::new(|_, _| Reply::Raw(200, "application/json", b"{]".to_vec()));
    let broken = Script::new(|_, _| Reply::Raw(503, "text/plain", b"no".to_vec()));
    let locked = Script::new(|_, _| Reply::Raw(401, "text/plain", Vec::new()));
    let silent = Script::new(|_, _| Reply::Silence);
    let slow = Script::new(|_, _| Reply::Drip);
    let huge = Script::new(|_, _| Reply::Huge(10_000_000_000));
    let gone = Script::new(|_, _| Reply::Silence);
    gone.end();
    let plain = Script::new(|method, _| match method {
        "server/discover" => Reply::result(json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "supportedVersions": ["2026-07-28"], "capabilities": {"resources": {}},
        })),
        _ => Reply::default(method),
    });
    let wrong = Script::new(|method, _| match method {
        "skills/list" => Reply::result(json!({"skills": [{"uri": "skill://x"}]})),
        _ => Reply::default(method),
    });
    let mut servers = Vec::new();
    for (label, script) in [
        ("html", &html),
        ("garbage", &garbage),
        ("broken", &broken),
        ("locked", &locked),
        ("silent", &silent),
        ("slow", &slow),
        ("huge", &huge),
        ("gone", &gone),
        ("plain", &plain),
        ("wrong", &wrong),
        ("good", &good),
    ] {
        let mut config = server(label, script);
        let waits = ["silent", "slow"].contains(&label);
        config.timeout = Duration::from_secs(if waits { 1 } else { 60 });
        servers.push(config);
    }
    let host = Host::start(servers, HostOptions::default()).unwrap();
    let mut lines: Vec<String> = seen(&catalog_of(&host))
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort();
    expect![[r#"
        [server-entry] a skill of the MCP server `wrong` is left out: `skill://x` does not end with `/SKILL.md` (tell the owner of the server)
        [server-unreachable] the MCP server `broken` answers with HTTP 503 (see whether its `url` is right and the server runs)
        [server-unreachable] the MCP server `garbage` gives an answer that is no JSON-RPC (tell the owner of the server)
        [server-unreachable] the MCP server `gone` cannot be reached: Connection refused (os error 111) (see whether its `url` is right and the server runs)
        [server-unreachable] the MCP server `html` answers with `text/html` where JSON is expected (see whether its `url` is right and the server runs)
        [server-unreachable] the MCP server `huge` sends a message that is too large (tell the owner of the server)
        [server-unreachable] the MCP server `locked` does not let us in (name a file with a token that it takes in `token-file`)
        [server-unreachable] the MCP server `silent` does not answer within 1 s (see whether it runs, or raise its `timeout`)
        [server-unreachable] the MCP server `slow` does not answer within 1 s (see whether it runs, or raise its `timeout`)
        [server-without-skills] the MCP server `plain` offers no skills: it does not declare `io.modelcontextprotocol/skills` (take `[servers.plain]` out of the config, or set `enabled = false`)
        pdf remote good active: Does pdf. (from the MCP server `good`)
    "#]].assert_eq(&(lines.join("\n") + "\n"));
}

/// What a list shows is all that can be judged before a skill is loaded; its text is judged then.
#[test]
fn hidden_text_in_a_body_is_not_handed_out() {
    let tag = "Do it.\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}";
    for body in [tag, "Do \u{202e}it."] {
        let script = Script::serving([Skill::new("pdf").body(body), Skill::new("good")]);
        let host = Host::start(vec![server("acme", &script)], HostOptions::default()).unwrap();
        let catalog = Arc::new(catalog_of(&host));
        let error = catalog
            .get("pdf")
            .unwrap()
            .loaded()
            .unwrap_err()
            .to_string();
        assert!(error.contains("is not used"), "{error}");
        let tools = prowess::Toolset::new(Arc::clone(&catalog), prowess::ToolOptions::default());
        let call = |name: &str| {
            let result = prowess::Tool::call(&tools.skill(), &json!({"skill_name": name}));
            (result.record.success, result.text)
        };
        let (loaded, text) = call("pdf");
        assert!(!loaded && !text.contains(body), "{text}");
        assert!(call("good").0);
        let registry = Arc::new(Vec::<String>::new());
        let options = prowess::ContextOptions::default();
        let coordinator = prowess::Coordinator::new(Arc::clone(&catalog), registry, options);
        let found = coordinator.resolve(&[prowess::Strategy::Name("pdf".to_owned())]);
        assert!(found.context.is_none());
    }
}
