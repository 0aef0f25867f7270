//! The protocol as a client sees it, through the server as a value.

use std::{fmt::Write as _, fs, path::Path, sync::Arc};

use expect_test::{Expect, expect};
use prowess::{Catalog, LoadOptions, MemorySource, Mode, Source, ToolCheck, ToolOptions};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};
use tokio_util::sync::CancellationToken;

use super::SkillServer;
use crate::stdio::serve_streams;

mod changes;
mod files;
#[cfg(all(feature = "run", unix))]
mod run;
mod skills;

const OLD: &str = "2025-11-25";
const NEW: &str = "2026-07-28";

/// A client that speaks in lines.
pub(crate) struct Client {
    writer: DuplexStream,
    lines: Lines<BufReader<DuplexStream>>,
    version: &'static str,
    capabilities: Json,
    id: u64,
}

impl Client {
    pub(crate) async fn connect(server: &SkillServer, version: &'static str) -> Self {
        Self::connect_as(server, version, json!({})).await
    }

    /// Connects a client that says it can do this.
    async fn connect_as(server: &SkillServer, version: &'static str, capabilities: Json) -> Self {
        let (writer, theirs) = tokio::io::duplex(1 << 20);
        let (ours, reader) = tokio::io::duplex(1 << 20);
        let server = server.clone();
        tokio::spawn(async move {
            serve_streams(&server, theirs, ours, CancellationToken::new()).await
        });
        let mut client = Self {
            writer,
            lines: BufReader::new(reader).lines(),
            version,
            capabilities: capabilities.clone(),
            id: 0,
        };
        if version != NEW {
            let params = json!({
                "protocolVersion": version,
                "capabilities": capabilities,
                "clientInfo": { "name": "test", "version": "1" },
            });
            client.ask("initialize", params).await;
            client
                .send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
                .await;
        }
        client
    }

    async fn send(&mut self, message: &Json) {
        let line = format!("{message}\n");
        self.writer.write_all(line.as_bytes()).await.unwrap();
    }

