//! What a person sees: colour, width, tables and diagnostics.

use std::io::{self, Write};

use serde::Serialize;

use crate::{environment::Environment, options::Color};

pub(crate) mod diagnostic;
mod diff;
pub(crate) mod explain;
pub(crate) mod html;
mod paint;
mod table;
mod text;

pub(crate) use self::{
    diff::diff,
    paint::{Ink, Paint},
    table::Table,
    text::{
        byte_size, count, cut, escape_json, line, line_start, list, safe_lines, thousands, width,
        wrap,
    },
};

/// The width of output that no terminal limits: wide enough for a table, narrow enough to read.
const DEFAULT_COLUMNS: usize = 100;

/// Narrower terminals get this much; cutting further leaves nothing to read.
const LEAST_COLUMNS: usize = 40;

/// What goes over the end of a line of a message starts below the text behind `hint: `.
pub(crate) const HANG: usize = 6;

/// The two streams of a command: data for machines and pipes, messages for people.
pub(crate) struct Terminal {
    data: io::BufWriter<io::Stdout>,
    messages: io::Stderr,
    /// How data is coloured.
    pub(crate) paint: Paint,
    /// How messages are coloured.
    pub(crate) message_paint: Paint,
    /// How many columns a line has.
    pub(crate) columns: usize,
    /// Whether a person reads the data on a terminal.
    data_seen: bool,
    /// Whether a person reads the messages on a terminal.
    messages_seen: bool,
    /// Whether messages are kept back.
    is_quiet: bool,
}

impl Terminal {
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
            data_seen: environment.stdout_terminal,
            messages_seen: environment.stderr_terminal,
            is_quiet: false,
        }
    }

    /// Keeps every message back: a shell that completes a word shows nothing else.
    pub(crate) fn quiet(self) -> Self {
        Self {
            is_quiet: true,
            ..self
        }
    }

    /// Writes data.
    pub(crate) fn data(&mut self, text: &str) -> io::Result<()> {
        self.data.write_all(text.as_bytes())
    }

    /// Writes a table, unless it has no rows.
    pub(crate) fn table(&mut self, table: &Table) -> io::Result<()> {
        if table.is_empty() {
            return Ok(());
        }
        self.data(&table.render(self.paint, self.columns))
    }

    /// Writes sentences, broken between words to fit a terminal.
    pub(crate) fn prose(&mut self, text: &str, hang: usize) -> io::Result<()> {
        if self.data_seen {
            self.data(&text::fit(text, self.columns, hang))
        } else {
            self.data(text)
        }
    }

    /// Writes the text of a skill: as it is into a pipe, with nothing hidden on a terminal.
    pub(crate) fn foreign(&mut self, text: &str) -> io::Result<()> {
        if self.data_seen {
            self.data(&text::safe_lines(text))
        } else {
            self.data(text)
        }
    }

    /// Writes bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.data.write_all(bytes)
    }

    /// Writes a value as JSON.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string_pretty(value).map_err(io::Error::from)?;
        self.json_text(&text)
    }

    /// Writes a value as one line of JSON.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string(value).map_err(io::Error::from)?;
        self.json_text(&text)
    }

    /// Writes what is JSON already, so that any terminal can show it.
    pub(crate) fn json_text(&mut self, json: &str) -> io::Result<()> {
        self.data(&escape_json(json))?;
        self.data("\n")
    }

    /// Both streams, for a command that writes to them itself.
    pub(crate) fn streams(&mut self) -> (&mut dyn Write, &mut dyn Write) {
        (&mut self.data, &mut self.messages)
    }

    /// Says something to a person. A message that cannot be written has no reader to miss it.
    pub(crate) fn message(&mut self, text: &str) {
        if self.is_quiet {
            return;
        }
        let _ = if self.messages_seen {
            let fitted = text::fit(text, self.columns, HANG);
            self.messages.write_all(fitted.as_bytes())
        } else {
            self.messages.write_all(text.as_bytes())
        };
    }

    /// Says one thing under a coloured word, such as `none: nothing fits`.
    pub(crate) fn say(&mut self, ink: Ink, label: &str, text: &str) {
        let label = ink(self.message_paint, label);
        self.message(&format!("{label}: {text}\n"));
    }

    /// Says what a person should look at.
    pub(crate) fn warning(&mut self, text: &str) {
        self.say(Paint::warning, "warning", text);
    }

    /// Offers one step to take.
    pub(crate) fn hint(&mut self, text: &str) {
        self.say(Paint::hint, "hint", text);
    }

    /// Says what became of the cache.
    pub(crate) fn notes(&mut self, notes: &[String]) {
        for note in notes {
            self.message(&format!("note: {note}\n"));
        }
    }

    /// Hands everything written to its reader.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.data.flush()
    }
}
