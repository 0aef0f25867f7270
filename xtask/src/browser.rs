//! `cargo xtask browser`: the page of `prowess ui` in a real browser, as a person uses it.
//!
//! Debian's Chromium is driven by `playwright-core`; `axe-core` judges what it shows. Both are
//! installed below `target/`, pinned. The scenario is `xtask/clients/browser.mjs`.

use std::{
    env,
    ffi::OsString,
    fs,
    path::PathBuf,
    process::{Command, ExitCode},
};

use anyhow::{Context as _, Result, bail};
use clap::Args;

use crate::{
    conformance::npm,
    generate::{Fields, catalog},
    serving::{build, target},
};

const PACKAGES: [&str; 2] = ["playwright-core@1.65.1", "axe-core@4.14.0"];

/// Names of the browser, the first that is there is driven.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Drive the page of `prowess ui` in Chromium: every view, keys, axe, hostile skills
#[derive(Debug, Args)]
pub(crate) struct Browser {
    /// Only steps whose name has this in it
    #[arg(conflicts_with_all = ["pictures", "speed"])]
    step: Option<String>,
    /// Draw the pictures of `docs/UI.md` over the example skills, and do nothing else
    #[arg(long)]
    pictures: bool,
    /// Measure the page over 10,000 skills with a release build, and do nothing else
    #[arg(long, conflicts_with = "pictures")]
    speed: bool,
}

impl Browser {
    /// Runs the scenario; the code is 1 where a person would see something else.
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let Some(chromium) = chromium() else {
            bail!("no Chromium here: `apt-get install chromium` brings it");
        };
        let home = target().join("browser");
        npm(&home, &PACKAGES.map(str::to_owned))?;
        let program = build(self.speed)?;
        let mut more: Vec<OsString> = self.step.iter().map(OsString::from).collect();
        let workspace = crate::workspace();
        if self.pictures {
            more.push("--pictures".into());
            more.extend(["examples/skills", "docs/images/ui"].map(|it| workspace.join(it).into()));
        }
        if self.speed {
            more.push("--speed".into());
            more.push(catalog(10_000, Fields::Common)?.skills_dir().into());
        }
        // A module is looked for beside the script.
        let script = home.join("browser.mjs");
        fs::copy(workspace.join("xtask/clients/browser.mjs"), &script)?;
        let status = Command::new("node")
            .arg(script)
            .args([&program, &chromium])
            .arg(&home)
            .args(more)
            .status()
            .context("cannot start node")?;
        Ok(ExitCode::from(u8::from(!status.success())))
    }
}

fn chromium() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let all = BROWSERS
        .iter()
        .flat_map(|name| env::split_paths(&path).map(move |folder| folder.join(name)));
    all.into_iter().find(|file| file.is_file())
}
