//! One message as bytes: whether it is one, within which bounds, and what is said if not.

#[cfg(feature = "http")]
use std::borrow::Cow;
use std::io;

use rmcp::model::{ClientJsonRpcMessage, ErrorCode, RequestId};
#[cfg(feature = "http")]
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// Bytes of one message. The largest that clients send are a few kilobytes.
pub(crate) const MAX_MESSAGE: usize = 1024 * 1024;

/// Lists and maps inside one another. A request has about four.
const MAX_NESTING: usize = 64;

/// Why bytes are no message, as the client is told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    code: ErrorCode,
    message: String,
    id: Option<RequestId>,
}

impl Fault {
    fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            id: None,
        }
    }

    pub(crate) fn too_large() -> Self {
        let message = format!("the message has more than {MAX_MESSAGE} bytes");
        Self::new(ErrorCode::INVALID_REQUEST, message)
    }

    /// A request that is not taken on, whatever it asks.
    pub(crate) fn refused(id: &RequestId, reason: &str) -> Self {
        Self {
            id: Some(id.clone()),
            ..Self::new(ErrorCode::INVALID_REQUEST, reason)
        }
    }

    #[cfg(feature = "http")]
    pub(crate) fn is_too_large(&self) -> bool {
        *self == Self::too_large()
    }

    #[cfg(feature = "http")]
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// The answer, on one line. Where no id could be read it is null, as JSON-RPC asks.
    pub(crate) fn to_json(&self) -> String {
        let answer = json!({
            "jsonrpc": "2.0",
            "id": self.id,
            "error": { "code": self.code.0, "message": self.message },
        });
        answer.to_string()
    }
}

/// Lines of a stream, none longer than a bound. A read that is given up in the middle loses
/// nothing: what came so far waits here.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    reader: BufReader<R>,
    most: usize,
    line: Vec<u8>,
    /// Whether the rest of the line is thrown away.
    skipping: bool,
}

/// What comes next on a stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line without its end.
    Whole(Vec<u8>),
    /// A line longer than the bound; the next read goes on behind it.
    TooLong,
    /// The end of the stream.
    End,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(reader: R, most: usize) -> Self {
        Self {
            reader: BufReader::new(reader),
            most,
            line: Vec::new(),
            skipping: false,
        }
    }

    pub(crate) async fn next(&mut self) -> io::Result<Line> {
        loop {
            let chunk = self.reader.fill_buf().await?;
            if chunk.is_empty() {
                return Ok(Line::End);
            }
            let end = chunk.iter().position(|&byte| byte == b'\n');
            if !self.skipping {
                self.line
                    .extend_from_slice(&chunk[..end.unwrap_or(chunk.len())]);
            }
            let count = end.map_or(chunk.len(), |end| end + 1);
            self.reader.consume(count);
            if self.line.len() > self.most {
                self.line = Vec::new();
                self.skipping = end.is_none();
                return Ok(Line::TooLong);
            }
            if end.is_some() && !std::mem::take(&mut self.skipping) {
                return Ok(Line::Whole(std::mem::take(&mut self.line)));
            }
        }
    }
}

/// Reads one message.
pub(crate) fn read(bytes: &[u8]) -> Result<ClientJsonRpcMessage, Fault> {
    bounded(bytes)?;
    serde_json::from_slice(bytes).map_err(|error| explain(bytes, &error))
}

fn bounded(bytes: &[u8]) -> Result<(), Fault> {
    if bytes.len() > MAX_MESSAGE {
        return Err(Fault::too_large());
    }
    if nesting(bytes) > MAX_NESTING {
        let message = format!("the message is nested deeper than {MAX_NESTING}");
        return Err(Fault::new(ErrorCode::INVALID_REQUEST, message));
    }
    Ok(())
}

