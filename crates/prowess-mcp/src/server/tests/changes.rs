//! What a client hears when the catalog changes.

use super::*;

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
