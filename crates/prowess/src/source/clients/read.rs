//! Reads the table of clients from TOML, and says what it could not use and where.

use std::ops::Range;

use prowess_format::{Diagnostic, Position, Severity, Span, nearest};
use serde::Deserialize;
use toml::{
    Spanned,
    de::{DeTable, DeValue, ValueDeserializer},
};

use super::{Client, Clients, rules::Rules};
use crate::source::{
    Layout,
    places::{At, SkillFolder},
};

/// The code of every finding about the table.
const CODE: &str = "invalid-client";

/// Adds what `text` says to `clients`.
pub(super) fn extend(clients: &mut Clients, text: &str) -> Vec<Diagnostic> {
    let mut reader = Reader {
        text,
        diagnostics: Vec::new(),
    };
    match DeTable::parse(text) {
        Ok(document) => {
            if let Some(value) = document.get_ref().get("clients") {
                reader.clients(value, clients);
            }
        }
        Err(error) => {
            let message = format!("the table of clients is not TOML: {}", error.message());
            reader.error(error.span(), message);
        }
    }
    reader.diagnostics
}

/// A folder of the table: a path, or a path with how it is read.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "it wants paths, or tables with `path`, `layout` and `at`"
)]
enum Folder {
    Path(String),
    Table(FolderTable),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FolderTable {
    path: String,
    #[serde(default)]
    layout: FolderLayout,
    #[serde(default)]
    at: FolderAt,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum FolderLayout {
    #[default]
    Folders,
    Files,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum FolderAt {
    #[default]
    Upward,
    Root,
    Here,
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

    fn error(&mut self, span: Option<Range<usize>>, message: String) {
        self.note(Severity::Error, span, message, None);
    }

    /// The entries of a table; anything else is reported and has none.
    fn entries<'t, 'i>(
        &mut self,
        value: &'t Spanned<DeValue<'i>>,
        place: &str,
    ) -> Vec<(Range<usize>, &'t str, &'t Spanned<DeValue<'i>>)> {
        let Some(table) = value.get_ref().as_table() else {
            let kind = value.get_ref().type_str();
            let message = format!("`{place}` is left out: it is no table, but of type {kind}");
            self.error(Some(value.span()), message);
            return Vec::new();
        };
        table
            .iter()
            .map(|(key, value)| (key.span(), key.get_ref().as_ref(), value))
            .collect()
    }

    /// Reports a key that means nothing; the rest of its table counts.
    fn unknown(&mut self, span: Range<usize>, key: &str, place: &str, keys: &[&str]) {
        let help = nearest(key, keys.iter().copied()).first().map_or_else(
            || {
                let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
                format!("it may hold {}", keys.join(", "))
            },
            |near| format!("did you mean `{near}`?"),
        );
        let message = format!("unknown key `{key}` in `{place}` is ignored");
        self.note(Severity::Warning, Some(span), message, Some(help));
    }

    /// Reads one value; what does not fit is reported and left out.
    fn value<'i, T: Deserialize<'i>>(
        &mut self,
        value: &Spanned<DeValue<'i>>,
        key: &str,
    ) -> Option<T> {
        match T::deserialize(ValueDeserializer::from(value.clone())) {
            Ok(value) => Some(value),
            Err(error) => {
                let message = format!("`{key}` is left out: {}", error.message());
                self.error(Some(error.span().unwrap_or(value.span())), message);
                None
            }
        }
    }

    fn clients(&mut self, value: &Spanned<DeValue<'_>>, clients: &mut Clients) {
        for (_, name, value) in self.entries(value, "clients") {
            let place = format!("clients.{name}");
            if value.get_ref().as_table().is_none() {
                self.entries(value, &place);
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
            self.client(value, &mut client);
            match at {
                Some(at) => clients.clients[at] = client,
                None => clients.clients.push(client),
            }
        }
    }

    fn client(&mut self, value: &Spanned<DeValue<'_>>, client: &mut Client) {
        const KEYS: [&str; 6] = ["title", "aliases", "project", "user", "system", "rules"];
        let place = format!("clients.{}", client.name);
        for (span, key, value) in self.entries(value, &place) {
            match key {
                "title" => client.title = self.value(value, key).unwrap_or(client.title.clone()),
                "aliases" => {
                    for alias in list(value) {
                        client.aliases.extend(self.value::<String>(alias, key));
                    }
                }
                "project" => self.folders(value, key, &client.name, &mut client.project),
                "user" => self.folders(value, key, &client.name, &mut client.user),
                "system" => self.folders(value, key, &client.name, &mut client.system),
                "rules" => {
                    let rules = client.rules.get_or_insert_default();
                    self.rules(value, &format!("{place}.rules"), rules);
                }
                _ => self.unknown(span, key, &place, &KEYS),
            }
        }
    }

    /// Reads rules one by one, so that a wrong one costs no other.
    fn rules(&mut self, value: &Spanned<DeValue<'_>>, place: &str, rules: &mut Rules) {
        for (span, key, value) in self.entries(value, place) {
            if !Rules::KEYS.contains(&key) {
                self.unknown(span, key, place, Rules::KEYS);
                continue;
            }
            let key_of = Spanned::new(span.clone(), std::borrow::Cow::Borrowed(key));
            let mut one = DeTable::new();
            one.insert(key_of, value.clone());
            let one = Spanned::new(span, DeValue::Table(one));
            match Rules::deserialize(ValueDeserializer::from(one)) {
                Ok(known) => rules.extend(known),
                Err(error) => {
                    let message = format!("`{key}` is left out: {}", error.message());
                    self.error(Some(value.span()), message);
                }
            }
        }
    }

    fn folders(
        &mut self,
        value: &Spanned<DeValue<'_>>,
        key: &str,
        label: &str,
        folders: &mut Vec<SkillFolder>,
    ) {
        for value in list(value) {
            let table = match self.value(value, key) {
                Some(Folder::Table(table)) => table,
                Some(Folder::Path(path)) => FolderTable {
                    path,
                    layout: FolderLayout::default(),
                    at: FolderAt::default(),
                },
                None => continue,
            };
            let folder = SkillFolder {
                label: label.to_owned(),
                path: table.path.trim_end_matches('/').to_owned(),
                layout: match table.layout {
                    FolderLayout::Folders => Layout::Folder,
                    FolderLayout::Files => Layout::Flat,
                },
                at: match table.at {
                    FolderAt::Upward => At::Upward,
                    FolderAt::Root => At::Root,
                    FolderAt::Here => At::Here,
                },
            };
            if let Some(fault) = misplaced(&folder.path, key) {
                let message = format!("the folder `{}` is left out: {fault}", folder.path);
                self.error(Some(value.span()), message);
            } else if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }
}

/// The values of an array; a single value counts as an array of one.
fn list<'t, 'i>(value: &'t Spanned<DeValue<'i>>) -> Vec<&'t Spanned<DeValue<'i>>> {
    match value.get_ref().as_array() {
        Some(array) => array.iter().collect(),
        None => vec![value],
    }
}

/// Says why a folder cannot stand where it does.
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
