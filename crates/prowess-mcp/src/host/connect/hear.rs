//! What a server says by itself: that its list is another one.

use std::sync::Arc;

use rmcp::{
    ClientHandler, RoleClient,
    model::{ClientConfig, ProtocolVersion, ServerNotification, SubscriptionFilter},
    service::{NotificationContext, Subscription},
};
use tokio::{
    sync::{Notify, watch},
    time::{Duration, sleep, timeout},
};

use super::Connection;

/// How often it is looked whether a connection is still there.
const LOOK: Duration = Duration::from_secs(1);

/// News of one connection, on their way from the one who hears them to the one who waits for them.
#[derive(Debug)]
pub(super) struct News {
    came: Arc<Notify>,
    followed: watch::Sender<bool>,
}

impl Default for News {
    fn default() -> Self {
        Self {
            came: Arc::default(),
            followed: watch::Sender::new(false),
        }
    }
}

impl News {
    /// Whether anybody waits for news.
    pub(super) fn followed(&self) -> watch::Receiver<bool> {
        self.followed.subscribe()
    }

    /// Our side of a connection, as the server sees it.
    pub(super) fn ears(&self, config: ClientConfig) -> Ears {
        Ears {
            config,
            came: Arc::clone(&self.came),
        }
    }
}

/// Our side of a connection: asks for nothing by itself, and hears news.
#[derive(Debug)]
pub(super) struct Ears {
    config: ClientConfig,
    came: Arc<Notify>,
}

impl ClientHandler for Ears {
    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.came.notify_one();
    }

    fn get_info(&self) -> ClientConfig {
        self.config.clone()
    }
}

/// A way to hear of news.
#[derive(Debug)]
pub(in crate::host) enum Hearing {
    /// A subscription, as newer servers have them.
    Subscribed(Box<Subscription>),
    /// Notices that come as they come.
    Told,
    /// The server tells nothing.
    Deaf,
}

impl Connection {
    /// Begins to hear of news. Ask for the list after that, and none is missed.
    pub(in crate::host) async fn hear(&self) -> Hearing {
        let Some(info) = self.peer.peer_info() else {
            return Hearing::Deaf;
        };
        let resources = info.capabilities.resources.as_ref();
        if resources.and_then(|it| it.list_changed) != Some(true) {
            return Hearing::Deaf;
        }
        if info.protocol_version < ProtocolVersion::V_2026_07_28 {
            self.news.followed.send_replace(true);
            return Hearing::Told;
        }
        let mut wanted = SubscriptionFilter::default();
        wanted.resources_list_changed = Some(true);
        match timeout(self.timeout, self.peer.listen(wanted)).await {
            Ok(Ok(subscription)) => Hearing::Subscribed(Box::new(subscription)),
            Ok(Err(_)) | Err(_) => Hearing::Deaf,
        }
    }

    /// Waits for news; `false` where there will be no more of them.
    pub(in crate::host) async fn news(&self, hearing: &mut Hearing) -> bool {
        match hearing {
            Hearing::Subscribed(subscription) => loop {
                match subscription.next().await {
                    Ok(Some(ServerNotification::ResourceListChangedNotification(_))) => {
                        return true;
                    }
                    Ok(Some(_)) => {}
                    Ok(None) | Err(_) => return false,
                }
            },
            Hearing::Told => loop {
                tokio::select! {
                    () = self.news.came.notified() => return true,
                    () = sleep(LOOK) => if !self.is_open() {
                        return false;
                    },
                }
            },
            Hearing::Deaf => std::future::pending().await,
        }
    }
}
