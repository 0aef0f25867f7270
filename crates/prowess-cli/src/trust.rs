//! What the user has decided about projects' skills, kept outside of every project.

use std::{
    io,
    path::{Path, PathBuf},
};

use prowess::{TrustStore, trust::BadStore};

use crate::{environment::Environment, exit::Failure, files, write::write_whole};

/// A store with more bytes than this was not written by this program.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Where the store is; `None` without a home.
pub(crate) fn store_path(environment: &Environment) -> Option<PathBuf> {
    environment
        .state_folder()
        .map(|folder| folder.join("trust.json"))
}

/// Reads what the user has decided; a store that is not there trusts nothing.
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
    TrustStore::from_json(&text).map_err(|error| {
        let failure = unusable(&path, environment).because(&error);
        match error {
            BadStore::Version { .. } => failure
                .hint("use the version of prowess that wrote it, or remove it and trust again"),
            _ => failure,
        }
    })
}

/// Writes the store whole.
pub(crate) fn write(store: &TrustStore, environment: &Environment) -> Result<(), Failure> {
    let path = store_path(environment).ok_or_else(|| {
        Failure::new("there is no place to remember what is trusted")
            .hint("set `HOME` or `XDG_STATE_HOME`, or use `--trust` for one run")
    })?;
    let text = store
        .to_json()
        .map_err(|error| Failure::new("cannot remember what is trusted").because(&error))?;
    write_whole(&path, format!("{text}\n").as_bytes())
}

/// Trust is never guessed: a store that cannot be read trusts nothing and is never written over.
fn unusable(path: &Path, environment: &Environment) -> Failure {
    Failure::new(format!(
        "cannot read what is trusted in `{}`",
        environment.shorten(path)
    ))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at the disk")]
mod tests {
    use super::*;

    #[test]
    fn what_was_decided_is_read_back_and_damage_is_told() {
        let home = tempfile::tempdir().unwrap();
        let environment = Environment {
            home: Some(home.path().to_path_buf()),
            ..Environment::default()
        };
        assert_eq!(read(&environment).unwrap(), TrustStore::default());
        let mut store = TrustStore::default();
        store.deny("/p/one".into());
        write(&store, &environment).unwrap();
        assert_eq!(read(&environment).unwrap(), store);
        let path = store_path(&environment).unwrap();
        for text in ["{\"version\":2,\"entr", "{\"version\":9,\"entries\":[]}"] {
            std::fs::write(&path, text).unwrap();
            assert!(read(&environment).is_err(), "{text}");
        }
    }
}
