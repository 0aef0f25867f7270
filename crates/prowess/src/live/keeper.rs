//! The thread behind a live catalog.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
    mpsc::{Receiver, RecvTimeoutError, Sender},
};

use arc_swap::ArcSwap;

use super::{Changes, LiveOptions, Order, Shared, Sources, subscribe::Subscribers};
use crate::catalog::{Catalog, LoadError};

/// Loads, says so, and keeps looking until told to stop.
pub(super) fn keep(
    sources: &dyn Sources,
    options: &LiveOptions,
    ready: &Sender<Result<Arc<Shared>, LoadError>>,
    _wake: Sender<Order>,
    inbox: &Receiver<Order>,
) {
    let load = || Catalog::load(&sources.sources(), &options.load_options());
    let shared = match load() {
        Ok(catalog) => Arc::new(Shared {
            current: ArcSwap::from_pointee(catalog),
            generation: AtomicU64::new(1),
            subscribers: Subscribers::default(),
        }),
        Err(error) => {
            let _ = ready.send(Err(error));
            return;
        }
    };
    if ready.send(Ok(Arc::clone(&shared))).is_err() {
        return;
    }
    loop {
        let order = inbox.recv_timeout(options.interval);
        if matches!(order, Ok(Order::Stop) | Err(RecvTimeoutError::Disconnected)) {
            return;
        }
        if let Ok(new) = load() {
            let generation = shared.generation.load(Ordering::Acquire) + 1;
            let changes = Changes::between(&shared.current.load(), &new, generation);
            if !changes.is_empty() {
                shared.current.store(Arc::new(new));
                shared.generation.store(generation, Ordering::Release);
                shared.subscribers.tell(&changes);
            }
        }
        if let Ok(Order::Refresh(done)) = order {
            let _ = done.send(());
        }
    }
}
