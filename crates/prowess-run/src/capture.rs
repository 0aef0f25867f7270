//! Output that is kept within a bound: its start and its end, with a mark where it was cut.

use std::{
    collections::VecDeque,
    io::{self, Read, Write as _},
    process::{Child, Command, Stdio},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::Duration,
};

use crate::{Input, Request, Stream, request::Listener};

/// Starts a command with the input that is asked for, and captures both its outputs.
pub(crate) fn spawn(
    command: &mut Command,
    request: &Request,
) -> io::Result<(Child, Capture, Capture)> {
    command
        .stdin(match request.input {
            Input::Empty => Stdio::null(),
            Input::Bytes(_) => Stdio::piped(),
            Input::Inherit => Stdio::inherit(),
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let (Input::Bytes(bytes), Some(mut stdin)) = (&request.input, child.stdin.take()) {
        let bytes = bytes.clone();
        // A script that reads nothing leaves this thread with an error when it ends.
        thread::spawn(move || stdin.write_all(&bytes));
    }
    let (most, listener) = (request.limits.output_bytes, &request.listener);
    let stdout = child.stdout.take().expect("piped above");
    let stderr = child.stderr.take().expect("piped above");
    let stdout = Capture::start(stdout, Stream::Stdout, most, listener.clone());
    let stderr = Capture::start(stderr, Stream::Stderr, most, listener.clone());
    Ok((child, stdout, stderr))
}

/// What one output has given so far.
#[derive(Debug, Default)]
struct Kept {
    head: Vec<u8>,
    /// The newest bytes behind the head; errors stand at the end.
    tail: VecDeque<u8>,
    dropped: u64,
    ended: bool,
}

/// An output that a thread reads to its end.
#[derive(Debug, Clone)]
pub(crate) struct Capture(Arc<(Mutex<Kept>, Condvar)>);

impl Capture {
    /// Reads `from` to its end, keeping at most `most` bytes.
    pub(crate) fn start(
        mut from: impl Read + Send + 'static,
        stream: Stream,
        most: usize,
        listener: Option<Listener>,
    ) -> Capture {
        let capture = Capture(Arc::default());
        let shared = Arc::clone(&capture.0);
        thread::spawn(move || {
            let mut buffer = [0; 16 << 10];
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                if let Some(listener) = &listener {
                    (listener.0)(stream, &buffer[..count]);
                }
                shared
                    .0
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .take(&buffer[..count], most);
            }
            shared
                .0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .ended = true;
            shared.1.notify_all();
        });
        capture
    }

    /// What was kept and how much was dropped. A process that outlives its run may hold the
    /// output open: after `patience` what came until then is all.
    pub(crate) fn end(self, patience: Duration) -> (Vec<u8>, u64) {
        let kept = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut kept, _) = self
            .0
            .1
            .wait_timeout_while(kept, patience, |kept| !kept.ended)
            .unwrap_or_else(PoisonError::into_inner);
        let mut bytes = std::mem::take(&mut kept.head);
        if kept.dropped > 0 {
            bytes.extend(format!("\n[… {} bytes cut here …]\n", kept.dropped).as_bytes());
        }
        bytes.extend(std::mem::take(&mut kept.tail));
        (bytes, kept.dropped)
    }
}

impl Kept {
    fn take(&mut self, bytes: &[u8], most: usize) {
        let (head, tail) = (most - most / 4, most / 4);
        let (first, rest) = bytes.split_at(bytes.len().min(head - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(tail);
        self.tail.drain(..over);
        self.dropped += over as u64;
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Cursor, time::Duration};

    use super::Capture;
    use crate::Stream;

    fn check(text: &str, most: usize) -> String {
        let capture = Capture::start(Cursor::new(text.to_owned()), Stream::Stdout, most, None);
        String::from_utf8(capture.end(Duration::from_secs(5)).0).unwrap()
    }

    #[test]
    fn start_and_end_stay_with_a_mark_between() {
        assert_eq!(check("abcdefgh", 8), "abcdefgh");
        assert_eq!(
            check("abcdefghijkl", 8),
            "abcdef\n[… 4 bytes cut here …]\nkl"
        );
        assert_eq!(check("", 8), "");
        assert_eq!(check("abc", 0), "\n[… 3 bytes cut here …]\n");
    }
}