/// As much of a message as decides whether it is let in. The rest is skipped, not built.
#[cfg(feature = "http")]
#[derive(Debug, Deserialize)]
pub(crate) struct Head<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    pub(crate) id: Option<RequestId>,
    #[serde(borrow)]
    pub(crate) method: Option<Cow<'a, str>>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// Reads the head of one message; the SDK reads the rest.
#[cfg(feature = "http")]
pub(crate) fn head(bytes: &[u8]) -> Result<Head<'_>, Fault> {
    bounded(bytes)?;
    let head: Head<'_> = serde_json::from_slice(bytes).map_err(|error| explain(bytes, &error))?;
    let is_message = head.method.is_some() || head.result.is_some() || head.error.is_some();
    if head.jsonrpc != "2.0" || !is_message {
        return Err(Fault {
            id: head.id,
            ..Fault::new(
                ErrorCode::INVALID_REQUEST,
                "the message is no JSON-RPC request",
            )
        });
    }
    Ok(head)
}

/// Tells what is not JSON from what is JSON and no message.
fn explain(bytes: &[u8], error: &serde_json::Error) -> Fault {
    let value: Json = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => {
            let message = format!("the message is not JSON: {error}");
            return Fault::new(ErrorCode::PARSE_ERROR, message);
        }
    };
    if value.is_array() {
        return Fault::new(ErrorCode::INVALID_REQUEST, "batches are not supported");
    }
    let id = value.get("id").cloned();
    if id
        .as_ref()
        .is_some_and(|id| !id.is_string() && !id.is_i64() && !id.is_u64())
    {
        let message = "`id` is neither text nor a whole number";
        return Fault::new(ErrorCode::INVALID_REQUEST, message);
    }
    // A method that is known was given other parameters than it takes.
    let known = value.get("jsonrpc") == Some(&json!("2.0"))
        && value.get("method").is_some_and(Json::is_string);
    let (code, message) = if known && id.is_some() {
        (
            ErrorCode::INVALID_PARAMS,
            format!("the parameters do not fit: {error}"),
        )
    } else {
        (
            ErrorCode::INVALID_REQUEST,
            "the message is no JSON-RPC request".to_owned(),
        )
    };
    Fault {
        id: id.and_then(|id| serde_json::from_value(id).ok()),
        ..Fault::new(code, message)
    }
}

/// How deep lists and maps are nested, counted without building anything.
fn nesting(bytes: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_text, mut escaped) = (false, false);
    for &byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expect: &Expect) {
        let told = match read(text.as_bytes()) {
            Ok(_) => "a message".to_owned(),
            Err(fault) => fault.to_json(),
        };
        expect.assert_eq(&told);
    }

    #[test]
    fn messages_are_read() {
        check(
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            &expect!["a message"],
        );
        check(
            r#"{"jsonrpc":"2.0","id":"a","method":"skills/list","params":{}}"#,
            &expect!["a message"],
        );
    }

    #[test]
    fn each_fault_has_its_code_and_the_id_where_there_is_one() {
        check(
            "{\"jsonrpc\":",
            &expect![[
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not JSON: EOF while parsing a value at line 1 column 11"}}"#
            ]],
        );
        check(
            "[]",
            &expect![[
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported"}}"#
            ]],
        );
        check(
            r#"{"id":7}"#,
            &expect![[
                r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"the message is no JSON-RPC request"}}"#
            ]],
        );
        check(
            r#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#,
            &expect![[
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`id` is neither text nor a whole number"}}"#
            ]],
        );
        check(
            r#"{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":5}}"#,
            &expect!["a message"],
        );
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":{}{}}}}}"#,
            "[".repeat(10_000),
            "]".repeat(10_000)
        );
        check(
            &deep,
            &expect![[
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is nested deeper than 64"}}"#
            ]],
        );
        check(
            &" ".repeat(MAX_MESSAGE + 1),
            &expect![[
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message has more than 1048576 bytes"}}"#
            ]],
        );
        assert_eq!(nesting(br#"{"a":"[[[[\"{{","b":[1]}"#), 2);
    }
}
