//! What happens to the skills, as server-sent events.

use std::sync::Arc;

use tokio::sync::broadcast::{self, Receiver, Sender};

/// Lines for every page that listens; the lines of `prowess watch --json`.
#[derive(Debug, Clone)]
pub struct Feed(Sender<Arc<str>>);

impl Default for Feed {
    fn default() -> Self {
        /// A page that is further behind asks for everything again.
        const BEHIND: usize = 64;
        Self(broadcast::channel(BEHIND).0)
    }
}

impl Feed {
    /// Hands a line to every page that is open.
    pub fn send(&self, line: &str) {
        // Nobody listens where no page is open.
        let _ = self.0.send(Arc::from(line));
    }

    pub(crate) fn listen(&self) -> Receiver<Arc<str>> {
        self.0.subscribe()
    }
}
