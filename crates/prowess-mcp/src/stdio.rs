//! Messages over standard input and output: one per line.

use std::{
    collections::HashSet,
    io,
    sync::{Arc, Mutex as SyncMutex, PoisonError},
    time::Duration,
};

use rmcp::{
    RoleServer,
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta as _, JsonRpcMessage,
        ProtocolVersion, RequestId,
    },
    service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage, serve_server_with_ct},
    transport::Transport,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _},
    sync::{Mutex, Notify},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

use crate::{
    server::SkillServer,
    wire::{self, Fault, Line, LineReader, MAX_MESSAGE},
};

/// Requests whose answers the client has not read yet; beyond, nothing more is read from it. An
/// answer can have megabytes, so this is what bounds the memory that a client can take.
const IN_FLIGHT: usize = 8;

/// Subscriptions of one client: they last, so they have no place among the requests.
const SUBSCRIPTIONS: usize = 64;

/// Once the end is asked for, answers under way get this long. A client that does not read would
/// hold up the end for ever.
const GRACE: Duration = Duration::from_secs(1);

/// Serves one client on the standard streams, until it closes them or `end` is cancelled.
pub async fn serve(server: &SkillServer, end: CancellationToken) -> io::Result<()> {
    let (reader, writer) = rmcp::transport::stdio_pipes();
    serve_streams(server, reader, writer, end).await
}

/// Serves one client on any two streams.
pub async fn serve_streams<R, W>(
    server: &SkillServer,
    reader: R,
    writer: W,
    end: CancellationToken,
) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let transport = LineTransport::new(reader, writer);
    let conversation = async {
        match serve_server_with_ct(server.connect(), transport, end.clone()).await {
            Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
            // A client that leaves before it said anything has done no wrong.
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
                Ok(())
            }
            Err(error) => Err(io::Error::other(error)),
        }
    };
    tokio::select! {
        ended = conversation => ended,
        () = async { end.cancelled().await; sleep(GRACE).await } => Ok(()),
    }
}

/// The transport. Unlike the one of the library it answers what is no message, so that the
/// author of a client sees why, and bounds what it holds.
struct LineTransport<R, W> {
    reader: LineReader<R>,
    /// Whether the client has introduced itself; before, only a request means something.
    opened: bool,
    requests: Arc<Requests>,
    writer: Arc<Mutex<W>>,
}

/// The requests of a client that have no answer yet.
#[derive(Debug, Default)]
struct Requests {
    waiting: SyncMutex<Waiting>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    requests: HashSet<RequestId>,
    subscriptions: HashSet<RequestId>,
    /// Answers to what was no request, which are not written yet.
    replies: usize,
}

impl Requests {
    fn with<T>(&self, change: impl FnOnce(&mut Waiting) -> T) -> T {
        change(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until one more may come in.
    async fn room(&self) {
        loop {
            let freed = self.freed.notified();
            let busy = self.with(|it| it.requests.len() + it.replies >= IN_FLIGHT);
            if !busy {
                return;
            }
            freed.await;
        }
    }

    /// Notes a request; why not, where it cannot be answered beside those under way.
    fn enter(&self, id: &RequestId, request: &ClientRequest) -> Result<(), &'static str> {
        self.with(|it| {
            // The library knows requests by their id, and would answer only one of the two.
            if it.requests.contains(id) || it.subscriptions.contains(id) {
                return Err("a request with this `id` is under way");
            }
            if !matches!(request, ClientRequest::SubscriptionsListenRequest(_)) {
                it.requests.insert(id.clone());
            } else if it.subscriptions.len() < SUBSCRIPTIONS {
                it.subscriptions.insert(id.clone());
            } else {
                return Err("there are too many subscriptions");
            }
            Ok(())
        })
    }

    fn leave(&self, id: &RequestId) {
        self.with(|it| it.requests.remove(id) || it.subscriptions.remove(id));
        self.freed.notify_waiters();
    }
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    fn new(reader: R, writer: W) -> Self {
        Self {
            reader: LineReader::new(reader, MAX_MESSAGE),
            opened: false,
            requests: Arc::default(),
            writer: Arc::new(Mutex::new(writer)),
        }
    }

    /// Answers on its own, because a read that is given up must not cut an answer short.
    fn reply(&self, fault: &Fault) {
        let (writer, line) = (Arc::clone(&self.writer), fault.to_json().into_bytes());
        let requests = Arc::clone(&self.requests);
        requests.with(|it| it.replies += 1);
        tokio::spawn(async move {
            // Whoever is gone needs no answer.
            let _ = write(&writer, line).await;
            requests.with(|it| it.replies -= 1);
            requests.freed.notify_waiters();
        });
    }
}

/// Writes a line. A client that has left misses its answers, which is no fault of ours.
async fn write<W: AsyncWrite + Unpin>(writer: &Mutex<W>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut stream = writer.lock().await;
    let written = async {
        stream.write_all(&line).await?;
        stream.flush().await
    };
    match written.await {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            tracing::debug!("the client left before it read every answer");
            Ok(())
        }
        done => done,
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (writer, requests) = (Arc::clone(&self.writer), Arc::clone(&self.requests));
        async move {
            let answered = match &message {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                _ => None,
            };
            let line = serde_json::to_vec(&message).map_err(io::Error::other)?;
            drop(message);
            let written = write(&writer, line).await;
            if let Some(id) = answered {
                requests.leave(&id);
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // A client that does not read its answers is not read from either.
            self.requests.room().await;
            let line = match self.reader.next().await {
                Ok(Line::Whole(line)) => line,
                Ok(Line::TooLong) => {
                    self.reply(&Fault::too_large());
                    continue;
                }
                Ok(Line::End) => return None,
                Err(error) => {
                    tracing::warn!(%error, "cannot read from the client");
                    return None;
                }
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            let message = match wire::read(&line) {
                Ok(message) => message,
                Err(fault) => {
                    self.reply(&fault);
                    continue;
                }
            };
            self.opened |= opens(&message);
            match &message {
                ClientJsonRpcMessage::Request(asked) => {
                    if let Err(reason) = self.requests.enter(&asked.id, &asked.request) {
                        self.reply(&Fault::refused(&asked.id, reason));
                        continue;
                    }
                }
                // Any other message before the introduction means nothing, and would end the talk.
                _ if !self.opened => continue,
                ClientJsonRpcMessage::Notification(note) => {
                    // The library sends no answer to a request that is called back.
                    if let ClientNotification::CancelledNotification(cancelled) = &note.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        self.requests.leave(id);
                    }
                }
                _ => {}
            }
            return Some(message);
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        match self.writer.lock().await.shutdown().await {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => done,
        }
    }
}

/// Whether a client introduces itself by this: with `initialize`, or by a request that carries all
/// of it along. A ping or a question for what is spoken here does neither.
fn opens(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(asked) = message else {
        return false;
    };
    match &asked.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let spoken = meta
                .protocol_version()
                .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version));
            let whole = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28);
            spoken && whole.is_empty()
        }
    }
}

#[cfg(test)]
mod tests;
