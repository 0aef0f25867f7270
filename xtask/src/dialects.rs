//! `cargo xtask dialects`: asks real clients what they list, and stores their answers.
//!
//! Each client is installed at its pinned version below `target/dialects`, gets the cases of
//! `crates/prowess/tests/dialects/cases.jsonl` laid out in a home and a project of its own, and is
//! asked by its own listing command, or by the list in its request to a model that runs here on
//! loopback. The answers go to `results.json` beside the cases; a test holds what `why` says
//! against them, so a change of rules needs no client. VS Code is not asked by this chore: it
//! needs a browser, and its answers of 2026-11-17 stay.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::workspace;

use layout::{Case, Run, Tree};

mod ask;
mod draw;
#[path = "../../crates/prowess/tests/dialects/layout.rs"]
mod layout;
mod model;

/// Ask real clients what they list, store their answers, and show how often `why` agrees
#[derive(Args)]
pub(crate) struct Dialects {
    /// Only these clients
    #[arg(value_name = "CLIENT")]
    clients: Vec<String>,
    /// The day that is stored with the answers, as `2026-11-17`
    #[arg(long, value_name = "DAY")]
    day: Option<String>,
    /// Leave the stored answers as they are, and show where the new ones differ
    #[arg(long, conflicts_with = "seed")]
    check: bool,
    /// Draw new cases by this seed, ask about them alone, and keep them
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// How many cases a seed draws
    #[arg(long, value_name = "NUMBER", default_value_t = 400)]
    count: usize,
}

/// A client of the chore.
pub(crate) struct Pinned {
    /// Its name in `clients.toml`.
    pub(crate) name: &'static str,
    /// Its package on npm.
    package: &'static str,
    version: &'static str,
    /// The program, below `node_modules`.
    program: &'static str,
    project: &'static [&'static str],
    user: &'static [&'static str],
    ask: ask::Ask,
}

/// Several clients need a newer Node than a machine may have.
const NODE: &str = "node@24";

const CLIENTS: [Pinned; 7] = [
    Pinned {
        name: "claude-code",
        package: "@anthropic-ai/claude-code",
        version: "2.1.325",
        program: ".bin/claude",
        project: &[".claude/skills"],
        user: &[".claude/skills"],
        ask: ask::claude,
    },
    Pinned {
        name: "codex",
        package: "@openai/codex",
        version: "0.166.0",
        program: ".bin/codex",
        project: &[".agents/skills", ".codex/skills"],
        user: &[".agents/skills", ".codex/skills"],
        ask: ask::codex,
    },
    Pinned {
        name: "gemini-cli",
        package: "@google/gemini-cli",
        version: "0.61.0",
        program: ".bin/gemini",
        project: &[".agents/skills", ".gemini/skills"],
        user: &[".gemini/skills", ".agents/skills"],
        ask: ask::gemini,
    },
    Pinned {
        name: "opencode",
        package: "opencode-ai",
        version: "1.18.33",
        program: ".bin/opencode",
        project: &[".agents/skills", ".opencode/skills", ".claude/skills"],
        user: &[
            ".config/opencode/skills",
            ".claude/skills",
            ".agents/skills",
        ],
        ask: ask::opencode,
    },
    Pinned {
        name: "goose",
        package: "@aaif/goose-binary-linux-x64",
        version: "1.52.0",
        program: "@aaif/goose-binary-linux-x64/bin/goose",
        project: &[".goose/skills", ".agents/skills", ".claude/skills"],
        user: &[".config/goose/skills", ".config/agents/skills"],
        ask: ask::goose,
    },
    Pinned {
        name: "copilot-cli",
        package: "@github/copilot",
        version: "1.0.102",
        program: ".bin/copilot",
        project: &[".agents/skills", ".github/skills", ".claude/skills"],
        user: &[".copilot/skills", ".claude/skills", ".agents/skills"],
        ask: ask::copilot,
    },
    Pinned {
        name: "qwen-code",
        package: "@qwen-code/qwen-code",
        version: "0.24.4",
        program: ".bin/qwen",
        project: &[".qwen/skills", ".agents/skills"],
        user: &[".qwen/skills", ".agents/skills"],
        ask: ask::qwen,
    },
];

/// What clients answered: by case, then by client; nothing where a client lists nothing.
#[derive(Deserialize, Serialize)]
struct Results {
    clients: BTreeMap<String, Run>,
    results: BTreeMap<String, BTreeMap<String, Option<String>>>,
}

