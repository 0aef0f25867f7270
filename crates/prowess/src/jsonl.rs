//! A catalog as data: one JSON object per line and skill, both ways.

use std::{
    fmt::Write as _,
    fs::File,
    io::{self, BufRead, BufReader, Read as _, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use prowess_format::{Diagnostic, Position, Severity, Span, Value as Written, rules};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    display::display_path,
    limits::Limits,
    skill::Skill,
    source::{
        Finding, Layout, Origin, Scan, ScanRequest, Scope, SkillFile, Source,
        memory::{MemorySource, Record},
    },
};

/// What a line says about a skill beside its fields.
const FACTS: [&str; 6] = ["id", "body", "path", "scope", "origin", "last_modified"];

/// One line, as it is written.
#[derive(Debug, Serialize)]
struct Line<'a> {
    id: Option<&'a str>,
    name: &'a str,
    description: &'a str,
    tags: Vec<&'a str>,
    body: &'a str,
    path: String,
    scope: &'static str,
    origin: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_modified: Option<i64>,
    /// Every other field of the frontmatter, under its own name.
    #[serde(flatten)]
    fields: Fields<'a>,
}

/// Fields in the order they were written.
#[derive(Debug)]
struct Fields<'a>(Vec<(&'a str, &'a Written)>);

impl Serialize for Fields<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// Writes skills as lines of JSON.
pub fn export_jsonl<'a>(
    skills: impl IntoIterator<Item = &'a Skill>,
    mut out: impl Write,
) -> io::Result<()> {
    for skill in skills {
        serde_json::to_writer(&mut out, &line(skill))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn line(skill: &Skill) -> Line<'_> {
    let taken = |key: &str| FACTS.contains(&key) || ["name", "description", "tags"].contains(&key);
    let mut fields: Vec<(&str, &Written)> = Vec::new();
    for field in skill.document().fields() {
        let key = &*field.key;
        // The first of two fields counts, and a field may not pass for a fact.
        if !taken(key) && !fields.iter().any(|(known, _)| *known == key) {
            fields.push((key, &field.node.value));
        }
    }
    Line {
        id: skill.id(),
        name: skill.name(),
        description: skill.description(),
        tags: skill.tags(),
        body: skill.instructions(),
        path: display_path(skill.path()),
        scope: skill.origin().scope.as_str(),
        origin: &skill.origin().label,
        last_modified: skill.last_modified(),
        fields: Fields(fields),
    }
}

/// One line, as it is read.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
struct Read {
    id: Option<String>,
    name: String,
    description: String,
    #[serde(default)]
    body: String,
    path: Option<String>,
    last_modified: Option<i64>,
    #[serde(flatten)]
    fields: Map<String, Value>,
}

/// Reads lines of JSON as a source of skills. `file` says where the lines come from. A line that
/// is no skill is told, and the others load.
///
/// The texts stay in memory beside the catalog they become; [`JsonlSource`] keeps none.
pub fn import_jsonl(file: &Path, bytes: &[u8], limits: &Limits) -> MemorySource {
    let mut source = MemorySource::new(display_path(file));
    let mut read = |line| match line {
        Ok(record) => source.push(record),
        Err(finding) => source.push_finding(finding),
    };
    // Bytes in memory do not fail.
    let _ = each_line(bytes, file, limits, &mut read);
    source
}

/// More than any catalog needs, and less than a machine with a full disk holds.
const MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// A file of such lines, read line by line whenever it is scanned, so that no text is in memory
/// but the catalog's own.
#[derive(Debug, Clone)]
pub struct JsonlSource {
    origin: Arc<Origin>,
    file: PathBuf,
}

impl JsonlSource {
    /// Takes a file, explicit like a folder that was named; it must be a regular one of at most
    /// 4 GiB.
    pub fn open(file: impl Into<PathBuf>) -> io::Result<Self> {
        let file = file.into();
        drop(open(&file)?);
        let label = display_path(&file);
        Ok(Self {
            origin: Arc::new(Origin::new(Scope::Explicit, label.clone(), label)),
            file,
        })
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the source of catalog files opens them"
)]
fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if found.len() > MAX_BYTES {
        return Err(io::Error::other(format!(
            "it has more than {MAX_BYTES} bytes"
        )));
    }
    Ok(file)
}

