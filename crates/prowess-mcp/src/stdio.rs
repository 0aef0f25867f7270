//! Messages over standard input and output: one per line.

use std::{io, sync::Arc};

use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ClientRequest, GetMeta as _, ProtocolVersion},
    service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage, serve_server_with_ct},
    transport::Transport,
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::{Mutex, Semaphore},
};
use tokio_util::sync::CancellationToken;

use crate::{
    server::SkillServer,
    wire::{self, Fault, MAX_MESSAGE},
};

/// Answers that may wait for a client to read them. Beyond, nothing more is read from it.
const WAITING: usize = 64;

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
    let lines = Lines::new(reader, writer);
    match serve_server_with_ct(server.connect(), lines, end).await {
        Ok(running) => {
            running.waiting().await.map_err(io::Error::other)?;
            Ok(())
        }
        // A client that leaves before it said anything has done no wrong.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            Ok(())
        }
        Err(error) => Err(io::Error::other(error)),
    }
}

/// The transport. Unlike the one of the library it answers what is no message, so that the
/// author of a client sees why, and bounds what it holds.
struct Lines<R, W> {
    reader: BufReader<R>,
    /// What was read of the line so far: a read can be given up in the middle.
    line: Vec<u8>,
    /// Whether the rest of the line is thrown away.
    skipping: bool,
    /// Whether the client has introduced itself; before, only a request means something.
    opened: bool,
    writer: Arc<Writer<W>>,
}

struct Writer<W> {
    stream: Mutex<W>,
    room: Semaphore,
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    async fn send(&self, mut line: Vec<u8>) -> io::Result<()> {
        let _room = self.room.acquire().await.map_err(io::Error::other)?;
        line.push(b'\n');
        let mut stream = self.stream.lock().await;
        stream.write_all(&line).await?;
        stream.flush().await
    }
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    fn new(reader: R, writer: W) -> Self {
        Self {
            reader: BufReader::new(reader),
            line: Vec::new(),
            skipping: false,
            opened: false,
            writer: Arc::new(Writer {
                stream: Mutex::new(writer),
                room: Semaphore::new(WAITING),
            }),
        }
    }

    /// Answers on its own, because a read that is given up must not cut an answer short.
    fn reply(&self, fault: &Fault) {
        let (writer, line) = (Arc::clone(&self.writer), fault.to_json().into_bytes());
        tokio::spawn(async move { writer.send(line).await });
    }

    /// Reads on to the end of a line; `None` at the end of the stream.
    async fn fill(&mut self) -> io::Result<Option<()>> {
        loop {
            let chunk = self.reader.fill_buf().await?;
            if chunk.is_empty() {
                return Ok(None);
            }
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let taken = &chunk[..end.unwrap_or(chunk.len())];
            if !self.skipping {
                self.line.extend_from_slice(taken);
            }
            let count = end.map_or(chunk.len(), |end| end + 1);
            self.reader.consume(count);
            if self.line.len() > MAX_MESSAGE {
                self.line.clear();
                self.line.shrink_to(MAX_MESSAGE / 16);
                self.skipping = true;
                self.reply(&Fault::too_large());
            }
            if end.is_some() {
                if self.skipping {
                    self.skipping = false;
                    continue;
                }
                return Ok(Some(()));
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        async move {
            let line = serde_json::to_vec(&message).map_err(io::Error::other)?;
            writer.send(line).await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // A client that does not read its answers is not read from either.
            drop(self.writer.room.acquire().await.ok()?);
            match self.fill().await {
                Ok(Some(())) => {}
                Ok(None) => return None,
                Err(error) => {
                    tracing::warn!(%error, "cannot read from the client");
                    return None;
                }
            }
            let line = std::mem::take(&mut self.line);
            if line.trim_ascii().is_empty() {
                continue;
            }
            match wire::read(&line) {
                Ok(message) => {
                    self.opened |= opens(&message);
                    // A notification or an answer before means nothing, and would end the talk.
                    if self.opened || matches!(message, ClientJsonRpcMessage::Request(_)) {
                        return Some(message);
                    }
                }
                Err(fault) => self.reply(&fault),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.room.close();
        self.writer.stream.lock().await.shutdown().await
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
