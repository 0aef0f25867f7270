//! The standard output of a server, read with an eye on it.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, ReadBuf};

/// What was noticed about the lines of a server.
#[derive(Debug, Default)]
pub(super) struct Noticed {
    /// A line was longer than a message may be.
    too_large: AtomicBool,
    /// A line was no JSON object.
    garbage: AtomicBool,
}

impl Noticed {
    /// What to say about it; nothing where all is well.
    pub(super) fn told(&self) -> Option<&'static str> {
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

/// A reader that ends at a line longer than a message may be. The SDK would drop the line and
/// wait on; a server that floods its host would never be told off.
pub(super) struct Bounded<R> {
    inner: R,
    most: usize,
    line: usize,
    /// Whether the line is no message.
    odd: bool,
    /// Bytes of all lines that are none.
    garbage: usize,
    noticed: Arc<Noticed>,
}

/// So many bytes of lines that are no messages are put up with: some programs greet their user.
const MOST_GARBAGE: usize = 64 * 1024;

impl<R> Bounded<R> {
    pub(super) fn new(inner: R, most: usize, noticed: Arc<Noticed>) -> Self {
        Self {
            inner,
            most,
            line: 0,
            odd: false,
            garbage: 0,
            noticed,
        }
    }

    fn look(&mut self, bytes: &[u8]) -> bool {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            let first = part.iter().find(|byte| !byte.is_ascii_whitespace());
            if self.line == 0 {
                self.odd = first.is_some_and(|&byte| byte != b'{' && byte != b'[');
            }
            self.line += part.len();
            if self.odd {
                self.noticed.garbage.store(true, Ordering::Relaxed);
            }
            if self.line > self.most {
                self.noticed.note_too_large();
                return false;
            }
            if part.ends_with(b"\n") {
                if self.odd {
                    self.garbage += self.line;
                    if self.garbage > MOST_GARBAGE {
                        return false;
                    }
                }
                self.line = 0;
            }
        }
        true
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Bounded<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.inner).poll_read(context, buffer))?;
        let fine = this.look(&buffer.filled()[before..]);
        if fine {
            return Poll::Ready(Ok(()));
        }
        // A read that fails has read nothing.
        buffer.set_filled(before);
        Poll::Ready(Err(io::Error::other("what comes is too much")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt as _;

    fn read(text: &str) -> (bool, Option<&'static str>) {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let noticed = Arc::new(Noticed::default());
        let mut reader = Bounded::new(text.as_bytes(), 8, Arc::clone(&noticed));
        let mut all = Vec::new();
        let whole = runtime.unwrap().block_on(reader.read_to_end(&mut all));
        (whole.is_ok(), noticed.told())
    }

    #[test]
    fn long_lines_end_the_stream_and_short_ones_do_not() {
        assert_eq!(read("{}\n{}\n{}\n{}\n{}\n"), (true, None));
        let told = Some("sends a message that is too large");
        assert_eq!(read("{}\n{234567890}\n"), (false, told));
    }

    #[test]
    fn words_between_messages_are_noticed() {
        let told = Some("writes lines that are no messages to its standard output");
        assert_eq!(read("{}\nhello\n"), (true, told));
        // A few are put up with, and a flood is not.
        assert_eq!(read(&"hello\n".repeat(1_000)), (true, told));
        assert_eq!(read(&"hello\n".repeat(100_000)), (false, told));
    }
}
