//! Messages of a server that was started as a program: one per line of its standard output.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use rmcp::{
    RoleClient,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt as _},
    sync::Mutex,
};

use super::raw::RawResults;
use crate::wire::{Line, LineReader};

/// So many bytes of lines that are no messages are put up with: some programs greet their user.
const MAX_GARBAGE: usize = 64 * 1024;

/// What was noticed about the messages of a server.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// A message was longer than one may be.
    too_large: AtomicBool,
    /// A line was no JSON object.
    garbage: AtomicBool,
}

impl Faults {
    /// What to say about it; nothing where all is well.
    pub(super) fn reason(&self) -> Option<&'static str> {
        if self.too_large.load(Ordering::Relaxed) {
            Some("sends a message that is too large")
        } else if self.garbage.load(Ordering::Relaxed) {
            Some("writes lines that are no messages to its standard output")
        } else {
            None
        }
    }

    pub(super) fn note_too_large(&self) {
        self.too_large.store(true, Ordering::Relaxed);
    }
}

/// The transport. Unlike the one of the SDK it ends at a line that is too long, so that a server
/// which floods its host is told off, and it keeps results as they came.
pub(super) struct LineTransport<R, W> {
    lines: LineReader<R>,
    /// Bytes of all lines that are no messages.
    garbage: usize,
    /// `None` once it is closed.
    writer: Arc<Mutex<Option<W>>>,
    results: RawResults,
    faults: Arc<Faults>,
}

impl<R: AsyncRead + Unpin, W> LineTransport<R, W> {
    pub(super) fn new(reader: R, writer: W, most: usize, faults: Arc<Faults>) -> Self {
        Self {
            lines: LineReader::new(reader, most),
            garbage: 0,
            writer: Arc::new(Mutex::new(Some(writer))),
            results: RawResults::default(),
            faults,
        }
    }

    /// The next line that can be a message; `None` where no more are listened to.
    async fn line(&mut self) -> Option<Vec<u8>> {
        loop {
            let line = match self.lines.next().await {
                Ok(Line::Whole(line)) => line,
                Ok(Line::TooLong) => {
                    self.faults.note_too_large();
                    return None;
                }
                Ok(Line::End) | Err(_) => return None,
            };
            match line.trim_ascii_start().first() {
                Some(b'{' | b'[') => return Some(line),
                Some(_) => {
                    self.faults.garbage.store(true, Ordering::Relaxed);
                    self.garbage += line.len();
                    if self.garbage > MAX_GARBAGE {
                        return None;
                    }
                }
                None => {}
            }
        }
    }
}

impl<R, W> Transport<RoleClient> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.results.expect(&message);
        let writer = Arc::clone(&self.writer);
        async move {
            let mut line = serde_json::to_vec(&message).map_err(io::Error::other)?;
            line.push(b'\n');
            match &mut *writer.lock().await {
                Some(writer) => {
                    writer.write_all(&line).await?;
                    writer.flush().await
                }
                None => Err(io::ErrorKind::NotConnected.into()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let line = self.line().await?;
            match self.results.read(&line) {
                Ok(message) => return Some(message),
                // A host that answered what it does not understand would start a quarrel.
                Err(error) => tracing::debug!(%error, "a line of a server is no message"),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // The server sees the end of its standard input.
        drop(self.writer.lock().await.take());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (usize, Option<&'static str>) {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let faults = Arc::new(Faults::default());
        let mut lines =
            LineTransport::new(text.as_bytes(), tokio::io::sink(), 8, Arc::clone(&faults));
        let count = runtime.unwrap().block_on(async {
            let mut count = 0;
            while lines.line().await.is_some() {
                count += 1;
            }
            count
        });
        (count, faults.reason())
    }

    #[test]
    fn long_lines_end_the_stream_and_short_ones_do_not() {
        assert_eq!(read("{}\n{}\n{}\n\n{}\n{}\n"), (5, None));
        let reason = Some("sends a message that is too large");
        assert_eq!(read("{}\n{234567890}\n{}\n"), (1, reason));
        assert_eq!(read("yes without an end"), (0, reason));
    }

    #[test]
    fn words_between_messages_are_noticed() {
        let reason = Some("writes lines that are no messages to its standard output");
        assert_eq!(read("{}\nhello\n{}\n"), (2, reason));
        // A few are put up with, and a flood is not.
        assert_eq!(read(&("hello\n".repeat(1_000) + "{}\n")), (1, reason));
        assert_eq!(read(&("hello\n".repeat(100_000) + "{}\n")), (0, reason));
    }
}