    pub(crate) async fn next(&mut self) -> Json {
        let line = self.lines.next_line().await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request and gives its result, or its error.
    async fn ask(&mut self, method: &str, params: Json) -> Json {
        let id = self.request(method, params).await;
        self.result(id).await
    }

    /// Sends a request and gives its id.
    async fn request(&mut self, method: &str, mut params: Json) -> u64 {
        self.id += 1;
        if self.version == NEW {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": NEW,
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            });
        }
        let id = self.id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        id
    }

    /// The result of a request, or its error.
    async fn result(&mut self, id: u64) -> Json {
        loop {
            let mut answer = self.next().await;
            if answer["id"] == id {
                return match answer.get_mut("result") {
                    Some(result) => result.take(),
                    None => answer["error"].take(),
                };
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn skill(name: &str, fields: &str) -> String {
    format!("---\nname: {name}\ndescription: About {name}.\n{fields}---\n\n# {name}\n")
}

/// Two skills in a folder: one with everything beside it, one for users only.
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let at = |path: &str| home.path().join("skills").join(path);
    write(
        &at("pdf/SKILL.md"),
        skill("pdf", "license: MIT\nargument-hint: '[file]'\n"),
    );
    write(&at("pdf/refs/a b.md"), "# A\n");
    write(&at("pdf/logo.png"), [0x89, 0x50, 0xff]);
    fs::create_dir_all(at("pdf/empty")).unwrap();
    write(
        &at("deploy/SKILL.md"),
        skill("deploy", "disable-model-invocation: true\n"),
    );
    write(&at("deploy/steps.md"), "steps\n");
    write(&home.path().join("secret.md"), "secret");
    home
}

fn serve(home: &tempfile::TempDir) -> SkillServer {
    let catalog = Catalog::from_dirs([home.path().join("skills")]);
    SkillServer::new(Arc::new(catalog), ToolOptions::default())
}

fn memory(skills: &[(&str, String)]) -> Arc<Catalog> {
    let mut source = MemorySource::new("test");
    for (path, text) in skills {
        source = source.skill(*path, text.clone());
    }
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    Arc::new(Catalog::load(&sources, &LoadOptions::default()).unwrap())
}

/// The answer in every revision; in the newest it also says how long it holds.
async fn check(method: &str, params: Json, expect: &Expect) {
    let home = home();
    let server = serve(&home);
    let answer = Client::connect(&server, OLD)
        .await
        .ask(method, params.clone())
        .await;
    expect.assert_eq(&format!("{answer:#}"));
    let mut newer = Client::connect(&server, NEW)
        .await
        .ask(method, params)
        .await;
    let mut take = |key: &str| newer.as_object_mut().unwrap().shift_remove(key);
    assert_eq!(take("resultType"), Some(json!("complete")));
    assert_eq!(take("ttlMs"), Some(json!(5_000)));
    assert_eq!(take("cacheScope"), Some(json!("private")));
    assert_eq!(newer, answer);
}

#[tokio::test]
async fn each_wrong_request_has_its_code() {
    let home = home();
    let mut client = Client::connect(&serve(&home), OLD).await;
    let mut told = String::new();
    for (method, params) in [
        ("skills/get", json!({})),
        ("skills/get", json!({ "uri": 5 })),
        ("skills/get", json!({ "uri": "skill://nobody/SKILL.md" })),
        ("skills/list", json!({ "cursor": "nonsense" })),
        ("tools/list", json!({ "cursor": "nonsense" })),
        ("prompts/list", json!({ "cursor": "nonsense" })),
        ("resources/list", json!({ "cursor": "nonsense" })),
        (
            "resources/directory/read",
            json!({ "uri": "skill://pdf/logo.png" }),
        ),
        ("resources/directory/read", json!({ "uri": "skill://pdf/" })),
        ("prompts/get", json!({ "name": "nobody" })),
        ("tools/call", json!({ "name": "rm" })),
        ("skills/delete", json!({})),
    ] {
        let answer = client.ask(method, params).await;
        writeln!(told, "{method} {} {}", answer["code"], answer["message"]).unwrap();
    }
    expect![[r#"
        skills/get -32602 "`uri` is required"
        skills/get -32602 "`uri` is not text"
        skills/get -32602 "nothing is served at `skill://nobody/SKILL.md`"
        skills/list -32602 "the cursor is not one this list gave; start again without one"
        tools/list -32602 "the cursor is not one this list gave; start again without one"
        prompts/list -32602 "the cursor is not one this list gave; start again without one"
        resources/list -32602 "the cursor is not one this list gave; start again without one"
        resources/directory/read -32602 "`skill://pdf/logo.png` is a file, not a directory"
        resources/directory/read -32602 "nothing is served at `skill://pdf/`"
        prompts/get -32602 "no prompt named `nobody`"
        tools/call -32602 "no tool named `rm`; there are `open_skill`, `read_skill_resource`, `search_skills`"
        skills/delete -32601 "no method named `skills/delete`"
    "#]].assert_eq(&told);
}

#[tokio::test]
async fn a_prompt_holds_the_instructions_and_what_the_user_gave() {
    let home = home();
    let mut client = Client::connect(&serve(&home), OLD).await;
    let params = json!({ "name": "pdf", "arguments": { "arguments": "form.pdf" } });
    let got = client.ask("prompts/get", params).await;
    let text = got["messages"][0]["content"]["text"].as_str().unwrap();
    let folder = home.path().join("skills/pdf").canonicalize().unwrap();
    expect![[r#"
        # Skill: pdf

        Directory: FOLDER
        Resources, to be read with `read_skill_resource`:
        - logo.png (3 bytes)
        - refs/a b.md (4 bytes)
        Arguments: form.pdf

        ## Instructions

        # pdf"#]]
    .assert_eq(&text.replace(&folder.display().to_string(), "FOLDER"));
}

#[tokio::test]
async fn the_template_is_completed() {
    let home = home();
    let mut client = Client::connect(&serve(&home), OLD).await;
    let mut ask = async |argument: Json, context: Json| {
        let params = json!({
            "ref": { "type": "ref/resource", "uri": "skill://{name}/{+path}" },
            "argument": argument,
            "context": context,
        });
        client.ask("completion/complete", params).await["completion"]["values"].clone()
    };
    let names = ask(json!({ "name": "name", "value": "p" }), json!({})).await;
    assert_eq!(names, json!(["pdf"]));
    let context = json!({ "arguments": { "name": "pdf" } });
    let paths = ask(json!({ "name": "path", "value": "refs" }), context).await;
    assert_eq!(paths, json!(["refs/a%20b.md"]));
}

#[tokio::test]
async fn a_model_is_told_how_users_call_what_only_they_may() {
    let home = home();
    let mut client = Client::connect(&serve(&home), NEW).await;
    let call = json!({ "name": "open_skill", "arguments": { "skill_name": "deploy" } });
    let result = client.ask("tools/call", call).await;
    assert_eq!(result["isError"], true);
    expect!["Error: the skill `deploy` is used only when the user calls it; ask the user to call the prompt `deploy`, which most clients show as a slash command"]
        .assert_eq(result["content"][0]["text"].as_str().unwrap());
}

#[tokio::test]
async fn a_skill_comes_with_the_tools_the_agent_has_or_not_at_all() {
    let source = MemorySource::new("test").skill(
        "phone/SKILL.md",
        "---\nname: phone\ndescription: Calls people.\nallowed-tools: Read dial\n---\nCall.\n",
    );
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let catalog = Arc::new(Catalog::load(&sources, &LoadOptions::default()).unwrap());
    let mut told = String::new();
    for mode in [Mode::Strict, Mode::Permissive] {
        let mut options = ToolOptions::default();
        let tools = Arc::new(vec!["Read".to_owned()]);
        options.check = Some(ToolCheck::new::<String>(tools).mode(mode));
        let server = SkillServer::new(Arc::clone(&catalog), options);
        let mut client = Client::connect(&server, NEW).await;
        let open = json!({ "name": "open_skill", "arguments": { "skill_name": "phone" } });
        let opened = client.ask("tools/call", open).await;
        let called = client.ask("prompts/get", json!({ "name": "phone" })).await;
        for text in [
            &opened["content"][0]["text"],
            &called["messages"][0]["content"]["text"],
        ] {
            writeln!(told, "{}\n", text.as_str().unwrap()).unwrap();
        }
        let search = json!({ "name": "search_skills", "arguments": { "query": "call people" } });
        let found = client.ask("tools/call", search).await;
        let first = &found["structuredContent"]["matches"][0];
        assert_eq!(first["allowed_tools"], json!(["Read", "dial"]));
    }
    expect![[r#"
        Error: the skill `phone` was not loaded: it needs `dial`, and this agent does not offer it; go on without the skill and tell the user

        Error: the skill `phone` was not loaded: it needs `dial`, and this agent does not offer it; go on without the skill and tell the user

        # Skill: phone

        Tools of this skill: `Read`.
        Not there, so do not call: `dial`.

        ## Instructions

        Call.

        # Skill: phone

        Tools of this skill: `Read`.
        Not there, so do not call: `dial`.

        ## Instructions

        Call.

    "#]].assert_eq(&told);
}
