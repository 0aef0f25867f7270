//! The settings, section by section.

use std::{path::Path, time::Duration};

use prowess::{ContentHash, Limits, Override, display_text, run::RunPolicy};
use toml::de::DeTable;

use super::{
    Authority, Config,
    reader::{Fault, Reader, Report, Section},
};
use crate::environment::Environment;

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
        report: Report::default(),
    };
    match DeTable::parse(text) {
        Ok(table) => reader.document(Section::new("", table.into_inner())),
        Err(error) => {
            let message = format!("this is not TOML: {}", error.message());
            reader.error(error.span().unwrap_or_default(), Fault::plain(message));
        }
    }
    let mut report = reader.report;
    report.diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    report
}

/// Reads one limit, and sets it.
type Limit = (fn(&Limits) -> u64, fn(&mut Limits, u64));

/// Every key of `[limits]`.
pub(crate) const LIMITS: [(&str, Limit); 8] = [
    (
        "file-bytes",
        (
            |it| it.file_bytes as u64,
            |it, to| it.file_bytes = to as usize,
        ),
    ),
    (
        "depth",
        (|it| it.depth as u64, |it, to| it.depth = to as usize),
    ),
    (
        "entries",
        (|it| it.entries as u64, |it, to| it.entries = to as usize),
    ),
    (
        "seconds",
        (
            |it| it.time.as_secs(),
            |it, to| it.time = Duration::from_secs(to),
        ),
    ),
    (
        "skill-files",
        (
            |it| it.skill_files as u64,
            |it, to| it.skill_files = to as usize,
        ),
    ),
    (
        "skill-bytes",
        (|it| it.skill_bytes, |it, to| it.skill_bytes = to),
    ),
    (
        "page-bytes",
        (
            |it| it.page_bytes as u64,
            |it, to| it.page_bytes = (to as usize).max(1),
        ),
    ),
    (
        "resource-bytes",
        (|it| it.resource_bytes, |it, to| it.resource_bytes = to),
    ),
];

