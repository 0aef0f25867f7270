//! Skills that are somewhere else: what is known of them here, and how the rest is fetched when
//! it is needed.
//!
//! A remote skill stands in the catalog with what its server says about it. Its instructions and
//! its files stay where they are until somebody loads the skill.

use std::{fmt, sync::Arc, time::Duration};

use super::Resource;
use crate::{display::display_text, identity::ContentHash};

/// Gives the text and the files of remote skills. Calls block; nothing is fetched ahead of one.
pub trait Fetch: fmt::Debug + Send + Sync {
    /// Fetches a skill's file and checks it against what was listed.
    fn skill(&self, uri: &str) -> Result<FetchedSkill, FetchError>;

    /// The files of a skill as they were listed, its own among them; this asks nobody.
    fn files(&self, uri: &str) -> Result<Vec<Resource>, FetchError>;

    /// Fetches one file of a skill, by its path below the skill, and checks it.
    fn file(&self, uri: &str, path: &str) -> Result<Vec<u8>, FetchError>;

    /// Fetches every file of a skill whose scripts the user let run, each checked against the list
    /// that was approved. The files of any other skill are not given out for that.
    fn files_to_run(&self, uri: &str) -> Result<Vec<RemoteFile>, FetchError> {
        Err(FetchError {
            message: format!("scripts of `{}` do not run here", display_text(uri)),
            help: "go on without them".to_owned(),
        })
    }
}

/// One file of a remote skill, whole and checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteFile {
    /// Its path below the skill's folder, which it does not leave.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Why a remote skill or one of its files cannot be used, in a sentence that names both.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FetchError {
    /// What happened.
    pub message: String,
    /// The one step to take.
    pub help: String,
}

/// A skill's file as it came, checked.
#[derive(Debug, Clone)]
pub struct FetchedSkill {
    /// The text to read it from: the fields in effect, and the instructions.
    pub text: String,
    /// What is known about it now.
    pub remote: Remote,
}

/// What is known of a skill that is somewhere else.
#[derive(Debug, Clone)]
pub struct Remote {
    /// The label the host gave the server.
    pub server: String,
    /// What the server calls the skill. Only together with the label it is unique.
    pub uri: String,
    /// Whether the user approved this very set of files.
    pub approved: bool,
    /// Whether the user approved that its scripts run, while it has this very set of files.
    pub run: bool,
    /// The fields that have no effect until then, in the order they were written.
    pub withheld: Vec<String>,
    /// Whether what is fetched can be checked against a digest.
    pub verified: bool,
    /// How old a copy is that stands in for a server that does not answer.
    pub age: Option<Duration>,
    /// The hash of its file, where the server told it.
    pub hash: Option<ContentHash>,
    /// The size of its file in bytes, where the server told it.
    pub size: Option<u64>,
    /// Who fetches the rest.
    pub fetch: Arc<dyn Fetch>,
}

impl Remote {
    /// Where it is from, as everyone reads it who reads the skill.
    pub fn told(&self) -> String {
        let copy = self
            .age
            .map(|age| format!(", a copy {} old", told_age(age)));
        let verified = if self.verified { "" } else { ", not verified" };
        format!(
            "from the MCP server `{}`{}{verified}",
            self.server,
            copy.unwrap_or_default()
        )
    }
}

/// A path below a skill, from the URI of one of its files; `None` for a file of another skill.
pub fn path_below<'a>(skill: &str, file: &'a str) -> Option<&'a str> {
    let folder = skill.rsplit_once('/')?.0;
    let path = file.strip_prefix(folder)?.strip_prefix('/')?;
    (!path.is_empty()).then_some(path)
}

/// An age as people say it.
pub fn told_age(age: Duration) -> String {
    let seconds = age.as_secs();
    let (number, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {unit}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_below_its_own_skill_only() {
        let skill = "skill://acme/pdf/SKILL.md";
        let below = |file| path_below(skill, file);
        assert_eq!(below("skill://acme/pdf/SKILL.md"), Some("SKILL.md"));
        assert_eq!(below("skill://acme/pdf/a/b.md"), Some("a/b.md"));
        assert_eq!(below("skill://acme/pdf-forms/b.md"), None);
        assert_eq!(below("skill://acme/pdf/"), None);
        assert_eq!(below("file:///etc/passwd"), None);
    }

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        let told = |seconds| told_age(Duration::from_secs(seconds));
        assert_eq!(told(1), "1 second");
        assert_eq!(told(7_300), "2 hours");
        assert_eq!(told(86_400 * 3), "3 days");
    }
}
