//! `prowess list`: every skill on one line.

use std::{
    collections::{BTreeSet, HashSet},
    path::Path,
};

use clap::Args;
use prowess::{
    Catalog, Scope, Skill, State, TrustDecision,
    format::{Profile, Severity},
    wire::ListOutput,
};

use super::{list_client, list_installed, prompt::changed};
use crate::{
    environment::Environment,
    exit::{Exit, Failure},
    options::profile,
    places::Request,
    render::{Ink, Paint, Table, count, line, line_start, list, thousands},
    servers::is_about_server,
    session::Session,
};

/// List the skills: name, scope, size and description
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Show hidden, shadowed and broken skills too
    #[arg(long, short)]
    all: bool,
    /// Only skills with this tag; repeat it for any of several
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// How strictly skills are judged
    #[arg(long, value_name = "PROFILE", value_parser = profile(), default_value = "lenient")]
    profile: Profile,
    /// What `prowess add` brought: where each skill came from, and whether it is as locked
    #[arg(long, conflicts_with_all = ["all", "tag"])]
    installed: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Whether a skill has one of the tags asked for, in any case.
    fn has_tag(&self, skill: &Skill) -> bool {
        let lower = |tag: &str| tag.to_lowercase();
        let tags: Vec<String> = skill.tags().into_iter().map(lower).collect();
        self.tag.is_empty() || self.tag.iter().any(|tag| tags.contains(&lower(tag)))
    }
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    if arguments.installed {
        return list_installed::run(arguments.json, session);
    }
    let client = list_client::client(session)?.cloned();
    let catalog = session.load(&Request {
        profile: arguments.profile,
        look_at_untrusted: true,
        // The client's own loader says what it lists; the catalog from where else that can be
        // reached.
        every_client: client.is_some(),
        ..Request::default()
    })?;
    if let Some(client) = client {
        return list_client::run(&client, &catalog, arguments.all, arguments.json, session);
    }
    let keep = |skill: &Skill| arguments.has_tag(skill) && (arguments.all || is_listed(skill));
    if arguments.json {
        session.output.json(&ListOutput::new(&catalog, keep))?;
    } else {
        let columns = session.output.columns;
        let shown = catalog.skills().iter().filter(|skill| keep(skill));
        let table = table(shown, columns, &session.environment);
        session.output.table(&table)?;
        // The footer follows the table on a terminal only if the table is already there.
        session.output.finish()?;
        let footer = footer(&catalog, arguments, session);
        session.output.message(&footer);
    }
    Ok(strict_exit(&catalog))
}

/// In the strict profile one broken skill fails the whole.
fn strict_exit(catalog: &Catalog) -> Exit {
    let broken = |skill: &Skill| skill.state() == State::Broken;
    Exit::found(catalog.profile() == Profile::Strict && catalog.skills().iter().any(broken))
}

/// Skills in use, and those that wait for the user's trust.
fn is_listed(skill: &Skill) -> bool {
    matches!(skill.state(), State::Active | State::Untrusted)
}

fn table<'a>(
    skills: impl Iterator<Item = &'a Skill>,
    columns: usize,
    environment: &Environment,
) -> Table {
    let skills: Vec<&Skill> = skills.collect();
    let marked = skills.iter().any(|skill| skill.state() != State::Active);
    let repeated = repeated(skills.iter().copied());
    let mut headings = vec!["NAME", "SCOPE"];
    if marked {
        headings.push("STATE");
    }
    if !repeated.is_empty() {
        headings.push("FOLDER");
    }
    let installed = skills.iter().any(|skill| skill.installed_from().is_some());
    if installed {
        headings.push("FROM");
    }
    headings.extend([">TOKENS", "DESCRIPTION"]);
    let mut table = Table::new(&headings);
    for skill in skills {
        let mut row = vec![
            (line(skill.name()), Some(Paint::strong as _)),
            (scope(skill), None),
        ];
        if marked {
            row.push(mark(skill));
        }
        if !repeated.is_empty() {
            let folder = || environment.shorten(skill.path().parent().unwrap_or(skill.path()));
            let known = repeated.contains(skill.name());
            row.push((known.then(folder).unwrap_or_default(), None));
        }
        if installed {
            row.push((line(skill.installed_from().unwrap_or_default()), None));
        }
        row.extend([(thousands(skill.tokens()), None), about(skill, columns)]);
        table.row(row);
    }
    table
}

/// The names that several of these skills have: only their paths tell them apart.
pub(super) fn repeated<'a>(skills: impl Iterator<Item = &'a Skill>) -> HashSet<&'a str> {
    let mut seen = HashSet::new();
    skills
        .map(Skill::name)
        .filter(|name| !seen.insert(*name))
        .collect()
}

/// How near it is; of which server, where it is of one.
fn scope(skill: &Skill) -> String {
    let scope = skill.origin().scope;
    match skill.remote() {
        Some(remote) => format!("{scope} {}", line(&remote.server)),
        None => scope.to_string(),
    }
}

/// What the skill says of itself, or why it cannot be used.
fn about(skill: &Skill, columns: usize) -> (String, Option<Ink>) {
    let error = skill
        .diagnostics()
        .find(|diagnostic| diagnostic.severity == Severity::Error);
    match error {
        Some(error) if skill.state() == State::Broken => {
            (line(&error.message), Some(Paint::faint as _))
        }
        _ => (line_start(skill.description(), columns), None),
    }
}

