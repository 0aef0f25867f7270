//! A whole conversation with a scripted server on loopback.

use std::sync::Arc;

use expect_test::expect;
use prowess::{Catalog, ToolOptions, Toolset};
use prowess_example_openai::Agent;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpListener,
};

/// Answers each request with the next message, and gives back what was asked.
async fn serve(listener: TcpListener, messages: Vec<Value>) -> Vec<Value> {
    let mut asked = Vec::new();
    for message in messages {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await.unwrap();
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        asked.push(serde_json::from_slice(&body).unwrap());
        let body = json!({ "choices": [{ "message": message }] }).to_string();
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
    }
    asked
}

fn calls(name: &str, arguments: &Value) -> Value {
    json!({
        "role": "assistant",
        "content": null,
        "tool_calls": [{
            "id": format!("call-{name}"),
            "type": "function",
            "function": { "name": name, "arguments": arguments.to_string() },
        }],
    })
}

#[tokio::test(flavor = "current_thread")]
async fn the_model_searches_loads_and_answers() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let script = vec![
        calls(
            "search_skills",
            &json!({ "query": "water drips through the ceiling", "top_k": 1 }),
        ),
        calls("skill", &json!({ "skill_name": "plumbing-triage" })),
        calls("telephone", &json!({})),
        json!({ "role": "assistant", "content": "Turn the main valve off first." }),
    ];
    let server = tokio::spawn(serve(listener, script));

    let catalog = Catalog::from_dirs([concat!(env!("CARGO_MANIFEST_DIR"), "/../skills")]);
    let skills = Toolset::new(Arc::new(catalog), ToolOptions::default());
    let mut agent = Agent::new(&url, "key", "scripted", &skills);
    let answer = agent.ask("Water drips through my ceiling!").await.unwrap();
    assert_eq!(answer, "Turn the main valve off first.");

    let asked = server.await.unwrap();
    let tools: Vec<&str> = asked[0]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(tools, ["skill", "search_skills", "read_skill_resource"]);
    // The first line of each message of the last request.
    let last = asked.last().unwrap()["messages"].as_array().unwrap();
    let lines: Vec<String> = last
        .iter()
        .map(|message| {
            let content = message["content"].as_str().unwrap_or_default();
            let first = content.lines().next().unwrap_or_default();
            let first = first.split(" (").next().unwrap_or_default();
            format!("{}: {first}", message["role"].as_str().unwrap())
        })
        .collect();
    expect![[r#"
        user: Water drips through my ceiling!
        assistant: 
        tool: - plumbing-triage
        assistant: 
        tool: # Skill: plumbing-triage
        assistant: 
        tool: Error: there is no tool named `telephone`"#]]
    .assert_eq(&lines.join("\n"));
}
