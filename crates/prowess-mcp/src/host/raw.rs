//! Results of a server as they came, whatever the SDK would make of them.
//!
//! The SDK reads a result without knowing what was asked: it tries its own types in turn, and the
//! one of a tool call takes any object that has a `_meta`, which servers of the newest revision put
//! into every result. So the requests whose results are read here are remembered by their id, and
//! what comes for one of them stays JSON.

use std::{
    borrow::Cow,
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, CustomResult, RequestId, ServerJsonRpcMessage,
    ServerResult,
};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Value as Json, json};

/// The name under which a result passes the SDK's own reader unharmed: no type of its has it.
const WRAPPED: &str = "prowess/result";

/// Requests that wait for a result as it comes.
#[derive(Debug, Clone, Default)]
pub(super) struct RawResults(Arc<Mutex<HashSet<RequestId>>>);

/// As much of a message as tells whether it is an answer.
#[derive(Deserialize)]
struct Answer {
    id: RequestId,
    method: Option<IgnoredAny>,
    result: Option<Json>,
}

impl RawResults {
    /// Remembers a request whose result is read here.
    pub(super) fn expect(&self, message: &ClientJsonRpcMessage) {
        if let ClientJsonRpcMessage::Request(asked) = message
            && let ClientRequest::CustomRequest(_) | ClientRequest::ReadResourceRequest(_) =
                asked.request
        {
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.insert(asked.id.clone());
        }
    }

    /// Reads a message.
    pub(super) fn read(&self, bytes: &[u8]) -> serde_json::Result<ServerJsonRpcMessage> {
        match self.take(bytes) {
            Some((id, result)) => {
                let result = ServerResult::CustomResult(CustomResult::new(result));
                Ok(ServerJsonRpcMessage::response(result, id))
            }
            None => serde_json::from_slice(bytes),
        }
    }

    /// The same for a message that the SDK will read from its text.
    pub(super) fn wrap<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.take(text.as_bytes()) {
            Some((id, result)) => {
                let answer = json!({"jsonrpc": "2.0", "id": id, "result": {WRAPPED: result}});
                Cow::Owned(answer.to_string())
            }
            None => Cow::Borrowed(text),
        }
    }

    /// The result in a message, if it is one that somebody waits for.
    fn take(&self, bytes: &[u8]) -> Option<(RequestId, Json)> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.is_empty() {
            return None;
        }
        let answer: Answer = serde_json::from_slice(bytes).ok()?;
        // A server asks by ids of its own, which may well be equal to one of ours.
        if answer.method.is_some() || !waiting.remove(&answer.id) {
            return None;
        }
        Some((answer.id, answer.result?))
    }
}

/// The result of a request that was [expected](RawResults::expect); `None` where it is of a type
/// that no such result has.
pub(super) fn unwrap(result: ServerResult) -> Option<Json> {
    let ServerResult::CustomResult(CustomResult(mut result)) = result else {
        return None;
    };
    match result.get_mut(WRAPPED) {
        Some(wrapped) => Some(wrapped.take()),
        None => Some(result),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{CustomRequest, NumberOrString};

    fn waiting(id: i64) -> RawResults {
        let results = RawResults::default();
        let request = ClientRequest::CustomRequest(CustomRequest::new("skills/list", None));
        let id = NumberOrString::Number(id);
        results.expect(&ClientJsonRpcMessage::request(request, id));
        results
    }

    /// Results that the SDK takes for one of its own.
    fn results() -> Vec<Json> {
        vec![
            json!({"skills": [], "_meta": {}}),
            json!({"skills": [], "resultType": "complete", "_meta": {"a/b": 1}}),
            json!({"contents": [], "messages": [], "tools": []}),
            json!({"skill": {}, "content": [{"type": "text", "text": "x"}]}),
            json!({}),
            json!({"resultType": "complete"}),
            json!({"resultType": "input_required", "inputRequests": {}}),
        ]
    }

    #[test]
    fn a_result_stays_what_it_is() {
        for result in results() {
            let text = json!({"jsonrpc": "2.0", "id": 7, "result": result}).to_string();
            let read = waiting(7).read(text.as_bytes()).unwrap();
            let wrapped = serde_json::from_str(&waiting(7).wrap(&text)).unwrap();
            for message in [read, wrapped] {
                let ServerJsonRpcMessage::Response(response) = message else {
                    panic!("{text}")
                };
                assert_eq!(unwrap(response.result).as_ref(), Some(&result), "{text}");
            }
        }
    }

    #[test]
    fn only_what_was_asked_for_is_taken() {
        let asks = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
        let other = r#"{"jsonrpc":"2.0","id":8,"result":{"_meta":{}}}"#;
        let error = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no"}}"#;
        for text in [asks, other, error] {
            assert_eq!(waiting(7).wrap(text), text);
            assert!(waiting(7).read(text.as_bytes()).is_ok(), "{text}");
        }
    }
}
