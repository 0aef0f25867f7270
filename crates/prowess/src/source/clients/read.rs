//! Reads the table of clients from TOML, and says what it could not use and where.

use std::ops::Range;

use prowess_format::{Diagnostic, Position, Severity, Span};
use toml_edit::{Document, Item, TableLike};

use super::{Client, Clients, rules::Word};
use crate::{
    similar::similar,
    source::{
        Layout,
        places::{At, SkillFolder},
    },
};

mod rules;

/// The code of every finding about the table.
const CODE: &str = "invalid-client";

/// Adds what `text` says to `clients`.
pub(super) fn extend(clients: &mut Clients, text: &str) -> Vec<Diagnostic> {
    let mut reader = Reader {
        text,
        diagnostics: Vec::new(),
    };
    match Document::parse(text) {
        Ok(document) => {
            if let Some(item) = document.get("clients") {
                reader.clients(item, clients);
            }
        }
        Err(error) => reader.error(
            error.span(),
            format!("the table of clients is not TOML: {}", error.message()),
            None,
        ),
    }
    reader.diagnostics
}

/// Walks the table and collects what is wrong with it.
struct Reader<'a> {
    text: &'a str,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn note(
        &mut self,
        severity: Severity,
        span: Option<Range<usize>>,
        message: String,
        help: Option<String>,
    ) {
        let span = span.map_or(Span::at(0), |span| Span::new(span.start, span.end));
        self.diagnostics.push(Diagnostic {
            code: CODE,
            severity,
            span,
            position: Position::of(self.text.as_bytes(), span.start),
            message,
            help,
            fix: None,
        });
    }

    fn error(&mut self, span: Option<Range<usize>>, message: String, help: Option<String>) {
        self.note(Severity::Error, span, message, help);
    }

    /// Reports a value of the wrong kind.
    fn expected(&mut self, item: &Item, key: &str, wanted: &str) {
        let message = format!(
            "`{key}` is {} and is left out; it wants {wanted}",
            with_article(item.type_name())
        );
        self.error(item.span(), message, None);
    }

    /// The entries of a table whose keys are known; the others are told and left out.
    fn entries<'t>(
        &mut self,
        item: &'t Item,
        place: &str,
        keys: &[&str],
    ) -> Vec<(&'t str, &'t Item)> {
        let Some(table) = item.as_table_like() else {
            self.expected(item, place, "a table");
            return Vec::new();
        };
        let (known, unknown): (Vec<_>, Vec<_>) =
            table.iter().partition(|(key, _)| keys.contains(key));
        for (key, _) in unknown {
            let help = similar(key, keys.iter().copied()).map_or_else(
                || format!("it may hold {}", quoted(keys)),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("unknown key `{key}` in `{place}` is ignored");
            self.note(Severity::Warning, key_span(table, key), message, Some(help));
        }
        known
    }

    fn clients(&mut self, item: &Item, clients: &mut Clients) {
        let Some(table) = item.as_table_like() else {
            return self.expected(item, "clients", "a table of clients");
        };
        for (name, item) in table.iter() {
            if !item.is_table_like() {
                self.expected(item, &format!("clients.{name}"), "a table");
                continue;
            }
            // A name that is known, or an alias of one, adds to that client.
            let known = clients.known(name).map(|client| client.name.clone());
            let name = known.as_deref().unwrap_or(name);
            let at = clients.clients.iter().position(|it| it.name == name);
            let mut client = at.map_or_else(
                || Client {
                    name: name.to_owned(),
                    title: name.to_owned(),
                    ..Client::default()
                },
                |at| clients.clients[at].clone(),
            );
            self.client(item, &mut client);
            match at {
                Some(at) => clients.clients[at] = client,
                None => clients.clients.push(client),
            }
        }
    }

    fn client(&mut self, item: &Item, client: &mut Client) {
        const KEYS: [&str; 6] = ["title", "aliases", "project", "user", "system", "rules"];
        let place = format!("clients.{}", client.name);
        for (key, item) in self.entries(item, &place, &KEYS) {
            match key {
                "title" => client.title = self.text(item, key).unwrap_or(client.title.clone()),
                "aliases" => {
                    for alias in self.list(item, key) {
                        if let Some(alias) = self.text(&alias, key) {
                            client.aliases.push(alias);
                        }
                    }
                }
                "project" => self.folders(item, key, &client.name, &mut client.project),
                "user" => self.folders(item, key, &client.name, &mut client.user),
                "system" => self.folders(item, key, &client.name, &mut client.system),
                _ => {
                    let rules = client.rules.get_or_insert_default();
                    self.rules(item, &format!("{place}.rules"), rules);
                }
            }
        }
    }

    fn folders(&mut self, item: &Item, key: &str, label: &str, folders: &mut Vec<SkillFolder>) {
        for item in self.list(item, key) {
            let Some(mut folder) = self.folder(&item, key) else {
                continue;
            };
            label.clone_into(&mut folder.label);
            if let Some(fault) = misplaced(&folder.path, key) {
                let message = format!("the folder `{}` is left out: {fault}", folder.path);
                self.error(item.span(), message, None);
            } else if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }

    fn folder(&mut self, item: &Item, key: &str) -> Option<SkillFolder> {
        if let Some(path) = item.as_str() {
            return Some(SkillFolder::new("", path.trim_end_matches('/')));
        }
        if !item.is_table_like() {
            self.expected(item, key, "paths, or tables with `path`, `layout` and `at`");
            return None;
        }
        let mut folder = SkillFolder::default();
        for (key, item) in self.entries(item, key, &["path", "layout", "at"]) {
            match key {
                "path" => self
                    .text(item, key)?
                    .trim_end_matches('/')
                    .clone_into(&mut folder.path),
                "layout" => folder.layout = self.word(item, key).unwrap_or_default(),
                _ => folder.at = self.word(item, key).unwrap_or_default(),
            }
        }
        Some(folder)
    }

    /// Reads a choice; a word that is none of them is told with the nearest.
    fn word<T: Word>(&mut self, item: &Item, key: &str) -> Option<T> {
        let words: Vec<&str> = T::WORDS.iter().map(|(word, _)| *word).collect();
        let Some(text) = item.as_str() else {
            self.expected(item, key, &format!("one of {}", quoted(&words)));
            return None;
        };
        let found = T::WORDS.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let help = similar(text, words.iter().copied()).map_or_else(
                || format!("it is one of {}", quoted(&words)),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("`{key}` can not be `{text}` and is left out");
            self.error(item.span(), message, Some(help));
        }
        found.map(|(_, value)| value.clone())
    }

    fn text(&mut self, item: &Item, key: &str) -> Option<String> {
        let text = item.as_str().map(str::to_owned);
        if text.is_none() {
            self.expected(item, key, "text");
        }
        text
    }

    fn number(&mut self, item: &Item, key: &str) -> Option<u32> {
        let number = item.as_integer().and_then(|it| u32::try_from(it).ok());
        if number.is_none() {
            self.expected(item, key, "a whole number from 0 on");
        }
        number
    }

    /// The values of an array; a single value counts as an array of one.
    fn list(&mut self, item: &Item, key: &str) -> Vec<Item> {
        match item.as_value() {
            Some(toml_edit::Value::Array(array)) => {
                array.iter().cloned().map(Item::Value).collect()
            }
            Some(value) => vec![Item::Value(value.clone())],
            None => {
                self.expected(item, key, "a list");
                Vec::new()
            }
        }
    }
}

/// Says why a folder can not stand where it does.
fn misplaced(path: &str, key: &str) -> Option<&'static str> {
    let base = path.split('/').next().unwrap_or_default();
    let fixed = path.starts_with('/') || matches!(base, "~" | "$XDG_CONFIG_HOME" | "$CODEX_HOME");
    if path.is_empty() {
        Some("it has no path")
    } else if path.split('/').any(|part| part == "..") {
        Some("`..` would leave the place it hangs below")
    } else if base.starts_with('$') && !fixed {
        Some("the variables are `$XDG_CONFIG_HOME` and `$CODEX_HOME`")
    } else if key == "project" && fixed {
        Some("a project folder is relative to the project")
    } else if key != "project" && !fixed {
        Some("it starts with `~`, `/`, `$XDG_CONFIG_HOME` or `$CODEX_HOME`")
    } else {
        None
    }
}

fn key_span(table: &dyn TableLike, key: &str) -> Option<Range<usize>> {
    table.get_key_value(key).and_then(|(key, _)| key.span())
}

fn quoted(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {kind}")
}

impl Word for Layout {
    const WORDS: &'static [(&'static str, Self)] =
        &[("folders", Self::Folder), ("files", Self::Flat)];
}

impl Word for At {
    const WORDS: &'static [(&'static str, Self)] =
        &[("upward", Self::Upward), ("root", Self::Root)];
}
