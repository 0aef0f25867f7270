//! Reads one skill's file: encoding, fences, fields, instructions.

use std::borrow::Cow;

use crate::{
    diagnostic::{Diagnostic, Edit, Fix, Span},
    document::{Document, Syntax},
    frontmatter::{self, Cut},
    limits,
    profile::Profile,
    repair::{self, Repair, RepairKind, Repaired},
    rules::{self, Report, Rule, Subject},
    simple, toml,
    value::{Field, Node, Value},
    yaml::{self, Budget, Remark, Stop},
};

/// A document and what was noticed while reading it.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// What was read; empty where nothing could be.
    pub document: Document,
    /// What was noticed, in the order of its places.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads one skill's file and judges what it must have: a name and a description that a client
/// can use. Any bytes parse; what is wrong is reported with its place.
///
/// [`judge`](crate::judge) applies every rule, and [`read`] none.
pub fn parse(bytes: impl Into<Vec<u8>>, profile: Profile) -> Parsed {
    let mut parsed = read(bytes, profile);
    let subject = Subject {
        document: &parsed.document,
        file_name: "SKILL.md",
        folder: None,
    };
    let found = rules::check_essential(&subject, profile);
    parsed.diagnostics.extend(found);
    parsed.diagnostics.sort_by_key(|it| it.span);
    parsed
}

/// Reads one skill's file without a judgement on what it says: only what could not be read, or was
/// repaired, is reported.
pub fn read(bytes: impl Into<Vec<u8>>, profile: Profile) -> Parsed {
    let text = match decode(bytes.into(), profile) {
        Ok(text) => text,
        Err(diagnostics) => {
            return Parsed {
                document: Document::default(),
                diagnostics,
            };
        }
    };
    let mut report = Report::new(text.as_bytes(), profile);
    let mut document = read_text(&text, &mut report);
    let diagnostics = report.finish();
    document.text = text;
    Parsed {
        document,
        diagnostics,
    }
}

/// The bytes as text, or why they are none.
pub(crate) fn decode(bytes: Vec<u8>, profile: Profile) -> Result<Box<str>, Vec<Diagnostic>> {
    if let Some(encoding) = foreign_encoding(&bytes) {
        let mut report = Report::new(&bytes, profile);
        report.note_with_help(
            &rules::wrong_encoding::RULE,
            Span::at(0),
            format!("the file is written in {encoding} and cannot be read"),
            "save it as UTF-8",
        );
        return Err(report.finish());
    }
    String::from_utf8(bytes)
        .map(String::into_boxed_str)
        .map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let bytes = error.as_bytes();
            let mut report = Report::new(bytes, profile);
            report.note_with_help(
                &rules::invalid_utf8::RULE,
                Span::new(
                    at,
                    at + error.utf8_error().error_len().unwrap_or(bytes.len() - at),
                ),
                format!(
                    "byte {at} (0x{:02X}) is not UTF-8, so the file cannot be read",
                    bytes[at]
                ),
                "save it as UTF-8",
            );
            report.finish()
        })
}

/// The name of an encoding whose mark the file starts with, or whose fence where it has no mark.
fn foreign_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] | [b'-' | b'+', 0, 0, 0, ..] => Some("UTF-32 (little endian)"),
        [0, 0, 0xFE, 0xFF, ..] | [0, 0, 0, b'-' | b'+', ..] => Some("UTF-32 (big endian)"),
        [0xFF, 0xFE, ..] | [b'-' | b'+', 0, b'-' | b'+', 0, ..] => Some("UTF-16 (little endian)"),
        [0xFE, 0xFF, ..] | [0, b'-' | b'+', 0, b'-' | b'+', ..] => Some("UTF-16 (big endian)"),
        _ => None,
    }
}