impl Reader<'_> {
    fn document(&mut self, mut document: Section<'_>) {
        if let Some(section) = self.section(&mut document, "skills") {
            self.skills(section);
        }
        if let Some(section) = self.section(&mut document, "sources") {
            self.sources(section);
        }
        if self.is_users(&mut document, "trust")
            && let Some(mut section) = self.section(&mut document, "trust")
        {
            let projects = self.paths(&mut section, "projects");
            self.config.trusted.extend(projects);
            let hidden: Option<Vec<ContentHash>> = self.get(&mut section, "hidden");
            self.config.hidden.extend(hidden.unwrap_or_default());
            self.finish(section);
        }
        if let Some(mut section) = self.section(&mut document, "select") {
            self.set(&mut section, "ranker", |config| &mut config.ranker);
            self.finish(section);
        }
        if let Some(mut section) = self.section(&mut document, "prompt") {
            self.set(&mut section, "budget", |config| &mut config.budget);
            self.finish(section);
        }
        if let Some(section) = self.section(&mut document, "limits") {
            self.limits(section);
        }
        if let Some(section) = self.section(&mut document, "clients") {
            self.clients(section);
        }
        if let Some(section) = self.section(&mut document, "servers") {
            self.servers(section);
        }
        if let Some(section) = self.section(&mut document, "check") {
            self.check(section);
        }
        if let Some(mut section) = self.section(&mut document, "run") {
            self.run(&mut section);
            if let Some(skills) = self.section(&mut section, "skills") {
                self.run_skills(skills);
            }
            self.finish(section);
        }
        if let Some(mut section) = self.section(&mut document, "cache") {
            self.set(&mut section, "enabled", |config| &mut config.cache);
            self.finish(section);
        }
        self.finish(document);
    }

    fn skills(&mut self, mut section: Section<'_>) {
        self.set(&mut section, "enabled", |config| &mut config.enabled);
        self.set(&mut section, "allowed", |config| &mut config.allowed);
        if let Some(overrides) = self.section(&mut section, "overrides") {
            self.overrides(overrides);
        }
        // What `sync` brings: its keys are sources, and the crate that reads them says what is wrong.
        let _ = self.section(&mut section, "sources");
        self.finish(section);
    }

    /// A project may keep scripts from running, not let them.
    fn run(&mut self, section: &mut Section<'_>) {
        let users = self.config.run.clone();
        self.set(section, "policy", |config| &mut config.run);
        if self.authority != Authority::Project {
            return;
        }
        if self.config.run.value > users.value {
            self.config.run = users;
        } else if self.config.run.value < users.value {
            // What the project narrows, it narrows for skills that the user named, too.
            let most = self.config.run.clone();
            for policy in self.config.run_skills.values_mut() {
                if policy.value > most.value {
                    policy.clone_from(&most);
                }
            }
        }
    }

    /// The keys are names of skills, so any key is known.
    fn run_skills(&mut self, section: Section<'_>) {
        for (name, value) in section.into_entries() {
            let name = name.into_inner();
            let key = format!("run.skills.{}", display_text(&name));
            let Some(wanted) = self.read::<RunPolicy>(&value, &key) else {
                continue;
            };
            let users = self.config.run_of(&name).value;
            if self.authority == Authority::Project && wanted > users {
                let message = format!("`{key}` stays `{}`", users.as_str());
                let help = "a project can keep scripts from running, not let them";
                self.ignored(value.span(), Fault::new(message, help));
                continue;
            }
            let setting = self.setting(wanted);
            self.config.run_skills.insert(name.into_owned(), setting);
        }
    }

    /// The keys are names of skills, so any key is known.
    fn overrides(&mut self, section: Section<'_>) {
        for (name, value) in section.into_entries() {
            let name = name.into_inner();
            let key = format!("skills.overrides.{}", display_text(&name));
            let Some(wanted) = self.read::<Override>(&value, &key) else {
                continue;
            };
            // What the user has closed, a project does not open.
            let users = self.config.overrides.get(&*name).map(|it| it.value);
            if let Some(users) =
                users.filter(|users| self.authority == Authority::Project && *users < wanted)
            {
                let message = format!("`{key}` stays `{users}`, as the user's config says");
                let help = "a project can show less of a skill, not more";
                self.ignored(value.span(), Fault::new(message, help));
                continue;
            }
            let setting = self.setting(wanted);
            self.config.overrides.insert(name.into_owned(), setting);
        }
    }

    fn sources(&mut self, mut section: Section<'_>) {
        let dirs = self.paths(&mut section, "dirs");
        self.config.dirs.extend(dirs);
        self.set(&mut section, "client", |config| &mut config.client);
        self.set(&mut section, "conventions", |config| {
            &mut config.conventions
        });
        if self.is_users(&mut section, "catalogs") {
            let catalogs = self.paths(&mut section, "catalogs");
            self.config.catalogs.extend(catalogs);
        }
        if self.is_users(&mut section, "links") {
            let links = self.paths(&mut section, "links");
            self.config.links.extend(links);
        }
        self.finish(section);
    }

    fn limits(&mut self, mut section: Section<'_>) {
        for (key, (get, set)) in LIMITS {
            let Some(value) = self.get::<u64>(&mut section, key) else {
                continue;
            };
            let limits = &mut self.config.limits;
            // A project may spare the user's machine, not wear it out.
            set(
                limits,
                match self.authority {
                    Authority::User => value,
                    Authority::Project => value.min(get(limits)),
                },
            );
            let by = self.set_by();
            self.config.limits_set.insert(key, by);
        }
        self.finish(section);
    }

    /// The library knows what a client is; only whose config may add what is decided here.
    fn clients(&mut self, section: Section<'_>) {
        if self.authority == Authority::Project {
            for (name, client) in section.into_entries() {
                let table = client.get_ref().as_table().into_iter().flatten();
                let reserved = |key: &str| matches!(key, "user" | "system");
                if let Some((key, _)) = table.into_iter().find(|(key, _)| reserved(key.get_ref())) {
                    let message = format!(
                        "a project's config cannot give `{}` a {} folder",
                        display_text(name.get_ref()),
                        key.get_ref()
                    );
                    let help = "move it to the user's config";
                    return self.error(key.span(), Fault::new(message, help));
                }
            }
        }
        let found = self.config.clients.extend_from_toml(self.text);
        self.report.diagnostics.extend(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};
    use prowess::{Budget, format::Position};

    fn check(authority: Authority, config_text: &str, expected: &Expect) -> Config {
        let mut config = Config::default();
        let path = Path::new("/p/prowess.toml");
        let environment = Environment::default();
        let report = apply(&mut config, path, config_text, authority, &environment);
        let mut text = String::new();
        for it in &report.diagnostics {
            let Position { line, column } = it.position;
            let (severity, help) = (it.severity.as_str(), it.help.as_deref().unwrap_or_default());
            let _ = writeln!(text, "{line}:{column} {severity}: {} ({help})", it.message);
        }
        expected.assert_eq(&text);
        config
    }

    #[test]
    fn a_slip_is_reported_with_its_place() {
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
        let found: Vec<&str> = report.diagnostics.iter().map(|it| &*it.message).collect();
        expect!["`skills.overrides.deploy` stays `manual`, as the user's config says"]
            .assert_eq(&found.join("\n"));
        assert_eq!(config.overrides["deploy"].value, Override::Manual);
        assert_eq!(config.overrides["review"].value, Override::Off);
        assert_eq!(config.budget.value, Some(Budget::tokens(2000)));
    }

    #[test]
    fn servers_differ_by_how_they_are_reached() {
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
        let found: Vec<&str> = report.diagnostics.iter().map(|it| &*it.message).collect();
        expect![[r#"
            `servers.acme` stays as the user's config says
            `~/.ssh/id` leads out of the project"#]]
        .assert_eq(&found.join("\n"));
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
    fn a_thousand_slips_cost_little_and_are_counted() {
        let keys: Vec<String> = (0..150_000).map(|at| format!("k{at}=1")).collect();
        let mut config = Config::default();
        let path = Path::new("/p/prowess.toml");
        let environment = Environment::default();
        let (text, authority) = (keys.join("\n"), Authority::Project);
        let started = std::time::Instant::now();
        let report = apply(&mut config, path, &text, authority, &environment);
        // Measured at 0.2 s without optimization; the quadratic way took minutes with it.
        assert!(started.elapsed() < Duration::from_secs(5));
        assert_eq!(report.diagnostics.len(), 20);
        assert_eq!(report.errors(), 150_000);
        assert_eq!(report.diagnostics[0].position.line, 1);
        let key = "k".repeat(1_000_000);
        let started = std::time::Instant::now();
        let text = format!("{key}=1");
        assert_eq!(
            apply(&mut config, path, &text, authority, &environment).errors(),
            1
        );
        assert!(started.elapsed() < Duration::from_secs(5));
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
