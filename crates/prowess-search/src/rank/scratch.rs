//! Working memory that is kept from one request to the next.

use std::cell::RefCell;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// A sum for each document of the segment at hand.
#[derive(Default)]
pub(super) struct Scratch {
    sums: Vec<f32>,
}

impl Scratch {
    /// So many zeros.
    pub(super) fn zeros(&mut self, count: usize) -> &mut [f32] {
        self.sums.clear();
        self.sums.resize(count, 0.0);
        &mut self.sums
    }
}

/// Lends this thread's working memory; a request inside a request gets memory of its own.
pub(super) fn with<R>(work: impl FnOnce(&mut Scratch) -> R) -> R {
    SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
        Ok(mut scratch) => work(&mut scratch),
        Err(_) => work(&mut Scratch::default()),
    })
}
