//! The tools for hosts on tokio: a skill that is fetched from elsewhere, or a slow disk, does not
//! hold a thread of the runtime.

use std::{panic, sync::Arc};

use serde_json::Value;
use tokio::runtime::Handle;

use super::{Provider, Tool, ToolResult, Toolset};

/// The twin of a [`Tool`] whose call is awaited.
#[derive(Clone)]
pub struct AsyncTool(Arc<dyn Tool>);

impl AsyncTool {
    /// Makes the twin of a tool.
    pub fn new(tool: impl Tool + 'static) -> Self {
        Self(Arc::new(tool))
    }

    /// What the model calls it by.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// What the model reads about it.
    pub fn description(&self) -> String {
        self.0.description()
    }

    /// The JSON Schema of its input.
    pub fn schema(&self) -> Value {
        self.0.schema()
    }

    /// The tool as a provider's API wants it in a request.
    pub fn definition(&self, provider: Provider) -> Value {
        self.0.definition(provider)
    }

    /// Does what it is for, on a thread for blocking work.
    pub async fn call(&self, input: Value) -> ToolResult {
        let tool = Arc::clone(&self.0);
        off_thread(move || tool.call(&input)).await
    }
}

impl Toolset {
    /// The three tools for a host on tokio.
    pub fn async_tools(&self) -> Vec<AsyncTool> {
        vec![
            AsyncTool::new(self.skill()),
            AsyncTool::new(self.search()),
            AsyncTool::new(self.read()),
        ]
    }
}

/// Does work that may wait, on tokio's threads for blocking work; on this thread where there is
/// no runtime. The span of the caller goes along.
///
/// # Panics
///
/// Where the work does, and where the runtime ends before the work has begun.
pub async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let Ok(runtime) = Handle::try_current() else {
        return work();
    };
    let span = tracing::Span::current();
    match runtime.spawn_blocking(move || span.in_scope(work)).await {
        Ok(done) => done,
        // Blocking work that has started is never cancelled, so this is its panic.
        Err(error) => match error.try_into_panic() {
            Ok(panic) => panic::resume_unwind(panic),
            Err(error) => panic!("the runtime ended while a tool was called: {error}"),
        },
    }
}
