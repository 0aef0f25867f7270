//! The reference validator's verdict, quirk for quirk.
//!
//! `skills-ref` is what the standard's own authors publish, and what other tools compare
//! themselves with. It is stricter than its YAML looks in places and looser in others, so
//! the lenient reader of `prowess-format` cannot stand in for it: this crate reads the file
//! once more, the way the reference does, and answers in its words. [`run`] is its command line.
//!
//! ```
//! use prowess_skills_ref::{read_properties, validate};
//!
//! let file = b"---\nname: PDF\ndescription: Fills forms.\n---\n";
//! let findings = validate(file, "pdf");
//! assert_eq!(findings[0].message, "Skill name 'PDF' must be lowercase");
//!
//! let properties = read_properties(file).unwrap();
//! assert_eq!(properties.name(), "PDF");
//! ```

pub use command::run;

// How the reference reads YAML: Python's strictyaml over ruamel.
mod age;
mod remark;
mod scalar;
mod scan;
mod source;
mod structure;
mod text;
mod tree;

// What it says, and its command line.
mod check;
mod command;
mod print;

use check::{Checker, find, hollow, missing, solid_text};
use source::{Fault, Frontmatter, Unreadable};
use text::Text;
use tree::{Entry, Value};

use prowess_format::Span;

/// Something the reference says about a file.
///
/// Where the reference itself would crash, the message is ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The reference's words. Behind `Invalid YAML in frontmatter:` they are our own.
    pub message: String,
    /// What it is about, in bytes; the reference itself knows no places.
    pub span: Span,
}

/// Judges a file that lies in a directory of the given name; an empty list means valid.
pub fn validate(bytes: &[u8], directory: &str) -> Vec<Finding> {
    let (frontmatter, entries) = match read(bytes) {
        Ok(read) => read,
        Err(finding) => return vec![finding],
    };
    let mut checker = Checker {
        frontmatter: &frontmatter,
        entries: &entries,
        findings: Vec::new(),
    };
    checker.run(directory);
    checker.findings
}

/// What `read-properties` prints and `to-prompt` lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Properties {
    name: Text,
    description: Text,
    fields: Vec<(Text, Value)>,
}

/// Reads the properties of a file. Only a name and a description are asked for.
pub fn read_properties(bytes: &[u8]) -> Result<Properties, Finding> {
    let (frontmatter, entries) = read(bytes)?;
    for key in ["name", "description"] {
        if find(&entries, key).is_none() {
            return Err(Finding {
                message: missing(key),
                span: OPENING_FENCE,
            });
        }
    }
    let required = |key| {
        let entry = find(&entries, key);
        let text = entry.and_then(|entry| solid_text(&entry.value));
        text.ok_or_else(|| Finding {
            message: hollow(key),
            span: entry.map_or(OPENING_FENCE, |entry| {
                frontmatter.span(entry.key_start, entry.key_end)
            }),
        })
    };
    let name = required("name")?;
    let description = required("description")?;
    let mut fields = vec![
        (Text::from("name"), Value::Text(name.clone())),
        (Text::from("description"), Value::Text(description.clone())),
    ];
    for key in ["license", "compatibility", "allowed-tools", "metadata"] {
        let Some(entry) = find(&entries, key) else {
            continue;
        };
        let value = match &entry.value {
            // An empty `metadata` is left out, and its values become text.
            Value::Text(text) if key == "metadata" && text.is_empty() => continue,
            Value::Map(fields) if key == "metadata" => Value::Map(
                fields
                    .iter()
                    .map(|(key, value)| (key.clone(), Value::Text(print::str(value))))
                    .collect(),
            ),
            value => value.clone(),
        };
        fields.push((Text::from(key), value));
    }
    Ok(Properties {
        name,
        description,
        fields,
    })
}

impl Properties {
    /// What the skill calls itself, stripped.
    pub fn name(&self) -> String {
        self.name.to_pairs()
    }

    /// What the skill does and when to use it, stripped.
    pub fn description(&self) -> String {
        self.description.to_pairs()
    }

    /// Renders JSON as `read-properties` prints it, without the last line end.
    ///
    /// `None` where a value is an unquoted `=` or `<<`: the reference crashes on those.
    pub fn to_json(&self) -> Option<String> {
        let mut out = String::new();
        print::json(&mut out, &Value::Map(self.fields.clone()), 0).ok()?;
        Some(out)
    }
}

/// Renders the `<available_skills>` block, each skill with the place of its file, without
/// the last line end.
pub fn to_prompt<'a>(skills: impl IntoIterator<Item = (&'a Properties, &'a str)>) -> String {
    let mut lines = vec!["<available_skills>".to_owned()];
    for (properties, location) in skills {
        let parts = [
            ("name", print::html(&properties.name())),
            ("description", print::html(&properties.description())),
            ("location", location.to_owned()),
        ];
        lines.push("<skill>".to_owned());
        for (tag, text) in parts {
            lines.extend([format!("<{tag}>"), text, format!("</{tag}>")]);
        }
        lines.push("</skill>".to_owned());
    }
    lines.push("</available_skills>".to_owned());
    lines.join("\n")
}

/// A word in the quotes Python would choose, for messages that name it.
fn quoted(word: &str) -> String {
    print::quoted(&Text::from(word)).to_string()
}

/// Where findings go that are about something missing.
const OPENING_FENCE: Span = Span { start: 0, end: 3 };

/// Reads the fields of the frontmatter.
fn read(bytes: &[u8]) -> Result<(Frontmatter, Vec<Entry>), Finding> {
    let frontmatter = Frontmatter::find(bytes).map_err(unreadable)?;
    let fields = frontmatter
        .check_characters()
        .and_then(|()| scan::scan(&frontmatter.chars))
        .and_then(|tokens| remark::check(&tokens).map(|()| tokens))
        .and_then(tree::read)
        .map_err(|fault| invalid_yaml(&frontmatter, &fault))?;
    match fields {
        Some(entries) => Ok((frontmatter, entries)),
        None => Err(Finding {
            message: "SKILL.md frontmatter must be a YAML mapping".to_owned(),
            span: frontmatter.span(0, frontmatter.chars.len()),
        }),
    }
}

fn invalid_yaml(frontmatter: &Frontmatter, fault: &Fault) -> Finding {
    let (line, column) = frontmatter.position(fault.at);
    Finding {
        message: format!(
            "Invalid YAML in frontmatter: {} (line {line}, column {column})",
            fault.message
        ),
        span: frontmatter.span(fault.at, fault.at + 1),
    }
}

fn unreadable(reason: Unreadable) -> Finding {
    let (message, span) = match reason {
        Unreadable::NotUtf8 { byte } => (
            format!("SKILL.md is not UTF-8 at byte {byte}; save it as UTF-8"),
            Span::at(byte),
        ),
        Unreadable::TooLong { byte } => (
            "Invalid YAML in frontmatter: it is longer than 1 MiB".to_owned(),
            Span::at(byte),
        ),
        Unreadable::NoFence => (
            "SKILL.md must start with YAML frontmatter (---)".to_owned(),
            Span::at(0),
        ),
        Unreadable::NoSecondFence => (
            "SKILL.md frontmatter not properly closed with ---".to_owned(),
            OPENING_FENCE,
        ),
    };
    Finding { message, span }
}
