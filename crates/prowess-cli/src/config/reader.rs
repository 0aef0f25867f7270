//! Takes values out of TOML one key at a time, and collects every slip with its place.
//!
//! A section learns its keys by being asked for them: what nobody asked for is unknown, and the
//! nearest key that was asked for is what was probably meant. `serde` alone would stop at the
//! first slip.

use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Component, Path, PathBuf},
};

use prowess::{
    Budget, ContentHash, Override, display_text,
    format::{Diagnostic, Position, Severity, Span},
    run::RunPolicy,
    select::Ranker,
};
use serde::de::DeserializeOwned;
use toml::{
    Spanned,
    de::{DeString, DeTable, DeValue, ValueDeserializer},
};

use super::{Authority, Config, Named, SetBy, Setting};
use crate::{environment::Environment, nearest::nearest, render::list};

/// So many slips are shown. Whoever made more will look at the file as a whole; and a hostile
/// config of a megabyte has 150,000 of them, each with a line to find and a word to guess.
const MOST_SHOWN: usize = 20;

/// One config on its way into the settings.
pub(super) struct Reader<'a> {
    pub(super) config: &'a mut Config,
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
    pub(super) authority: Authority,
    pub(super) environment: &'a Environment,
    pub(super) report: Report,
}

/// What was noticed in a config.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// In the order of their places.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// How many more there are.
    pub(super) more: usize,
}

impl Report {
    /// Whether nothing stands against using the config.
    pub(super) fn is_usable(&self) -> bool {
        let is_error = |it: &Diagnostic| it.severity == Severity::Error;
        self.more == 0 && !self.diagnostics.iter().any(is_error)
    }

    /// How many errors there are.
    pub(super) fn errors(&self) -> usize {
        let all = self.diagnostics.iter();
        all.filter(|it| it.severity == Severity::Error).count() + self.more
    }
}

/// A table whose keys are taken out one by one.
pub(super) struct Section<'t> {
    /// Its keys as one writes them: `servers.acme`, nothing for the config as a whole.
    pub(super) name: String,
    entries: Vec<(Spanned<DeString<'t>>, Spanned<DeValue<'t>>)>,
    asked_for: Vec<&'static str>,
}

impl<'t> Section<'t> {
    pub(super) fn new(name: impl Into<String>, table: DeTable<'t>) -> Self {
        let mut entries: Vec<_> = table.into_iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        Self {
            name: name.into(),
            entries,
            asked_for: Vec::new(),
        }
    }

    /// The value of a key, where it is set.
    pub(super) fn take(&mut self, key: &'static str) -> Option<Spanned<DeValue<'t>>> {
        let at = self.find(key)?;
        Some(self.entries.remove(at).1)
    }

    fn find(&mut self, key: &'static str) -> Option<usize> {
        if !self.asked_for.contains(&key) {
            self.asked_for.push(key);
        }
        let mut keys = self.entries.iter().map(|(key, _)| key);
        keys.position(|known| known.get_ref() == key)
    }

    /// Every entry of a table that has names for keys.
    pub(super) fn into_entries(
        self,
    ) -> impl Iterator<Item = (Spanned<DeString<'t>>, Spanned<DeValue<'t>>)> {
        self.entries.into_iter()
    }

    /// A key with the section's own name before it.
    pub(super) fn full(&self, key: &str) -> String {
        match self.name.as_str() {
            "" => key.to_owned(),
            name => format!("{name}.{key}"),
        }
    }
}

/// A value that a setting can have.
pub(super) trait Value: Sized {
    /// Reads it, or says what it has to be.
    fn read(value: &Spanned<DeValue<'_>>, name: &str) -> Result<Self, Fault>;
}

/// What is wrong with a value, and one step.
pub(super) struct Fault {
    message: String,
    help: Option<String>,
}

impl Fault {
    pub(super) fn new(message: String, help: impl Into<String>) -> Self {
        Self {
            message,
            help: Some(help.into()),
        }
    }

    /// A fault whose message is the step.
    pub(super) fn plain(message: String) -> Self {
        Self {
            message,
            help: None,
        }
    }

