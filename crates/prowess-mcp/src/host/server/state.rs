//! What a server holds: its connection, its list, and what was approved of it.

use std::{
    collections::HashMap,
    sync::{Arc, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use prowess::{display_text, source::remote::told_age};
use tokio::time::timeout;

use super::{Held, Inner, Listing};
use crate::host::{
    approvals::{Approvals, Standing},
    connect::Connection,
    entry::Entry,
    fault::Fault,
    list::list,
};

/// A server that could not be reached is not tried again for this long.
const REST: Duration = Duration::from_secs(30);

impl Inner {
    pub(super) fn label(&self) -> String {
        self.config.label.clone()
    }

    pub(super) fn held(&self) -> MutexGuard<'_, HashMap<String, Held>> {
        // Changed in single steps, so it is whole even after a panic.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stopped(&self) -> Fault {
        Fault::Server {
            label: self.label(),
            reason: "is no longer connected".to_owned(),
            help: "start again".to_owned(),
        }
    }

    /// The connection, made where there is none; and whether it was there before.
    pub(super) async fn connection(&self) -> Result<(Arc<Connection>, bool), Fault> {
        let mut link = self.connection.lock().await;
        if self.closed.is_cancelled() {
            return Err(self.stopped());
        }
        if let Some(open) = link.open.as_ref().filter(|it| it.is_open()) {
            return Ok((Arc::clone(open), true));
        }
        link.open = None;
        if let Some((when, fault)) = &link.down
            && when.elapsed() < REST
        {
            return Err(fault.clone());
        }
        match Connection::open(&self.config, &self.options.limits).await {
            Ok(connection) => {
                let connection = Arc::new(connection);
                link.open = Some(Arc::clone(&connection));
                link.down = None;
                Ok((connection, false))
            }
            Err(fault) => {
                link.down = Some((Instant::now(), fault.clone()));
                Err(fault)
            }
        }
    }

    /// Forgets a connection that is of no use any more.
    pub(super) async fn drop_connection(&self, fault: &Fault) {
        let mut link = self.connection.lock().await;
        link.down = Some((Instant::now(), fault.clone()));
        if let Some(connection) = link.open.take() {
            connection.close().await;
        }
    }

    pub(super) async fn list(&self) -> Arc<Listing> {
        let mut listing = self.listing.lock().await;
        if let Some(listing) = &*listing {
            return Arc::clone(listing);
        }
        let listed = Arc::new(self.ask_list().await);
        *listing = Some(Arc::clone(&listed));
        listed
    }

    pub(super) async fn relist(&self) -> Arc<Listing> {
        // Whoever asks anew has a reason to try a server that was away.
        self.connection.lock().await.down = None;
        // Others go on with the list they have, however long this takes.
        let listed = Arc::new(self.ask_list().await);
        *self.listing.lock().await = Some(Arc::clone(&listed));
        listed
    }

    pub(super) async fn ask_list(&self) -> Listing {
        let mut listing = Listing::default();
        let entries = match self.fresh_list().await {
            Ok((entries, faults)) => {
                listing.partial = faults.iter().any(|it| matches!(it, Fault::Limit { .. }));
                listing.faults = faults;
                self.keep_list(&entries, &mut listing.faults);
                entries
            }
            Err(fault) => self.kept_list(fault, &mut listing),
        };
        let mut held = self.held();
        held.clear();
        for entry in entries {
            let entry = Arc::new(entry);
            let approved = self.approved(&entry, &mut listing.faults);
            let known = Held {
                entry: Arc::clone(&entry),
                approved,
                age: listing.age,
            };
            held.insert(entry.uri.clone(), known);
            listing.entries.push(entry);
        }
        listing
    }

    pub(super) async fn fresh_list(&self) -> Result<(Vec<Entry>, Vec<Fault>), Fault> {
        let (connection, _) = self.connection().await?;
        let (label, limits) = (&self.config.label, &self.options.limits);
        let listed = match timeout(self.config.timeout, list(&connection, label, limits)).await {
            Ok(listed) => listed,
            Err(_) => Err(Fault::Server {
                label: self.label(),
                reason: format!(
                    "does not finish its list within {} s",
                    self.config.timeout.as_secs_f32()
                ),
                help: "see whether it is busy, or raise its `timeout`".to_owned(),
            }),
        };
        match listed {
            Ok(pages) => Ok((pages.entries, pages.faults)),
            Err(fault) => {
                self.drop_connection(&fault).await;
                Err(fault)
            }
        }
    }

    pub(super) fn keep_list(&self, entries: &[Entry], faults: &mut Vec<Fault>) {
        let kept = self.cache.as_ref().map(|cache| cache.keep_list(entries));
        if let Some(Err(error)) = kept {
            faults.push(Fault::Store {
                label: self.label(),
                what: "a copy of the list",
                reason: error.to_string(),
            });
        }
    }

    /// The list of an earlier day, with its age, in place of one that could not be had.
    pub(super) fn kept_list(&self, fault: Fault, listing: &mut Listing) -> Vec<Entry> {
        // A server that says it has no skills has none.
        let down = !matches!(fault, Fault::NoSkills { .. });
        let cache = self.cache.as_ref().filter(|_| down);
        let kept = cache.and_then(|cache| cache.list(&self.options.limits));
        let Some((entries, age)) = kept.filter(|(entries, _)| !entries.is_empty()) else {
            listing.faults.push(fault);
            return Vec::new();
        };
        let (reason, help) = match fault {
            Fault::Server { reason, help, .. } => (reason, help),
            other => (other.to_string(), other.help()),
        };
        listing.faults.push(Fault::Copies {
            label: self.label(),
            reason,
            age: told_age(age),
            skills: entries.len(),
            help,
        });
        listing.age = Some(age);
        entries
    }

    /// Whether a skill is approved as it is. An approval of other files is taken back.
    pub(super) fn approved(&self, entry: &Entry, faults: &mut Vec<Fault>) -> bool {
        let Some(approvals) = &self.approvals else {
            return false;
        };
        match approvals.standing(&self.config.label, entry) {
            Standing::Approved => true,
            Standing::None => false,
            Standing::Changed => {
                faults.push(self.revoke(approvals, &entry.uri));
                false
            }
        }
    }

    pub(super) fn revoke(&self, approvals: &Approvals, uri: &str) -> Fault {
        let (label, shown) = (self.label(), display_text(uri));
        match approvals.revoke(&self.config.label, uri) {
            Ok(_) => Fault::Revoked { label, uri: shown },
            // It fits no files that are listed, so it has no effect either way.
            Err(error) => Fault::Store {
                label,
                what: "the revoked approval",
                reason: error.to_string(),
            },
        }
    }
}
