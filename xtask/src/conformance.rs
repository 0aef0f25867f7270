//! `cargo xtask conformance`: the official suite of the protocol, against our server and host.
//!
//! The suite and the Node it needs are installed below `target/`, pinned. Every scenario of the
//! suite is either run or stands in a list with the reason why it does not apply; one that is
//! in neither is a failure, so that a newer suite cannot pass unseen.

pub(crate) mod fixture;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    sync::LazyLock,
};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde::Deserialize;

use crate::serving::{Serving, build, cargo, target};

/// The suite, as npm names it.
const SUITE: &str = "@modelcontextprotocol/conformance";
const SUITE_VERSION: &str = "0.2.0-alpha.12";

/// The Node the suite needs.
const NODE: &str = "node@22";

/// The revisions of the protocol that the server speaks.
const VERSIONS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];

/// Where the figures stand in `docs/CONFORMANCE.md`.
const BEGIN: &str = "<!-- figures: written by `cargo xtask conformance --update` -->\n";
const END: &str = "<!-- end of figures -->\n";

/// Which scenarios are run, and why others are not.
#[derive(Deserialize)]
struct Scenarios {
    /// Those that apply to a server with resources, tools and prompts of its own.
    base: BTreeSet<String>,
    /// The Skills extension, which the suite lists for no revision.
    extension: BTreeSet<String>,
    /// Those in which the suite is the server and our host the client.
    client: BTreeSet<String>,
    /// Checks that need a tool which only a test server has, and the tool.
    untestable: BTreeMap<String, String>,
    /// A reason, and the scenarios that do not apply for it.
    not_applicable: BTreeMap<String, BTreeSet<String>>,
}

static SCENARIOS: LazyLock<Scenarios> = LazyLock::new(|| {
    serde_json::from_str(include_str!("conformance/scenarios.json")).expect("the list is JSON")
});

impl Scenarios {
    /// The scenarios that do not apply, each with the reason.
    fn left_out(&self) -> BTreeMap<&str, &str> {
        let reasons = self.not_applicable.iter();
        reasons
            .flat_map(|(why, names)| names.iter().map(|name| (name.as_str(), why.as_str())))
            .collect()
    }
}

/// Run the official conformance suite against `prowess serve` and the host
#[derive(Debug, Args)]
pub(crate) struct Conformance {
    /// Write the figures to `docs/CONFORMANCE.md` instead of holding them against it
    #[arg(long)]
    update: bool,
    /// Run only scenarios whose name contains this, and leave the page alone
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// What came of one scenario at one version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    passed: usize,
    /// Checks without a fixture to run on, as the list knows.
    untestable: usize,
    failed: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Check {
    id: String,
    status: String,
    error_message: Option<String>,
}

/// By scenario and version.
type Outcomes = BTreeMap<(String, &'static str), Outcome>;

impl Conformance {
    /// Runs everything; the code is 1 where something failed.
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let suite = Suite::install()?;
        let program = build(false)?;
        let mut faults = suite.forgotten()?;
        let home = target().join("conformance/fixture");
        fixture::write(&home)?;
        let server = Serving::start(&program, &home)?;
        let mut outcomes = Outcomes::new();
        for version in VERSIONS {
            if self.only.is_none() {
                outcomes.extend(suite.base(&server.url, version)?);
            }
            for scenario in SCENARIOS.extension.iter().filter(|name| self.wants(name)) {
                // `--force`, because the suite lists it for no version.
                let arguments = ["server", "--url", &server.url, "--force"];
                let arguments = [&arguments[..], &["--spec-version", version]].concat();
                let outcome = suite.one(&arguments, scenario)?;
                outcomes.insert((scenario.clone(), version), outcome);
            }
        }
        drop(server);
        let host = build_host()?;
        let host = host.display().to_string();
        for scenario in SCENARIOS.client.iter().filter(|name| self.wants(name)) {
            // The suite starts the host as a command and adds the address.
            let newest = VERSIONS[VERSIONS.len() - 1];
            let outcome = suite.one(&["client", "--command", &host], scenario)?;
            outcomes.insert((scenario.clone(), newest), outcome);
        }
        for ((scenario, version), outcome) in &outcomes {
            for failed in &outcome.failed {
                faults.push(format!("{scenario} at {version}: {failed}"));
            }
        }
        let tables = tables(&outcomes);
        println!("{tables}");
        if self.only.is_none() {
            faults.extend(hold(&tables, self.update)?);
        }
        for fault in &faults {
            println!("FAILED {fault}");
        }
        println!("{} failures", faults.len());
        Ok(ExitCode::from(u8::from(!faults.is_empty())))
    }

    fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|text| name.contains(text))
    }
}

