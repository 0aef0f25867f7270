//! A script runs once the user of the client said yes to it.

use std::time::Duration;

use prowess::{
    run::{RunPolicy, Unconfined},
    tool::RunOptions,
};

use super::*;

/// A skill with two scripts, in a folder that a script can leave a mark in.
fn served(policy: RunPolicy) -> (tempfile::TempDir, SkillServer) {
    let home = tempfile::tempdir().unwrap();
    let at = |path: &str| home.path().join("skills").join(path);
    write(&at("count/SKILL.md"), skill("count", ""));
    write(&at("count/scripts/count.sh"), "echo $# words\n");
    write(
        &at("count/scripts/long.sh"),
        "echo $$ > \"$1\"; sleep 300 & sleep 300\n",
    );
    let server = server(&at(""), policy);
    (home, server)
}

fn server(folder: &Path, policy: RunPolicy) -> SkillServer {
    let mut options = ToolOptions::default();
    // The sandbox has tests of its own; this is about who is asked.
    let mut run = RunOptions::new(Unconfined::default());
    run.policy = policy;
    options.run = Some(run);
    SkillServer::new(Arc::new(Catalog::from_dirs([folder])), options)
}

fn call(arguments: &str) -> Json {
    json!({
        "name": "run_skill_script",
        "arguments": { "skill_name": "count", "script": "scripts/count.sh", "arguments": arguments },
    })
}

fn text(result: &Json) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn it_is_listed_where_it_is_allowed() {
    for (policy, listed) in [(RunPolicy::Ask, 4), (RunPolicy::Never, 3)] {
        let (_home, server) = served(policy);
        let mut client = Client::connect(&server, OLD).await;
        let tools = client.ask("tools/list", json!({})).await;
        let tools = tools["tools"].as_array().unwrap();
        assert_eq!(tools.len(), listed);
        if listed == 4 {
            assert_eq!(tools[3]["name"], "run_skill_script");
            assert_eq!(tools[3]["annotations"]["readOnlyHint"], false);
        } else {
            let refused = client.ask("tools/call", call("")).await;
            expect!["no tool named `run_skill_script`; there are `open_skill`, `read_skill_resource`, `search_skills`"]
                .assert_eq(refused["message"].as_str().unwrap());
        }
    }
}

#[tokio::test]
async fn a_client_that_cannot_ask_gets_the_reason() {
    let (_home, server) = served(RunPolicy::Ask);
    for version in [OLD, NEW] {
        for capabilities in [json!({}), json!({ "elicitation": { "url": {} } })] {
            let mut client = Client::connect_as(&server, version, capabilities).await;
            let result = client.ask("tools/call", call("a b")).await;
            assert_eq!(result["isError"], true);
            expect!["Error: `scripts/count.sh` was not run: it needs the user's yes, and this client cannot ask its user (it has no elicitation)"]
                .assert_eq(text(&result));
        }
    }
}

/// Answers the question of the server while a call waits.
async fn answered(client: &mut Client, id: u64, answer: Json) -> (String, Json) {
    let question = client.next().await;
    assert_eq!(question["method"], "elicitation/create");
    let message = question["params"]["message"].as_str().unwrap().to_owned();
    assert_eq!(
        question["params"]["requestedSchema"],
        json!({
            "type": "object",
            "properties": { "approve": { "type": "boolean", "title": "Run it" } },
            "required": ["approve"],
        })
    );
    let reply = json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer });
    client.send(&reply).await;
    (message, client.result(id).await)
}

#[tokio::test]
async fn an_older_client_is_asked_while_its_call_waits() {
    let (_home, server) = served(RunPolicy::Ask);
    let mut client = Client::connect_as(&server, OLD, json!({ "elicitation": {} })).await;
    let id = client.request("tools/call", call("a 'b c'")).await;
    let yes = json!({ "action": "accept", "content": { "approve": true } });
    let (message, result) = answered(&mut client, id, yes).await;
    assert!(
        message.starts_with(
            "Run the script `scripts/count.sh` of the skill `count` with `a` `b c`? It reads"
        ),
        "{message}"
    );
    assert_eq!(
        text(&result),
        "Exit status: 0\n\nStandard output:\n2 words\n"
    );
    assert_eq!(result["structuredContent"]["code"], 0);
    assert_eq!(result["structuredContent"]["stdout"], "2 words\n");
    for no in [
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
        json!({ "action": "accept", "content": {} }),
        json!({ "action": "accept", "content": { "approve": false } }),
    ] {
        let id = client.request("tools/call", call("")).await;
        let (_, result) = answered(&mut client, id, no).await;
        expect![
            "Error: `scripts/count.sh` was not run: the user said no; go on without it and say so"
        ]
        .assert_eq(text(&result));
    }
}

