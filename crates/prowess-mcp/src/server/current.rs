//! The snapshot that is served now, and a word to all who hold an older one.

use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::watch;

use super::view::{Marks, View};

/// The view in use. Readers take it whole; a newer one replaces it whole.
#[derive(Debug)]
pub(crate) struct Current {
    view: RwLock<Arc<View>>,
    marks: watch::Sender<Marks>,
}

impl Current {
    pub(crate) fn new(view: View) -> Self {
        Self {
            marks: watch::Sender::new(view.marks),
            view: RwLock::new(Arc::new(view)),
        }
    }

    pub(crate) fn view(&self) -> Arc<View> {
        Arc::clone(&self.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts a newer view in use. What is told follows, so who asks then sees the new one.
    pub(crate) fn replace(&self, view: View) -> Arc<View> {
        let marks = view.marks;
        let view = Arc::new(view);
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&view);
        self.marks.send_replace(marks);
        view
    }

    pub(crate) fn changes(&self) -> watch::Receiver<Marks> {
        self.marks.subscribe()
    }
}
