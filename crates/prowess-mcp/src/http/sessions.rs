//! Sessions of clients of older revisions: how many, which requests they have under way, and which
//! of them makes room for a newcomer.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use rmcp::{
    model::RequestId,
    transport::streamable_http_server::session::{SessionManager as _, local::LocalSessionManager},
};

use crate::wire::Fault;

/// The sessions of all clients.
#[derive(Debug)]
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    most: usize,
    uses: Arc<Mutex<HashMap<String, Use>>>,
}

/// How a session is used.
#[derive(Debug)]
struct Use {
    last: Instant,
    /// Requests since it was opened. Whoever floods a server opens sessions and does not use them.
    calls: u64,
    /// Requests and streams under way.
    open: usize,
    ids: HashSet<RequestId>,
}

/// A request of a session that is under way.
#[derive(Debug)]
pub(super) struct Call {
    uses: Arc<Mutex<HashMap<String, Use>>>,
    session: String,
    id: Option<RequestId>,
}

fn lock(uses: &Mutex<HashMap<String, Use>>) -> MutexGuard<'_, HashMap<String, Use>> {
    // Changed in single steps, so it is whole even after a panic.
    uses.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sessions {
    pub(super) fn new(manager: Arc<LocalSessionManager>, most: usize) -> Self {
        Self {
            manager,
            most,
            uses: Arc::default(),
        }
    }

    pub(super) fn manager(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.manager)
    }

    pub(super) async fn count(&self) -> usize {
        self.manager.sessions.read().await.len()
    }

    /// Notes a session that was just opened.
    pub(super) fn opened(&self, session: &str) {
        let use_ = Use {
            last: Instant::now(),
            calls: 0,
            open: 0,
            ids: HashSet::new(),
        };
        lock(&self.uses).insert(session.to_owned(), use_);
    }

    /// Notes a request, or a stream, which has no id. The SDK knows the requests of a session by
    /// their id and would answer only one of two that share it.
    pub(super) fn begin(&self, session: &str, id: Option<&RequestId>) -> Result<Call, Fault> {
        let mut uses = lock(&self.uses);
        if let Some(used) = uses.get_mut(session) {
            if let Some(id) = id
                && !used.ids.insert(id.clone())
            {
                let reason = "a request with this `id` is under way";
                return Err(Fault::refused(id, reason));
            }
            used.last = Instant::now();
            used.calls += 1;
            used.open += 1;
        }
        Ok(Call {
            uses: Arc::clone(&self.uses),
            session: session.to_owned(),
            id: id.cloned(),
        })
    }

    /// Makes room for one more session where there is none: the one goes that was not used since
    /// it was opened, else the one not used for longest. A client whose session is gone opens
    /// another. `false` where every session has something under way.
    pub(super) async fn make_room(&self) -> bool {
        loop {
            if self.count().await < self.most {
                return true;
            }
            let there: HashSet<String> = {
                let sessions = self.manager.sessions.read().await;
                sessions.keys().map(ToString::to_string).collect()
            };
            let idle = {
                let mut uses = lock(&self.uses);
                uses.retain(|session, _| there.contains(session));
                let idle = uses.iter().filter(|(_, used)| used.open == 0);
                let idle = idle.min_by_key(|(_, used)| (used.calls > 0, used.last));
                idle.map(|(session, _)| session.clone())
            };
            let Some(session) = idle else {
                return false;
            };
            lock(&self.uses).remove(&session);
            tracing::debug!("a session that was not used made room");
            // Where it is gone already there is room as well.
            let _ = self.manager.close_session(&session.as_str().into()).await;
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some(used) = lock(&self.uses).get_mut(&self.session) {
            used.open = used.open.saturating_sub(1);
            if let Some(id) = &self.id {
                used.ids.remove(id);
            }
        }
    }
}
