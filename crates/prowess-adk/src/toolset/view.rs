//! What of the active skills a model still sees.
//!
//! A compaction replaces old messages by a summary, and the texts of skills go with them. ADK
//! compacts in several ways and announces none, so each request is examined: an active skill
//! whose text is not in it is put back, within a budget, for this request alone.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use adk_core::{Content, LlmRequest, Part, ReadonlyContext};
use prowess::{Budget, Catalog, Ledger, Skill, frame::frame, tool::off_thread};

/// So many sessions are remembered in which an active skill did not fit into the request. A
/// session beyond that forgets, and its model is told that such a skill is already active.
const SESSIONS: usize = 4_096;

/// The active skills that no longer fit into a session's requests, by session and agent.
#[derive(Debug, Default)]
pub(super) struct OutOfView(Mutex<HashMap<String, Vec<String>>>);

impl OutOfView {
    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Vec<String>>> {
        // Changed in single steps, so it is whole even after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what did not fit into the latest request of a session.
    fn note(&self, ctx: &dyn ReadonlyContext, names: Vec<String>) {
        let mut sessions = self.sessions();
        let session = session(ctx);
        if names.is_empty() {
            sessions.remove(&session);
        } else if sessions.len() < SESSIONS || sessions.contains_key(&session) {
            sessions.insert(session, names);
        }
    }

    /// Unloads the skills that the model of this session does not see, so that it can load them
    /// again.
    pub(super) fn forget(&self, ctx: &dyn ReadonlyContext, tools: &prowess::Toolset) {
        for name in self.sessions().get(&session(ctx)).into_iter().flatten() {
            tools.unload(name);
        }
    }

    /// Puts the active skills that are missing in a request back into it, before the message
    /// that is being answered.
    pub(super) async fn put_back(
        &self,
        ctx: &dyn ReadonlyContext,
        request: &mut LlmRequest,
        catalog: Arc<Catalog>,
        mut ledger: Ledger,
        budget: Budget,
    ) {
        let seen: Vec<String> = ledger
            .entries()
            .iter()
            .map(|entry| entry.name.clone())
            .filter(|name| {
                let skill = catalog.get(name);
                skill.is_some_and(|skill| sees(&request.contents, skill))
            })
            .collect();
        for name in &seen {
            ledger.unload(name);
        }
        // An active skill may lie on a server, and is fetched again.
        let back = off_thread(move || ledger.put_back(&catalog, &budget)).await;
        if !back.text.is_empty() {
            tracing::debug!(names = ?back.names, "put back after a compaction");
            let text = format!(
                "These skills are active in this conversation:\n\n{}",
                back.text
            );
            // Between a call and its result nothing may stand, so it goes before the message.
            let answered = &ctx.user_content().parts;
            let at = request
                .contents
                .iter()
                .rposition(|content| content.role == "user" && &content.parts == answered);
            let content = Content::new("user").with_text(text);
            request.contents.insert(at.unwrap_or(0), content);
        }
        self.note(ctx, back.left_out);
    }
}

/// A session and the agent that speaks in it.
fn session(ctx: &dyn ReadonlyContext) -> String {
    [
        ctx.app_name(),
        ctx.user_id(),
        ctx.session_id(),
        ctx.agent_name(),
    ]
    .join("\n")
}

/// Whether a request holds a skill's text: in a frame, or as the result of a call.
fn sees(contents: &[Content], skill: &Skill) -> bool {
    let body = skill.instructions();
    let framed = frame(skill.name(), body).text;
    let parts = contents.iter().flat_map(|content| &content.parts);
    parts.into_iter().any(|part| match part {
        Part::Text { text } => text.contains(&framed),
        Part::FunctionResponse {
            function_response, ..
        } => {
            let output = function_response.response["output"].as_str();
            output.is_some_and(|output| output.contains(body))
        }
        _ => false,
    })
}
