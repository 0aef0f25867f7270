//! The rules a skill is judged by: one file each, with its code, its levels and its check. What
//! is found while reading or cataloguing is declared in `rules/table.rs`.
//!
//! Every rule has a page of the same name in `docs/spec/`, whose examples run as tests.

use std::{borrow::Cow, collections::HashMap, fmt::Write as _, sync::LazyLock};

use crate::{
    diagnostic::{Diagnostic, Fix, LineCursor, Severity, Span},
    document::{Document, Syntax},
    profile::Profile,
    secret::redact,
};

pub mod backslash_path;
pub mod bad_glob;
pub mod bad_tool_pattern;
pub mod client_field;
pub mod comment_in_value;
pub mod dead_anchor;
pub mod description_too_large;
pub mod dynamic_context;
pub mod empty_instructions;
pub mod fence_in_value;
pub mod frame_marker;
pub mod hidden_unicode;
pub mod home_path;
pub mod html_comment;
pub mod interactive_script;
pub mod invalid_name;
pub mod invisible_character;
pub mod keyword_as_glob;
pub mod keyword_stuffing;
pub mod long_compatibility;
pub mod long_description;
pub mod long_instructions;
pub mod long_when_to_use;
pub mod markup_in_description;
pub mod merge_conflict;
pub mod metadata_not_text;
pub mod missing_description;
pub mod missing_file;
pub mod missing_name;
pub mod misspelt_field;
pub mod name_differs_from_folder;
pub mod non_ascii_name;
pub mod outside_reference;
pub mod piped_download;
pub mod placeholder;
pub mod reserved_name;
pub mod script_not_executable;
pub mod secret_in_text;
pub mod substituted_text;
mod table;
pub mod thin_description;
pub mod toml_frontmatter;
pub mod unclosed_fence;
pub mod unfinished;
pub mod unknown_field;
pub mod unmentioned_file;
pub mod unquoted_text;
pub mod vague_description;
pub mod wildcard_tool;
pub mod wrong_client_type;
pub mod wrong_type;
pub mod wrong_value;

pub use table::*;

/// The rules with a check, in the order in which they look at a skill.
static CHECKED: &[&Rule] = &[
    &backslash_path::RULE,
    &bad_glob::RULE,
    &bad_tool_pattern::RULE,
    &client_field::RULE,
    &comment_in_value::RULE,
    &dead_anchor::RULE,
    &description_too_large::RULE,
    &dynamic_context::RULE,
    &empty_instructions::RULE,
    &fence_in_value::RULE,
    &frame_marker::RULE,
    &hidden_unicode::RULE,
    &home_path::RULE,
    &html_comment::RULE,
    &interactive_script::RULE,
    &invalid_name::RULE,
    &invisible_character::RULE,
    &keyword_as_glob::RULE,
    &keyword_stuffing::RULE,
    &long_compatibility::RULE,
    &long_description::RULE,
    &long_instructions::RULE,
    &long_when_to_use::RULE,
    &markup_in_description::RULE,
    &merge_conflict::RULE,
    &metadata_not_text::RULE,
    &missing_description::RULE,
    &missing_file::RULE,
    &missing_name::RULE,
    &misspelt_field::RULE,
    &name_differs_from_folder::RULE,
    &non_ascii_name::RULE,
    &outside_reference::RULE,
    &piped_download::RULE,
    &placeholder::RULE,
    &reserved_name::RULE,
    &script_not_executable::RULE,
    &secret_in_text::RULE,
    &substituted_text::RULE,
    &thin_description::RULE,
    &toml_frontmatter::RULE,
    &unclosed_fence::RULE,
    &unfinished::RULE,
    &unknown_field::RULE,
    &unmentioned_file::RULE,
    &unquoted_text::RULE,
    &vague_description::RULE,
    &wildcard_tool::RULE,
    &wrong_client_type::RULE,
    &wrong_type::RULE,
    &wrong_value::RULE,
];

/// Every rule, in the order of their codes.
pub static ALL: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let mut all = [CHECKED, table::DECLARED].concat();
    all.sort_unstable_by_key(|rule| rule.code);
    all
});

/// Finds a rule by its code.
pub fn find(code: &str) -> Option<&'static Rule> {
    ALL.iter().find(|rule| rule.code == code).copied()
}

