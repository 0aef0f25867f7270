//! A model that thinks nothing: it answers every request with a word, and keeps the requests.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use anyhow::Result;
use serde_json::{Value, json};

/// The model, on a port of loopback. Its thread ends with the process.
pub(crate) struct Model {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    pub(crate) fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                thread::spawn(move || drop(answer(&stream, &kept)));
            }
        });
        Ok(Self { url, requests })
    }

    /// Every text of every message that the model was sent.
    pub(crate) fn texts(&self) -> Vec<String> {
        let requests = self.requests.lock().expect("no thread panics with it");
        let messages = requests
            .iter()
            .filter_map(|body| body["messages"].as_array());
        let contents = messages.flatten().map(|message| &message["content"]);
        contents
            .flat_map(|content| match content {
                Value::String(text) => vec![text.clone()],
                Value::Array(parts) => parts
                    .iter()
                    .filter_map(|part| part["text"].as_str().map(str::to_owned))
                    .collect(),
                _ => Vec::new(),
            })
            .collect()
    }
}

fn answer(stream: &TcpStream, kept: &Mutex<Vec<Value>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let header = header.trim().to_lowercase();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let (kind, text) = reply(&path, &body);
    kept.lock().expect("no thread panics with it").push(body);
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
        text.len()
    )
}

/// An answer in the wire format that was asked in: Anthropic's or `OpenAI`'s.
fn reply(path: &str, body: &Value) -> (&'static str, String) {
    let streams = body["stream"].as_bool() == Some(true);
    let usage = json!({"input_tokens": 5, "output_tokens": 5, "prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10});
    if path.contains("count_tokens") {
        return ("application/json", json!({"input_tokens": 10}).to_string());
    }
    if path.contains("/messages") {
        let block = json!({"type": "text", "text": "done"});
        let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
            "content": [block], "stop_reason": "end_turn", "stop_sequence": null, "usage": usage});
        if !streams {
            return ("application/json", message.to_string());
        }
        let mut start = message;
        start["content"] = json!([]);
        start["stop_reason"] = Value::Null;
        let events = [
            json!({"type": "message_start", "message": start}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "done"}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null}, "usage": usage}),
            json!({"type": "message_stop"}),
        ];
        let events = events.iter().map(|event| {
            let kind = event["type"].as_str().unwrap_or_default();
            format!("event: {kind}\ndata: {event}\n\n")
        });
        return ("text/event-stream", events.collect());
    }
    if path.contains("/chat/completions") {
        let base = |choice: Value, kind: &str| {
            json!({"id": "chat_1", "object": kind, "created": 1, "model": body["model"],
                "choices": [choice], "usage": usage})
        };
        if !streams {
            let choice = json!({"index": 0, "message": {"role": "assistant", "content": "done"}, "finish_reason": "stop"});
            return (
                "application/json",
                base(choice, "chat.completion").to_string(),
            );
        }
        let chunk = "chat.completion.chunk";
        let said = json!({"index": 0, "delta": {"role": "assistant", "content": "done"}, "finish_reason": null});
        let end = json!({"index": 0, "delta": {}, "finish_reason": "stop"});
        let text = format!(
            "data: {}\n\ndata: {}\n\ndata: [DONE]\n\n",
            base(said, chunk),
            base(end, chunk)
        );
        return ("text/event-stream", text);
    }
    ("application/json", "{}".to_owned())
}