/// The state in a word; nothing where all is well.
fn mark(skill: &Skill) -> (String, Option<Ink>) {
    let state = skill.state();
    match state {
        State::Active => (String::new(), None),
        State::Broken => (state.as_str().to_owned(), Some(Paint::error as _)),
        // What was decided says more than that something was not.
        State::Untrusted => {
            let word = match skill.decision() {
                decided @ (TrustDecision::Changed | TrustDecision::Denied) => decided.as_str(),
                _ => state.as_str(),
            };
            (word.to_owned(), Some(Paint::warning as _))
        }
        State::Shadowed { .. } | State::Hidden(_) => {
            (state.as_str().to_owned(), Some(Paint::faint as _))
        }
    }
}

/// How many there are, how many are not shown, and how to see them.
fn footer(catalog: &Catalog, arguments: &Arguments, session: &Session) -> String {
    let all = catalog.skills().iter();
    let skills: Vec<&Skill> = all.filter(|skill| arguments.has_tag(skill)).collect();
    let paint = session.output.message_paint;
    let hint = |text: &str| format!("{}: {text}\n", paint.hint("hint"));
    let of = |word: &str| {
        skills
            .iter()
            .filter(|skill| skill.state().as_str() == word)
            .count()
    };
    if skills.is_empty() && !catalog.skills().is_empty() {
        let tags: Vec<String> = arguments
            .tag
            .iter()
            .map(|tag| format!("`{}`", line(tag)))
            .collect();
        return format!("no skill has the tag {}\n", tags.join(" or "));
    }
    if skills.is_empty() {
        let origins = catalog.origins();
        let remote = origins.iter().filter(|it| it.scope == Scope::Remote);
        let servers = remote.count();
        let mut text = match (origins.len() - servers, servers) {
            (0, 0) => "no skills: none of the folders that clients use is here\n".to_owned(),
            (0, servers) => format!("no skills from {}\n", count(servers, "server")),
            (folders, 0) => format!("no skills in {}\n", count(folders, "folder")),
            (folders, servers) => format!(
                "no skills in {} and from {}\n",
                count(folders, "folder"),
                count(servers, "server")
            ),
        };
        text += &hint(
            "`prowess new NAME` makes one, `--dir DIR` looks elsewhere, `prowess clients` shows the usual places",
        );
        return text + &findings(catalog, &hint);
    }
    let counted: Vec<String> = ["hidden", "shadowed", "broken"]
        .into_iter()
        .filter_map(|word| match of(word) {
            0 => None,
            number => Some(format!("{} {word}", thousands(number))),
        })
        .collect();
    let listed = skills.iter().filter(|skill| is_listed(skill)).count();
    let mut text = if arguments.all || counted.is_empty() {
        format!("{}\n", count(skills.len(), "skill"))
    } else {
        let them = if skills.len() - listed == 1 {
            "it"
        } else {
            "them"
        };
        format!(
            "{}; not shown: {} (`prowess list --all` shows {them})\n",
            count(listed, "skill"),
            list(&counted)
        )
    };
    let waiting = |decision: TrustDecision| {
        let waits =
            |skill: &&&Skill| skill.state() == State::Untrusted && skill.decision() == decision;
        skills.iter().filter(waits).count()
    };
    if waiting(TrustDecision::Ask) > 0 {
        text += &hint(&format!(
            "{} not given to a model until you look at the project and run `prowess trust`",
            match waiting(TrustDecision::Ask) {
                1 => "1 untrusted skill is".to_owned(),
                number => format!("{} untrusted skills are", thousands(number)),
            }
        ));
    }
    if let Some(step) = changed(waiting(TrustDecision::Changed)) {
        text += &hint(&step);
    }
    if of("broken") > 0 {
        text += &hint("`prowess check` says what is wrong and how to fix it");
    }
    let shown = skills.iter().filter(|it| arguments.all || is_listed(it));
    text += &places(&shown.copied().collect::<Vec<_>>(), &session.environment);
    text + &findings(catalog, &hint)
}

/// From where else the skills can be reached, and which files say where they came from.
fn places(skills: &[&Skill], environment: &Environment) -> String {
    let linked = skills.iter().filter(|skill| !skill.also_at().is_empty());
    let folders = linked.clone().flat_map(|skill| skill.also_at());
    let folders = folders.filter_map(|path| path.ancestors().nth(2));
    let folders = named(folders, environment);
    let elsewhere = match linked.count() {
        0 => String::new(),
        1 => format!("1 skill is in {folders} too\n"),
        number => format!("{number} skills are in {folders} too\n"),
    };
    let records = skills.iter().filter_map(|skill| skill.install_record());
    let installed = match records.clone().count() {
        0 => String::new(),
        number => format!(
            "where {} came from stands in {}\n",
            count(number, "skill"),
            named(records, environment)
        ),
    };
    elsewhere + &installed
}

/// The first few of these paths, each once, and how many more there are.
fn named<'a>(paths: impl Iterator<Item = &'a Path>, environment: &Environment) -> String {
    const MOST: usize = 4;
    let paths: BTreeSet<&Path> = paths.collect();
    let shown = paths.iter().take(MOST);
    let mut words: Vec<String> = shown
        .map(|path| format!("`{}`", environment.shorten(path)))
        .collect();
    if paths.len() > MOST {
        words.push(format!("{} more", thousands(paths.len() - MOST)));
    }
    list(&words)
}

/// What was noticed beside the skills, so that nothing is skipped without a word.
fn findings(catalog: &Catalog, hint: &dyn Fn(&str) -> String) -> String {
    let mut text = String::new();
    // What is wrong with servers was reported already.
    let found = catalog.findings().iter();
    let found = found.filter(|it| !is_about_server(&it.diagnostic)).count();
    if found > 0 {
        let them = if found == 1 { "it" } else { "them" };
        text += &hint(&format!(
            "{} about files that are not skills; `prowess check` shows {them}",
            count(found, "finding")
        ));
    }
    text
}
