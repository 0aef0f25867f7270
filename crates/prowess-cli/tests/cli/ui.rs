//! `prowess ui`: the page's questions, asked as its script asks them.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Stdio},
    time::Duration,
};

use expect_test::expect;
use serde_json::{Value, json};

use crate::{
    schema,
    world::{World, described, skill},
};

const HERE: &str = "--local --no-project --dir skills";

/// A page that runs, seen from a browser that was let in.
struct Page {
    child: Child,
    address: String,
    cookie: String,
}

impl Page {
    fn open(world: &World, options: &str) -> Self {
        let mut command = world.command(&format!("ui --no-open {options}"));
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut url = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut url).unwrap();
        let (address, path) = url
            .trim()
            .strip_prefix("http://")
            .unwrap()
            .split_once('/')
            .unwrap();
        let mut page = Self {
            child,
            address: address.to_owned(),
            cookie: String::new(),
        };
        let answer = page.send(&format!("GET /{path}"), "", "");
        let cookie = answer
            .lines()
            .find_map(|line| line.strip_prefix("set-cookie: "));
        cookie
            .unwrap()
            .split(';')
            .next()
            .unwrap()
            .clone_into(&mut page.cookie);
        page
    }

    fn connect(&self, line: &str, more: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let ask = format!(
            "{line} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\nCookie: {}\r\n{more}\r\n{body}",
            self.address,
            body.len(),
            self.cookie
        );
        stream.write_all(ask.as_bytes()).unwrap();
        stream
    }

    fn send(&self, line: &str, more: &str, body: &str) -> String {
        let mut answer = String::new();
        self.connect(line, more, body)
            .read_to_string(&mut answer)
            .unwrap();
        answer
    }

    fn ask(&self, name: &str, what: &Value) -> Value {
        let line = format!("POST /api/{name}");
        let kind = "Content-Type: application/json\r\n";
        let answer = self.send(&line, kind, &what.to_string());
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    /// Asks, and holds the answer against a published shape.
    fn shaped(&self, name: &str, shape: &str, what: &Value) -> Value {
        let answer = self.ask(name, what);
        let schema = schema::schema(shape);
        let mut faults = Vec::new();
        schema::check(&answer, &schema, &schema, "$", &mut faults);
        assert!(faults.is_empty(), "{name}: {faults:#?}");
        answer
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_page_is_told_what_the_command_tells() {
    let world = World::with(&[
        ("skills/pdf/SKILL.md", &skill("pdf", "Fills PDF forms")),
        ("skills/pdf/notes.md", "Notes.\n"),
        (
            "skills/pdf/evals/evals.json",
            r#"[{"query": "fill a form", "should_trigger": true}]"#,
        ),
        ("skills/odd/SKILL.md", &described("odd", "Makes: tea")),
    ]);
    let page = Page::open(&world, HERE);
    let about = page.shaped("about", "ui-about", &json!({}));
    assert_eq!(
        (&about["skills"], &about["read_only"]),
        (&json!(2), &json!(false))
    );
    let list = page.shaped("list", "list", &json!({}));
    let told = world.json(&format!("list --all --json {HERE}"));
    assert_eq!(list["skills"], told["skills"]);
    let first = page.shaped("list", "list", &json!({ "first": 1 }));
    assert_eq!(first["skills"][0], list["skills"][0]);
    assert_eq!(first["skills"].as_array().unwrap().len(), 1);
    page.shaped("list", "list", &json!({ "client": "codex" }));
    let path = "skills/pdf/SKILL.md";
    let it = json!({ "path": path });
    let shown = page.shaped("show", "show", &it);
    assert_eq!(shown, world.json(&format!("show pdf --json {HERE}")));
    let why = page.shaped("why", "why", &it);
    assert_eq!(why, world.json(&format!("why pdf --json {HERE}")));
    let checked = page.shaped("check", "check", &it);
    assert_eq!(checked["summary"]["errors"], 0, "{checked}");
    // The list counts what the skill shows, and the terminal agrees.
    let told = world.json(&format!("check --json {HERE}"));
    let counts = page.shaped("findings", "ui-findings", &json!({}));
    let found = |skill: &Value, severity| {
        let all = skill["diagnostics"].as_array().unwrap().iter();
        all.filter(|it| it["severity"] == severity).count()
    };
    for skill in told["skills"].as_array().unwrap() {
        let counted = counts["skills"].as_array().unwrap().iter();
        let counted = counted.clone().find(|it| it["path"] == skill["path"]);
        for severity in ["error", "warning", "hint"] {
            let count = counted.map_or(0, |it| it[severity].as_u64().unwrap() as usize);
            assert_eq!(count, found(skill, severity), "{skill}");
        }
        let own = page.ask("check", &json!({ "path": skill["path"] }));
        assert_eq!(own["skills"][0], *skill);
    }
    let text = page.shaped("text", "ui-text", &it);
    assert_eq!(
        text["blocks"][0],
        json!({ "kind": "h1", "inside": ["Steps"] })
    );
    let read = page.shaped("read", "read", &json!({ "path": path, "file": "notes.md" }));
    assert_eq!(read["text"], "Notes.\n");
    assert_eq!(page.shaped("trust", "ui-trust", &it)["trusted"], true);
    let mut selected = page.shaped("select", "select", &json!({ "query": "fill a form" }));
    let mut told = world.json(&format!(
        "select 'fill a form' --top-k 8 --explain --json {HERE}"
    ));
    for it in [&mut selected, &mut told] {
        it["elapsed_us"] = Value::Null;
    }
    assert_eq!(selected, told);
    // A threshold of the page decides as it does in a policy.
    let sure = json!({ "query": "fill a form", "relevant": 1.0, "confident": 1.0 });
    assert_eq!(page.ask("select", &sure)["decision"], "none");
    let wanted = json!({ "path": path, "query": "tea" });
    page.shaped("why-query", "why-query", &wanted);
    // The other views ask the verbs of their names.
    let none = json!({});
    let pairs = page.shaped("rivals", "rivals", &none);
    assert_eq!(pairs, world.json(&format!("rivals --all --json {HERE}")));
    let figures = page.shaped("eval", "eval", &none);
    assert_eq!(figures, world.json(&format!("eval --json {HERE}")));
    let fit = page.shaped("budget", "budget", &json!({ "budget": "60c" }));
    let told = world.json(&format!("budget --budget 60c --json {HERE}"));
    assert_eq!(fit, told);
    let wrong = page.ask("budget", &json!({ "budget": "much" }));
    assert_eq!(wrong["help"], "say `8000c` or `2000t`");
    let moved = page.ask("drift", &json!({ "rev": "HEAD" }));
    assert!(
        moved["error"].as_str().is_some_and(|it| it.contains("git")),
        "{moved}"
    );
    let gone = page.ask("show", &json!({ "path": "elsewhere" }));
    expect![[r#"{"error":"there is no skill at `elsewhere` any more","help":null}"#]]
        .assert_eq(&gone.to_string());
}

#[test]
fn a_fix_is_shown_and_then_written_unless_the_page_only_reads() {
    let broken = "---\nname: tea\ndescription: Makes: tea. Use when asked.\n---\n# Go\n";
    for read_only in [true, false] {
        let world = World::with(&[("skills/tea/SKILL.md", broken)]);
        let option = if read_only { "--read-only" } else { "" };
        let page = Page::open(&world, &format!("{HERE} {option}"));
        let path = "skills/tea/SKILL.md";
        let shown = page.shaped("fix", "ui-edit", &json!({ "path": path }));
        let diff = shown["diff"].as_str().unwrap();
        assert!(
            diff.contains("+description: \"Makes: tea. Use when asked.\""),
            "{diff}"
        );
        assert_eq!(world.read("work/skills/tea/SKILL.md"), broken);
        let done = page.ask("fix", &json!({ "path": path, "write": true }));
        let text = world.read("work/skills/tea/SKILL.md");
        assert_eq!(
            done["written"].as_bool().unwrap_or(false),
            !read_only,
            "{done}"
        );
        assert_eq!(text != broken, !read_only);
    }
}

#[test]
fn a_description_is_tried_and_then_written_where_the_file_is_still_the_same() {
    let text =
        "---\nname: tea\ndescription: >-\n  Brews hot leaves.\nversion: 1.10 # kept\n---\n# Go\n";
    let files = [
        ("skills/tea/SKILL.md", text),
        ("skills/pdf/SKILL.md", &skill("pdf", "Fills PDF forms")),
    ];
    let path = "skills/tea/SKILL.md";
    let description = "Brews tea. Use when somebody asks for a cup: now.";
    let tried = json!({ "path": path, "description": description, "requests": ["a cup of tea", "fill a form"] });
    for read_only in [true, false] {
        let world = World::with(&files);
        let option = if read_only { "--read-only" } else { "" };
        let page = Page::open(&world, &format!("{HERE} {option}"));
        let now = page.shaped("draft", "ui-draft", &json!({ "path": path }));
        assert_eq!(
            (&now["description"], &now["diff"]),
            (&json!("Brews hot leaves."), &json!(""))
        );
        let draft = page.shaped("draft", "ui-draft", &tried);
        let cup = &draft["requests"][0];
        assert_eq!(cup["after"]["rank"], 1, "{cup}");
        assert_eq!(cup["after"]["first"][0]["name"], "tea");
        let confidence = |when: &str| cup[when]["confidence"].as_f64().unwrap();
        assert!(confidence("after") > confidence("before"), "{cup}");
        assert_eq!(draft["requests"][1]["after"]["first"][0]["name"], "pdf");
        expect![[r#"
            --- skills/tea/SKILL.md
            +++ skills/tea/SKILL.md
            @@ -2,5 +2,5 @@
             name: tea
             description: >-
            -  Brews hot leaves.
            +  Brews tea. Use when somebody asks for a cup: now.
             version: 1.10 # kept
             ---
        "#]]
        .assert_eq(draft["diff"].as_str().unwrap());
        let empty = page.ask("draft", &json!({ "path": path, "description": " " }));
        assert_eq!(
            empty["refused"],
            "a skill without a description is not offered to a model"
        );
        // Another file than the one that was seen is not written.
        let save = |hash: &Value| {
            page.ask(
                "save",
                &json!({ "path": path, "description": description, "hash": hash }),
            )
        };
        let stale = save(&json!("0".repeat(64)));
        let file = "work/skills/tea/SKILL.md";
        if read_only {
            assert_eq!(stale["error"], "this page may only read");
            assert_eq!(save(&draft["hash"])["error"], "this page may only read");
            assert_eq!(world.read(file), text);
            continue;
        }
        assert_eq!(
            stale["error"],
            "cannot write `skills/tea/SKILL.md`: it changed while it was checked"
        );
        assert_eq!(world.read(file), text);
        let answer = page.ask(
            "save",
            &json!({ "path": path, "description": "", "hash": draft["hash"] }),
        );
        assert!(answer["error"].is_string(), "{answer}");
        assert_eq!(save(&draft["hash"])["written"], true);
        assert_eq!(
            world.read(file),
            text.replace("Brews hot leaves.", description)
        );
        assert!(save(&draft["hash"])["error"].is_string());
    }
}

#[test]
fn an_export_is_a_site_and_leaves_other_pages_alone() {
    let hostile = "---\nname: '</script>'\ndescription: Fills forms. Use when asked.\n__proto__: 1\n---\n# Go\n";
    let world = World::with(&[
        ("skills/pdf/SKILL.md", &skill("pdf", "Fills PDF forms")),
        ("skills/odd/SKILL.md", hostile),
    ]);
    let run = world.run(&format!("ui --export site {HERE}"));
    assert!(run.contains("site/index.html"), "{run}");
    let page = world.read("work/site/index.html");
    assert!(page.contains("Content-Security-Policy") && page.contains("\"data.js\""));
    assert!(
        !page.contains("Fills"),
        "what skills say is no part of the page"
    );
    let data = world.read("work/site/data.js");
    let text = data.strip_prefix("var EXPORTED = JSON.parse(").unwrap();
    let text: String = serde_json::from_str(text.strip_suffix(");\n").unwrap()).unwrap();
    let data: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(data["answers"]["list"]["skills"][1]["name"], "pdf");
    assert!(data["made"].as_u64().is_some() && data["commit"].is_null());
    assert!(
        world
            .read("work/site/data/0.js")
            .starts_with("EXPORTED.skills[0] = JSON.parse(\"")
    );
    // Once more over itself, with a skill less: nothing of it is left, and what somebody else put
    // there stays, as does a page that somebody else wrote.
    world.file("work/site/data/notes.js", "mine");
    world.file("work/site/data/2.js", "mine");
    std::fs::remove_dir_all(world.path("work/skills/odd")).unwrap();
    world.run(&format!("ui --export site {HERE}"));
    assert!(world.path("work/site/data/0.js").exists());
    assert!(!world.path("work/site/data/1.js").exists());
    assert_eq!(world.read("work/site/data/notes.js"), "mine");
    assert_eq!(world.read("work/site/data/2.js"), "mine");
    world.file("work/mine/index.html", "mine");
    let refused = world.run(&format!("ui --export mine {HERE}"));
    assert!(refused.contains("`mine` holds another page"), "{refused}");
    assert_eq!(world.read("work/mine/index.html"), "mine");
}

#[test]
fn an_edited_file_is_told_to_the_page() {
    let world = World::with(&[("skills/pdf/SKILL.md", &skill("pdf", "Fills PDF forms"))]);
    let page = Page::open(&world, HERE);
    let mut lines = BufReader::new(page.connect("GET /api/events", "", "")).lines();
    let mut event = || -> Value {
        let line = lines.find(|line| line.as_ref().unwrap().starts_with("data: "));
        serde_json::from_str(line.unwrap().unwrap().strip_prefix("data: ").unwrap()).unwrap()
    };
    assert_eq!(event(), json!({ "event": "hello" }));
    world.described("work/skills/pdf", "Brews coffee. Use when asked.");
    let change = event();
    let watch = schema::schema("watch");
    let mut faults = Vec::new();
    schema::check(&change, &watch, &watch, "$", &mut faults);
    assert!(faults.is_empty(), "{faults:#?}");
    assert_eq!(change["changed"][0]["name"], "pdf");
    let selected = page.ask("select", &json!({ "query": "brew coffee" }));
    assert_eq!(selected["matches"][0]["name"], "pdf");
}

#[test]
fn a_hostile_skill_is_text_in_every_answer() {
    let world = World::new();
    let folder = "x\"><img src=x onerror=alert(1)>";
    let body = "<script>alert(1)</script>\n\n[a](javascript:alert(1)) ![b](http://e.example/x.png)\n\n<svg onload=alert(1)>\n";
    let text = format!(
        "---\nname: '<b onclick=alert(1)>'\ndescription: '</script><script>alert(2)</script> \u{202e}evil'\n---\n{body}{}",
        "A".repeat(1_000_000)
    );
    world.file(&format!("work/skills/{folder}/SKILL.md"), &text);
    let page = Page::open(&world, HERE);
    // The page is the same whatever the skills say: their text comes as JSON, and never as HTML.
    let html = page.send("GET /", "", "");
    assert!(
        html.contains("text/html") && !html.contains("alert("),
        "{html}"
    );
    let path = page.ask("list", &json!({}))["skills"][0]["path"].clone();
    for name in ["show", "why", "check", "text", "trust", "fix"] {
        let line = format!("POST /api/{name}");
        let kind = "Content-Type: application/json\r\n";
        let answer = page.send(&line, kind, &json!({ "path": path }).to_string());
        assert!(answer.starts_with("HTTP/1.1 200"), "{name}: {answer:.500}");
        assert!(answer.contains("content-type: application/json\r\n"));
        assert!(answer.contains("x-content-type-options: nosniff\r\n"));
        assert!(answer.contains("require-trusted-types-for 'script'"));
        // No control or invisible character comes unescaped.
        assert!(!answer.contains('\u{202e}'), "{name}");
    }
    let blocks = page.ask("text", &json!({ "path": path }))["blocks"].clone();
    expect![[r#"[{"kind":"p","inside":[{"kind":"html","inside":["<script>alert(1)</script>\n"]}]},{"kind":"p","inside":[{"kind":"link","note":"javascript:alert(1)","inside":["a"]}," ",{"kind":"image","note":"http://e.example/x.png","inside":["b"]}]}]"#]]
        .assert_eq(&json!([blocks[0], blocks[1]]).to_string());
}

/// One text that would do harm as markup, in every place of a skill that a report shows.
const HARM: &str = "</pre></style><script>alert(1)</script><img src=x onerror='alert(2)'>";

fn harmless(page: &str) {
    assert!(
        page.contains("default-src 'none'; style-src 'sha256-"),
        "{page:.300}"
    );
    assert!(
        page.contains("&lt;script&gt;alert(1)"),
        "it is not shown: {}",
        &page[page.find("<main").unwrap()..]
    );
    for markup in [
        "<script", "<img", "<link", "src=\"", "url(", "http://", "https://",
    ] {
        assert!(!page.contains(markup), "{markup}");
    }
    assert!(!page.contains('\u{202e}'));
    assert_eq!(page.matches("</style>").count(), 1);
    assert!(page.len() < 200_000, "{}", page.len());
}

#[test]
fn reports_of_hostile_skills_are_one_file_of_text() {
    let world = World::new();
    let text = format!(
        "---\nname: \"{HARM}\"\ndescription: \"Fills forms {HARM} \u{202e}. Use when: asked.\"\n{HARM}: 1\n---\n{HARM}\n{}\n",
        "A".repeat(900_000)
    );
    world.file("work/skills/odd/SKILL.md", &text);
    let checked = world.output("check skills --format html");
    harmless(&String::from_utf8(checked.stdout).unwrap());
    world.file("work/skills/pdf/SKILL.md", skill("pdf", "Fills PDF forms"));
    let case = json!({ "query": format!("brew tea {HARM}"), "expect": [HARM] });
    world.file("work/cases.jsonl", case.to_string());
    let run = world.run(&format!("eval cases.jsonl --html report.html {HERE}"));
    assert!(run.contains("hit@1"), "{run}");
    harmless(&world.read("work/report.html"));
}
