//! What the user has decided about projects' skills, kept outside of every project.

use std::{
    fs::{File, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    thread,
    time::{Duration, Instant},
};

use prowess::{
    Origin, Trust, TrustDecision, TrustStore,
    trust::{BadStore, Seal},
};

use crate::{
    environment::Environment,
    exit::Failure,
    files,
    write::{open_lock, write_private},
};

/// A store with more bytes than this was not written by this program.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// How long to wait for another command that changes the store. It only reads the files of the
/// skills it trusts, so it is done long before.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often to look whether it is done.
const LOOK: Duration = Duration::from_millis(20);

/// The right to change the store, for as long as this is held.
#[derive(Debug)]
pub(crate) struct Turn(
    #[expect(dead_code, reason = "it is let go when it is dropped")] Option<File>,
);

/// Waits until nobody else changes the store, so that of two commands at once none undoes the
/// other. Whoever only reads need not wait: the store is written whole.
pub(crate) fn turn(environment: &Environment) -> Result<Turn, Failure> {
    turn_within(environment, PATIENCE)
}

fn turn_within(environment: &Environment, patience: Duration) -> Result<Turn, Failure> {
    let Some(path) = store_path(environment) else {
        return Ok(Turn(None));
    };
    let failed = |error: &io::Error| {
        let shown = environment.shorten(&path);
        Failure::new(format!("cannot lock `{shown}` to change it")).because(error)
    };
    let file = open_lock(&path).map_err(|error| failed(&error))?;
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Turn(Some(file))),
            Err(TryLockError::WouldBlock) if started.elapsed() < patience => thread::sleep(LOOK),
            Err(TryLockError::WouldBlock) => {
                let shown = environment.shorten(&path);
                return Err(Failure::new(format!(
                    "another command is changing what is trusted in `{shown}`"
                ))
                .hint("nothing was changed; wait until it is done, then run this again"));
            }
            // Some file systems know no locks; the store is still written whole there.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(Turn(None));
            }
            Err(TryLockError::Error(error)) => return Err(failed(&error)),
        }
    }
}

/// Where the store is; `None` without a home.
pub(crate) fn store_path(environment: &Environment) -> Option<PathBuf> {
    let from = &environment.working_directory;
    environment.seen_from(from).trust_store()
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
    write_private(&path, format!("{text}\n").as_bytes())
}

/// Trusts whole folders, as a config asks for.
pub(crate) fn add_folders<'a>(
    store: &mut TrustStore,
    folders: impl IntoIterator<Item = &'a PathBuf>,
) {
    for folder in folders {
        // A folder that is not there has no skills to trust.
        if let Ok(real) = files::real_path(folder) {
            store.trust_folder(real);
        }
    }
}

/// What the user trusts at the moment, read again whenever a place is judged.
pub(crate) struct LiveTrust {
    folders: Vec<PathBuf>,
    environment: Environment,
    store: RwLock<Arc<TrustStore>>,
}

impl LiveTrust {
    /// Starts from the store as it is now.
    pub(crate) fn new(store: TrustStore, folders: Vec<PathBuf>, environment: &Environment) -> Self {
        Self {
            folders,
            environment: environment.clone(),
            store: RwLock::new(Arc::new(store)),
        }
    }

    fn store(&self) -> Arc<TrustStore> {
        let store = self.store.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&store)
    }
}

impl Trust for LiveTrust {
    fn decide(&self, origin: &Origin) -> TrustDecision {
        let mut store = read(&self.environment).unwrap_or_default();
        add_folders(&mut store, &self.folders);
        let decision = store.decide(origin);
        *self.store.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(store);
        decision
    }

    fn knows(&self, path: &Path) -> bool {
        self.store().knows(path)
    }

    fn decide_skill(&self, path: &Path, seal: Option<&Seal>) -> TrustDecision {
        self.store().decide_skill(path, seal)
    }
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

    /// A home that goes away with the test, and an environment that has it.
    fn home() -> (tempfile::TempDir, Environment) {
        let home = tempfile::tempdir().unwrap();
        let environment = Environment {
            home: Some(home.path().to_path_buf()),
            ..Environment::default()
        };
        (home, environment)
    }

    #[test]
    fn what_was_decided_is_read_back_and_damage_is_told() {
        let (_home, environment) = home();
        assert_eq!(read(&environment).unwrap(), TrustStore::default());
        let mut store = TrustStore::default();
        store.deny("/p/one".into());
        write(&store, &environment).unwrap();
        assert_eq!(read(&environment).unwrap(), store);
        let path = store_path(&environment).unwrap();
        for text in ["{\"version\":3,\"entr", "{\"version\":9,\"entries\":[]}"] {
            std::fs::write(&path, text).unwrap();
            assert!(read(&environment).is_err(), "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_reads_the_store_or_holds_its_lock() {
        use std::os::unix::fs::PermissionsExt as _;
        let (home, environment) = home();
        let folder = environment.state_folder().unwrap();
        // As a version before left them.
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["trust.json", "trust.lock"] {
            let path = folder.join(name);
            std::fs::write(&path, "").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        }
        let _turn = turn(&environment).unwrap();
        write(&TrustStore::default(), &environment).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&folder.join("trust.json")), 0o600);
        assert_eq!(mode(&folder.join("trust.lock")), 0o600);
        assert_ne!(mode(home.path()), 0, "what lies above is not ours");
    }

    #[test]
    fn whoever_changes_the_store_waits_for_the_other() {
        let (_home, environment) = home();
        let first = turn(&environment).unwrap();
        let failure = turn_within(&environment, Duration::ZERO).unwrap_err();
        let text = failure.render(crate::render::Paint::plain());
        assert!(text.contains("another command is changing"), "{text}");
        drop(first);
        assert!(turn_within(&environment, Duration::ZERO).is_ok());
    }

    #[test]
    fn a_live_store_knows_before_anything_is_decided() {
        let (_home, environment) = home();
        let mut store = TrustStore::default();
        store.deny("/p/one".into());
        let live = LiveTrust::new(store, Vec::new(), &environment);
        let path = Path::new("/p/one");
        assert_eq!(live.decide_skill(path, None), TrustDecision::Denied);
    }

    #[test]
    fn of_many_changes_at_once_none_is_lost() {
        let (_home, environment) = home();
        thread::scope(|scope| {
            for one in 0..8 {
                let environment = &environment;
                scope.spawn(move || {
                    for two in 0..8 {
                        let _turn = turn(environment).unwrap();
                        let mut store = read(environment).unwrap();
                        store.deny(format!("/p/{one}-{two}").into());
                        write(&store, environment).unwrap();
                    }
                });
            }
        });
        assert_eq!(read(&environment).unwrap().entries().count(), 64);
    }
}
