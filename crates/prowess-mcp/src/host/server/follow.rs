//! Follows a server: lists anew when it says that its list changed.

use std::{sync::Arc, time::Duration};

use tokio::time::{sleep, timeout};

use super::{Inner, Listing};

/// News that come together are looked at together, and no server makes us ask without end.
const PAUSE: Duration = Duration::from_millis(200);

/// A server that went away is looked for this often.
const AWAY: Duration = Duration::from_secs(30);

impl Inner {
    /// Goes on until it is dropped.
    pub(super) async fn follow<F: Future<Output = ()>>(&self, tell: impl Fn() -> F) {
        let mut known = self.list().await;
        loop {
            let Ok((connection, _)) = self.connection().await else {
                sleep(AWAY).await;
                self.look(&mut known, &tell).await;
                continue;
            };
            let mut hearing = connection.hear().await;
            loop {
                // First what happened before anybody listened.
                self.look(&mut known, &tell).await;
                let again = self.options.ask_again;
                match timeout(again, connection.news(&mut hearing)).await {
                    Ok(true) => sleep(PAUSE).await,
                    // Silence: maybe it only does not tell.
                    Err(_) => {}
                    Ok(false) => break,
                }
                if !connection.is_open() {
                    break;
                }
            }
            sleep(PAUSE).await;
        }
    }

    /// Lists anew, and tells where that gave another list.
    async fn look<F: Future<Output = ()>>(&self, known: &mut Arc<Listing>, tell: &impl Fn() -> F) {
        let now = self.relist().await;
        let same = now.entries == known.entries
            && now.partial == known.partial
            && now.age.is_some() == known.age.is_some();
        *known = now;
        if !same {
            tracing::info!(
                server = self.config.label,
                skills = known.entries.len(),
                "the list of a server changed"
            );
            tell().await;
        }
    }
}
