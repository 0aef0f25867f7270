//! Files and folders, and addresses that lead to none.

use super::*;

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