struct Suite {
    node: PathBuf,
    script: PathBuf,
    results: PathBuf,
}

impl Suite {
    fn install() -> Result<Self> {
        let home = target().join("conformance");
        let wanted = [NODE.to_owned(), format!("{SUITE}@{SUITE_VERSION}")];
        npm(&home, &wanted)?;
        let modules = home.join("node_modules");
        Ok(Self {
            node: modules.join("node/bin/node"),
            script: modules.join(SUITE).join("dist/index.js"),
            results: home.join("results"),
        })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(&self.script).stdin(Stdio::null());
        command
    }

    /// Scenarios of the suite that stand in none of our lists.
    fn forgotten(&self) -> Result<Vec<String>> {
        let output = self.command().arg("list").output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let server = text
            .split("Client scenarios")
            .next()
            .context("the suite lists no scenarios")?;
        let names: Vec<&str> = server
            .lines()
            .filter_map(|line| line.trim().strip_prefix("- ")?.split(' ').next())
            .collect();
        ensure!(names.len() > 20, "the suite lists its scenarios otherwise");
        let left_out = SCENARIOS.left_out();
        let forgotten = names.iter().filter(|name| {
            let lists = [&SCENARIOS.base, &SCENARIOS.extension];
            !lists.iter().any(|list| list.contains(**name)) && !left_out.contains_key(*name)
        });
        Ok(forgotten
            .map(|name| format!("{name} is in no list of `conformance/scenarios.json`"))
            .collect())
    }

    /// Runs every base scenario of a version that applies to us.
    fn base(&self, url: &str, version: &'static str) -> Result<Outcomes> {
        // It fails for the scenarios that do not apply, so its own code says nothing.
        let all = self.run(&[
            "server",
            "--suite",
            "all",
            "--url",
            url,
            "--spec-version",
            version,
        ])?;
        let ours = all
            .into_iter()
            .filter(|(it, _)| SCENARIOS.base.contains(it));
        let ours: Outcomes = ours.map(|(name, it)| ((name, version), it)).collect();
        ensure!(!ours.is_empty(), "the suite ran nothing at {version}");
        Ok(ours)
    }

    /// Runs one scenario.
    fn one(&self, arguments: &[&str], scenario: &str) -> Result<Outcome> {
        let mut all = self.run(&[arguments, &["--scenario", scenario]].concat())?;
        all.remove(scenario)
            .with_context(|| format!("the suite gave no result for {scenario}"))
    }

    /// Runs the suite and reads what it wrote: one folder per scenario, with its checks.
    fn run(&self, arguments: &[&str]) -> Result<BTreeMap<String, Outcome>> {
        if self.results.exists() {
            fs::remove_dir_all(&self.results)?;
        }
        self.command()
            .args(arguments)
            .arg("-o")
            .arg(&self.results)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .context("cannot start the suite")?;
        let mut outcomes = BTreeMap::new();
        for entry in fs::read_dir(&self.results).context("the suite wrote no results")? {
            let folder = entry?.path();
            let Ok(text) = fs::read_to_string(folder.join("checks.json")) else {
                continue;
            };
            let checks: Vec<Check> = serde_json::from_str(&text)?;
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            let name = scenario_of(&name).context("the suite names its results otherwise")?;
            outcomes.insert(name.to_owned(), outcome(&checks));
        }
        Ok(outcomes)
    }
}

/// Builds the example that loads what a server lists, and gives its path. The verbs of the command
/// load less than the scenarios want to see refused.
pub(crate) fn build_host() -> Result<PathBuf> {
    cargo(&["-p", "prowess-mcp", "--example", "conformance_client"])?;
    Ok(target().join("debug/examples/conformance_client"))
}

/// Installs packages below a folder, unless they are there already.
pub(crate) fn npm(home: &Path, packages: &[String]) -> Result<()> {
    let stamp = home.join("installed.txt");
    let wanted = packages.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        return Ok(());
    }
    fs::create_dir_all(home)?;
    fs::write(home.join("package.json"), "{\"private\": true}\n")?;
    let status = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--loglevel", "error"])
        .args(packages)
        .current_dir(home)
        .stdout(Stdio::null())
        .status()
        .context("cannot start npm; install Node to run this chore")?;
    ensure!(
        status.success(),
        "npm could not install {}",
        packages.join(", ")
    );
    fs::write(stamp, wanted)?;
    Ok(())
}

