//! Entries: which skills have one, and what stands in it.

use super::*;

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
    let load = json!({ "name": "open_skill", "arguments": { "skill_name": "deploy" } });
    assert_eq!(client.ask("tools/call", load).await["isError"], true);
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
    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
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
        let refusal = crate::server::refusal(catalog.get(name).unwrap()).unwrap();
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
