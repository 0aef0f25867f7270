//! `prowess serve` as a child process, for the chores that talk to it.

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

/// How long a server may take to load its skills on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Builds the command and gives its path.
pub(crate) fn build(release: bool) -> Result<PathBuf> {
    let flag: &[&str] = if release { &["--release"] } else { &[] };
    cargo(&[&["-p", "prowess-cli"], flag].concat())?;
    let profile = if release { "release" } else { "debug" };
    Ok(target().join(profile).join("prowess"))
}

/// Builds part of the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Result<()> {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet"])
        .args(arguments)
        .current_dir(crate::workspace())
        .status();
    let built = status.context("cannot start cargo")?.success();
    ensure!(built, "`cargo build {}` failed", arguments.join(" "));
    Ok(())
}

/// Where what is built and installed goes.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || crate::workspace().join("target"),
        |target| crate::workspace().join(target),
    )
}

/// A server that ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Serving {
    child: Child,
    /// Where it listens.
    pub(crate) url: String,
}

impl Serving {
    /// Starts a server over one folder, on a port that the system chooses.
    pub(crate) fn start(program: &Path, folder: &Path) -> Result<Self> {
        let mut child = Command::new(program)
            .args(["serve", "--http", "127.0.0.1:0", "--log", "json"])
            .args(["--local", "--no-project", "--dir"])
            .arg(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let log = BufReader::new(child.stderr.take().context("the server has no log")?);
        let (tell, told) = mpsc::channel();
        // The log is read to its end, so that the server never waits for a reader.
        thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                let event: Value = serde_json::from_str(&line).unwrap_or_default();
                match event["url"].as_str() {
                    Some(url) => _ = tell.send(url.to_owned()),
                    None if event["level"] == "WARN" || event.is_null() => eprintln!("  {line}"),
                    None => {}
                }
            }
        });
        match told.recv_timeout(PATIENCE) {
            Ok(url) => Ok(Self { child, url }),
            Err(_) => {
                let _ = child.kill();
                bail!("the server did not say where it listens");
            }
        }
    }

    /// The number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It has nothing to save.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
