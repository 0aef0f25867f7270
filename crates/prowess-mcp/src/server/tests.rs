//! The protocol as a client sees it, through the server as a value.

use std::{fmt::Write as _, fs, path::Path, sync::Arc};

use expect_test::{Expect, expect};
use prowess::{Catalog, LoadOptions, MemorySource, Source, ToolOptions};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};
use tokio_util::sync::CancellationToken;

use super::SkillServer;
use crate::stdio::serve_streams;

const OLD: &str = "2025-11-25";
const NEW: &str = "2026-07-28";

/// A client that speaks in lines.
pub(crate) struct Client {
    writer: DuplexStream,
    lines: Lines<BufReader<DuplexStream>>,
    version: &'static str,
    id: u64,
}

impl Client {
    pub(crate) async fn connect(server: &SkillServer, version: &'static str) -> Self {
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
            id: 0,
        };
        if version != NEW {
            let params = json!({
                "protocolVersion": version,
                "capabilities": {},
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
    async fn ask(&mut self, method: &str, mut params: Json) -> Json {
        self.id += 1;
        if self.version == NEW {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": NEW,
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let id = self.id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
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

fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    fs::write(path, text).unwrap();
}

fn skill(name: &str, fields: &str) -> String {
    format!("---\nname: {name}\ndescription: About {name}.\n{fields}---\n\n# {name}\n")
}

/// Two skills in a folder: one with everything beside it, one for users only.
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

async fn check(method: &str, params: Json, old: &Expect, new: &Expect) {
    let home = home();
    let server = serve(&home);
    for (version, expect) in [(OLD, old), (NEW, new)] {
        let mut client = Client::connect(&server, version).await;
        let answer = client.ask(method, params.clone()).await;
        expect.assert_eq(&format!("{answer:#}"));
    }
}

#[tokio::test]
async fn an_entry_is_the_frontmatter_and_every_file() {
    check(
        "skills/get",
        json!({ "uri": "skill://pdf/SKILL.md" }),
        &expect![[r#"
            {
              "skill": {
                "uri": "skill://pdf/SKILL.md",
                "frontmatter": {
                  "name": "pdf",
                  "description": "About pdf.",
                  "license": "MIT",
                  "argument-hint": "[file]"
                },
                "resources": [
                  {
                    "uri": "skill://pdf/SKILL.md",
                    "digest": "sha256:ea1d3a1047389f9b9a8c0af6e857588edc088c9ac5079a108a67b9bea19175d9",
                    "size": 86
                  },
                  {
                    "uri": "skill://pdf/logo.png",
                    "digest": "sha256:c36ee640e0a885a73726d67791afbe0632614780b1293f51972675aba3b4fe85",
                    "size": 3
                  },
                  {
                    "uri": "skill://pdf/refs/a%20b.md",
                    "digest": "sha256:aa1237b773c38dbddef583c4868aaea7a44c5237ea7923aecca5513764b42d80",
                    "size": 4
                  }
                ]
              }
            }"#]],
        &expect![[r#"
            {
              "skill": {
                "uri": "skill://pdf/SKILL.md",
                "frontmatter": {
                  "name": "pdf",
                  "description": "About pdf.",
                  "license": "MIT",
                  "argument-hint": "[file]"
                },
                "resources": [
                  {
                    "uri": "skill://pdf/SKILL.md",
                    "digest": "sha256:ea1d3a1047389f9b9a8c0af6e857588edc088c9ac5079a108a67b9bea19175d9",
                    "size": 86
                  },
                  {
                    "uri": "skill://pdf/logo.png",
                    "digest": "sha256:c36ee640e0a885a73726d67791afbe0632614780b1293f51972675aba3b4fe85",
                    "size": 3
                  },
                  {
                    "uri": "skill://pdf/refs/a%20b.md",
                    "digest": "sha256:aa1237b773c38dbddef583c4868aaea7a44c5237ea7923aecca5513764b42d80",
                    "size": 4
                  }
                ]
              },
              "resultType": "complete",
              "ttlMs": 5000,
              "cacheScope": "private"
            }"#]],
    )
    .await;
}

#[tokio::test]
async fn a_list_leaves_out_skills_for_users_only() {
    let home = home();
    let mut client = Client::connect(&serve(&home), NEW).await;
    let list = client.ask("skills/list", json!({})).await;
    let uris: Vec<&Json> = list["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["uri"])
        .collect();
    assert_eq!(uris, ["skill://pdf/SKILL.md"]);
    assert_eq!(list["ttlMs"], 5_000);
    // It is served all the same: whoever called its prompt needs its files.
    let entry = client
        .ask("skills/get", json!({ "uri": "skill://deploy/SKILL.md" }))
        .await;
    assert_eq!(entry["skill"]["frontmatter"]["name"], "deploy");
    let read = json!({ "name": "read_skill_resource", "arguments": { "skill_name": "deploy", "path": "steps.md" } });
    let answer = client.ask("tools/call", read).await;
    assert_eq!(answer["content"][0]["text"], "steps\n");
    let load = json!({ "name": "load_skill", "arguments": { "skill_name": "deploy" } });
    assert_eq!(client.ask("tools/call", load).await["isError"], true);
}

#[tokio::test]
async fn a_folder_shows_its_children() {
    check(
        "resources/directory/read",
        json!({ "uri": "skill://pdf" }),
        &expect![[r#"
            {
              "resources": [
                {
                  "uri": "skill://pdf/SKILL.md",
                  "name": "pdf",
                  "description": "About pdf.",
                  "mimeType": "text/markdown",
                  "size": 86
                },
                {
                  "uri": "skill://pdf/empty",
                  "name": "empty",
                  "mimeType": "inode/directory"
                },
                {
                  "uri": "skill://pdf/logo.png",
                  "name": "logo.png",
                  "mimeType": "image/png",
                  "size": 3
                },
                {
                  "uri": "skill://pdf/refs",
                  "name": "refs",
                  "mimeType": "inode/directory"
                }
              ]
            }"#]],
        &expect![[r#"
            {
              "resources": [
                {
                  "uri": "skill://pdf/SKILL.md",
                  "name": "pdf",
                  "description": "About pdf.",
                  "mimeType": "text/markdown",
                  "size": 86
                },
                {
                  "uri": "skill://pdf/empty",
                  "name": "empty",
                  "mimeType": "inode/directory"
                },
                {
                  "uri": "skill://pdf/logo.png",
                  "name": "logo.png",
                  "mimeType": "image/png",
                  "size": 3
                },
                {
                  "uri": "skill://pdf/refs",
                  "name": "refs",
                  "mimeType": "inode/directory"
                }
              ],
              "resultType": "complete",
              "ttlMs": 5000,
              "cacheScope": "private"
            }"#]],
    )
    .await;
}

#[tokio::test]
async fn a_file_that_hides_characters_is_not_served() {
    let home = home();
    write(&home.path().join("skills/pdf/turned.md"), "a\u{202e}b");
    let mut client = Client::connect(&serve(&home), OLD).await;
    let answer = client
        .ask("resources/read", json!({ "uri": "skill://pdf/turned.md" }))
        .await;
    assert_eq!(
        answer["message"],
        "`skill://pdf/turned.md` is not served: `turned.md` is not read: a hidden character stands in line 1, column 2"
    );
}

#[tokio::test]
async fn files_are_text_or_base64() {
    let home = home();
    let mut client = Client::connect(&serve(&home), OLD).await;
    let text = client
        .ask(
            "resources/read",
            json!({ "uri": "skill://pdf/refs/a%20b.md" }),
        )
        .await;
    assert_eq!(
        text["contents"][0],
        json!({ "uri": "skill://pdf/refs/a%20b.md", "mimeType": "text/markdown", "text": "# A\n" })
    );
    let blob = client
        .ask("resources/read", json!({ "uri": "skill://pdf/logo.png" }))
        .await;
    assert_eq!(
        blob["contents"][0],
        json!({ "uri": "skill://pdf/logo.png", "mimeType": "image/png", "blob": "iVD/" })
    );
    let empty = client
        .ask(
            "resources/directory/read",
            json!({ "uri": "skill://pdf/empty" }),
        )
        .await;
    assert_eq!(empty, json!({ "resources": [] }));
}

#[tokio::test]
async fn no_address_leads_out_of_a_skill() {
    let home = home();
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        home.path().join("secret.md"),
        home.path().join("skills/pdf/link.md"),
    )
    .unwrap();
    let server = serve(&home);
    for version in [OLD, NEW] {
        let mut client = Client::connect(&server, version).await;
        for uri in [
            "skill://pdf/../../secret.md",
            "skill://pdf/refs/../../../secret.md",
            "skill://pdf/%2e%2e/%2e%2e/secret.md",
            "skill://pdf/..%2f..%2fsecret.md",
            "skill://pdf//SKILL.md",
            "skill://pdf/./SKILL.md",
            "skill://pdf/refs",
            "skill://pdf/link.md",
            "skill://pdf",
            "skill://",
            "skill:///etc/passwd",
            "file:///etc/passwd",
            "",
            "\u{0}",
        ] {
            let answer = client.ask("resources/read", json!({ "uri": uri })).await;
            assert_eq!(answer["code"], -32602, "{uri}: {answer}");
        }
    }
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
        tools/call -32602 "no tool named `rm`; there are `search_skills`, `load_skill` and `read_skill_resource`"
        skills/delete -32601 "no method named `skills/delete`"
    "#]].assert_eq(&told);
}

#[tokio::test]
async fn a_skill_beyond_the_limits_is_not_served_and_the_reason_is_told() {
    let home = home();
    let folder = home.path().join("skills/many");
    write(&folder.join("SKILL.md"), skill("many", ""));
    for number in 0..512 {
        write(&folder.join(format!("{number}.txt")), "");
    }
    let large = home.path().join("skills/large");
    write(&large.join("SKILL.md"), skill("large", ""));
    let file = fs::OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .open(large.join("data.bin"));
    file.unwrap().set_len(16 * 1024 * 1024).unwrap();
    let server = serve(&home);
    let mut client = Client::connect(&server, NEW).await;
    let list = client.ask("skills/list", json!({})).await;
    assert_eq!(list["skills"].as_array().unwrap().len(), 1);
    let mut told = String::new();
    for name in ["large", "many"] {
        for method in ["skills/get", "resources/read"] {
            let uri = format!("skill://{name}/SKILL.md");
            let answer = client.ask(method, json!({ "uri": uri })).await;
            writeln!(told, "{method} {} {}", answer["code"], answer["message"]).unwrap();
        }
        let catalog = server.catalog();
        let refusal = super::refusal(catalog.get(name).unwrap()).unwrap();
        writeln!(told, "{refusal}").unwrap();
    }
    expect![[r#"
        skills/get -32602 "`skill://large/SKILL.md` is not served: its files have 16777271 bytes, and hosts accept at most 16777216; move some out"
        resources/read -32602 "`skill://large/SKILL.md` is not served: its files have 16777271 bytes, and hosts accept at most 16777216; move some out"
        its files have 16777271 bytes, and hosts accept at most 16777216; move some out
        skills/get -32602 "`skill://many/SKILL.md` is not served: it has 513 files, and hosts accept at most 512; move some out"
        resources/read -32602 "`skill://many/SKILL.md` is not served: it has 513 files, and hosts accept at most 512; move some out"
        it has 513 files, and hosts accept at most 512; move some out
    "#]].assert_eq(&told);
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_with_a_name_that_cannot_be_shown_is_served_by_an_opaque_one() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    let home = home();
    let folder = home.path().join("skills/pdf/odd");
    write(&folder.join("a\nb\u{202e}.md"), "one");
    write(&folder.join(OsStr::from_bytes(b"\xff.md")), "two");
    let mut client = Client::connect(&serve(&home), NEW).await;
    let odd = client
        .ask(
            "resources/directory/read",
            json!({ "uri": "skill://pdf/odd" }),
        )
        .await;
    let mut texts = Vec::new();
    for child in odd["resources"].as_array().unwrap() {
        let uri = child["uri"].as_str().unwrap();
        assert!(uri.starts_with("skill://pdf/odd/~"), "{uri}");
        let name = child["name"].as_str().unwrap();
        assert!(name.contains('\\') && !name.contains('\n'), "{name}");
        let read = client.ask("resources/read", json!({ "uri": uri })).await;
        texts.push(read["contents"][0]["text"].as_str().unwrap().to_owned());
    }
    texts.sort();
    assert_eq!(texts, ["one", "two"]);
}

#[tokio::test]
async fn a_changed_file_has_a_new_digest() {
    let home = home();
    let mut client = Client::connect(&serve(&home), OLD).await;
    let uri = json!({ "uri": "skill://pdf/SKILL.md" });
    let digest = |entry: &Json| entry["skill"]["resources"][2]["digest"].clone();
    let before = digest(&client.ask("skills/get", uri.clone()).await);
    // Same size, same second: only its bytes tell.
    write(&home.path().join("skills/pdf/refs/a b.md"), "# B\n");
    let after = digest(&client.ask("skills/get", uri).await);
    assert_ne!(before, after);
}

#[tokio::test]
async fn a_nested_skill_lies_behind_the_one_around_it() {
    let home = home();
    let nested = home.path().join("skills/pdf/skills/inner");
    write(&nested.join("SKILL.md"), skill("inner", ""));
    write(&nested.join("x.md"), "x");
    let dirs = [
        home.path().join("skills"),
        home.path().join("skills/pdf/skills"),
    ];
    let server = SkillServer::new(Arc::new(Catalog::from_dirs(dirs)), ToolOptions::default());
    let mut client = Client::connect(&server, OLD).await;
    let list = client.ask("skills/list", json!({})).await;
    let uris: Vec<&Json> = list["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["uri"])
        .collect();
    assert_eq!(
        uris,
        ["skill://pdf/SKILL.md", "skill://pdf/skills/inner/SKILL.md"]
    );
    let read = json!({ "uri": "skill://pdf/skills/inner/x.md" });
    assert_eq!(
        client.ask("resources/read", read).await["contents"][0]["text"],
        "x"
    );
    // The files of the inner one belong to the outer one too.
    let outer = list["skills"][0]["resources"].to_string();
    assert!(outer.contains("skill://pdf/skills/inner/x.md"), "{outer}");
}

#[tokio::test]
async fn who_listens_is_told_which_lists_changed() {
    let one = memory(&[("a/SKILL.md", skill("a", ""))]);
    let two = memory(&[
        ("a/SKILL.md", skill("a", "")),
        ("b/SKILL.md", skill("b", "")),
    ]);
    let server = SkillServer::new(one, ToolOptions::default());
    let mut old = Client::connect(&server, OLD).await;
    // The list is asked for so that the server has seen the client come.
    old.ask("tools/list", json!({})).await;
    let mut new = Client::connect(&server, NEW).await;
    let listen = json!({
        "jsonrpc": "2.0", "id": 99, "method": "subscriptions/listen",
        "params": {
            "notifications": { "promptsListChanged": true, "resourcesListChanged": true },
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": NEW,
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    });
    new.send(&listen).await;
    let acknowledged = new.next().await;
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    server.replace(two);
    let mut told = Vec::new();
    for _ in 0..3 {
        told.push(old.next().await["method"].as_str().unwrap().to_owned());
    }
    told.sort();
    assert_eq!(
        told,
        [
            "notifications/prompts/list_changed",
            "notifications/resources/list_changed",
            "notifications/tools/list_changed",
        ]
    );
    for expected in [
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
    ] {
        let message = new.next().await;
        assert_eq!(message["method"], expected);
        let subscription = &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
        assert_eq!(*subscription, 99, "{message}");
    }
    let tools = old.ask("tools/list", json!({})).await;
    let names = &tools["tools"][0]["inputSchema"]["properties"]["skill_name"]["enum"];
    assert_eq!(*names, json!(["a", "b"]));
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