/// A rule: what it is called, how much it matters, and how it is found.
#[derive(Debug)]
pub struct Rule {
    /// The stable code, also the name of its file and its page.
    pub code: &'static str,
    /// What the rule asks for, in one sentence.
    pub summary: &'static str,
    /// How much a finding matters in each profile.
    pub levels: Levels,
    /// Looks at one skill; `None` where the finding is made while reading or cataloguing.
    pub check: Option<fn(&Subject<'_>, &mut Report<'_>)>,
}

impl Rule {
    /// Where its page is read.
    pub fn url(&self) -> String {
        let repository = env!("CARGO_PKG_REPOSITORY");
        format!("{repository}/blob/main/docs/spec/{}.md", self.code)
    }
}

/// The severity of a rule in each profile; `None` lets it pass.
#[derive(Debug, Clone, Copy)]
pub struct Levels {
    /// For loading.
    pub lenient: Option<Severity>,
    /// For `check`.
    pub standard: Option<Severity>,
    /// For failing loud.
    pub strict: Option<Severity>,
}

impl Levels {
    /// An error wherever it is found.
    pub const ERROR: Self = Self::new(
        Some(Severity::Error),
        Some(Severity::Error),
        Some(Severity::Error),
    );
    /// A warning wherever it is found.
    pub const WARNING: Self = Self::new(
        Some(Severity::Warning),
        Some(Severity::Warning),
        Some(Severity::Warning),
    );
    /// A hint wherever it is found.
    pub const HINT: Self = Self::new(
        Some(Severity::Hint),
        Some(Severity::Hint),
        Some(Severity::Hint),
    );
    /// Against the specification: loads with a warning, fails `check`.
    pub const SPECIFICATION: Self = Self::new(
        Some(Severity::Warning),
        Some(Severity::Error),
        Some(Severity::Error),
    );
    /// Tolerated by the specification, refused by those who fail loud.
    pub const LOUD: Self = Self::new(
        Some(Severity::Warning),
        Some(Severity::Warning),
        Some(Severity::Error),
    );

    /// Like [`LOUD`](Self::LOUD), without a word on loading.
    pub const CHECKED_LOUD: Self = Self::new(None, Some(Severity::Warning), Some(Severity::Error));
    /// A main client loses the skill or its text: a hint on loading, fails `check`.
    pub const LOST: Self = Self::new(
        Some(Severity::Hint),
        Some(Severity::Error),
        Some(Severity::Error),
    );

    /// Creates levels for lenient, standard and strict.
    pub const fn new(
        lenient: Option<Severity>,
        standard: Option<Severity>,
        strict: Option<Severity>,
    ) -> Self {
        Self {
            lenient,
            standard,
            strict,
        }
    }

    /// The severity under `profile`. The reference profile has its own verdicts; what else is
    /// found there is told as the standard tells it.
    pub fn severity(self, profile: Profile) -> Option<Severity> {
        match profile {
            Profile::Lenient => self.lenient,
            Profile::Standard | Profile::SkillsRef => self.standard,
            Profile::Strict => self.strict,
        }
    }
}

/// Judges one skill by every rule that looks at a skill. What was noticed while reading is in
/// [`Parsed`](crate::Parsed) already.
pub fn check(subject: &Subject<'_>, profile: Profile) -> Vec<Diagnostic> {
    let mut report = Report::new(subject.document.text().as_bytes(), profile);
    for rule in CHECKED {
        if let Some(check) = rule.check
            && rule.levels.severity(profile).is_some()
        {
            check(subject, &mut report);
        }
    }
    report.finish()
}

/// Judges one skill by the rules that decide whether and as what it loads. Costs well under a
/// microsecond on a good skill, so that every load can afford it.
pub fn check_essential(subject: &Subject<'_>, profile: Profile) -> Vec<Diagnostic> {
    let mut report = Report::new(subject.document.text().as_bytes(), profile);
    missing_name::check(subject, &mut report);
    invalid_name::check(subject, &mut report);
    name_differs_from_folder::check(subject, &mut report);
    missing_description::check(subject, &mut report);
    description_too_large::check(subject, &mut report);
    wrong_type::check(subject, &mut report);
    hidden_unicode::check(subject, &mut report);
    if profile == Profile::Strict {
        misspelt_field::check(subject, &mut report);
        unknown_field::check(subject, &mut report);
        wrong_client_type::check(subject, &mut report);
        bad_glob::check(subject, &mut report);
    }
    report.finish()
}

