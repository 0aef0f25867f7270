//! Each client's own words.

use std::fmt::Write as _;

use super::*;
use expect_test::expect;

fn command() -> Reach {
    Reach::Command {
        program: "prowess".to_owned(),
        args: vec!["serve".to_owned(), "--dir".to_owned(), "/skills".to_owned()],
    }
}

fn called() -> Reach {
    Reach::Url {
        url: "http://127.0.0.1:8645/mcp".to_owned(),
        token: true,
    }
}

#[test]
fn a_client_is_given_an_address_it_can_call() {
    let told = |address: &str, names: &[&str]| {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        url(address.parse().unwrap(), &names)
    };
    assert_eq!(told("127.0.0.1:80", &[]), "http://127.0.0.1:80/mcp");
    assert_eq!(told("0.0.0.0:80", &[]), "http://127.0.0.1:80/mcp");
    assert_eq!(told("[::]:80", &[]), "http://127.0.0.1:80/mcp");
    assert_eq!(
        told("0.0.0.0:80", &["a.example"]),
        "http://a.example:80/mcp"
    );
}

#[test]
fn each_client_has_its_own_words() {
    let mut told = String::new();
    for client in McpClient::value_variants() {
        for reach in [command(), called()] {
            let text = client.snippet(&reach);
            let compact = match serde_json::from_str::<Value>(&text) {
                Ok(value) => format!("{value}\n"),
                Err(_) => text,
            };
            write!(told, "{client:?}: {compact}").unwrap();
        }
    }
    expect![[r#"
        Claude: {"mcpServers":{"prowess":{"type":"stdio","command":"prowess","args":["serve","--dir","/skills"]}}}
        Claude: {"mcpServers":{"prowess":{"type":"http","url":"http://127.0.0.1:8645/mcp","headers":{"Authorization":"Bearer ${PROWESS_TOKEN}"}}}}
        ClaudeDesktop: {"mcpServers":{"prowess":{"command":"prowess","args":["serve","--dir","/skills"]}}}
        ClaudeDesktop: {"mcpServers":{"prowess":{"url":"http://127.0.0.1:8645/mcp","headers":{"Authorization":"Bearer ${PROWESS_TOKEN}"}}}}
        Codex: [mcp_servers.prowess]
        command = "prowess"
        args = ["serve", "--dir", "/skills"]
        Codex: [mcp_servers.prowess]
        url = "http://127.0.0.1:8645/mcp"
        bearer_token_env_var = "PROWESS_TOKEN"
        CopilotCli: {"mcpServers":{"prowess":{"type":"stdio","command":"prowess","args":["serve","--dir","/skills"]}}}
        CopilotCli: {"mcpServers":{"prowess":{"type":"http","url":"http://127.0.0.1:8645/mcp","headers":{"Authorization":"Bearer ${PROWESS_TOKEN}"}}}}
        Cursor: {"mcpServers":{"prowess":{"command":"prowess","args":["serve","--dir","/skills"]}}}
        Cursor: {"mcpServers":{"prowess":{"url":"http://127.0.0.1:8645/mcp","headers":{"Authorization":"Bearer ${env:PROWESS_TOKEN}"}}}}
        Gemini: {"mcpServers":{"prowess":{"command":"prowess","args":["serve","--dir","/skills"]}}}
        Gemini: {"mcpServers":{"prowess":{"httpUrl":"http://127.0.0.1:8645/mcp","headers":{"Authorization":"Bearer $PROWESS_TOKEN"}}}}
        Goose: extensions:
          prowess:
            name: prowess
            enabled: true
            type: "stdio"
            cmd: "prowess"
            args: ["serve","--dir","/skills"]
            timeout: 300
        Goose: extensions:
          prowess:
            name: prowess
            enabled: true
            type: "streamable_http"
            uri: "http://127.0.0.1:8645/mcp"
            env_keys: ["PROWESS_TOKEN"]
            headers: {"Authorization":"Bearer ${PROWESS_TOKEN}"}
            timeout: 300
        Opencode: {"mcp":{"prowess":{"type":"local","command":["prowess","serve","--dir","/skills"],"enabled":true}}}
        Opencode: {"mcp":{"prowess":{"type":"remote","url":"http://127.0.0.1:8645/mcp","headers":{"Authorization":"Bearer {env:PROWESS_TOKEN}"},"enabled":true}}}
        Qwen: {"mcpServers":{"prowess":{"command":"prowess","args":["serve","--dir","/skills"]}}}
        Qwen: {"mcpServers":{"prowess":{"httpUrl":"http://127.0.0.1:8645/mcp","headers":{"Authorization":"Bearer $PROWESS_TOKEN"}}}}
        Vscode: {"servers":{"prowess":{"type":"stdio","command":"prowess","args":["serve","--dir","/skills"]}}}
        Vscode: {"servers":{"prowess":{"type":"http","url":"http://127.0.0.1:8645/mcp","headers":{"Authorization":"Bearer ${env:PROWESS_TOKEN}"}}}}
        Windsurf: {"mcpServers":{"prowess":{"command":"prowess","args":["serve","--dir","/skills"]}}}
        Windsurf: {"mcpServers":{"prowess":{"serverUrl":"http://127.0.0.1:8645/mcp","headers":{"Authorization":"Bearer ${env:PROWESS_TOKEN}"}}}}
        Zed: {"context_servers":{"prowess":{"source":"custom","command":"prowess","args":["serve","--dir","/skills"]}}}
        Zed: {"context_servers":{"prowess":{"url":"http://127.0.0.1:8645/mcp","headers":{"Authorization":"Bearer YOUR_TOKEN"}}}}
    "#]].assert_eq(&told);
}