/// Reads the text; the document's own text is filled in by the caller.
fn read_text(text: &str, report: &mut Report<'_>) -> Document {
    let (mark, start) = frontmatter::start(text);
    if text[mark..].trim().is_empty() {
        report.note_with_help(
            &rules::empty_file::RULE,
            Span::at(0),
            "the file is empty, so there is no skill to load",
            "write frontmatter with `name` and `description`, then the instructions",
        );
        return Document::default();
    }
    surroundings(text, mark, start, report);
    let Some(cut) = frontmatter::cut(text, start) else {
        // A model that was asked for the file often wraps it into a block.
        let mut lines = text[start..].lines();
        let wrapped = lines.next().is_some_and(|line| line.starts_with("```"))
            && lines.next().is_some_and(|line| line.trim_end() == "---");
        report.note_with_help(
            &rules::missing_frontmatter::RULE,
            Span::at(start),
            "the file has no frontmatter, so the skill has no name and no description",
            if wrapped {
                "take out the first line, and the fence that closes it: the frontmatter starts the file"
            } else {
                "start the file with `---`, `name:` and `description:` lines, and `---`"
            },
        );
        return Document {
            instructions: frontmatter::trimmed(text, start, text.len()),
            ..Document::default()
        };
    };
    let Some(instructions) = cut.instructions else {
        let fence = cut.fence.of(text);
        report.note_with_help(
            &rules::unclosed_frontmatter::RULE,
            cut.fence,
            format!("the frontmatter opened by this `{fence}` is never closed, so nothing of the file is read"),
            format!("add a line `{fence}` after the last field"),
        );
        return Document::default();
    };
    fence_blanks(text, &cut, report);
    let fields = fields(text, &cut, report);
    Document {
        syntax: Some(cut.syntax),
        frontmatter: cut.frontmatter,
        instructions,
        fields,
        text: Box::default(),
    }
}

/// Notes blanks behind the fences.
fn fence_blanks(text: &str, cut: &Cut, report: &mut Report<'_>) {
    let edits: Vec<Edit> = [cut.fence.start, cut.frontmatter.end]
        .into_iter()
        .filter_map(|start| {
            let line = &text[start..frontmatter::line_end(text, start)];
            let blanks = line.trim_end_matches(['\r', '\n']).len() - line.trim_end().len();
            let end = start + 3;
            (blanks > 0).then(|| Edit {
                span: Span::new(end, end + blanks),
                text: String::new(),
            })
        })
        .collect();
    if let Some(first) = edits.first() {
        report.note_with_fix(
            &rules::fence_space::RULE,
            first.span,
            "blanks stand behind a fence, and Gemini CLI then sees no frontmatter",
            Fix {
                title: "remove the blanks".to_owned(),
                edits,
            },
        );
    }
}

/// Notes what stands around the text: marks, line ends, control characters.
fn surroundings(text: &str, mark: usize, start: usize, report: &mut Report<'_>) {
    if mark > 0 {
        let fix = Fix::replace("remove the byte order mark", Span::new(0, mark), "");
        report.note_with_fix(
            &rules::byte_order_mark::RULE,
            Span::new(0, mark),
            "the file starts with a byte order mark; Codex and Gemini CLI then drop the skill, VS Code loses its text",
            fix,
        );
    }
    if start > mark {
        let fix = Fix::replace("remove the blank lines", Span::new(mark, start), "");
        report.note_with_fix(
            &rules::blank_before_frontmatter::RULE,
            Span::new(mark, start),
            "blank lines stand before the frontmatter; Codex, Gemini CLI, OpenCode and Copilot CLI then drop the skill, Claude Code and VS Code lose its text",
            fix,
        );
    }
    if let Some(at) = memchr::memchr(b'\r', text.as_bytes()) {
        let lone = text.as_bytes().get(at + 1) != Some(&b'\n');
        let profile = report.profile();
        let (rule, message): (&'static Rule, _) = if lone {
            (
                &rules::carriage_returns::RULE,
                "a line ends in CR alone; Codex, Gemini CLI, OpenCode and Copilot CLI then drop the skill, Claude Code loses its text",
            )
        } else {
            (
                &rules::line_endings::RULE,
                "lines end in CRLF; clients read them, but scripts copied out of the text stop working",
            )
        };
        let noted = report.note(rule, Span::new(at, at + 1), message);
        if let Some(diagnostic) = noted {
            diagnostic.help = Some(LINE_FEEDS.to_owned());
            // A load has no use for an edit per line, and may hold thousands of such files.
            if profile != Profile::Lenient {
                diagnostic.fix = Some(line_feeds(text));
            }
        }
    }
    if let Some(at) = first_control(text) {
        let control = text[at..].chars().next().unwrap_or_default();
        report.note_with_help(
            &rules::control_character::RULE,
            Span::new(at, at + control.len_utf8()),
            format!(
                "the control character U+{:04X} stands in the text",
                u32::from(control)
            ),
            "remove it",
        );
    }
}