/// Looks only for hidden characters, in a file that is whole without fields.
pub fn check_hidden(subject: &Subject<'_>, profile: Profile) -> Vec<Diagnostic> {
    let mut report = Report::new(subject.document.text().as_bytes(), profile);
    hidden_unicode::check(subject, &mut report);
    report.finish()
}

/// Writes a text as a value of this document's frontmatter.
fn literal(document: &Document, text: &str) -> String {
    let plain =
        document.syntax() != Some(Syntax::Toml) && unquoted_text::kind_of_plain(text).is_none();
    if plain {
        text.to_owned()
    } else {
        format!("\"{text}\"")
    }
}

/// Writes a field of this document's frontmatter.
fn assignment(document: &Document, key: &str, text: &str) -> String {
    let mark = match document.syntax() {
        Some(Syntax::Toml) => " =",
        _ => ":",
    };
    format!("{key}{mark} {}", literal(document, text))
}

/// One skill as the rules see it.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// What was read.
    pub document: &'a Document,
    /// The name of the file, such as `SKILL.md`.
    pub file_name: &'a str,
    /// The folder it lies in, where there is one and it was looked at.
    pub folder: Option<&'a Folder>,
}

impl<'a> Subject<'a> {
    /// Whether fields could be read; where they could not, reading has told why.
    fn has_fields(&self) -> bool {
        let document = self.document;
        match document.syntax() {
            None => false,
            Some(Syntax::Yaml) => !document.fields().is_empty(),
            Some(Syntax::Toml) => {
                let frontmatter = document.frontmatter_span().of(document.text());
                !document.fields().is_empty() || frontmatter.trim().is_empty()
            }
        }
    }

    /// The name of the skill's own folder; a flat file such as `.skills/pdf.md` has none.
    fn folder_name(&self) -> Option<&'a str> {
        let folder = self.folder?;
        (self.file_name.eq_ignore_ascii_case("SKILL.md") && !folder.name.is_empty())
            .then_some(folder.name.as_str())
    }
}

/// A skill's folder: its name and every file below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folder {
    /// The folder's own name.
    pub name: String,
    /// The files below it, sorted by path.
    pub files: Vec<FolderFile>,
}

/// One file of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderFile {
    /// The path below the skill's folder, with `/` between its parts.
    pub path: String,
    /// Whether its owner may run it; `None` where the platform has no such bit.
    pub executable: Option<bool>,
    /// Its size in bytes.
    pub size: u64,
    /// What a script's text says; `None` for other files, and where it was not read.
    pub script: Option<Script>,
}

impl FolderFile {
    /// Whether its name is that of a script, so that its text is worth a look.
    pub fn is_script(&self) -> bool {
        let ending = self.path.rsplit_once('.').map(|(_, ending)| ending);
        ending.is_some_and(|ending| Script::ENDINGS.contains(&ending))
    }
}

/// What the rules want to know of a script's text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Script {
    /// Whether it starts with `#!`, so that it can be run by its name.
    pub shebang: bool,
    /// The first line that waits for a person to type, from one.
    pub asks_at: Option<u32>,
}

impl Script {
    const ENDINGS: &[&str] = &["sh", "bash", "zsh", "fish", "py", "rb", "pl", "js", "mjs"];

    /// Looks at a script's bytes.
    pub fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let asks = |line: &str| {
            let line = line.trim_start();
            let code = line.split(" #").next().unwrap_or_default();
            !line.starts_with(['#', '"', '\''])
                && (code.contains("= input(")
                    || code.starts_with("input(")
                    || code.contains("getpass.getpass(")
                    || code.starts_with("read -p")
                    || code.starts_with("read -rp"))
        };
        // One that also takes arguments asks only when it gets none.
        let takes = [
            "argparse", "sys.argv", "click.", "typer", "isatty", "getopts", "$1", "${1",
        ];
        let takes_arguments = takes.iter().any(|mark| text.contains(mark));
        let asks_at = text.lines().position(asks).map(|at| at as u32 + 1);
        Self {
            shebang: bytes.starts_with(b"#!"),
            asks_at: asks_at.filter(|_| !takes_arguments),
        }
    }
}

/// Collects findings about one file, each at the severity the profile gives its rule.
#[derive(Debug)]
pub struct Report<'a> {
    bytes: &'a [u8],
    profile: Profile,
    diagnostics: Vec<Diagnostic>,
    found: HashMap<&'static str, usize>,
    lines: LineCursor,
}

