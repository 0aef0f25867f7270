//! Which rules speak, how loud, and where: by config, by flag, and by a comment in a file.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    str::FromStr,
};

use globset::{Glob, GlobMatcher};
use prowess::{
    ContentHash,
    format::{Diagnostic, Severity, ignored_rules, rules},
};
use serde::{Deserialize, Serialize};

use crate::{exit::Failure, files, nearest::nearest, write::write_whole};

/// A baseline with more bytes than this is none.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// How loud a rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// It says nothing.
    Off,
    /// It says this much.
    At(Severity),
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            "hint" => Ok(Self::At(Severity::Hint)),
            "warning" => Ok(Self::At(Severity::Warning)),
            "error" => Ok(Self::At(Severity::Error)),
            _ => Err(format!(
                "`{text}` is no level; write `off`, `hint`, `warning` or `error`"
            )),
        }
    }
}

/// A rule with its level, as `--rule CODE=LEVEL` gives it.
#[derive(Debug, Clone)]
pub(crate) struct RuleLevel {
    code: &'static str,
    level: Level,
}

impl FromStr for RuleLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (code, level) = text
            .split_once('=')
            .ok_or("write it as CODE=LEVEL, such as `unknown-field=off`")?;
        Ok(Self {
            code: known_code(code)?,
            level: level.parse()?,
        })
    }
}

/// The code of a rule that exists.
pub(crate) fn known_code(code: &str) -> Result<&'static str, String> {
    rules::find(code).map(|rule| rule.code).ok_or_else(|| {
        let near = nearest(code, rules::ALL.iter().map(|rule| rule.code));
        match near.first() {
            Some(near) => format!("no rule is called `{code}`; did you mean `{near}`?"),
            None => format!("no rule is called `{code}`; `prowess explain` lists them"),
        }
    })
}

/// A glob, seen from a folder.
#[derive(Debug, Clone)]
pub(crate) struct PathGlob {
    base: PathBuf,
    matcher: GlobMatcher,
}

impl PathGlob {
    /// Reads a glob that is meant from this folder.
    pub(crate) fn new(glob: &str, base: &Path) -> Result<Self, String> {
        // A folder stands for everything below it.
        let glob = glob.trim_start_matches("./");
        let all = match glob.strip_suffix('/') {
            Some(folder) => format!("{folder}/**"),
            None => glob.to_owned(),
        };
        match Glob::new(&all) {
            Ok(glob) => Ok(Self {
                base: real(base),
                matcher: glob.compile_matcher(),
            }),
            Err(error) => Err(format!("`{glob}` is not a glob: {}", error.kind())),
        }
    }

    fn matches(&self, path: &Path) -> bool {
        let path = real(path);
        let below = path.strip_prefix(&self.base).unwrap_or(&path);
        // `vendor` alone means the folder too.
        below
            .ancestors()
            .any(|it| !it.as_os_str().is_empty() && self.matcher.is_match(it))
    }
}

fn real(path: &Path) -> PathBuf {
    files::real_path(path).unwrap_or_else(|_| path.to_path_buf())
}

/// What was said about the rules.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    /// The level of a rule; what is not named keeps that of the profile.
    pub(crate) levels: BTreeMap<&'static str, Level>,
    /// Files that are not checked.
    pub(crate) exclude: Vec<PathGlob>,
    /// Rules that are off in some files.
    pub(crate) ignore: Vec<(PathGlob, Vec<&'static str>)>,
    /// Findings that were there before and are not reported.
    pub(crate) baseline: Option<PathBuf>,
    /// More warnings than this fail.
    pub(crate) max_warnings: Option<usize>,
}

impl Settings {
    /// Takes over what the command line says; it stands over the config.
    pub(crate) fn add(&mut self, rules: &[RuleLevel]) {
        for rule in rules {
            self.levels.insert(rule.code, rule.level);
        }
    }

    /// Whether a file is left out.
    pub(super) fn excludes(&self, path: &Path) -> bool {
        self.exclude.iter().any(|glob| glob.matches(path))
    }

    /// How much a finding matters in this file; `None` where its rule is off.
    pub(super) fn level(
        &self,
        diagnostic: &Diagnostic,
        path: &Path,
        text: Option<&str>,
    ) -> Option<Severity> {
        let code = diagnostic.code;
        let off_here =
            |(glob, codes): &(PathGlob, Vec<&str>)| codes.contains(&code) && glob.matches(path);
        if self.ignore.iter().any(off_here)
            || text.is_some_and(|text| ignored_rules(text).contains(&code))
        {
            return None;
        }
        match self.levels.get(code) {
            None => Some(diagnostic.severity),
            Some(Level::Off) => None,
            Some(Level::At(severity)) => Some(*severity),
        }
    }

    /// Leaves out what is off, and gives the rest its level.
    pub(crate) fn apply(&self, diagnostics: &mut Vec<Diagnostic>, path: &Path, text: Option<&str>) {
        diagnostics.retain_mut(|diagnostic| {
            let level = self.level(diagnostic, path, text);
            if let Some(severity) = level {
                diagnostic.severity = severity;
            }
            level.is_some()
        });
    }
}

/// One finding of a baseline. The line it stands in may move, and the file may grow around it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Known {
    path: String,
    code: String,
    fingerprint: String,
}

/// Findings that were there when the baseline was written.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Baseline {
    findings: Vec<Known>,
}

impl Baseline {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let cannot = || format!("cannot read the baseline `{}`", path.display());
        let text = files::read_text(path, MOST_BYTES)
            .map_err(|error| Failure::new(cannot()).because(&error))?;
        serde_json::from_str(&text).map_err(|error| Failure::new(cannot()).because(&error))
    }

    pub(super) fn write(mut self, path: &Path) -> Result<usize, Failure> {
        self.findings.sort();
        let text = serde_json::to_string_pretty(&self).unwrap_or_default();
        write_whole(path, (text + "\n").as_bytes())?;
        Ok(self.findings.len())
    }

    pub(super) fn add(&mut self, path: &str, diagnostic: &Diagnostic, fingerprint: String) {
        self.findings.push(Known {
            path: path.to_owned(),
            code: diagnostic.code.to_owned(),
            fingerprint,
        });
    }

    pub(super) fn holds(&self, fingerprint: &str) -> bool {
        let mut known = self.findings.iter();
        known.any(|it| it.fingerprint == fingerprint)
    }
}

/// Tells findings of one file apart by rule and by the text of their lines, so that a finding is
/// known again after lines were added above it.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    counts: HashMap<String, usize>,
}

impl Fingerprints {
    pub(super) fn next(&mut self, path: &str, diagnostic: &Diagnostic, text: &str) -> String {
        let line = diagnostic.position.line.saturating_sub(1) as usize;
        let line = text.lines().nth(line).unwrap_or_default().trim();
        let key = format!("{path}\0{}\0{line}", diagnostic.code);
        let count = self.counts.entry(key.clone()).or_default();
        *count += 1;
        let hash = ContentHash::of(format!("{key}\0{count}").as_bytes()).to_string();
        hash.chars().take(32).collect()
    }
}