    pub(super) fn expected(name: &str, what: &str) -> Self {
        Self::plain(format!("`{name}` has to be {what}"))
    }
}

/// Reads what `serde` can read, in the words of a person.
pub(super) fn typed<T: DeserializeOwned>(
    value: &Spanned<DeValue<'_>>,
    name: &str,
    what: &str,
) -> Result<T, Fault> {
    T::deserialize(ValueDeserializer::from(value.clone())).map_err(|_| Fault::expected(name, what))
}

/// Values that `serde` reads as they are.
macro_rules! plain {
    ($($type:ty: $what:literal),* $(,)?) => {$(
        impl Value for $type {
            fn read(value: &Spanned<DeValue<'_>>, name: &str) -> Result<Self, Fault> {
                typed(value, name, $what)
            }
        }
    )*};
}

plain! {
    bool: "`true` or `false`",
    u64: "a whole number from 0 on",
    String: "text",
    Vec<String>: "a list of texts",
    BTreeMap<String, String>: "a table of texts",
}

impl<T: Value> Value for Option<T> {
    fn read(value: &Spanned<DeValue<'_>>, name: &str) -> Result<Self, Fault> {
        T::read(value, name).map(Some)
    }
}

impl Value for Ranker {
    fn read(value: &Spanned<DeValue<'_>>, name: &str) -> Result<Self, Fault> {
        let word = String::read(value, name)?;
        word.parse().map_err(|_| {
            let message = format!("no ranker named `{}`", display_text(&word));
            Fault::new(message, did_you_mean(&word, &Self::ALL.map(Self::name)))
        })
    }
}

impl Value for RunPolicy {
    fn read(value: &Spanned<DeValue<'_>>, name: &str) -> Result<Self, Fault> {
        let word = String::read(value, name)?;
        word.parse().map_err(|_| {
            let message = format!("no policy named `{}`", display_text(&word));
            Fault::new(message, did_you_mean(&word, &Self::ALL.map(Self::as_str)))
        })
    }
}

impl Value for Override {
    fn read(value: &Spanned<DeValue<'_>>, name: &str) -> Result<Self, Fault> {
        let word = String::read(value, name)?;
        word.parse().map_err(|_| {
            let message = format!("`{name}` cannot be `{}`", display_text(&word));
            Fault::new(message, did_you_mean(&word, &Self::ALL.map(Self::as_str)))
        })
    }
}

impl Value for Budget {
    /// Characters as a number, or either unit as text.
    fn read(value: &Spanned<DeValue<'_>>, name: &str) -> Result<Self, Fault> {
        let what = "a number of characters, or text such as `8000c` or `2000t`";
        let Some(text) = value.get_ref().as_str() else {
            return typed(value, name, what).map(Self::characters);
        };
        text.parse::<Self>()
            .map_err(|error| Fault::plain(error.to_string()))
    }
}

impl Value for Vec<ContentHash> {
    fn read(value: &Spanned<DeValue<'_>>, name: &str) -> Result<Self, Fault> {
        let read = |text: String| {
            text.parse::<ContentHash>().map_err(|error| {
                let message = format!("`{name}` cannot be `{}`: {error}", display_text(&text));
                Fault::new(
                    message,
                    "`prowess show NAME --json` has the hash of a skill",
                )
            })
        };
        Vec::<String>::read(value, name)?
            .into_iter()
            .map(read)
            .collect()
    }
}

impl Reader<'_> {
    /// The value of a key, where it is set and can be read.
    pub(super) fn get<T: Value>(
        &mut self,
        section: &mut Section<'_>,
        key: &'static str,
    ) -> Option<T> {
        let value = section.take(key)?;
        self.read(&value, &section.full(key))
    }

    /// Reads a value, or reports why it cannot be.
    pub(super) fn read<T: Value>(&mut self, value: &Spanned<DeValue<'_>>, name: &str) -> Option<T> {
        let read = T::read(value, name);
        read.map_err(|fault| self.error(value.span(), fault)).ok()
    }

    /// Takes one key over into one setting.
    pub(super) fn set<T: Value>(
        &mut self,
        section: &mut Section<'_>,
        key: &'static str,
        field: fn(&mut Config) -> &mut Setting<T>,
    ) {
        if let Some(value) = self.get(section, key) {
            *field(self.config) = self.setting(value);
        }
    }

    pub(super) fn setting<T>(&self, value: T) -> Setting<T> {
        Setting {
            value,
            by: self.set_by(),
        }
    }

    /// This config, as whoever decided a value.
    pub(super) fn set_by(&self) -> SetBy {
        let path = self.path.to_path_buf();
        match self.authority {
            Authority::User => SetBy::User(path),
            Authority::Project => SetBy::Project(path),
        }
    }

