//! One `SKILL.md` as a value: text in, [`Document`] and diagnostics out.
//!
//! Any bytes parse and nothing panics: what cannot be read is reported with its place.
//!
//! ```
//! use prowess_format::{Profile, parse};
//!
//! let parsed = parse(b"---\nname: pdf-forms\ndescription: Fills PDF forms.\n---\n# Steps\n", Profile::Standard);
//! assert_eq!(parsed.document.name(), Some("pdf-forms"));
//! assert_eq!(parsed.document.instructions(), "# Steps");
//! assert!(parsed.diagnostics.is_empty());
//! ```

pub use convention::parse_convention;
pub use describe::{DescribeError, describe};
pub use diagnostic::{Diagnostic, Edit, Fix, LineCursor, Position, Severity, Span};
pub use document::{Document, Syntax};
pub use fix::{FixResult, fix, ignored_rules, judge};
pub use links::{Reference, Target};
pub use name::{NameFault, SkillName};
pub use nearest::{nearest, nearest_within};
pub use parse::{Parsed, parse, read};
pub use print::print;
pub use profile::Profile;
pub use rules::{Folder, FolderFile, Levels, Report, Rule, Script, Subject};
pub use secret::redact;
pub use shown::{is_invisible, shown};
pub use tokens::estimate_tokens;
pub use tools::ToolPattern;
pub use triggers::Trigger;
pub use value::{Field, Node, Style, Value};

// What a file says.
mod document;
pub mod fields;
mod links;
mod name;
mod nearest;
mod tokens;
mod tools;
mod triggers;
mod value;

// How it is read.
pub mod convention;
mod frontmatter;
pub mod limits;
mod parse;
mod print;
mod quote;
mod repair;
mod simple;
mod toml;
mod yaml;

// What is wrong with it.
mod describe;
mod diagnostic;
mod fix;
mod profile;
pub mod rules;
mod secret;
mod shown;

/// The front page of the package.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
