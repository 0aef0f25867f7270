//! Findings as bytes, and what else few skills have.

use std::{io, sync::Arc};

use prowess_format::{Diagnostic, Edit, Fix, Position, Severity, Span, rules};
use serde::{Deserialize, Serialize};

use super::{bytes, path};
use crate::{
    skill::Skill,
    source::{Finding, Location},
};

/// What few skills have.
#[derive(Debug, Default)]
pub(super) struct More {
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) tags: Vec<Box<str>>,
    pub(super) location: Option<Location>,
}

#[derive(Serialize, Deserialize)]
struct SavedMore<'a> {
    #[serde(borrow)]
    diagnostics: Vec<SavedDiagnostic<'a>>,
    tags: Vec<&'a str>,
    location: Option<SavedLocation<'a>>,
}

impl More {
    /// What a skill has of it, as bytes; empty where that is nothing.
    pub(super) fn write(skill: &Skill) -> io::Result<Vec<u8>> {
        let saved = SavedMore {
            diagnostics: skill
                .own_diagnostics()
                .iter()
                .map(SavedDiagnostic::of)
                .collect(),
            tags: skill.tags(),
            location: skill.location().map(save_location),
        };
        if saved.diagnostics.is_empty() && saved.tags.is_empty() && saved.location.is_none() {
            return Ok(Vec::new());
        }
        postcard::to_allocvec(&saved).map_err(io::Error::other)
    }

    /// Reads it; what the sum of the cache vouches for is never nonsense.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let Ok(saved) = postcard::from_bytes::<SavedMore<'_>>(bytes) else {
            return Self::default();
        };
        let diagnostics = saved.diagnostics.iter();
        Self {
            diagnostics: diagnostics.filter_map(SavedDiagnostic::read).collect(),
            tags: saved.tags.into_iter().map(Into::into).collect(),
            location: saved.location.map(read_location),
        }
    }
}

/// Anchor, then the way down.
pub(super) type SavedLocation<'a> = (&'a [u8], &'a [u8]);

pub(super) fn save_location(location: &Location) -> SavedLocation<'_> {
    (bytes(&location.anchor), bytes(&location.below))
}

pub(super) fn read_location((anchor, below): SavedLocation<'_>) -> Location {
    Location {
        anchor: Arc::from(path(anchor)),
        below: path(below).to_path_buf(),
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct SavedFinding<'a> {
    path: &'a [u8],
    #[serde(borrow)]
    diagnostic: SavedDiagnostic<'a>,
}

impl<'a> SavedFinding<'a> {
    pub(super) fn of(finding: &'a Finding) -> Self {
        Self {
            path: bytes(&finding.path),
            diagnostic: SavedDiagnostic::of(&finding.diagnostic),
        }
    }

    pub(super) fn read(&self) -> Option<Finding> {
        Some(Finding {
            path: path(self.path).to_path_buf(),
            diagnostic: self.diagnostic.read()?,
        })
    }
}

#[derive(Serialize, Deserialize)]
struct SavedDiagnostic<'a> {
    code: &'a str,
    severity: u8,
    span: (u64, u64),
    position: (u32, u32),
    message: &'a str,
    help: Option<&'a str>,
    #[serde(borrow)]
    fix: Option<SavedFix<'a>>,
}

/// Title, then what is replaced by what.
type SavedFix<'a> = (&'a str, Vec<(u64, u64, &'a str)>);

impl<'a> SavedDiagnostic<'a> {
    fn of(diagnostic: &'a Diagnostic) -> Self {
        let span = |span: Span| (span.start as u64, span.end as u64);
        Self {
            code: diagnostic.code,
            severity: match diagnostic.severity {
                Severity::Error => 0,
                Severity::Warning => 1,
                Severity::Hint => 2,
            },
            span: span(diagnostic.span),
            position: (diagnostic.position.line, diagnostic.position.column),
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
            fix: diagnostic.fix.as_ref().map(|fix| {
                let edits = fix.edits.iter();
                let edits = edits.map(|it| (it.span.start as u64, it.span.end as u64, &*it.text));
                (&*fix.title, edits.collect())
            }),
        }
    }

    fn read(&self) -> Option<Diagnostic> {
        let span = |start: u64, end: u64| Span {
            start: start as usize,
            end: end as usize,
        };
        let fix = self.fix.as_ref().map(|(title, edits)| Fix {
            title: (*title).to_owned(),
            edits: edits
                .iter()
                .map(|&(start, end, text)| Edit {
                    span: span(start, end),
                    text: text.to_owned(),
                })
                .collect(),
        });
        Some(Diagnostic {
            code: rules::ALL.iter().find(|rule| rule.code == self.code)?.code,
            severity: match self.severity {
                0 => Severity::Error,
                1 => Severity::Warning,
                2 => Severity::Hint,
                _ => return None,
            },
            span: span(self.span.0, self.span.1),
            position: Position {
                line: self.position.0,
                column: self.position.1,
            },
            message: self.message.to_owned(),
            help: self.help.map(str::to_owned),
            fix,
        })
    }
}
