//! The projects the user trusts, kept outside of every project.

use std::{
    io,
    path::{Path, PathBuf},
};

use prowess::TrustStore;
use serde::{Deserialize, Serialize};

use crate::{environment::Environment, exit::Failure, files, write::write_whole};

/// A store with more bytes than this was not written by this program.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// The form the file has now.
const VERSION: u32 = 1;

/// What the file says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u32,
    projects: Vec<PathBuf>,
}

/// Where the store is; `None` without a home.
pub(crate) fn store_path(environment: &Environment) -> Option<PathBuf> {
    environment
        .state_folder()
        .map(|folder| folder.join("trust.json"))
}

/// Reads the projects the user trusts; a store that is not there trusts nothing.
pub(crate) fn read(environment: &Environment) -> Result<TrustStore, Failure> {
    let Some(path) = store_path(environment) else {
        return Ok(TrustStore::default());
    };
    let text = match files::read_text(&path, MOST_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(TrustStore::default()),
        Err(error) => {
            return Err(unusable(&path, environment).because(&error));
        }
    };
    let stored: Stored = serde_json::from_str(&text)
        .map_err(|error| unusable(&path, environment).because(&error))?;
    if stored.version != VERSION {
        return Err(
            unusable(&path, environment).hint("a newer version of prowess wrote it; use that one")
        );
    }
    Ok(TrustStore::new(stored.projects))
}

/// Writes the store whole.
pub(crate) fn write(store: &TrustStore, environment: &Environment) -> Result<(), Failure> {
    let path = store_path(environment).ok_or_else(|| {
        Failure::new("there is no place to remember trusted projects")
            .hint("set `HOME` or `XDG_STATE_HOME`, or use `--trust` for one run")
    })?;
    let stored = Stored {
        version: VERSION,
        projects: store.folders().map(Path::to_path_buf).collect(),
    };
    let text = serde_json::to_string_pretty(&stored).map_err(|error| {
        Failure::new("cannot write down a path that is no text").because(&error)
    })?;
    write_whole(&path, format!("{text}\n").as_bytes())
}

/// Trust is never guessed: a store that cannot be read trusts nothing and is never written over.
fn unusable(path: &Path, environment: &Environment) -> Failure {
    Failure::new(format!(
        "cannot read the trusted projects in `{}`",
        environment.shorten(path)
    ))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at the disk")]
mod tests {
    use super::*;

    #[test]
    fn what_was_trusted_is_read_back_and_damage_is_told() {
        let home = tempfile::tempdir().unwrap();
        let environment = Environment {
            home: Some(home.path().to_path_buf()),
            ..Environment::default()
        };
        assert_eq!(read(&environment).unwrap().folders().count(), 0);
        let mut store = TrustStore::default();
        store.trust("/p/one".into());
        write(&store, &environment).unwrap();
        assert_eq!(read(&environment).unwrap(), store);
        let path = store_path(&environment).unwrap();
        std::fs::write(&path, "{\"version\":1,\"proj").unwrap();
        assert!(read(&environment).is_err());
        std::fs::write(&path, "{\"version\":9,\"projects\":[]}").unwrap();
        assert!(read(&environment).is_err());
    }
}
