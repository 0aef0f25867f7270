//! `cargo xtask conformance`: the official suite of the protocol, against our server and host.
//!
//! The suite and the Node it needs are installed below `target/`, pinned. Every scenario of the
//! suite is either run or stands in a list with the reason why it does not apply; one that is
//! in neither is a failure, so that a newer suite cannot pass unseen.

pub(crate) mod fixture;
mod page;
mod scenarios;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use serde::Deserialize;

use crate::serving::{Serving, build, target};
use scenarios::{CLIENT, EXTENSION, NOT_APPLICABLE, UNTESTABLE, VERSIONS};

/// The suite, as npm names it.
pub(crate) const SUITE: &str = "@modelcontextprotocol/conformance";
pub(crate) const SUITE_VERSION: &str = "0.2.0-alpha.12";

/// The Node the suite needs.
const NODE: &str = "node@22";

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
            for scenario in EXTENSION.iter().filter(|name| self.wants(name)) {
                let outcome = suite.one(&server.url, scenario, version)?;
                outcomes.insert(((*scenario).to_owned(), version), outcome);
            }
        }
        drop(server);
        let host = build_host()?;
        for scenario in CLIENT.iter().filter(|name| self.wants(name)) {
            let outcome = suite.client(&host, scenario)?;
            outcomes.insert(
                ((*scenario).to_owned(), VERSIONS[VERSIONS.len() - 1]),
                outcome,
            );
        }
        for ((scenario, version), outcome) in &outcomes {
            for failed in &outcome.failed {
                faults.push(format!("{scenario} at {version}: {failed}"));
            }
        }
        let tables = page::tables(&outcomes);
        println!("{tables}");
        if self.only.is_none() {
            faults.extend(page::hold(&tables, self.update)?);
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
        let known = |name: &&&str| {
            scenarios::BASE.contains(name)
                || EXTENSION.contains(name)
                || NOT_APPLICABLE.iter().any(|(other, _)| other == *name)
        };
        let forgotten = names.iter().filter(|name| !known(name));
        Ok(forgotten
            .map(|name| format!("{name} is in no list of `conformance/scenarios.rs`"))
            .collect())
    }

    /// Runs every base scenario of a version that applies to us.
    fn base(&self, url: &str, version: &'static str) -> Result<Outcomes> {
        let results = self.fresh()?;
        let status = self
            .command()
            .args(["server", "--suite", "all", "--url", url])
            .args(["--spec-version", version, "-o"])
            .arg(&results)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        // It fails for the scenarios that do not apply; what counts is read below.
        status.context("cannot start the suite")?;
        let mut outcomes = Outcomes::new();
        for (scenario, outcome) in read_results(&results)? {
            if scenarios::BASE.contains(&scenario.as_str()) {
                outcomes.insert((scenario, version), outcome);
            }
        }
        ensure!(!outcomes.is_empty(), "the suite ran nothing at {version}");
        Ok(outcomes)
    }

    /// Runs a scenario that the suite lists for no version.
    fn one(&self, url: &str, scenario: &str, version: &str) -> Result<Outcome> {
        let results = self.fresh()?;
        self.command()
            .args(["server", "--url", url, "--scenario", scenario])
            .args(["--spec-version", version, "--force", "-o"])
            .arg(&results)
            .stdout(Stdio::null())
            .status()?;
        only_result(scenario, &results)
    }

    /// Runs a scenario against our host: the suite starts it as a command and adds the address.
    fn client(&self, host: &Path, scenario: &str) -> Result<Outcome> {
        let results = self.fresh()?;
        let command = host.display().to_string();
        self.command()
            .args(["client", "--command", &command, "--scenario", scenario])
            .arg("-o")
            .arg(&results)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        only_result(scenario, &results)
    }

    fn fresh(&self) -> Result<PathBuf> {
        if self.results.exists() {
            fs::remove_dir_all(&self.results)?;
        }
        Ok(self.results.clone())
    }
}

/// Builds the example that loads what a server lists, and gives its path. The verbs of the command
/// load less than the scenarios want to see refused.
pub(crate) fn build_host() -> Result<PathBuf> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([
        "build",
        "--quiet",
        "-p",
        "prowess-mcp",
        "--example",
        "conformance_client",
    ]);
    let status = cargo.current_dir(crate::workspace()).status();
    ensure!(
        status.context("cannot start cargo")?.success(),
        "the host of the conformance suite does not build"
    );
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

fn only_result(scenario: &str, results: &Path) -> Result<Outcome> {
    let mut all = read_results(results)?;
    match all.remove(scenario) {
        Some(outcome) => Ok(outcome),
        None => bail!("the suite gave no result for {scenario}"),
    }
}

/// Reads what the suite wrote: one folder per scenario, with its checks.
fn read_results(results: &Path) -> Result<BTreeMap<String, Outcome>> {
    let mut outcomes = BTreeMap::new();
    for entry in fs::read_dir(results).context("the suite wrote no results")? {
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
            "FAILURE" if UNTESTABLE.contains(&check.id.as_str()) => outcome.untestable += 1,
            "FAILURE" => {
                let why = check.error_message.as_deref().unwrap_or_default();
                outcome.failed.push(format!("{}: {why}", check.id));
            }
            _ => {}
        }
    }
    outcome
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
        for name in scenarios::BASE.iter().chain(EXTENSION) {
            assert!(
                NOT_APPLICABLE.iter().all(|(other, _)| other != name),
                "{name}"
            );
        }
    }
}
