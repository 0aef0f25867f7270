//! How a run ends: the code a script reads and the lines a person reads.

use std::{error::Error, fmt::Write as _, io, process::ExitCode};

use prowess::display_text;

use crate::render::{Paint, Terminal};

/// The code a run ends with; scripts rely on these numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Fine,
    /// Done, and there is something to look at: errors, or nothing that matches.
    Findings,
    /// The command line makes no sense.
    Usage,
    /// It could not be done.
    Failed,
    /// The code that a skill's script ended with.
    Script(u8),
}

impl Exit {
    /// Done; `findings` says whether there is something to look at.
    pub(crate) fn found(findings: bool) -> Self {
        if findings { Self::Findings } else { Self::Fine }
    }

    /// The exit of a command that counts its codes itself.
    pub(crate) fn from_code(code: u8) -> Self {
        match code {
            0 => Self::Fine,
            1 => Self::Findings,
            2 => Self::Usage,
            _ => Self::Failed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Fine => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Failed => 3,
            Exit::Script(code) => code,
        })
    }
}

/// Why a command ended early: one line, what caused it, and one step to take.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
    causes: Vec<String>,
    hints: Vec<String>,
    quiet: bool,
}

impl Failure {
    /// Something that could not be done.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Failed,
            message: message.into(),
            causes: Vec::new(),
            hints: Vec::new(),
            quiet: false,
        }
    }

    /// A command line that makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            ..Self::new(message)
        }
    }

    /// A question without an answer, such as a name nobody has.
    pub(crate) fn no_match(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Findings,
            ..Self::new(message)
        }
    }

    /// Adds one step to take.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds what caused it, down to the root.
    #[must_use]
    pub(crate) fn because(mut self, cause: &(dyn Error + 'static)) -> Self {
        let mut next = Some(cause);
        while let Some(cause) = next {
            self.causes.push(cause.to_string());
            next = cause.source();
        }
        // Some libraries wrap an error in another one of the same words.
        self.causes.dedup();
        self
    }

    /// Adds what caused it, where the message does not say it already.
    #[must_use]
    pub(crate) fn because_of(self, error: &(dyn Error + 'static)) -> Self {
        match error.source() {
            Some(cause) => self.because(cause),
            None => self,
        }
    }

    /// What happened and what caused it, on one line, and the first step to take.
    pub(crate) fn told(&self) -> (String, Option<&str>) {
        let mut text = one_line(&self.message);
        for cause in &self.causes {
            // Writing to a string does not fail.
            let _ = write!(text, ": {}", one_line(cause));
        }
        (text, self.hints.first().map(String::as_str))
    }

    /// The code to end with.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// Says what happened, and goes on.
    pub(crate) fn report(&self, output: &mut Terminal) {
        let text = self.render(output.message_paint);
        output.message(&text);
    }

    /// What a person reads; nothing for a reader that went away.
    pub(crate) fn render(&self, paint: Paint) -> String {
        if self.quiet {
            return String::new();
        }
        let mut text = format!("{}: {}\n", paint.error("error"), one_line(&self.message));
        for cause in &self.causes {
            // Writing to a string does not fail.
            let _ = writeln!(text, "  cause: {}", one_line(cause));
        }
        for hint in &self.hints {
            let _ = writeln!(text, "{}: {}", paint.hint("hint"), one_line(hint));
        }
        text
    }
}

impl From<io::Error> for Failure {
    /// Errors of writing to standard output, the only ones that arrive without a message.
    fn from(error: io::Error) -> Self {
        let quiet = error.kind() == io::ErrorKind::BrokenPipe;
        Self {
            // `prowess list | head` has done its work.
            exit: if quiet { Exit::Fine } else { Exit::Failed },
            quiet,
            ..Self::new("cannot write the output").because(&error)
        }
    }
}

/// Names and paths come from files and arguments; none of them may disturb a terminal.
fn one_line(text: &str) -> String {
    display_text(text)
}

/// Replaces the text of a panic by a line a person can act on.
pub(crate) fn report_panics_plainly() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map(|place| format!(" at {}:{}", place.file(), place.line()))
            .unwrap_or_default();
        eprintln!(
            "error: prowess stopped at a fault of its own{place}; please report it with the command you ran"
        );
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_failure_shows_message_cause_and_step() {
        let cause = io::Error::other("disk on fire");
        let failure = Failure::new("cannot read `a\u{1b}b`")
            .because(&cause)
            .hint("put it out");
        expect![[r"
            error: cannot read `a\u{1b}b`
              cause: disk on fire
            hint: put it out
        "]]
        .assert_eq(&failure.render(Paint::plain()));
    }

    #[test]
    fn a_reader_that_went_away_is_no_fault() {
        let failure = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(failure.exit(), Exit::Fine);
        assert_eq!(failure.render(Paint::plain()), "");
    }
}