impl Source for JsonlSource {
    fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    fn scan(&self, request: &ScanRequest<'_>, visit: &(dyn Fn(SkillFile<'_>) + Sync)) -> Scan {
        let mut scan = Scan::default();
        let mut read = |line: Result<Record, Finding>| match line {
            Ok(record) => visit(SkillFile {
                origin: &self.origin,
                path: record.path,
                layout: Layout::Record,
                contents: Ok(record.text.as_bytes()),
                last_modified: record.last_modified,
                notes: Vec::new(),
                location: None,
                id: record.id,
            }),
            Err(finding) => scan.findings.push(finding),
        };
        // The file may grow while it is read.
        let lines = open(&self.file).map(|file| BufReader::new(file.take(MAX_BYTES)));
        let done = lines.and_then(|lines| each_line(lines, &self.file, request.limits, &mut read));
        if let Err(error) = done {
            scan.partial = true;
            let reason = format!("the catalog could not be read to its end: {error}");
            scan.findings.push(finding(&self.file, 1, 1, reason));
        }
        scan
    }
}

/// Reads line after line; no more than one is in memory.
fn each_line(
    mut lines: impl BufRead,
    file: &Path,
    limits: &Limits,
    read: &mut dyn FnMut(Result<Record, Finding>),
) -> io::Result<()> {
    // JSON may write a byte as six; a longer line can not be a skill within the limits.
    let most = limits.file_bytes.saturating_mul(6);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let mut bounded = lines.by_ref().take((most as u64).saturating_add(2));
        if bounded.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else {
            // Cut, or the last line.
            lines.skip_until(b'\n')?;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let skill = if line.len() > most {
            Err((1, "it is too long".to_owned()))
        } else {
            read_line(&line)
        };
        read(match skill {
            Ok(skill) => Ok(record(skill, file, number)),
            Err((column, reason)) => {
                let reason = format!("line {number} is not a skill and is left out: {reason}");
                Err(finding(file, number, column, reason))
            }
        });
    }
    Ok(())
}

fn finding(file: &Path, line: usize, column: u32, message: String) -> Finding {
    Finding {
        path: file.to_path_buf(),
        diagnostic: Diagnostic {
            code: rules::invalid_line::RULE.code,
            severity: Severity::Error,
            span: Span::at(0),
            position: Position {
                line: line as u32,
                column,
            },
            message,
            help: Some("write one object with at least `name` and `description`".to_owned()),
            fix: None,
        },
    }
}

fn read_line(line: &[u8]) -> Result<Read, (u32, String)> {
    let read: Read = serde_json::from_slice(line).map_err(|error| {
        let message = error.to_string();
        // The place stands beside the message already.
        let reason = message.split(" at line ").next().unwrap_or_default();
        (error.column().max(1) as u32, reason.to_owned())
    })?;
    if read.name.trim().is_empty() {
        return Err((1, "its `name` is empty".to_owned()));
    }
    Ok(read)
}

/// A line's skill as the `SKILL.md` it could have come from, so that everything else sees the
/// same document whichever way a skill arrived.
fn record(read: Read, file: &Path, number: usize) -> Record {
    let mut text = String::from("---\n");
    let known = [
        ("name".to_owned(), Value::String(read.name)),
        ("description".to_owned(), Value::String(read.description)),
    ];
    let others = read
        .fields
        .into_iter()
        .filter(|(key, value)| !FACTS.contains(&&**key) && !value.is_null());
    for (key, value) in known.into_iter().chain(others) {
        write_text(&mut text, &key);
        text.push_str(": ");
        write_flow(&mut text, &value);
        text.push('\n');
    }
    text.push_str("---\n");
    text.push_str(&read.body);
    Record {
        path: read
            .path
            .map_or_else(|| format!("{}:{number}", file.display()).into(), Into::into),
        text,
        id: read.id,
        last_modified: read.last_modified,
    }
}

/// Writes a value on one line of YAML. JSON is nearly that already, but for the space after a
/// colon and a few characters that YAML wants escaped.
fn write_flow(text: &mut String, value: &Value) {
    match value {
        Value::String(string) => write_text(text, string),
        Value::Array(values) => {
            text.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write_flow(text, value);
            }
            text.push(']');
        }
        Value::Object(fields) => {
            text.push('{');
            for (index, (key, value)) in fields.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write_text(text, key);
                text.push_str(": ");
                write_flow(text, value);
            }
            text.push('}');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => text.push_str(&value.to_string()),
    }
}

