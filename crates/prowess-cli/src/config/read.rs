//! Reads one config from TOML, and says what is wrong with it and where.

use std::{path::Path, time::Duration};

use prowess::{
    Budget, Override,
    format::{Diagnostic, Severity},
};
use toml_edit::{Document, Item, TableLike};

use super::{
    Config, RANKERS,
    reader::{Reader, did_you_mean},
};
use crate::environment::Environment;

/// Whose config it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Authority {
    /// The user's own: may set everything.
    User,
    /// A project's: may not widen its own reach.
    Project,
}

/// What was noticed in a config.
pub(super) struct Report {
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Takes over what a config says.
pub(super) fn apply(
    config: &mut Config,
    path: &Path,
    text: &str,
    authority: Authority,
    environment: &Environment,
) -> Report {
    let mut reader = Reader {
        config,
        path,
        text,
        authority,
        environment,
        diagnostics: Vec::new(),
    };
    match Document::parse(text) {
        Ok(document) => reader.document(document.as_table()),
        Err(error) => {
            let message = format!("this is not TOML: {}", error.message());
            reader.tell(
                Severity::Error,
                "invalid-config",
                error.span(),
                message,
                None,
            );
        }
    }
    let mut diagnostics = reader.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    Report { diagnostics }
}

/// Every key of `[limits]`.
const LIMITS: [&str; 8] = [
    "file-bytes",
    "depth",
    "entries",
    "seconds",
    "skill-files",
    "skill-bytes",
    "page-bytes",
    "resource-bytes",
];

impl Reader<'_> {
    fn document(&mut self, table: &dyn TableLike) {
        let keys = [
            "skills", "sources", "trust", "select", "prompt", "limits", "clients", "servers",
            "cache",
        ];
        for (key, item) in self.entries(table, "the config", &keys) {
            match key {
                "skills" => self.skills(item),
                "sources" => self.sources(item),
                "trust" => self.trust(item),
                "select" => self.select(item),
                "prompt" => self.prompt(item),
                "limits" => self.limits(item),
                "servers" => self.servers(item),
                "cache" => self.cache(item),
                _ => self.clients(item),
            }
        }
    }

    fn skills(&mut self, item: &Item) {
        for (key, item) in self.table(item, "skills", &["enabled", "allowed", "overrides"]) {
            match key {
                "enabled" => {
                    if let Some(value) = self.flag(item, "skills.enabled") {
                        self.config.enabled = self.setting(value);
                    }
                }
                "allowed" => {
                    if let Some(value) = self.texts(item, "skills.allowed") {
                        self.config.allowed = self.setting(Some(value));
                    }
                }
                _ => self.overrides(item),
            }
        }
    }

    fn overrides(&mut self, item: &Item) {
        let Some(table) = item.as_table_like() else {
            return self.expected(item, "skills.overrides", "a table");
        };
        // The keys are names of skills, so any key is known.
        for (name, item) in table.iter() {
            let key = format!("skills.overrides.{}", prowess::display_text(name));
            let Some(word) = self.one_text(item, &key) else {
                continue;
            };
            let Ok(value) = word.parse::<Override>() else {
                let message = format!("`{key}` cannot be `{}`", prowess::display_text(&word));
                let help = did_you_mean(&word, &Override::ALL.map(Override::as_str));
                self.error(item.span(), message, Some(help));
                continue;
            };
            // What the user has closed, a project does not open.
            let users = self.config.overrides.get(name).map(|it| it.value);
            if let Some(users) =
                users.filter(|users| self.authority == Authority::Project && *users < value)
            {
                let message = format!("`{key}` stays `{users}`, as the user's config says");
                let help = "a project can show less of a skill, not more".to_owned();
                let span = item.span();
                self.tell(
                    Severity::Warning,
                    "ignored-setting",
                    span,
                    message,
                    Some(help),
                );
                continue;
            }
            let setting = self.setting(value);
            self.config.overrides.insert(name.to_owned(), setting);
        }
    }