impl Dialects {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let folder = workspace().join("crates/prowess/tests/dialects");
        let stored = folder.join("results.json");
        let cases = match self.seed {
            Some(seed) => draw::store(&folder.join("drawn.jsonl"), seed, self.count)?,
            None => layout::stored(&folder),
        };
        let mut results: Results = serde_json::from_str(&fs::read_to_string(&stored)?)?;
        for name in &self.clients {
            let known = CLIENTS.iter().any(|client| client.name == name);
            ensure!(known, "`{name}` is not asked by this chore");
        }
        let target = workspace().join("target/dialects");
        let node = install(&target, "node", NODE)?.join(".bin");
        let mut differences = 0;
        for client in &CLIENTS {
            if !self.clients.is_empty() && !self.clients.iter().any(|it| it == client.name) {
                continue;
            }
            let package = format!("{}@{}", client.package, client.version);
            let program = install(&target, client.name, &package)?.join(client.program);
            let run = Run {
                version: client.version.to_owned(),
                day: self.day.clone().unwrap_or_else(today),
                project: client.project.iter().map(ToString::to_string).collect(),
                user: client.user.iter().map(ToString::to_string).collect(),
            };
            let answers = answers(client, &program, &node, &run, &cases, &target)?;
            println!(
                "{} {}: {} answers",
                client.name,
                client.version,
                answers.len()
            );
            for (case, answer) in answers {
                let known = results.results.entry(case.clone()).or_default();
                let before = known.insert(client.name.to_owned(), answer.clone());
                if before.as_ref().is_some_and(|before| *before != answer) {
                    differences += 1;
                    println!("  {case}: {answer:?}, and before {:?}", before.flatten());
                }
            }
            results.clients.insert(client.name.to_owned(), run);
        }
        if self.check {
            println!("{differences} answers differ from the stored ones");
            return Ok(ExitCode::from(u8::from(differences > 0)));
        }
        fs::write(&stored, written(&results)?)?;
        // The test says how often `why` agrees with what is stored now.
        let status = Command::new("cargo")
            .args([
                "test",
                "-q",
                "-p",
                "prowess",
                "--test",
                "dialects",
                "--",
                "--nocapture",
            ])
            .current_dir(workspace())
            .status()?;
        Ok(ExitCode::from(u8::from(!status.success())))
    }
}

/// Installs a package once, and gives its `node_modules`.
fn install(target: &Path, name: &str, package: &str) -> Result<PathBuf> {
    let folder = target.join("npm").join(name);
    let mark = folder.join("installed");
    if fs::read_to_string(&mark).is_ok_and(|installed| installed == package) {
        return Ok(folder.join("node_modules"));
    }
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
    let status = Command::new("npm")
        .args([
            "install",
            "--no-audit",
            "--no-fund",
            "--no-progress",
            "--loglevel=error",
            package,
        ])
        .current_dir(&folder)
        .stdout(Stdio::null())
        .status()
        .context("`npm` installs the clients")?;
    ensure!(status.success(), "npm cannot install {package}");
    fs::write(mark, package)?;
    Ok(folder.join("node_modules"))
}

/// Lays the cases out for a client, tree by tree, and asks it.
fn answers(
    client: &Pinned,
    program: &Path,
    node: &Path,
    run: &Run,
    cases: &[Case],
    target: &Path,
) -> Result<Vec<(String, Option<String>)>> {
    let mut answers = Vec::new();
    let mut trees: Vec<&str> = cases.iter().map(|case| case.tree.as_str()).collect();
    trees.dedup();
    for tree in trees {
        let place = target.join("run").join(client.name).join(tree);
        if place.exists() {
            fs::remove_dir_all(&place)?;
        }
        fs::create_dir_all(&place)?;
        let laid = Tree::new(&place.canonicalize()?);
        let subjects: Vec<(&Case, PathBuf)> = (cases.iter().filter(|case| case.tree == tree))
            .filter_map(|case| Some((case, laid.lay(case, run)?)))
            .collect();
        let asked = ask::Asked {
            program,
            node,
            tree: &laid,
        };
        let listed = (client.ask)(&asked).with_context(|| format!("asking {}", client.name))?;
        if listed.is_empty() {
            bail!("{} lists nothing in the tree `{tree}`", client.name);
        }
        for (case, path) in subjects {
            let found = listed.iter().find(|it| it.is_about(&case.id, &path));
            answers.push((case.id.clone(), found.map(ask::Listed::cell)));
        }
        // Some clients unpack themselves into every home.
        let _ = fs::remove_dir_all(laid.home.join(".cache"));
    }
    Ok(answers)
}

/// One line per client and per case, so that a change is easy to see.
fn written(results: &Results) -> Result<String> {
    let lines = |entries: Vec<(String, String)>| {
        let lines: Vec<String> = entries
            .into_iter()
            .map(|(key, value)| format!("{key}: {value}"))
            .collect();
        lines.join(",\n")
    };
    let clients = results.clients.iter();
    let clients: Vec<_> = clients
        .map(|(name, run)| Ok((serde_json::to_string(name)?, serde_json::to_string(run)?)))
        .collect::<Result<_>>()?;
    let cases = results.results.iter();
    let cases: Vec<_> = cases
        .map(|(name, row)| Ok((serde_json::to_string(name)?, serde_json::to_string(row)?)))
        .collect::<Result<_>>()?;
    Ok(format!(
        "{{\"clients\": {{\n{}\n}}, \"results\": {{\n{}\n}}}}\n",
        lines(clients),
        lines(cases)
    ))
}

/// The day, from the machine's own clock.
fn today() -> String {
    let day = Command::new("date").arg("+%F").output();
    day.map_or_else(
        |_| String::from("unknown"),
        |day| String::from_utf8_lossy(&day.stdout).trim().to_owned(),
    )
}
