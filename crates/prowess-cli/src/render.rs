//! What a person sees: colour, width, tables and diagnostics.

use std::io::{self, Write};

use serde::Serialize;

use crate::{args::Color, environment::Environment, exit::Failure};

pub(crate) mod diagnostic;
pub(crate) mod explain;
pub(crate) mod paint;
pub(crate) mod table;
pub(crate) mod text;

use paint::Paint;

/// The width of output that no terminal limits: wide enough for a table, narrow enough to read.
const DEFAULT_COLUMNS: usize = 100;

/// Narrower terminals get this much; cutting further leaves nothing to read.
const LEAST_COLUMNS: usize = 40;

/// What goes over the end of a line of a message starts below the text behind `hint: `.
pub(crate) const HANG: usize = 6;

/// The two streams of a command: data for machines and pipes, messages for people.
pub(crate) struct Output {
    data: io::BufWriter<io::Stdout>,
    messages: io::Stderr,
    /// How data is coloured.
    pub(crate) paint: Paint,
    /// How messages are coloured.
    pub(crate) message_paint: Paint,
    /// How many columns a line has.
    pub(crate) columns: usize,
    /// Whether a person reads the data on a terminal.
    data_terminal: bool,
    /// Whether a person reads the messages on a terminal.
    message_terminal: bool,
}

impl Output {
    /// Opens the streams of this process.
    pub(crate) fn new(environment: &Environment, color: Color) -> Self {
        let paint = |terminal: bool| {
            Paint::new(match color {
                Color::Always => true,
                Color::Never => false,
                Color::Auto => environment.force_color || (terminal && !environment.plain),
            })
        };
        Self {
            // Not locked: a server writes to the same stream from other threads.
            data: io::BufWriter::new(io::stdout()),
            messages: io::stderr(),
            paint: paint(environment.stdout_terminal),
            message_paint: paint(environment.stderr_terminal),
            columns: environment
                .columns
                .unwrap_or(DEFAULT_COLUMNS)
                .max(LEAST_COLUMNS),
            data_terminal: environment.stdout_terminal,
            message_terminal: environment.stderr_terminal,
        }
    }

    /// Writes data.
    pub(crate) fn data(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.data.write_all(text.as_bytes())?)
    }

    /// Writes sentences, broken between words to fit a terminal.
    pub(crate) fn prose(&mut self, text: &str, hang: usize) -> Result<(), Failure> {
        if self.data_terminal {
            self.data(&text::fit(text, self.columns, hang))
        } else {
            self.data(text)
        }
    }

    /// Writes bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Ok(self.data.write_all(bytes)?)
    }

    /// Writes a value as JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        serde_json::to_writer_pretty(&mut self.data, value).map_err(io::Error::from)?;
        Ok(self.data.write_all(b"\n")?)
    }

    /// Where data is written to.
    pub(crate) fn writer(&mut self) -> impl Write {
        &mut self.data
    }

    /// Both streams, for a command that writes to them itself.
    pub(crate) fn streams(&mut self) -> (&mut dyn Write, &mut dyn Write) {
        (&mut self.data, &mut self.messages)
    }

    /// Tells a person something. A message that can not be written has no reader to miss it.
    pub(crate) fn message(&mut self, text: &str) {
        let _ = if self.message_terminal {
            let fitted = text::fit(text, self.columns, HANG);
            self.messages.write_all(fitted.as_bytes())
        } else {
            self.messages.write_all(text.as_bytes())
        };
    }

    /// Tells a person one step to take.
    pub(crate) fn hint(&mut self, text: &str) {
        let label = self.message_paint.hint("hint");
        self.message(&format!("{label}: {text}\n"));
    }

    /// Hands everything written to its reader.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        Ok(self.data.flush()?)
    }
}