/// Where the first control character stands, of C0 or of C1, which terminals obey as well.
fn first_control(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    // A pass without branches is many times quicker; the place is only looked up when needed.
    let any = bytes
        .iter()
        .fold(false, |found, byte| found | is_control(*byte));
    let first = any.then(|| bytes.iter().position(|byte| is_control(*byte)));
    // C1 is two bytes in UTF-8, U+0080 to U+009F.
    let is_c1 = |at: &usize| matches!(bytes.get(at + 1), Some(0x80..=0x9F));
    let second = memchr::memchr_iter(0xC2, bytes).find(is_c1);
    first.flatten().into_iter().chain(second).min()
}

/// What [`line_feeds`] does.
const LINE_FEEDS: &str = "save the file with LF line endings";

/// Ends every line with a line feed.
fn line_feeds(text: &str) -> Fix {
    let edits = memchr::memchr_iter(b'\r', text.as_bytes()).map(|at| {
        let paired = text.as_bytes().get(at + 1) == Some(&b'\n');
        Edit {
            span: Span::new(at, at + 1),
            text: if paired { "" } else { "\n" }.to_owned(),
        }
    });
    Fix {
        title: LINE_FEEDS.to_owned(),
        edits: edits.collect(),
    }
}

/// Control characters that no text needs.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=0x08 | 0x0B | 0x0C | 0x0E..=0x1F | 0x7F)
}

fn fields(text: &str, cut: &Cut, report: &mut Report<'_>) -> Vec<Field> {
    let span = cut.frontmatter;
    if span.end - span.start > limits::FRONTMATTER_BYTES {
        report.note_with_help(
            &rules::frontmatter_too_large::RULE,
            cut.fence,
            format!(
                "the frontmatter is {} KiB long and at most {} KiB are read, so the skill has no fields",
                (span.end - span.start) / 1024,
                limits::FRONTMATTER_BYTES / 1024
            ),
            "move the text below the closing fence",
        );
        return Vec::new();
    }
    let fields = match cut.syntax {
        Syntax::Toml => toml_fields(text, span, report),
        Syntax::Yaml => yaml_fields(text, span, cut.fence, report),
    };
    duplicates(text, &fields, report);
    fields
}

fn toml_fields(text: &str, span: Span, report: &mut Report<'_>) -> Vec<Field> {
    toml::read(span.of(text), span.start).unwrap_or_else(|error| {
        report.note_with_help(
            &rules::invalid_toml::RULE,
            error.span,
            format!(
                "the frontmatter is not valid TOML, so the skill has no fields: {}",
                error.why
            ),
            "fix this line",
        );
        Vec::new()
    })
}

