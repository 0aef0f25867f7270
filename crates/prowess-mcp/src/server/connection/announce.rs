//! Tells clients which of their lists changed.

use rmcp::{
    Peer, RoleServer, ServiceError,
    service::{SubscriptionContext, SubscriptionSendError},
};
use tokio::sync::watch::Receiver;
use tokio_util::sync::CancellationToken;

use super::super::view::Marks;

/// Tells a client of an older revision, which hears of every list, until it is gone.
pub(super) async fn to_client(
    mut changes: Receiver<Marks>,
    peer: Peer<RoleServer>,
    alive: CancellationToken,
) {
    let mut held = *changes.borrow_and_update();
    while let Some(marks) = next(&mut changes, &alive).await {
        let sent = async {
            if marks.tools != held.tools {
                peer.notify_tool_list_changed().await?;
            }
            if marks.prompts != held.prompts {
                peer.notify_prompt_list_changed().await?;
            }
            if marks.resources != held.resources {
                peer.notify_resource_list_changed().await?;
            }
            Ok::<(), ServiceError>(())
        };
        if sent.await.is_err() {
            break;
        }
        held = marks;
    }
}

/// Tells whoever asked to hear of some of the lists, until they hear no more.
pub(super) async fn to_listener(
    mut changes: Receiver<Marks>,
    context: &SubscriptionContext,
    alive: &CancellationToken,
) {
    let mut held = *changes.borrow_and_update();
    let accepted = context.accepted();
    let wanted = |asked: Option<bool>, changed: bool| changed && asked == Some(true);
    loop {
        let marks = tokio::select! {
            () = context.cancelled() => return,
            marks = next(&mut changes, alive) => marks,
        };
        let Some(marks) = marks else { return };
        let sink = context.sink();
        let sent = async {
            if wanted(accepted.tools_list_changed, marks.tools != held.tools) {
                sink.notify_tool_list_changed().await?;
            }
            if wanted(accepted.prompts_list_changed, marks.prompts != held.prompts) {
                sink.notify_prompt_list_changed().await?;
            }
            let resources = marks.resources != held.resources;
            if wanted(accepted.resources_list_changed, resources) {
                sink.notify_resource_list_changed().await?;
            }
            Ok::<(), SubscriptionSendError>(())
        };
        if sent.await.is_err() {
            return;
        }
        held = marks;
    }
}

/// The next change; `None` when the connection or the server ends.
async fn next(changes: &mut Receiver<Marks>, alive: &CancellationToken) -> Option<Marks> {
    tokio::select! {
        () = alive.cancelled() => None,
        news = changes.changed() => news.ok().map(|()| *changes.borrow_and_update()),
    }
}