/// `server-tools-list-2026-01-31T09-30-00-000Z` is about `tools-list`.
fn scenario_of(folder: &str) -> Option<&str> {
    // A time always has the same length; a name may well hold a year.
    const TIME: usize = "-2026-01-31T09-30-00-000Z".len();
    let name = folder.strip_prefix("server-").unwrap_or(folder);
    name.get(..name.len().checked_sub(TIME)?)
}

fn outcome(checks: &[Check]) -> Outcome {
    let mut outcome = Outcome::default();
    for check in checks {
        match check.status.as_str() {
            "SUCCESS" => outcome.passed += 1,
            "FAILURE" if SCENARIOS.untestable.contains_key(&check.id) => outcome.untestable += 1,
            "FAILURE" => {
                let why = check.error_message.as_deref().unwrap_or_default();
                outcome.failed.push(format!("{}: {why}", check.id));
            }
            _ => {}
        }
    }
    outcome
}

/// Everything as Markdown.
fn tables(outcomes: &Outcomes) -> String {
    let mut text = format!("Suite: `{SUITE}` {SUITE_VERSION}.\n\n");
    // Writing to a string does not fail.
    let _ = writeln!(text, "| scenario | {} |", VERSIONS.join(" | "));
    let _ = writeln!(text, "| --- |{}", " ---: |".repeat(VERSIONS.len()));
    let names: BTreeSet<&String> = outcomes.keys().map(|(name, _)| name).collect();
    for name in names {
        let cells = VERSIONS.map(|version| {
            let outcome = outcomes.get(&(name.clone(), version));
            outcome.map_or_else(|| "–".to_owned(), cell)
        });
        let _ = writeln!(text, "| `{name}` | {} |", cells.join(" | "));
    }
    let passed: usize = outcomes.values().map(|outcome| outcome.passed).sum();
    let failed: usize = outcomes.values().map(|outcome| outcome.failed.len()).sum();
    let _ = writeln!(
        text,
        "\nA cell is the number of checks that passed. In all {passed} passed and {failed} failed.\n"
    );
    text += "Checks inside these scenarios that need a tool which only a test server has:\n\n";
    for check in SCENARIOS.untestable.keys() {
        let _ = writeln!(text, "- `{check}`");
    }
    text += "\n## What does not apply\n\n| scenario | why not |\n| --- | --- |\n";
    for (name, why) in SCENARIOS.left_out() {
        let _ = writeln!(text, "| `{name}` | {why} |");
    }
    text
}

fn cell(outcome: &Outcome) -> String {
    match (outcome.failed.len(), outcome.untestable) {
        (0, 0) => outcome.passed.to_string(),
        (0, without) => format!("{} ({without} without a fixture)", outcome.passed),
        (failed, _) => format!("{}, **{failed} failed**", outcome.passed),
    }
}

/// Writes the page, or says where it differs from what was measured.
fn hold(tables: &str, update: bool) -> Result<Option<String>> {
    let path = crate::workspace().join("docs/CONFORMANCE.md");
    let page = fs::read_to_string(&path).context("cannot read docs/CONFORMANCE.md")?;
    let (head, rest) = page.split_once(BEGIN).context("the page has no figures")?;
    let (figures, tail) = rest.split_once(END).context("the figures do not end")?;
    if figures.trim() == tables.trim() {
        return Ok(None);
    }
    if update {
        fs::write(&path, format!("{head}{BEGIN}\n{tables}\n{END}{tail}"))?;
        return Ok(None);
    }
    let told =
        "docs/CONFORMANCE.md says something else; `cargo xtask conformance --update` writes it";
    Ok(Some(told.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_known_by_their_scenario() {
        let name = "server-server-stateless-2026-11-16T02-28-13-728Z";
        assert_eq!(scenario_of(name), Some("server-stateless"));
        let name = "sep-2640-client-verify-size-2026-11-16T02-28-13-728Z";
        assert_eq!(scenario_of(name), Some("sep-2640-client-verify-size"));
        let name = "server-json-schema-2020-12-2026-11-16T02-28-13-728Z";
        assert_eq!(scenario_of(name), Some("json-schema-2020-12"));
    }

    #[test]
    fn no_scenario_is_in_two_lists() {
        let lists = SCENARIOS.not_applicable.values();
        let lists = lists.chain([&SCENARIOS.base, &SCENARIOS.extension]);
        let mut names = BTreeSet::new();
        for name in lists.flatten() {
            assert!(names.insert(name), "{name}");
        }
    }
}