/// How many findings of one rule are told of one file. Nobody reads more, and a hostile file
/// could ask for a million; how many there are beyond is told with the last of them.
const TOLD: usize = 100;

impl<'a> Report<'a> {
    /// Starts a report on a file's bytes.
    pub fn new(bytes: &'a [u8], profile: Profile) -> Self {
        Self {
            bytes,
            profile,
            diagnostics: Vec::new(),
            found: HashMap::new(),
            lines: LineCursor::default(),
        }
    }

    /// The profile in use.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Notes a finding. Gives it back for `.help` and `.fix`, or `None` where the profile lets it
    /// pass, or where so many are noted already that this one is only counted.
    pub fn note(
        &mut self,
        rule: &'static Rule,
        span: Span,
        message: impl Into<String>,
    ) -> Option<&mut Diagnostic> {
        let severity = rule.levels.severity(self.profile)?;
        let found = self.found.entry(rule.code).or_default();
        *found += 1;
        if *found > TOLD {
            return None;
        }
        self.diagnostics.push(Diagnostic {
            code: rule.code,
            severity,
            span,
            position: self.lines.position(self.bytes, span.start),
            message: message.into(),
            help: None,
            fix: None,
        });
        self.diagnostics.last_mut()
    }

    /// Notes a finding with the step that fixes it.
    pub fn note_with_help(
        &mut self,
        rule: &'static Rule,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if let Some(diagnostic) = self.note(rule, span, message) {
            diagnostic.help = Some(help.into());
        }
    }

    /// Notes a finding that a machine can fix; the fix's title is the help.
    pub fn note_with_fix(
        &mut self,
        rule: &'static Rule,
        span: Span,
        message: impl Into<String>,
        fix: Fix,
    ) {
        if let Some(diagnostic) = self.note(rule, span, message) {
            diagnostic.help = Some(fix.title.clone());
            diagnostic.fix = Some(fix);
        }
    }

    /// Whether an error was noted.
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// The findings, in the order of their places.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        self.diagnostics
            .sort_by(|a, b| (a.span, a.code).cmp(&(b.span, b.code)));
        self.count_the_rest();
        // Findings are passed on, in logs and reports; a fix still holds the text as it is.
        for diagnostic in &mut self.diagnostics {
            for text in [Some(&mut diagnostic.message), diagnostic.help.as_mut()] {
                if let Some(text) = text
                    && let Cow::Owned(redacted) = redact(text)
                {
                    *text = redacted;
                }
            }
        }
        self.diagnostics
    }

    /// Says with the last finding of a rule how many more there are.
    fn count_the_rest(&mut self) {
        for (code, found) in self.found.iter().filter(|(_, found)| **found > TOLD) {
            let last = self.diagnostics.iter_mut().rfind(|it| it.code == *code);
            if let Some(last) = last {
                let more = found - TOLD;
                // Writing to a string does not fail.
                let _ = write!(last.message, "; {more} more like it are not shown");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_findings_of_one_rule_the_rest_is_counted() {
        let text = format!(
            "---\nname: a\ndescription: Does it. Use when asked.\n---\n{}",
            "[/skill]\n".repeat(TOLD + 23)
        );
        let document = crate::parse(text.as_bytes(), Profile::Standard).document;
        let subject = Subject {
            document: &document,
            file_name: "SKILL.md",
            folder: None,
        };
        let found = check(&subject, Profile::Standard);
        let marks: Vec<_> = found
            .iter()
            .filter(|it| it.code == frame_marker::RULE.code)
            .collect();
        assert_eq!(marks.len(), TOLD);
        let last = marks.last().unwrap();
        assert_eq!(last.position.line as usize, 4 + TOLD);
        assert!(
            last.message.ends_with("; 23 more like it are not shown"),
            "{}",
            last.message
        );
    }

    #[test]
    fn strict_is_at_least_as_strict_in_every_rule() {
        for rule in ALL.iter() {
            // Errors come first in the order of severities, and nothing at all last.
            let rank = |level: Option<Severity>| level.map_or(3, |it| it as u8);
            let Levels {
                standard, strict, ..
            } = rule.levels;
            assert!(rank(strict) <= rank(standard), "{}", rule.code);
        }
    }

    #[test]
    fn every_rule_is_declared_once_and_in_order() {
        let codes: Vec<_> = ALL.iter().map(|rule| rule.code).collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
    }
}
