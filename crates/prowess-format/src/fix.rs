//! Makes the fixes that findings offer, each one proven before it stays.
//!
//! A fix is a promise about one thing. So each is made alone, the text is read again, and it stays
//! only if its finding is gone, no new error came, and every field and every word of the
//! instructions is what it was, except for what the fix says it changes. A fix that breaks its
//! promise is left out, and the reason is given.

use serde_json::Value as Json;

use crate::{
    diagnostic::{Diagnostic, Edit, Fix, Severity},
    document::Document,
    parse::{Parsed, read},
    profile::Profile,
    rules::hidden_unicode::can_hide,
    rules::{self, Folder, Subject},
};

/// More fixes than this are not made in one file; the next run makes the rest.
const MOST_FIXES: usize = 500;

/// What became of the fixes of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FixResult {
    /// The text with every fix that kept its promise.
    pub text: String,
    /// The findings that were fixed, in the order of their fixes.
    pub made: Vec<Diagnostic>,
    /// The findings whose fix was left out, and why.
    pub refused: Vec<(Diagnostic, String)>,
}

/// Reads a file's text and judges it by every rule.
pub fn judge(text: &str, file_name: &str, folder: Option<&Folder>, profile: Profile) -> Parsed {
    let mut parsed = read(text.as_bytes(), profile);
    let subject = Subject {
        document: &parsed.document,
        file_name,
        folder,
    };
    let found = rules::check(&subject, profile);
    parsed.diagnostics.extend(found);
    parsed
}

/// Makes every wanted fix that keeps its promise. Making them again changes nothing more.
pub fn fix(
    text: &str,
    file_name: &str,
    folder: Option<&Folder>,
    profile: Profile,
    wanted: impl Fn(&Diagnostic) -> bool,
) -> FixResult {
    let judge = |text: &str| judge(text, file_name, folder, profile);
    let mut fixed = FixResult {
        text: text.to_owned(),
        ..FixResult::default()
    };
    let mut now = judge(text);
    for _ in 0..MOST_FIXES {
        fixed.refused.clear();
        // What decides whether a skill loads comes first; the rest may depend on it.
        let mut offered: Vec<&Diagnostic> = now
            .diagnostics
            .iter()
            .filter(|it| it.fix.is_some() && wanted(it))
            .collect();
        offered.sort_by_key(|it| (it.severity, it.span));
        let mut next = None;
        for diagnostic in offered {
            match attempt(&fixed.text, &now, diagnostic, judge) {
                Ok(better) => {
                    next = Some((diagnostic.clone(), better));
                    break;
                }
                Err(reason) => fixed.refused.push((diagnostic.clone(), reason)),
            }
        }
        let Some((diagnostic, (text, parsed))) = next else {
            break;
        };
        fixed.made.push(diagnostic);
        fixed.text = text;
        now = parsed;
    }
    fixed
}

/// Makes one fix on a copy; an error says which promise it would break.
fn attempt(
    text: &str,
    before: &Parsed,
    diagnostic: &Diagnostic,
    judge: impl Fn(&str) -> Parsed,
) -> Result<(String, Parsed), String> {
    let fix = diagnostic.fix.as_ref().ok_or("there is no fix")?;
    if before.diagnostics.iter().any(is_conflict) {
        return Err("a merge conflict is to be resolved first".to_owned());
    }
    let next = fix.apply(text).ok_or("it does not fit the text")?;
    if next == text {
        return Err("it changes nothing".to_owned());
    }
    let after = judge(&next);
    keeps(&before.document, &after.document, diagnostic, fix)?;
    if count(&after, diagnostic.code) >= count(before, diagnostic.code) {
        return Err("the finding would stand as before".to_owned());
    }
    let is_error = |it: &&Diagnostic| it.severity == Severity::Error;
    let new = after.diagnostics.iter().filter(is_error).find(|it| {
        let errors = before.diagnostics.iter().filter(is_error);
        count(&after, it.code) > errors.filter(|old| old.code == it.code).count()
    });
    match new {
        Some(error) => Err(format!("it would bring another error: {}", error.message)),
        None => Ok((next, after)),
    }
}

fn is_conflict(diagnostic: &Diagnostic) -> bool {
    diagnostic.code == rules::merge_conflict::RULE.code
}

fn count(parsed: &Parsed, code: &str) -> usize {
    let found = parsed.diagnostics.iter();
    found.filter(|it| it.code == code).count()
}

