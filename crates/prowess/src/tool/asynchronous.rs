//! The tools for hosts on tokio: a skill that is fetched from elsewhere, or a slow disk, does not
//! hold a thread of the runtime.

use std::{panic, sync::Arc};

use serde_json::Value;
use tokio::runtime::Handle;

use super::{Provider, Tool, ToolResult, Toolset};

/// The twin of a [`Tool`] whose call is awaited.
#[derive(Clone)]
pub struct AsyncTool {
    tool: Arc<dyn Tool>,
    /// The same tool where it runs a script, which ends when the call is dropped.
    #[cfg(feature = "run")]
    run: Option<super::RunTool>,
}

impl AsyncTool {
    /// Makes the twin of a tool.
    pub fn new(tool: impl Tool + 'static) -> Self {
        Self {
            tool: Arc::new(tool),
            #[cfg(feature = "run")]
            run: None,
        }
    }

    /// What the model calls it by.
    pub fn name(&self) -> &str {
        self.tool.name()
    }

    /// What the model reads about it.
    pub fn description(&self) -> String {
        self.tool.description()
    }

    /// The JSON Schema of its input.
    pub fn schema(&self) -> Value {
        self.tool.schema()
    }

    /// The tool as a provider's API wants it in a request.
    pub fn definition(&self, provider: Provider) -> Value {
        self.tool.definition(provider)
    }

    /// Does what it is for, on a thread for blocking work. A script that runs is killed when the
    /// call is dropped.
    pub async fn call(&self, input: Value) -> ToolResult {
        #[cfg(feature = "run")]
        if let Some(run) = &self.run {
            return run.call_async(input).await;
        }
        let tool = Arc::clone(&self.tool);
        off_thread(move || tool.call(&input)).await
    }
}

impl AsyncTool {
    /// Whether it runs scripts: then it changes things, and a person may have to be asked.
    pub fn runs_scripts(&self) -> bool {
        #[cfg(feature = "run")]
        return self.run.is_some();
        #[cfg(not(feature = "run"))]
        false
    }

    /// Like [`AsyncTool::call`], for a host with a way of its own to ask: where a person has to
    /// say yes first, `ask` gets the question, one paragraph, and gives the answer.
    pub async fn call_asking<F: Future<Output = bool>>(
        &self,
        input: Value,
        ask: impl FnOnce(String) -> F,
    ) -> ToolResult {
        #[cfg(feature = "run")]
        if let Some(run) = &self.run {
            return run.call_asking(input, ask).await;
        }
        #[cfg(not(feature = "run"))]
        drop(ask);
        self.call(input).await
    }
}

#[cfg(feature = "run")]
impl From<super::RunTool> for AsyncTool {
    fn from(run: super::RunTool) -> Self {
        Self {
            run: Some(run.clone()),
            ..Self::new(run)
        }
    }
}

impl Toolset {
    /// The tools for a host on tokio.
    pub fn async_tools(&self) -> Vec<AsyncTool> {
        #[cfg_attr(not(feature = "run"), expect(unused_mut, reason = "nothing runs"))]
        let mut tools = vec![
            AsyncTool::new(self.skill()),
            AsyncTool::new(self.search()),
            AsyncTool::new(self.read()),
        ];
        #[cfg(feature = "run")]
        tools.extend(self.run().map(AsyncTool::from));
        tools
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