#[tokio::test]
async fn a_newer_client_asks_and_calls_again() {
    let (home, server) = served(RunPolicy::Ask);
    let capabilities = json!({ "elicitation": { "form": {} } });
    let mut client = Client::connect_as(&server, NEW, capabilities).await;
    let first = client.ask("tools/call", call("a")).await;
    assert_eq!(first["resultType"], "input_required");
    let question = &first["inputRequests"]["approve"];
    assert_eq!(question["method"], "elicitation/create");
    let again = |state: &Json, arguments: &str, approve: bool| {
        let mut again = call(arguments);
        again["requestState"] = state.clone();
        let content = json!({ "approve": approve });
        again["inputResponses"] = json!({ "approve": { "action": "accept", "content": content } });
        again
    };
    let state = &first["requestState"];
    let result = client.ask("tools/call", again(state, "a", true)).await;
    assert_eq!(
        text(&result),
        "Exit status: 0\n\nStandard output:\n1 words\n"
    );
    let result = client.ask("tools/call", again(state, "a", false)).await;
    assert!(text(&result).contains("the user said no"), "{result}");
    // A yes to other arguments, or to other files, is no yes.
    let result = client.ask("tools/call", again(state, "b", true)).await;
    assert_eq!(result["resultType"], "input_required");
    write(&home.path().join("skills/count/more.txt"), "x");
    let result = client.ask("tools/call", again(state, "a", true)).await;
    assert_eq!(result["resultType"], "input_required");
}

#[tokio::test]
async fn a_call_that_is_cancelled_ends_its_script() {
    let (home, server) = served(RunPolicy::Ask);
    let mut client = Client::connect_as(&server, OLD, json!({ "elicitation": {} })).await;
    let mark = home.path().join("pid");
    let params = json!({
        "name": "run_skill_script",
        "arguments": {
            "skill_name": "count",
            "script": "scripts/long.sh",
            "arguments": mark.to_str().unwrap(),
        },
    });
    let id = client.request("tools/call", params).await;
    let question = client.next().await;
    let yes = json!({ "action": "accept", "content": { "approve": true } });
    client
        .send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": yes }))
        .await;
    let pid = loop {
        #[expect(clippy::disallowed_methods, reason = "a test reads its own file")]
        let pid = fs::read_to_string(&mark).unwrap_or_default();
        if pid.ends_with('\n') {
            break pid.trim().to_owned();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    let cancelled = json!({ "requestId": id, "reason": "enough" });
    client
        .send(&json!({
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": cancelled,
        }))
        .await;
    let process = Path::new("/proc").join(&pid);
    for _ in 0..500 {
        if !process.exists() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the script with process id {pid} goes on");
}

/// A client on the SDK, whose user gives one answer; without one it cannot ask.
#[cfg(feature = "host")]
struct Sdk(Option<bool>);

#[cfg(feature = "host")]
impl rmcp::ClientHandler for Sdk {
    fn get_info(&self) -> rmcp::model::ClientConfig {
        let mut config = rmcp::model::ClientConfig::default();
        config.capabilities.elicitation = self
            .0
            .map(|_| rmcp::model::ElicitationCapability::default());
        config
    }

    async fn create_elicitation(
        &self,
        request: rmcp::model::ElicitRequestParams,
        _context: rmcp::service::RequestContext<rmcp::RoleClient>,
    ) -> Result<rmcp::model::ElicitResult, rmcp::ErrorData> {
        let request = serde_json::to_value(&request).unwrap();
        let message = request["message"].as_str().unwrap();
        assert!(
            message.starts_with("Run the script `scripts/count.sh` of the skill `count`"),
            "{message}"
        );
        let answer = match self.0 {
            Some(true) => json!({ "action": "accept", "content": { "approve": true } }),
            _ => json!({ "action": "decline" }),
        };
        Ok(serde_json::from_value(answer).unwrap())
    }
}

#[cfg(feature = "host")]
#[tokio::test]
async fn a_client_on_the_sdk_asks_its_user() {
    for (answer, expected) in [
        (Some(true), "Exit status: 0\n\nStandard output:\n1 words\n"),
        (
            Some(false),
            "Error: `scripts/count.sh` was not run: the user said no; go on without it and say so",
        ),
        (
            None,
            "Error: `scripts/count.sh` was not run: it needs the user's yes, and this client cannot ask its user (it has no elicitation)",
        ),
    ] {
        let (_home, server) = served(RunPolicy::Ask);
        let (writer, theirs) = tokio::io::duplex(1 << 20);
        let (ours, reader) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            serve_streams(&server, theirs, ours, CancellationToken::new()).await
        });
        let client = rmcp::serve_client(Sdk(answer), (reader, writer))
            .await
            .unwrap();
        let params = serde_json::from_value(call("a")).unwrap();
        let result = client.call_tool(params).await.unwrap();
        let result = serde_json::to_value(&result).unwrap();
        assert_eq!(text(&result), expected);
        client.cancel().await.unwrap();
    }
}
