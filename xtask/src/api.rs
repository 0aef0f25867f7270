//! `cargo xtask api`: the public items of each library crate, held against `docs/api/`.
//!
//! `public-api` reads the JSON of rustdoc, which the stable toolchain writes when it is told to
//! (`.ci/rustdoc`). Its format has a number; where the toolchain writes another one than the reader
//! knows, nothing is compared and that is said.

use std::{fs, process::Command};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;

use crate::{serving::target, workspace};

/// The format that the pinned `public-api` reads.
const FORMAT: &str = "\"format_version\":57";

/// The crates that programs build on.
const CRATES: [&str; 9] = [
    "prowess-format",
    "prowess-search",
    "prowess",
    "prowess-eval",
    "prowess-http",
    "prowess-install",
    "prowess-mcp",
    "prowess-ui",
    "prowess-adk",
];

/// Hold the public items of each crate against `docs/api/`
#[derive(Debug, Args)]
pub(crate) struct Api {
    /// Write the lists instead
    #[arg(long)]
    update: bool,
}

impl Api {
    pub(crate) fn run(&self) -> Result<()> {
        let mut differ = Vec::new();
        for name in CRATES {
            let Some(now) = items(name)? else {
                println!("note: this rustdoc writes another format, so nothing was compared");
                return Ok(());
            };
            let path = workspace().join(format!("docs/api/{name}.txt"));
            if self.update {
                fs::create_dir_all(workspace().join("docs/api"))?;
                fs::write(&path, now)?;
                continue;
            }
            let before = fs::read_to_string(&path).unwrap_or_default();
            let (old, new): (Vec<&str>, Vec<&str>) =
                (before.lines().collect(), now.lines().collect());
            let gone = old.iter().filter(|line| !new.contains(line));
            let come = new.iter().filter(|line| !old.contains(line));
            let lines = gone.map(|line| format!("- {line}"));
            let lines: Vec<String> = lines.chain(come.map(|line| format!("+ {line}"))).collect();
            if !lines.is_empty() {
                println!("{name}:\n  {}", lines.join("\n  "));
                differ.push(name);
            }
        }
        if !differ.is_empty() {
            bail!(
                "public items changed; where that is meant, `cargo xtask api --update` writes them"
            );
        }
        Ok(())
    }
}

/// One line for each public item, sorted; `None` where the format is another.
fn items(name: &str) -> Result<Option<String>> {
    let status = Command::new(env!("CARGO"))
        .args(["rustdoc", "--quiet", "--lib", "--all-features", "-p", name])
        .args(["--", "-Zunstable-options", "--output-format", "json"])
        .current_dir(workspace())
        .env("RUSTDOC", workspace().join(".ci/rustdoc"))
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "rustdoc could not read `{name}`");
    let json = target().join(format!("doc/{}.json", name.replace('-', "_")));
    let text = fs::read_to_string(&json)?;
    if !text.contains(FORMAT) {
        return Ok(None);
    }
    let api = public_api::Builder::from_rustdoc_json(&json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()?;
    let mut items: Vec<String> = api.items().map(|item| format!("{item}\n")).collect();
    items.sort();
    items.dedup();
    Ok(Some(items.concat()))
}