    fn sources(&mut self, item: &Item) {
        let keys = ["dirs", "catalogs", "client", "conventions", "links"];
        for (key, item) in self.table(item, "sources", &keys) {
            match key {
                "dirs" => {
                    let dirs = self.paths(item, "sources.dirs");
                    self.config.dirs.extend(dirs);
                }
                "client" => {
                    if let Some(value) = self.one_text(item, "sources.client") {
                        self.config.client = self.setting(Some(value));
                    }
                }
                "conventions" => {
                    if let Some(value) = self.flag(item, "sources.conventions") {
                        self.config.conventions = self.setting(Some(value));
                    }
                }
                "catalogs" if self.is_users(item, "sources.catalogs") => {
                    let catalogs = self.paths(item, "sources.catalogs");
                    self.config.catalogs.extend(catalogs);
                }
                "links" if self.is_users(item, "sources.links") => {
                    let links = self.paths(item, "sources.links");
                    self.config.links.extend(links);
                }
                _ => {}
            }
        }
    }

    fn trust(&mut self, item: &Item) {
        if !self.is_users(item, "trust") {
            return;
        }
        for (key, item) in self.table(item, "trust", &["projects", "hidden"]) {
            if key == "projects" {
                let projects = self.paths(item, "trust.projects");
                self.config.trusted.extend(projects);
                continue;
            }
            for text in self.texts(item, "trust.hidden").unwrap_or_default() {
                match text.parse() {
                    Ok(hash) => self.config.hidden.push(hash),
                    Err(error) => {
                        let shown = prowess::display_text(&text);
                        let message = format!("`trust.hidden` cannot be `{shown}`: {error}");
                        let help = "`prowess show NAME --json` tells the hash of a skill";
                        self.error(item.span(), message, Some(help.to_owned()));
                    }
                }
            }
        }
    }

    fn select(&mut self, item: &Item) {
        for (_, item) in self.table(item, "select", &["ranker"]) {
            let Some(ranker) = self.one_text(item, "select.ranker") else {
                continue;
            };
            if RANKERS.contains(&ranker.as_str()) {
                self.config.ranker = self.setting(ranker);
            } else {
                let help = did_you_mean(&ranker, &RANKERS);
                self.error(
                    item.span(),
                    format!("no ranker named `{ranker}`"),
                    Some(help),
                );
            }
        }
    }

    fn prompt(&mut self, item: &Item) {
        for (_, item) in self.table(item, "prompt", &["budget"]) {
            if let Some(value) = self.budget(item) {
                self.config.budget = self.setting(Some(value));
            }
        }
    }

    fn cache(&mut self, item: &Item) {
        for (_, item) in self.table(item, "cache", &["enabled"]) {
            if let Some(value) = self.flag(item, "cache.enabled") {
                self.config.cache = self.setting(value);
            }
        }
    }

    /// Characters as a number, or either unit as text.
    fn budget(&mut self, item: &Item) -> Option<Budget> {
        let Some(text) = item.as_str() else {
            let amount = item.as_integer().and_then(|it| usize::try_from(it).ok());
            if amount.is_none() {
                let what = "a number of characters, or text such as `8000c` or `2000t`";
                self.expected(item, "prompt.budget", what);
            }
            return amount.map(Budget::characters);
        };
        match text.parse() {
            Ok(budget) => Some(budget),
            Err(error) => {
                self.error(item.span(), error.to_string(), None);
                None
            }
        }
    }

    fn limits(&mut self, item: &Item) {
        let mut limits = self.config.limits.clone();
        for (key, item) in self.table(item, "limits", &LIMITS) {
            let Some(value) = self.number(item, &format!("limits.{key}")) else {
                continue;
            };
            let known = LIMITS.into_iter().find(|it| *it == key);
            let path = self.path.to_path_buf();
            self.config.limits_set.extend(known.map(|key| (key, path)));
            // A project may spare the user's machine, not wear it out.
            let most = |now: usize| match self.authority {
                Authority::User => value,
                Authority::Project => value.min(now),
            };
            match key {
                "file-bytes" => limits.file_bytes = most(limits.file_bytes),
                "depth" => limits.depth = most(limits.depth),
                "entries" => limits.entries = most(limits.entries),
                "seconds" => {
                    let seconds = most(limits.time.as_secs() as usize);
                    limits.time = Duration::from_secs(seconds as u64);
                }
                "skill-files" => limits.skill_files = most(limits.skill_files),
                "skill-bytes" => limits.skill_bytes = most(limits.skill_bytes as usize) as u64,
                "page-bytes" => limits.page_bytes = most(limits.page_bytes).max(1),
                _ => limits.resource_bytes = most(limits.resource_bytes as usize) as u64,
            }
        }
        self.config.limits = limits;
    }