fn yaml_fields(text: &str, span: Span, fence: Span, report: &mut Report<'_>) -> Vec<Field> {
    if let Some(fields) = simple::read(span.of(text), span.start) {
        return fields;
    }
    let text = without_marks(&without_controls(text, span), span).into_owned();
    match yaml::read(span.of(&text), span.start, &mut Budget::default()) {
        Ok(read) => {
            remarks(&read.remarks, report);
            root_fields(read.root, fence, report)
        }
        Err(stop) => {
            let repaired = repair::repair(&text, span);
            report_repairs(&stop, &repaired, span, report);
            repaired.fields
        }
    }
}

/// The text with a blank for each control character in the frontmatter: they end a scalar, or
/// the stream, for YAML, and a blank of the same width keeps every place where it is. The
/// finding itself is noted with the surroundings.
fn without_controls(text: &str, frontmatter: Span) -> Cow<'_, str> {
    if !frontmatter.of(text).bytes().any(is_control) {
        return Cow::Borrowed(text);
    }
    let blanked = text.char_indices().map(|(at, char)| {
        let control = u8::try_from(char).is_ok_and(is_control);
        if control && frontmatter.start <= at {
            ' '
        } else {
            char
        }
    });
    Cow::Owned(blanked.collect())
}

/// The text with a comment for each mark of a merge conflict in the frontmatter, so that the marks
/// become no part of a field. The conflict itself is a finding of its rule.
fn without_marks(text: &str, frontmatter: Span) -> Cow<'_, str> {
    if rules::merge_conflict::conflict(frontmatter.of(text)).is_none() {
        return Cow::Borrowed(text);
    }
    let mut marked = text.to_owned();
    let mut at = frontmatter.start;
    while at < frontmatter.end {
        let next = frontmatter::line_end(text, at);
        if ["<<<<<<< ", "=======", ">>>>>>> "]
            .iter()
            .any(|mark| text[at..next].starts_with(mark))
        {
            marked.replace_range(at..=at, "#");
        }
        at = next;
    }
    Cow::Owned(marked)
}

/// The fields of a document that could be read; none where it is no map.
fn root_fields(root: Option<Node>, fence: Span, report: &mut Report<'_>) -> Vec<Field> {
    let (place, kind) = match root {
        Some(Node {
            value: Value::Map(fields),
            ..
        }) => return fields,
        Some(other) => (other.span, other.value.kind()),
        None => (fence, "empty"),
    };
    report.note_with_help(
        &rules::not_a_map::RULE,
        place,
        format!("the frontmatter is {kind} where fields are expected, so the skill has none"),
        "write `name: …` and `description: …`, each on a line of its own",
    );
    Vec::new()
}

/// Notes what became of a frontmatter that is not valid YAML.
fn report_repairs(stop: &Stop, repaired: &Repaired, frontmatter: Span, report: &mut Report<'_>) {
    remarks(&repaired.remarks, report);
    if repaired.fields.is_empty() {
        let rule: &'static Rule = match stop {
            Stop::Limit { .. } => &rules::yaml_limit::RULE,
            Stop::Syntax { .. } => &rules::invalid_yaml::RULE,
        };
        report.note_with_help(
            rule,
            Span::at(stop.at().min(frontmatter.end)),
            format!(
                "the frontmatter cannot be read, so the skill has no fields: {}",
                stop.why()
            ),
            "fix this line, or put the value in quotes",
        );
        return;
    }
    if let Some(stray) = repaired.stray {
        report.note_with_help(
            &rules::repaired_yaml::RULE,
            stray,
            "these lines belong to no field and are passed over",
            "remove them, or write them as `key: value`",
        );
    }
    if let Stop::Limit { at, what } = stop {
        report.note_with_help(
            &rules::yaml_limit::RULE,
            Span::at(*at),
            format!("the frontmatter is too complex, so part of it was kept as text: {what}"),
            "write the values more simply",
        );
        return;
    }
    for repair in &repaired.repairs {
        report_repair(repair, report);
    }
}

