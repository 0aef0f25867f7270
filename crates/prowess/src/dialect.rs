//! What each client makes of a skill, told by doing what the client does.
//!
//! A [`View`] reads the disk as one client's loader does, by the rules of `clients.toml`: the
//! folders it looks into, the files it finds there, the frontmatter it cuts out, the YAML library
//! it reads with, the name and description that come out, and which of two skills it keeps. The
//! list and every verdict come from that, so they cannot disagree.
//!
//! A rule that nobody knows is reported as such. It counts only where the question comes up.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::source::{
    clients::{Client, Clients, rules::Rules},
    places::Environment,
};

pub use listing::Listed;
pub use loader::{DescriptionFrom, Entry};

mod budget;
mod listing;
mod loader;
mod scan;
mod tolerant;
mod verdict;
mod yaml;

/// What becomes of a skill, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It loads as its author wrote it.
    Loads,
    /// It loads, and something about it is different.
    Changed,
    /// The rule that decides is not known.
    Unknown,
    /// It does not load.
    Dropped,
}

/// What one client makes of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The client's name.
    pub client: String,
    /// The name people use.
    pub title: String,
    /// The worst of the findings.
    pub outcome: Outcome,
    /// Every rule that had something to say, the deciding one first; empty where it just loads.
    pub findings: Vec<Finding>,
    /// What a user types to call it, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// What is worth knowing and decides nothing.
    pub notes: Vec<String>,
}

/// What one rule says about a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule, by its key in the table of clients.
    pub rule: &'static str,
    /// What it comes to.
    pub outcome: Outcome,
    /// What happens and why.
    pub message: String,
    /// The one step to take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A skill to be judged.
#[derive(Debug, Clone, Copy, Default)]
pub struct Subject<'a> {
    /// Where its file lies; `None` for one that lies on no disk.
    pub path: Option<&'a Path>,
    /// Its text, where the file itself cannot be read again.
    pub text: &'a str,
    /// Its name here.
    pub name: &'a str,
    /// Its description here.
    pub description: &'a str,
    /// The name of its own folder.
    pub folder: Option<&'a str>,
}

/// The skills of this machine as one client sees them.
#[derive(Debug)]
pub struct View<'a> {
    client: &'a Client,
    environment: &'a Environment,
    /// The working directory and its parents up to the repository.
    projects: Vec<PathBuf>,
    /// Every folder that some client of the table looks into; tells a place from a mere path.
    known: Vec<String>,
    files: Vec<listing::Listed>,
}

impl<'a> View<'a> {
    /// Looks at the disk as a client does.
    pub fn new(client: &'a Client, clients: &Clients, environment: &'a Environment) -> Self {
        let projects = crate::source::places::project_folders(environment);
        let known = clients.iter().flat_map(|it| &it.project);
        let mut view = Self {
            client,
            environment,
            known: known.map(|folder| folder.path.clone()).collect(),
            files: Vec::new(),
            projects,
        };
        if let Some(rules) = &client.rules {
            view.files = listing::list(
                rules,
                scan::scan(client, rules, &view.projects, environment),
            );
        }
        view
    }

    /// Every file the client finds, with what it makes of it.
    pub fn files(&self) -> &[Listed] {
        &self.files
    }

    /// The skills that the client offers, in the order of their names.
    pub fn offered(&self) -> Vec<&Listed> {
        let mut offered: Vec<&Listed> = self.files.iter().filter(|it| it.is_offered()).collect();
        offered.sort_by(|left, right| left.name().cmp(right.name()));
        offered
    }

    fn rules(&self) -> Option<&Rules> {
        self.client.rules.as_ref()
    }
}

/// Asks every client whose rules are known.
pub fn verdicts(
    clients: &Clients,
    environment: &Environment,
    subject: &Subject<'_>,
) -> Vec<Verdict> {
    let main = clients.main();
    main.map(|client| View::new(client, clients, environment).judge(subject))
        .collect()
}

#[cfg(test)]
mod tests;