    fn clients(&mut self, item: &Item) {
        if self.authority == Authority::Project {
            let clients = item.as_table_like().into_iter().flat_map(TableLike::iter);
            for (name, client) in clients {
                let Some(client) = client.as_table_like() else {
                    continue;
                };
                for key in ["user", "system"] {
                    if let Some((found, _)) = client.get_key_value(key) {
                        let message =
                            format!("a project's config cannot give `{name}` a {key} folder");
                        let help = "move it to the user's config".to_owned();
                        self.error(found.span(), message, Some(help));
                        return;
                    }
                }
            }
        }
        let found = self.config.clients.extend_from_toml(self.text);
        self.diagnostics.extend(found);
    }

    /// Whether this value may be set here; says so where it may not.
    fn is_users(&mut self, item: &Item, name: &str) -> bool {
        if self.authority == Authority::User {
            return true;
        }
        let message = format!("`{name}` in a project's config is ignored");
        let help = "only the user's own config can set it".to_owned();
        let span = item.span();
        self.tell(
            Severity::Warning,
            "ignored-setting",
            span,
            message,
            Some(help),
        );
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};
    use prowess::format::Position;

    fn check(authority: Authority, text: &str, expected: &Expect) -> Config {
        let mut config = Config::default();
        let path = Path::new("/p/prowess.toml");
        let environment = Environment::default();
        let report = apply(&mut config, path, text, authority, &environment);
        let mut told = String::new();
        for it in &report.diagnostics {
            let Position { line, column } = it.position;
            let (severity, help) = (it.severity.as_str(), it.help.as_deref().unwrap_or_default());
            let _ = writeln!(told, "{line}:{column} {severity}: {} ({help})", it.message);
        }
        expected.assert_eq(&told);
        config
    }