/// Notes how one field was read, and what to write in its place.
fn report_repair(repair: &Repair, report: &mut Report<'_>) {
    let key = &repair.key;
    let (rule, message): (&'static Rule, _) = match repair.kind {
        RepairKind::LooseQuotes => (
            &rules::loose_quotes::RULE,
            format!(
                "the quoted value of `{key}` goes on without indentation, which strict readers refuse"
            ),
        ),
        RepairKind::Repaired => (
            &rules::repaired_yaml::RULE,
            format!(
                "`{key}` is not valid YAML and was repaired here: {}; {}",
                repair.why, repair.lost
            ),
        ),
        RepairKind::UnknownAlias => (
            &rules::unknown_alias::RULE,
            format!("`{key}` is an alias of nothing and was read as text"),
        ),
        RepairKind::Limit => (
            &rules::yaml_limit::RULE,
            format!(
                "`{key}` is too complex and was kept as text: {}",
                repair.why
            ),
        ),
    };
    let at = Span::new(repair.at, repair.span.end.max(repair.at));
    if repair.kind == RepairKind::Limit {
        report.note_with_help(rule, at, message, "write the value more simply");
    } else if let Some(field) = repair.inner_field {
        // Quotes would make a lost line break final, so the author decides.
        report.note_with_help(
            rule,
            at,
            message,
            format!(
                "put `{field}: …` on a line of its own if it is a field, else put the value of `{key}` in quotes"
            ),
        );
    } else {
        let fix = Fix::replace(
            shown(&repair.replacement),
            repair.span,
            repair.replacement.clone(),
        );
        report.note_with_fix(rule, at, message, fix);
    }
}

/// The title of a replacement: its first line, cut to what fits a line.
fn shown(replacement: &str) -> String {
    const WIDTH: usize = 100;
    let line = replacement.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(WIDTH).collect();
    if cut.len() < line.len() {
        format!("write `{cut}…`")
    } else if line.len() < replacement.len() {
        format!("write `{cut}` and indent the lines below it")
    } else {
        format!("write `{cut}`")
    }
}

fn remarks(remarks: &[(Remark, Span)], report: &mut Report<'_>) {
    for (remark, span) in remarks {
        match remark {
            Remark::Alias => report.note_with_help(
                &rules::yaml_alias::RULE,
                *span,
                "an alias repeats an earlier text, and many clients do not follow it",
                "write the text itself",
            ),
            Remark::AliasKept => report.note_with_help(
                &rules::yaml_alias::RULE,
                *span,
                "an alias of a list or map is not followed and stays text",
                "write the value itself",
            ),
            Remark::Tag => report.note_with_help(
                &rules::yaml_tag::RULE,
                *span,
                "a YAML tag has no effect here",
                "remove the tag",
            ),
            Remark::SecondDocument => report.note_with_help(
                &rules::multiple_documents::RULE,
                *span,
                "a second YAML document starts here and is not read",
                "keep all fields in one document",
            ),
        }
    }
}

/// Notes keys that stand twice, at any depth.
fn duplicates(text: &str, fields: &[Field], report: &mut Report<'_>) {
    for (number, field) in fields.iter().enumerate() {
        if let Some(first) = fields[..number]
            .iter()
            .find(|earlier| earlier.key == field.key)
        {
            let line = crate::diagnostic::Position::of(text.as_bytes(), first.key_span.start).line;
            report.note_with_help(
                &rules::duplicate_field::RULE,
                field.key_span,
                format!(
                    "`{}` stands twice; the first, in line {line}, counts",
                    field.key
                ),
                "keep one of them",
            );
        }
        duplicates_within(text, &field.node.value, report);
    }
}

fn duplicates_within(text: &str, value: &Value, report: &mut Report<'_>) {
    match value {
        Value::Scalar(..) => {}
        Value::List(nodes) => nodes
            .iter()
            .for_each(|node| duplicates_within(text, &node.value, report)),
        Value::Map(fields) => duplicates(text, fields, report),
    }
}
