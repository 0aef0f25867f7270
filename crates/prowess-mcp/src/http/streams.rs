//! Answers that last as long as their clients like. Each holds a connection, so they are bounded,
//! and the oldest ends for a new one: its client opens another, and asks for the lists again.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// The streams of all clients, by age.
#[derive(Debug, Clone)]
pub(super) struct Streams {
    most: usize,
    open: Arc<Mutex<BTreeMap<u64, CancellationToken>>>,
}

/// A stream that is open.
#[derive(Debug)]
pub(super) struct Stream {
    streams: Streams,
    number: u64,
    end: CancellationToken,
}

impl Streams {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            open: Arc::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, CancellationToken>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens one more.
    pub(super) fn open(&self) -> Stream {
        let end = CancellationToken::new();
        let mut open = self.lock();
        while open.len() >= self.most {
            if let Some((_, oldest)) = open.pop_first() {
                oldest.cancel();
            }
        }
        let number = open.last_key_value().map_or(0, |(number, _)| number + 1);
        open.insert(number, end.clone());
        drop(open);
        Stream {
            streams: self.clone(),
            number,
            end,
        }
    }
}

impl Stream {
    /// Is done when the stream has to end.
    pub(super) fn ended(&self) -> WaitForCancellationFutureOwned {
        self.end.clone().cancelled_owned()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // One that was ended is out already, and its number is not given again while newer ones
        // are open.
        if !self.end.is_cancelled() {
            self.streams.lock().remove(&self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_ends_for_a_new_one() {
        let streams = Streams::new(2);
        let (first, second) = (streams.open(), streams.open());
        drop(second);
        let third = streams.open();
        assert!(!first.end.is_cancelled());
        let fourth = streams.open();
        assert!(first.end.is_cancelled());
        assert!(!third.end.is_cancelled() && !fourth.end.is_cancelled());
        drop((first, third, fourth));
        assert!(streams.lock().is_empty());
    }
}