    #[test]
    fn a_slip_is_told_with_its_place() {
        check(
            Authority::User,
            "[skills]\nenabeld = true\nallowed = \"pdf\"\n[sauces]\n[select]\nranker = \"lexcial\"\n",
            &expect![[r#"
                2:1 error: `enabeld` is no setting of `[skills]` (did you mean `enabled`?)
                3:11 error: `skills.allowed` has to be a list of texts ()
                4:2 error: `sauces` is no setting of the config (did you mean `sources`?)
                6:10 error: no ranker named `lexcial` (did you mean `lexical`?)
            "#]],
        );
    }

    #[test]
    fn a_project_cannot_vouch_for_itself() {
        let config = check(
            Authority::Project,
            "[trust]\nprojects = [\".\"]\n[sources]\nlinks = [\"/\"]\ndirs = [\"skills\", \"../x\"]\n[clients.mine]\nuser = [\"/p\"]\n[limits]\ndepth = 99\nentries = 5\n",
            &expect![[r"
                1:1 warning: `trust` in a project's config is ignored (only the user's own config can set it)
                4:9 warning: `sources.links` in a project's config is ignored (only the user's own config can set it)
                5:8 error: `../x` leads out of the project (name a folder inside it; the user's config can name others)
                7:1 error: a project's config cannot give `mine` a user folder (move it to the user's config)
            "]],
        );
        assert!(config.trusted.is_empty() && config.links.is_empty());
        assert_eq!(config.limits.depth, 16, "a project only lowers limits");
        assert_eq!(config.limits.entries, 5);
        assert!(config.dirs[0].project);
    }

    #[test]
    fn a_project_shows_less_of_a_skill_not_more() {
        let mut config = check(
            Authority::User,
            "[skills.overrides]\ndeploy = \"manual\"\npdf = \"ful\"\nsql = 1\n[prompt]\nbudget = \"2000x\"\n",
            &expect![[r#"
                3:7 error: `skills.overrides.pdf` cannot be `ful` (did you mean `full`?)
                4:7 error: `skills.overrides.sql` has to be text ()
                6:10 error: `2000x` is not a budget; write characters like `8000c` or tokens like `2000t` ()
            "#]],
        );
        let text = "[skills.overrides]\ndeploy = \"full\"\nreview = \"off\"\n[prompt]\nbudget = \"2000t\"\n";
        let path = Path::new("/p/prowess.toml");
        let environment = Environment::default();
        let report = apply(&mut config, path, text, Authority::Project, &environment);
        let told: Vec<&str> = report.diagnostics.iter().map(|it| &*it.message).collect();
        expect!["`skills.overrides.deploy` stays `manual`, as the user's config says"]
            .assert_eq(&told.join("\n"));
        assert_eq!(config.overrides["deploy"].value, Override::Manual);
        assert_eq!(config.overrides["review"].value, Override::Off);
        assert_eq!(config.budget.value, Some(Budget::tokens(2000)));
    }

    #[test]
    fn servers_are_told_apart_by_how_they_are_reached() {
        let config = check(
            Authority::User,
            "[servers.acme]\nurl = \"https://x/mcp\"\ntoken-file = \"token\"\nca-file = \"ca.pem\"\ntimeout = 2.5\n\
             [servers.mine]\ncommand = \"npx\"\nargs = [\"-y\"]\nenv = { A = \"b\" }\nenabled = false\n",
            &expect![""],
        );
        let acme = &config.servers[0];
        assert_eq!(acme.server.timeout, Duration::from_millis(2500));
        assert_eq!(acme.token_file.as_deref(), Some(Path::new("/p/token")));
        assert_eq!(acme.ca_file.as_deref(), Some(Path::new("/p/ca.pem")));
        assert!(!config.servers[1].server.enabled);
        check(
            Authority::User,
            "[servers.a]\nurl = \"https://x\"\ncomand = \"x\"\n[servers.b]\n[servers.c]\nurl = \"x\"\ncommand = \"x\"\n\
             [servers.d]\nurl = \"ftp://x\"\n[servers.e]\ncommand = \"x\"\ntimeout = 0\n[servers.\"f/g\"]\n\
             [servers.h]\nurl = \"http://x\"\nheaders = { Authorization = \"x\" }\n[servers.i]\nurl = \"http://x\"\nargs = [\"x\"]\n",
            &expect![[r#"
                3:1 error: `comand` is no setting of `[servers.a]` (did you mean `command`?)
                4:1 error: `servers.b` has no `command` and no `url` (say how the server is started, or where it is)
                5:1 error: `servers.c` has a `command` and a `url` (a server is started or called; take one of the two out)
                8:1 error: `servers.d.url` is not an address (start it with `https://`, or `http://` on this machine)
                12:11 error: `servers.e.timeout` has to be a number of seconds up to 600 ()
                13:10 error: `f/g` cannot be the name of a server (use letters, digits, `-`, `_` and `.`)
                16:11 error: `servers.h.headers` cannot set `Authorization` (name a file with the token in `token-file`)
                17:1 error: `servers.i` is called, so `args` and `env` mean nothing (take them out, or give it a `command` instead of a `url`)
            "#]],
        );
    }

    #[test]
    fn a_project_names_servers_but_neither_the_users_nor_the_users_files() {
        let mut config = check(
            Authority::User,
            "[servers.acme]\nurl = \"https://x\"\n",
            &expect![""],
        );
        let text = "[servers.acme]\ncommand = \"evil\"\n[servers.other]\nurl = \"https://y\"\ntoken-file = \"~/.ssh/id\"\n[servers.fine]\nurl = \"https://z\"\n";
        let path = Path::new("/p/prowess.toml");
        let environment = Environment::default();
        let report = apply(&mut config, path, text, Authority::Project, &environment);
        let told: Vec<&str> = report.diagnostics.iter().map(|it| &*it.message).collect();
        expect![[r#"
            `servers.acme` stays as the user's config says
            `~/.ssh/id` leads out of the project"#]]
        .assert_eq(&told.join("\n"));
        let labels = config
            .servers
            .iter()
            .map(|it| (&*it.server.label, it.project));
        assert_eq!(
            labels.collect::<Vec<_>>(),
            [("acme", false), ("fine", true)]
        );
    }

    #[test]
    fn the_user_may_set_everything() {
        let config = check(
            Authority::User,
            "[skills]\nallowed = [\"pdf\"]\n[trust]\nprojects = [\"work\"]\n[limits]\ndepth = 99\n[prompt]\nbudget = 100\n",
            &expect![""],
        );
        assert_eq!(config.trusted[0].path, Path::new("/p/work"));
        assert_eq!(config.limits.depth, 99);
        assert_eq!(config.budget.value, Some(Budget::characters(100)));
        assert_eq!(config.allowed.value, Some(vec!["pdf".to_owned()]));
    }
}
