//! What came of a run.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde::{Deserialize, Serialize};

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Answer {
    /// How it ended.
    pub stop: Stop,
    /// What it printed on standard output, as far as it was kept.
    pub stdout: Vec<u8>,
    /// What it printed on standard error, as far as it was kept.
    pub stderr: Vec<u8>,
    /// Bytes of each output that were read and dropped: standard output, standard error.
    pub dropped: (u64, u64),
    /// From start to end.
    pub time: Duration,
    /// What it was refused, as far as the script said so itself.
    pub denied: Vec<Denial>,
    /// The work folder, if it stays.
    pub work: Option<PathBuf>,
    /// What confined the run, weakest links named.
    pub confinement: Vec<String>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "how")]
#[non_exhaustive]
pub enum Stop {
    /// It ended by itself.
    Exit {
        /// Its exit status.
        code: i32,
    },
    /// A signal ended it.
    Signal {
        /// The signal's number.
        signal: i32,
    },
    /// It ran longer than it may and was killed.
    TimedOut,
    /// The host did not want it any more.
    Cancelled,
    /// Its work folder grew larger than it may.
    WorkFolderFull,
}

/// Something a run was refused.
///
/// Neither Landlock nor seccomp tells an unprivileged parent what it refused. So this is what the
/// script itself reported on standard error in the words of its operating system; a script that
/// swallows its errors is refused all the same, and nothing is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Denial {
    /// The script's own line.
    pub said: String,
    /// The path in it, if it names one.
    pub path: Option<PathBuf>,
    /// The grant that would allow it, if there is one.
    pub grant: Option<String>,
}

impl Denial {
    /// A refusal in the words of the script, without a grant that would allow it.
    pub fn new(said: impl Into<String>) -> Self {
        Denial {
            said: said.into(),
            path: None,
            grant: None,
        }
    }
}

impl Answer {
    /// The answer of a run that printed nothing; a runner of a host's own fills in the rest.
    pub fn new(stop: Stop) -> Self {
        Answer {
            stop,
            stdout: Vec::new(),
            stderr: Vec::new(),
            dropped: (0, 0),
            time: Duration::ZERO,
            denied: Vec::new(),
            work: None,
            confinement: Vec::new(),
        }
    }

    /// Whether the script ended by itself with status 0.
    pub fn success(&self) -> bool {
        self.stop == Stop::Exit { code: 0 }
    }

    /// The exit status a shell would give: 128 and the signal's number for a signal, 124 for time
    /// that ran out (as `timeout` has it).
    pub fn shell_code(&self) -> i32 {
        match self.stop {
            Stop::Exit { code } => code,
            Stop::Signal { signal } => 128 + signal,
            Stop::TimedOut => 124,
            Stop::Cancelled => 130,
            Stop::WorkFolderFull => 153, // what SIGXFSZ would give
        }
    }
}

/// The words in which systems and languages report a refusal.
const REFUSALS: [&str; 5] = [
    "permission denied",
    "operation not permitted",
    "read-only file system",
    "eacces",
    "eperm",
];

/// The words for something that is not there.
const ABSENCES: [&str; 2] = ["no such file or directory", "enoent"];

/// Words of a lookup or a connection that had no network to go to.
const NO_NETWORK: [&str; 5] = [
    "network is unreachable",
    "name resolution",
    "could not resolve",
    "getaddrinfo",
    "eai_again",
];

/// How many lines of standard error become denials.
const MOST_DENIALS: usize = 20;

/// Reads what a script reported as refused.
///
/// `is_there` tells whether a path exists for the host.
pub(crate) fn denials(stderr: &[u8], is_there: impl Fn(&Path) -> bool) -> Vec<Denial> {
    let mut denials: Vec<Denial> = Vec::new();
    for line in String::from_utf8_lossy(stderr).lines() {
        let line = line.trim();
        let lower = line.to_ascii_lowercase();
        let network = NO_NETWORK.iter().any(|word| lower.contains(word))
            || lower.contains("socket") && REFUSALS.iter().any(|word| lower.contains(word));
        // In a root of its own, what a run may not see is not there.
        let hidden = ABSENCES.iter().any(|word| lower.contains(word))
            && absolute_path(line).is_some_and(|path| is_there(&path));
        if !network && !hidden && !REFUSALS.iter().any(|word| lower.contains(word)) {
            continue;
        }
        if denials.len() == MOST_DENIALS || denials.iter().any(|denial| denial.said == line) {
            continue;
        }
        let path = absolute_path(line);
        let grant = match &path {
            _ if network => Some("net".to_owned()),
            Some(path) if lower.contains("read-only") => Some(format!("write:{}", path.display())),
            Some(path) => Some(format!("read:{} or write:{0}", path.display())),
            None => None,
        };
        denials.push(Denial {
            said: line.to_owned(),
            path,
            grant,
        });
    }
    denials
}

/// Finds the last absolute path in a line, as languages quote it: a shell names its script first.
fn absolute_path(line: &str) -> Option<PathBuf> {
    let marks = ['\'', '"', '`', '‘', '’'];
    let quoted = line
        .split(marks)
        .rfind(|part| part.starts_with('/') && !part.contains(": "));
    let word = || {
        line.split_whitespace()
            .rfind(|word| word.starts_with('/') && word.len() > 1)
    };
    let path = quoted.or_else(word)?;
    Some(PathBuf::from(
        path.trim_end_matches([':', ',', ';', ')', '.']),
    ))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::denials;

    fn check(stderr: &str, expected: &Expect) {
        let shown: Vec<String> = denials(stderr.as_bytes(), |path| path.starts_with("/etc"))
            .into_iter()
            .map(|denial| {
                format!(
                    "{:?} {:?}
",
                    denial.path.unwrap_or_default(),
                    denial.grant
                )
            })
            .collect();
        expected.assert_eq(&shown.concat());
    }

    #[test]
    fn refusals_are_read_from_what_languages_print() {
        check(
            "cat: /etc/shadow: Permission denied\n\
             PermissionError: [Errno 13] Permission denied: '/root/.ssh/id_rsa'\n\
             Error: EACCES: permission denied, open '/home/u/x'\n\
             /skill/a.sh: line 1: /srv/note: Permission denied\n\
             touch: cannot touch '/usr/x': Read-only file system\n\
             a line that says nothing\n\
             cat: /etc/hidden: No such file or directory\n\
             cat: /missing: No such file or directory\n\
             cat: /etc/shadow: Permission denied\n",
            &expect![[r#"
                "/etc/shadow" Some("read:/etc/shadow or write:/etc/shadow")
                "/root/.ssh/id_rsa" Some("read:/root/.ssh/id_rsa or write:/root/.ssh/id_rsa")
                "/home/u/x" Some("read:/home/u/x or write:/home/u/x")
                "/srv/note" Some("read:/srv/note or write:/srv/note")
                "/usr/x" Some("write:/usr/x")
                "/etc/hidden" Some("read:/etc/hidden or write:/etc/hidden")
            "#]],
        );
    }

    #[test]
    fn a_lookup_without_a_network_names_the_grant() {
        check(
            "curl: (6) Could not resolve host: example.com\n",
            &expect![[r#"
                "" Some("net")
            "#]],
        );
    }
}