    /// The table below a key.
    pub(super) fn section<'t>(
        &mut self,
        above: &mut Section<'t>,
        key: &'static str,
    ) -> Option<Section<'t>> {
        let value = above.take(key)?;
        self.table(value, above.full(key))
    }

    /// A value as a table.
    pub(super) fn table<'t>(
        &mut self,
        value: Spanned<DeValue<'t>>,
        name: String,
    ) -> Option<Section<'t>> {
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(table) => Some(Section::new(name, table)),
            _ => {
                self.error(span, Fault::expected(&name, "a table"));
                None
            }
        }
    }

    /// Folders or files, seen from the config's own folder; `~` is the home folder.
    pub(super) fn paths(&mut self, section: &mut Section<'_>, key: &'static str) -> Vec<Named> {
        let Some(value) = section.take(key) else {
            return Vec::new();
        };
        let texts: Option<Vec<String>> = self.read(&value, &section.full(key));
        let texts = texts.unwrap_or_default().into_iter();
        let paths = texts.filter_map(|text| self.path(&text, value.span(), "folder"));
        paths.collect()
    }

    /// One path. A project names none outside of itself.
    pub(super) fn path(
        &mut self,
        text: &str,
        span: Range<usize>,
        what: &'static str,
    ) -> Option<Named> {
        let project = self.authority == Authority::Project;
        if project && leaves(Path::new(text)) {
            let message = format!("`{}` leads out of the project", display_text(text));
            let help = format!("name a {what} inside it; the user's config can name others");
            self.error(span, Fault::new(message, help));
            return None;
        }
        Some(Named {
            path: self.resolve(text),
            from: self.path.to_path_buf(),
            project,
        })
    }

    fn resolve(&self, text: &str) -> PathBuf {
        match (text.strip_prefix("~/"), &self.environment.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.path.parent().unwrap_or(Path::new("")).join(text),
        }
    }

    /// Whether a key may be set here; says so where it may not.
    pub(super) fn is_users(&mut self, section: &mut Section<'_>, key: &'static str) -> bool {
        let Some(at) = section.find(key) else {
            return false;
        };
        if self.authority == Authority::User {
            return true;
        }
        let (_, value) = section.entries.remove(at);
        let message = format!("`{}` in a project's config is ignored", section.full(key));
        let help = "only the user's own config can set it";
        self.ignored(value.span(), Fault::new(message, help));
        false
    }

    /// Reports what is left of a section: keys that mean nothing.
    pub(super) fn finish(&mut self, section: Section<'_>) {
        let place = match section.name.as_str() {
            "" => "the config".to_owned(),
            name => format!("`[{name}]`"),
        };
        for (key, _) in section.entries {
            if self.is_full() {
                self.report.more += 1;
                continue;
            }
            let message = format!("`{}` is no setting of {place}", display_text(key.get_ref()));
            let help = did_you_mean(key.get_ref(), &section.asked_for);
            self.error(key.span(), Fault::new(message, help));
        }
    }

    fn is_full(&self) -> bool {
        self.report.diagnostics.len() >= MOST_SHOWN
    }

    pub(super) fn error(&mut self, span: Range<usize>, fault: Fault) {
        self.push(Severity::Error, "invalid-config", span, fault);
    }

    /// Reports a setting that has no effect here.
    pub(super) fn ignored(&mut self, span: Range<usize>, fault: Fault) {
        self.push(Severity::Warning, "ignored-setting", span, fault);
    }

    fn push(&mut self, severity: Severity, code: &'static str, span: Range<usize>, fault: Fault) {
        if self.is_full() {
            self.report.more += usize::from(severity == Severity::Error);
            return;
        }
        self.report.diagnostics.push(Diagnostic {
            code,
            severity,
            span: Span::new(span.start, span.end),
            position: Position::of(self.text.as_bytes(), span.start),
            message: fault.message,
            help: fault.help,
            fix: None,
        });
    }
}

/// Whether a relative path could lead out of the folder it hangs below.
fn leaves(path: &Path) -> bool {
    path.components()
        .any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
        || path.starts_with("~")
}

/// The nearest known word, or all of them.
fn did_you_mean(word: &str, known: &[&str]) -> String {
    nearest(word, known.iter().copied()).first().map_or_else(
        || {
            let known: Vec<String> = known.iter().map(|it| format!("`{it}`")).collect();
            format!("there are {}", list(&known))
        },
        |near| format!("did you mean `{near}`?"),
    )
}
