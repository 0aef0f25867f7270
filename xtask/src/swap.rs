//! Swaps files, folders and roots for links while a skill is read, and counts what gets out.

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use anyhow::{Result, bail};
use clap::Args;
use prowess::{Catalog, Content, Limits};

const INSIDE: &str = "inside";
const OUTSIDE: &str = "outside";

/// Swap links under a reader, and count what it reads outside of the skill
#[derive(Args)]
pub(crate) struct Swap {
    /// How often each of the three is read
    #[arg(long, default_value_t = 1_000_000)]
    times: usize,
}

impl Swap {
    pub(crate) fn run(&self) -> Result<()> {
        let folder = std::env::temp_dir().join(format!("prowess-swap-{}", std::process::id()));
        let mut escapes = 0;
        println!(
            "{:<10}{:>12}{:>12}{:>12}",
            "swapped", "inside", "refused", "outside"
        );
        for (what, path) in [
            ("file", "root/skill/deep/b.md"),
            ("folder", "root/skill/deep"),
            ("root", "root"),
        ] {
            lay_out(&folder)?;
            let counts = self.race(&folder, path)?;
            println!(
                "{what:<10}{:>12}{:>12}{:>12}",
                counts.inside, counts.refused, counts.outside
            );
            escapes += counts.outside;
            fs::remove_dir_all(&folder)?;
        }
        if escapes > 0 {
            bail!("{escapes} reads left the skill");
        }
        Ok(())
    }

    /// Reads while the path below `folder` is a link to its twin outside every other moment.
    fn race(&self, folder: &Path, path: &str) -> Result<Counts> {
        let catalog = Catalog::from_dirs([folder.join("root")]);
        let Some(skill) = catalog.get("skill") else {
            bail!("the skill of the race is not found");
        };
        let (real, aside, link) = (folder.join(path), folder.join("aside"), folder.join("link"));
        symlink(folder.join("twin").join(path), &link)?;
        let done = AtomicBool::new(false);
        let mut counts = Counts::default();
        thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let _ = fs::rename(&real, &aside).and_then(|()| fs::rename(&link, &real));
                    let _ = fs::rename(&real, &link).and_then(|()| fs::rename(&aside, &real));
                }
            });
            for _ in 0..self.times {
                match skill.read_resource("deep/b.md", 0, &Limits::default()) {
                    Ok(page) if page.content == Content::Text(INSIDE.to_owned()) => {
                        counts.inside += 1;
                    }
                    Ok(_) => counts.outside += 1,
                    Err(_) => counts.refused += 1,
                }
            }
            done.store(true, Ordering::Relaxed);
        });
        Ok(counts)
    }
}

#[derive(Default)]
struct Counts {
    inside: usize,
    refused: usize,
    outside: usize,
}

/// A skill, and the same outside with other words.
fn lay_out(folder: &Path) -> Result<()> {
    for (place, word) in [("root", INSIDE), ("twin/root", OUTSIDE)] {
        let skill = folder.join(place).join("skill");
        fs::create_dir_all(skill.join("deep"))?;
        fs::write(
            skill.join("SKILL.md"),
            "---\nname: skill\ndescription: Use when asked.\n---\nGo.\n",
        )?;
        fs::write(skill.join("deep/b.md"), word)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_short_race_lets_nothing_out() {
        super::Swap { times: 2_000 }.run().unwrap();
    }
}
