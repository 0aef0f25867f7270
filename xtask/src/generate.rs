//! Catalogs of made-up skills, the same on every machine, to measure on.
//!
//! Skill number n is the same text in a catalog of 1,000 and in one of 100,000, so figures
//! at different sizes can be compared.

mod random;
mod text;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
pub(crate) use random::Random;
use serde::{Deserialize, Serialize};
pub(crate) use text::{Asked, queries};

/// Raised with every change of the text, so that an old catalog is not mistaken for a new one.
const EDITION: u32 = 1;

/// Which frontmatter fields the generated skills use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Fields {
    /// Only fields every peer reads; a peer that refuses a file would seem fast.
    Common,
    /// Also `tags` and `allowed-tools` as lists, which `agent-skills` refuses.
    Rich,
}

/// Options of `cargo xtask generate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Generate {
    /// How many skills to write
    skills: usize,
    /// Frontmatter fields to use
    #[arg(long, value_enum, default_value_t = Fields::Common)]
    fields: Fields,
}

impl Generate {
    /// Writes the catalog and prints the folder whose children are the skills.
    pub(crate) fn run(&self) -> Result<()> {
        let made = catalog(self.skills, self.fields)?;
        println!("{}", made.skills_dir().display());
        Ok(())
    }
}

/// A catalog on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Generated {
    edition: u32,
    pub(crate) skills: usize,
    pub(crate) fields: Fields,
    /// Bytes of all `SKILL.md` files together.
    pub(crate) bytes: u64,
    /// The folder that holds `.skills`.
    #[serde(skip)]
    pub(crate) root: PathBuf,
}

impl Generated {
    /// The folder whose children are the skills.
    pub(crate) fn skills_dir(&self) -> PathBuf {
        // `adk-skill` looks only below a folder of this name; the others take any folder.
        self.root.join(".skills")
    }
}

/// Gives the catalog of `skills` skills below `target/bench`, writing it if it is not there.
pub(crate) fn catalog(skills: usize, fields: Fields) -> Result<Generated> {
    catalog_in(&crate::workspace().join("target/bench"), skills, fields)
}

/// Gives the catalog of `skills` skills below `home`, writing it if it is not there yet.
pub(crate) fn catalog_in(home: &Path, skills: usize, fields: Fields) -> Result<Generated> {
    let kind = match fields {
        Fields::Common => "common",
        Fields::Rich => "rich",
    };
    let root = home.join(format!("{kind}-{skills}"));
    let stamp = root.join("generated.json");
    if let Some(ready) = read_stamp(&stamp)
        && (ready.edition, ready.skills, ready.fields) == (EDITION, skills, fields)
    {
        return Ok(Generated { root, ..ready });
    }

    eprintln!("writing {skills} skills to `{}`", root.display());
    if root.exists() {
        fs::remove_dir_all(&root).with_context(|| format!("cannot clear `{}`", root.display()))?;
    }
    let mut made = Generated {
        edition: EDITION,
        skills,
        fields,
        bytes: 0,
        root,
    };
    write(&mut made).with_context(|| format!("cannot write `{}`", made.root.display()))?;
    // The stamp comes last: a catalog that was cut short is written again.
    fs::write(&stamp, serde_json::to_string(&made)?)?;
    Ok(made)
}

fn read_stamp(stamp: &Path) -> Option<Generated> {
    serde_json::from_slice(&fs::read(stamp).ok()?).ok()
}

fn write(catalog: &mut Generated) -> std::io::Result<()> {
    let dir = catalog.skills_dir();
    let mut taken = HashSet::new();
    for number in 0..catalog.skills {
        let mut random = Random::new(number as u64);
        let skill = text::skill(&mut random, catalog.fields, &mut |name| {
            fresh(&name, &mut taken)
        });
        let home = dir.join(&skill.name);
        fs::create_dir_all(&home)?;
        fs::write(home.join("SKILL.md"), &skill.text)?;
        for (path, text) in &skill.resources {
            let file = home.join(path);
            fs::create_dir_all(file.parent().expect("a resource lies in a folder"))?;
            fs::write(&file, text)?;
            #[cfg(unix)]
            if path.starts_with("scripts/") {
                use std::os::unix::fs::PermissionsExt as _;
                fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
            }
        }
        catalog.bytes += skill.text.len() as u64;
    }
    Ok(())
}

/// Adds a number to a name that is already in use.
fn fresh(name: &str, taken: &mut HashSet<String>) -> String {
    let mut unique = name.to_owned();
    let mut count = 1;
    while !taken.insert(unique.clone()) {
        count += 1;
        unique = format!("{name}-{count}");
    }
    unique
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalog_is_written_once_and_grows_without_changing() -> Result<()> {
        let home = tempfile::tempdir()?;
        let small = catalog_in(home.path(), 5, Fields::Common)?;
        let large = catalog_in(home.path(), 9, Fields::Common)?;
        assert_eq!(catalog_in(home.path(), 5, Fields::Common)?, small);
        assert!(large.bytes > small.bytes);

        for entry in fs::read_dir(small.skills_dir())? {
            let name = entry?.file_name();
            let text = |of: &Generated| fs::read(of.skills_dir().join(&name).join("SKILL.md"));
            assert_eq!(text(&small)?, text(&large)?, "{}", name.display());
        }
        Ok(())
    }

    #[test]
    fn a_second_skill_of_the_same_name_gets_a_number() {
        let mut taken = HashSet::new();
        let names: Vec<_> = (0..3).map(|_| fresh("pdf", &mut taken)).collect();
        assert_eq!(names, ["pdf", "pdf-2", "pdf-3"]);
    }
}