/// Holds a fix to what it says it changes.
fn keeps(
    before: &Document,
    after: &Document,
    diagnostic: &Diagnostic,
    fix: &Fix,
) -> Result<(), String> {
    let mut expected = facts(before);
    let mut actual = facts(after);
    let body = before.instructions_span().start;
    let in_body = |edit: &Edit| edit.span.start >= body && before.syntax().is_some();
    let key = diagnostic.span.of(before.text());
    match diagnostic.code {
        "invalid-name" | "name-differs-from-folder" | "missing-name" => {
            expected.retain(|(key, _)| key != "name");
            actual.retain(|(key, _)| key != "name");
        }
        "misspelt-field" => {
            let Some(edit) = fix.edits.first() else {
                return Err("it changes nothing".to_owned());
            };
            let renamed = expected.iter_mut().find(|(old, _)| old == key);
            let renamed = renamed.ok_or("the field is not where it was")?;
            renamed.0.clone_from(&edit.text);
        }
        "unknown-field" => {
            let at = expected.iter().position(|(old, _)| old == key);
            let moved = expected.remove(at.ok_or("the field is not where it was")?);
            let metadata = expected.iter_mut().find(|(key, _)| key == "metadata");
            match metadata {
                Some((_, Json::Object(map))) => {
                    map.insert(moved.0, moved.1);
                }
                Some(_) => return Err("`metadata` is no map".to_owned()),
                None => {
                    let map = [moved].into_iter().collect();
                    expected.push(("metadata".to_owned(), Json::Object(map)));
                }
            }
        }
        // The text after ` #` was a comment, and is part of the value now.
        "comment-in-value" => {
            let field = |facts: &[(String, Json)]| {
                let found = facts.iter().find(|(key, _)| key == "description");
                found.and_then(|(_, value)| value.as_str().map(str::to_owned))
            };
            let longer = field(&actual).zip(field(&expected));
            if !longer.is_some_and(|(new, old)| new.starts_with(&old)) {
                return Err("the description would not go on as written".to_owned());
            }
            expected.retain(|(key, _)| key != "description");
            actual.retain(|(key, _)| key != "description");
        }
        "hidden-unicode" | "invisible-character" => {
            strip(&mut expected, can_hide);
            strip(&mut actual, can_hide);
        }
        "line-endings" | "carriage-returns" => {
            strip(&mut expected, |c| matches!(c, '\r' | '\n'));
            strip(&mut actual, |c| matches!(c, '\r' | '\n'));
        }
        _ => {}
    }
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    actual.sort_by(|a, b| a.0.cmp(&b.0));
    if expected != actual {
        let differs = expected.iter().find(|it| !actual.contains(it));
        let lost = differs.or_else(|| actual.iter().find(|it| !expected.contains(it)));
        let key = lost.map_or("a field", |(key, _)| key);
        return Err(format!("`{}` would be read differently", crate::shown(key)));
    }
    if !fix.edits.iter().any(in_body) && plain(before) != plain(after) {
        return Err("the instructions would change".to_owned());
    }
    Ok(())
}

/// The instructions without what a fix of the whole file may change in them.
fn plain(document: &Document) -> String {
    let text = document.instructions();
    let kept = |c: &char| !matches!(c, '\r' | '\n') && !can_hide(*c);
    text.chars().filter(kept).collect()
}

/// Every field, the doubled ones too.
pub(crate) fn facts(document: &Document) -> Vec<(String, Json)> {
    let value = |node| serde_json::to_value(node).unwrap_or_default();
    let fields = document.fields().iter();
    fields
        .map(|field| (field.key.to_string(), value(&field.node.value)))
        .collect()
}

fn strip(facts: &mut [(String, Json)], goes: impl Fn(char) -> bool + Copy) {
    fn within(value: &mut Json, goes: impl Fn(char) -> bool + Copy) {
        match value {
            Json::String(text) => text.retain(|c| !goes(c)),
            Json::Array(values) => values.iter_mut().for_each(|it| within(it, goes)),
            Json::Object(map) => map.values_mut().for_each(|it| within(it, goes)),
            _ => {}
        }
    }
    for (key, value) in facts {
        key.retain(|c| !goes(c));
        within(value, goes);
    }
}

/// Rules that a file cannot switch off for itself: a hostile one would.
static NOT_BY_THE_FILE: &[&str] = &[
    "confusable-name",
    "control-character",
    "dynamic-context",
    "frame-marker",
    "hidden-unicode",
    "html-comment",
    "piped-download",
    "secret-in-text",
    "wildcard-tool",
];

/// The rules that a comment in the file switches off for it: `# prowess-ignore: CODE, CODE` in the
/// frontmatter, or the same in an HTML comment below it.
pub fn ignored_rules(text: &str) -> Vec<&'static str> {
    const MARK: &str = "prowess-ignore:";
    let mut codes = Vec::new();
    for (at, _) in text.match_indices(MARK) {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let before = text[line..at].trim();
        if before != "#" && before != "<!--" {
            continue;
        }
        let rest = text[at + MARK.len()..].lines().next().unwrap_or_default();
        let words = rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        let known = words.filter_map(rules::find).map(|rule| rule.code);
        codes.extend(known.filter(|code| !NOT_BY_THE_FILE.contains(code)));
    }
    codes
}