fn write_text(text: &mut String, string: &str) {
    text.push('"');
    for char in string.chars() {
        match char {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '\r' => text.push_str("\\r"),
            _ if char.is_control() || matches!(char, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                // Writing to a string does not fail.
                let _ = write!(text, "\\u{:04x}", u32::from(char));
            }
            _ => text.push(char),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::{Catalog, LoadOptions, Source, testing::Tree};

    fn load(source: MemorySource) -> Catalog {
        let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
        Catalog::load(&sources, &LoadOptions::default()).unwrap()
    }

    fn import(text: &str) -> Catalog {
        load(import_jsonl(
            Path::new("all.jsonl"),
            text.as_bytes(),
            &Limits::default(),
        ))
    }

    fn export(catalog: &Catalog) -> String {
        let mut out = Vec::new();
        export_jsonl(catalog.skills(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_bad_line_is_told_and_the_others_load() {
        let catalog = import(concat!(
            "{\"name\":\"a\",\"description\":\"A\",\"body\":\"\\nDo a.\\n\"}\n",
            "\n",
            "{\"name\":\"b\"\n",
            "{\"name\":\"c\"}\n",
            "[1]\n",
            "{\"name\":\" \",\"description\":\"D\"}\r\n",
            "{\"id\":\"mine@1\",\"name\":\"d\",\"description\":\"D\",\"tags\":[\"x\"],\"unknown\":{\"a\":[1,null,true]}}\r\n",
        ));
        expect![[r#"
            active a all.jsonl:1
            active d all.jsonl:7
            all.jsonl
              error[invalid-line] line 3 is not a skill and is left out: EOF while parsing an object
            all.jsonl
              error[invalid-line] line 4 is not a skill and is left out: missing field `description`
            all.jsonl
              error[invalid-line] line 5 is not a skill and is left out: invalid type: sequence, expected an object
            all.jsonl
              error[invalid-line] line 6 is not a skill and is left out: its `name` is empty
        "#]].assert_eq(&Tree::new().tell(&catalog));
        let lines: Vec<_> = catalog
            .findings()
            .iter()
            .map(|it| it.diagnostic.position.line)
            .collect();
        assert_eq!(lines, [3, 4, 5, 6]);
        assert_eq!(catalog.get("a").unwrap().instructions(), "Do a.");
        assert_eq!(catalog.by_id("mine@1").unwrap().tags(), ["x"]);
    }

    #[test]
    fn a_file_read_as_a_stream_is_the_same_catalog() {
        let lines = concat!(
            "{\"name\":\"a\",\"description\":\"A\"}\r\n\n",
            "{\"name\":\"long\",\"description\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}\n",
            "[1]\n{\"id\":\"mine\",\"name\":\"b\",\"description\":\"B\"}",
        );
        let tree = Tree::new().file("all.jsonl", lines);
        let file = tree.root().join("all.jsonl");
        let limits = Limits {
            file_bytes: 8,
            ..Limits::default()
        };
        let options = LoadOptions {
            limits: limits.clone(),
            ..LoadOptions::default()
        };
        let told = |source: Box<dyn Source>| {
            let catalog = Catalog::load(&[source], &options).unwrap();
            (export(&catalog), catalog.findings().to_vec())
        };
        let stream = told(Box::new(JsonlSource::open(&file).unwrap()));
        let whole = import_jsonl(&file, lines.as_bytes(), &limits);
        assert_eq!(stream, told(Box::new(whole)));
        let messages: Vec<_> = stream.1.iter().map(|it| &*it.diagnostic.message).collect();
        assert!(messages[0].ends_with("it is too long"), "{messages:?}");
        assert!(JsonlSource::open(tree.root()).is_err());
    }

    #[test]
    fn what_is_exported_comes_back() {
        let catalog = load(MemorySource::new("memory").skill(
            "pdf/SKILL.md",
            concat!(
                "---\nname: pdf\ndescription: \"Says: \\\"hi\\\" \\\\ \\t \\u0085\"\ntags: [a, 'b: c']\n",
                "version: 1.10\nmetadata:\n  deep: {x: [1, {y: no}]}\nid: mine\n---\nBody\n---\nmore \u{1f600}\n",
            ),
        ));
        let first = export(&catalog);
        expect![[r#"
            {"id":"pdf-6567ae355664","name":"pdf","description":"Says: \"hi\" \\","tags":["a","b: c"],"body":"Body\n---\nmore 😀","path":"pdf/SKILL.md","scope":"explicit","origin":"memory","version":"1.10","metadata":{"deep":{"x":["1",{"y":"no"}]}}}
        "#]].assert_eq(&first);
        assert_eq!(
            export(&import(&first)),
            first.replace("\"memory\"", "\"all.jsonl\"")
        );
    }

    /// The labelled data of the selection stage, where it is at hand.
    #[test]
    fn real_catalogs_load() {
        let Some(shared) = crate::testing::shared() else {
            eprintln!("skipped: no shared data");
            return;
        };
        let file = shared.join("data/selection/skills.jsonl");
        #[expect(clippy::disallowed_methods, reason = "the test reads its own data")]
        let bytes = std::fs::read(&file).unwrap();
        let catalog = load(import_jsonl(&file, &bytes, &Limits::default()));
        let lines = bytes
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty());
        assert_eq!(catalog.skills().len(), lines.count());
        assert_eq!(catalog.findings(), []);
        let broken: Vec<_> = catalog
            .skills()
            .iter()
            .filter(|skill| skill.state() == crate::State::Broken)
            .map(Skill::name)
            .collect();
        assert_eq!(broken, Vec::<&str>::new());
    }
}
