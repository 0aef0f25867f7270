//! The snapshot that is served now, and a word to all who hold an older one.

use std::sync::{Arc, PoisonError, RwLock};

use rmcp::{
    Peer, RoleServer, ServiceError,
    service::{SubscriptionContext, SubscriptionSendError},
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::view::{ListVersions, View};

/// The view in use. Readers take it whole; a newer one replaces it whole.
#[derive(Debug)]
pub(crate) struct Current {
    view: RwLock<Arc<View>>,
    versions: watch::Sender<ListVersions>,
}

impl Current {
    pub(crate) fn new(view: View) -> Self {
        Self {
            versions: watch::Sender::new(view.versions),
            view: RwLock::new(Arc::new(view)),
        }
    }

    pub(crate) fn view(&self) -> Arc<View> {
        Arc::clone(&self.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts a newer view in use. What is told follows, so who asks then sees the new one.
    pub(crate) fn replace(&self, view: View) -> Arc<View> {
        let versions = view.versions;
        let view = Arc::new(view);
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&view);
        self.versions.send_replace(versions);
        view
    }

    pub(crate) fn changes(&self) -> watch::Receiver<ListVersions> {
        self.versions.subscribe()
    }
}

/// Tells a client of an older revision, which hears of every list, until it is gone.
pub(crate) async fn to_client(
    mut changes: watch::Receiver<ListVersions>,
    peer: Peer<RoleServer>,
    alive: CancellationToken,
) {
    let mut held = *changes.borrow_and_update();
    while let Some(versions) = next(&mut changes, &alive).await {
        let sent = async {
            if versions.tools != held.tools {
                peer.notify_tool_list_changed().await?;
            }
            if versions.prompts != held.prompts {
                peer.notify_prompt_list_changed().await?;
            }
            if versions.resources != held.resources {
                peer.notify_resource_list_changed().await?;
            }
            Ok::<(), ServiceError>(())
        };
        if sent.await.is_err() {
            break;
        }
        held = versions;
    }
}

/// Tells whoever asked to hear of some of the lists, until they hear no more.
pub(crate) async fn to_listener(
    mut changes: watch::Receiver<ListVersions>,
    context: &SubscriptionContext,
    alive: &CancellationToken,
) {
    let mut held = *changes.borrow_and_update();
    let accepted = context.accepted();
    let wanted = |asked: Option<bool>, changed: bool| changed && asked == Some(true);
    loop {
        let versions = tokio::select! {
            () = context.cancelled() => return,
            versions = next(&mut changes, alive) => versions,
        };
        let Some(versions) = versions else { return };
        let sink = context.sink();
        let sent = async {
            if wanted(accepted.tools_list_changed, versions.tools != held.tools) {
                sink.notify_tool_list_changed().await?;
            }
            if wanted(
                accepted.prompts_list_changed,
                versions.prompts != held.prompts,
            ) {
                sink.notify_prompt_list_changed().await?;
            }
            let resources = versions.resources != held.resources;
            if wanted(accepted.resources_list_changed, resources) {
                sink.notify_resource_list_changed().await?;
            }
            Ok::<(), SubscriptionSendError>(())
        };
        if sent.await.is_err() {
            return;
        }
        held = versions;
    }
}

/// The next change; `None` when the connection or the server ends.
async fn next(
    changes: &mut watch::Receiver<ListVersions>,
    alive: &CancellationToken,
) -> Option<ListVersions> {
    tokio::select! {
        () = alive.cancelled() => None,
        news = changes.changed() => news.ok().map(|()| *changes.borrow_and_update()),
    }
}
