//! Takes values out of TOML, and tells what is wrong with them and where.

use std::{
    ops::Range,
    path::{Component, Path, PathBuf},
};

use prowess::format::{Diagnostic, Position, Severity, Span};
use toml_edit::{Item, TableLike};

use super::{Config, From, Named, Setting, read::Authority};
use crate::{environment::Environment, nearest::nearest};

/// One config on its way into the settings.
pub(super) struct Reader<'a> {
    pub(super) config: &'a mut Config,
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
    pub(super) authority: Authority,
    pub(super) environment: &'a Environment,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    pub(super) fn setting<T>(&self, value: T) -> Setting<T> {
        Setting {
            value,
            from: From::File(self.path.to_path_buf()),
        }
    }

    pub(super) fn table<'i>(
        &mut self,
        item: &'i Item,
        name: &str,
        keys: &[&str],
    ) -> Vec<(&'i str, &'i Item)> {
        match item.as_table_like() {
            Some(table) => self.entries(table, &format!("`[{name}]`"), keys),
            None => {
                self.error(item.span(), format!("`{name}` has to be a table"), None);
                Vec::new()
            }
        }
    }

    /// The entries of a table whose keys are known; the others are told.
    pub(super) fn entries<'i>(
        &mut self,
        table: &'i dyn TableLike,
        name: &str,
        keys: &[&str],
    ) -> Vec<(&'i str, &'i Item)> {
        let mut known = Vec::new();
        for (key, item) in table.iter() {
            if keys.contains(&key) {
                known.push((key, item));
            } else {
                let span = table.get_key_value(key).and_then(|(key, _)| key.span());
                let message = format!("`{}` is no setting of {name}", prowess::display_text(key));
                self.error(span, message, Some(did_you_mean(key, keys)));
            }
        }
        known
    }

    pub(super) fn flag(&mut self, item: &Item, name: &str) -> Option<bool> {
        let value = item.as_bool();
        if value.is_none() {
            self.expected(item, name, "`true` or `false`");
        }
        value
    }

    pub(super) fn number(&mut self, item: &Item, name: &str) -> Option<usize> {
        let value = item.as_integer().and_then(|it| usize::try_from(it).ok());
        if value.is_none() {
            self.expected(item, name, "a whole number from 0 on");
        }
        value
    }

    pub(super) fn one_text(&mut self, item: &Item, name: &str) -> Option<String> {
        let value = item.as_str().map(str::to_owned);
        if value.is_none() {
            self.expected(item, name, "text");
        }
        value
    }

    pub(super) fn texts(&mut self, item: &Item, name: &str) -> Option<Vec<String>> {
        let values: Option<Vec<String>> = item.as_array().and_then(|array| {
            array
                .iter()
                .map(|it| it.as_str().map(str::to_owned))
                .collect()
        });
        if values.is_none() {
            self.expected(item, name, "a list of texts");
        }
        values
    }

    /// Folders or files, seen from the config's own folder; `~` is the home folder.
    pub(super) fn paths(&mut self, item: &Item, name: &str) -> Vec<Named> {
        let mut paths = Vec::new();
        for text in self.texts(item, name).unwrap_or_default() {
            let project = self.authority == Authority::Project;
            if project && leaves(Path::new(&text)) {
                let message = format!("`{text}` leads out of the project");
                let help = "name a folder inside it; the user's config can name others".to_owned();
                self.error(item.span(), message, Some(help));
                continue;
            }
            paths.push(Named {
                path: self.resolve(&text),
                from: self.path.to_path_buf(),
                project,
            });
        }
        paths
    }

    pub(super) fn resolve(&self, text: &str) -> PathBuf {
        match (text.strip_prefix("~/"), &self.environment.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.path.parent().unwrap_or(Path::new("")).join(text),
        }
    }

    pub(super) fn expected(&mut self, item: &Item, name: &str, what: &str) {
        let message = format!("`{name}` has to be {what}");
        self.error(item.span(), message, None);
    }

    pub(super) fn error(
        &mut self,
        span: Option<Range<usize>>,
        message: String,
        help: Option<String>,
    ) {
        self.tell(Severity::Error, "invalid-config", span, message, help);
    }

    pub(super) fn tell(
        &mut self,
        severity: Severity,
        code: &'static str,
        span: Option<Range<usize>>,
        message: String,
        help: Option<String>,
    ) {
        let span = span.map_or(Span::at(0), |span| Span::new(span.start, span.end));
        self.diagnostics.push(Diagnostic {
            code,
            severity,
            span,
            position: Position::of(self.text.as_bytes(), span.start),
            message,
            help,
            fix: None,
        });
    }
}

/// Whether a relative path could lead out of the folder it hangs below.
pub(super) fn leaves(path: &Path) -> bool {
    path.components()
        .any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
        || path.starts_with("~")
}

/// The nearest known word, or all of them.
pub(super) fn did_you_mean(word: &str, known: &[&str]) -> String {
    nearest(word, known.iter().copied()).first().map_or_else(
        || {
            let known: Vec<String> = known.iter().map(|it| format!("`{it}`")).collect();
            format!("there are {}", crate::render::text::list(&known))
        },
        |near| format!("did you mean `{near}`?"),
    )
}
