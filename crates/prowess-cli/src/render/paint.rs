//! Colour by meaning, and only where someone sees it.

use anstyle::{AnsiColor, Style};
use prowess::format::Severity;

/// How a word is coloured.
pub(crate) type Ink = fn(Paint, &str) -> String;

/// Colours words, or leaves them as they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    on: bool,
}

impl Paint {
    /// Creates a painter that colours or does not.
    pub(crate) fn new(on: bool) -> Self {
        Self { on }
    }

    /// Creates a painter that leaves words as they are.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Self::new(false)
    }

    /// Something that is wrong.
    pub(crate) fn error(self, text: &str) -> String {
        self.with(AnsiColor::Red.on_default().bold(), text)
    }

    /// Something to look at.
    pub(crate) fn warning(self, text: &str) -> String {
        self.with(AnsiColor::Yellow.on_default().bold(), text)
    }

    /// Something worth knowing, and the step to take.
    pub(crate) fn hint(self, text: &str) -> String {
        self.with(AnsiColor::Cyan.on_default().bold(), text)
    }

    /// Something that is well.
    pub(crate) fn good(self, text: &str) -> String {
        self.with(AnsiColor::Green.on_default(), text)
    }

    /// What a line is about.
    pub(crate) fn strong(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    /// What a reader may skip.
    pub(crate) fn faint(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    /// Lines and arrows around a snippet.
    pub(crate) fn frame(self, text: &str) -> String {
        self.with(AnsiColor::Blue.on_default().bold(), text)
    }

    /// A word in the colour of a severity.
    pub(crate) fn severity(self, severity: Severity, text: &str) -> String {
        match severity {
            Severity::Error => self.error(text),
            Severity::Warning => self.warning(text),
            Severity::Hint => self.hint(text),
        }
    }

    fn with(self, style: Style, text: &str) -> String {
        if self.on && !text.is_empty() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}
