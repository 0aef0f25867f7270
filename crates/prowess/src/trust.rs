//! Whose skills may reach a model: a policy the host sets.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crate::source::{Origin, Scope};

/// What may happen to the skills of one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// They may be given to a model.
    Trusted,
    /// They are listed, checked and shown, and not given to a model.
    Untrusted,
}

/// Decides about a place before anything in it is opened.
pub trait Trust: Sync {
    /// Says whether skills from this place may reach a model.
    fn decide(&self, origin: &Origin) -> Decision;
}

/// Trusts every place.
#[derive(Debug, Clone, Copy, Default)]
pub struct TrustAll;

impl Trust for TrustAll {
    fn decide(&self, _origin: &Origin) -> Decision {
        Decision::Trusted
    }
}

/// Trusts what the user named or installed, and no project.
#[derive(Debug, Clone, Copy, Default)]
pub struct TrustNone;

impl Trust for TrustNone {
    fn decide(&self, origin: &Origin) -> Decision {
        if origin.scope == Scope::Project {
            Decision::Untrusted
        } else {
            Decision::Trusted
        }
    }
}

/// Trusts what the user named or installed, and the projects below these folders.
///
/// A folder is trusted by its real path. What a repository says about itself, in a config or in
/// its `.git`, is never asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustStore {
    folders: BTreeSet<PathBuf>,
}

impl TrustStore {
    /// Creates a store of absolute paths without links.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            folders: folders.into_iter().collect(),
        }
    }

    /// Trusts a folder and all below it; says whether that is new.
    pub fn trust(&mut self, folder: PathBuf) -> bool {
        self.folders.insert(folder)
    }

    /// Takes the trust back; says whether the folder was in the store.
    pub fn distrust(&mut self, folder: &Path) -> bool {
        self.folders.remove(folder)
    }

    /// The trusted folders, sorted.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(PathBuf::as_path)
    }

    /// Whether this folder lies in a trusted one.
    pub fn contains(&self, folder: &Path) -> bool {
        folder
            .ancestors()
            .any(|ancestor| self.folders.contains(ancestor))
    }
}

impl Trust for TrustStore {
    fn decide(&self, origin: &Origin) -> Decision {
        match (&origin.real_root, origin.scope) {
            (Some(root), Scope::Project) if self.contains(root) => Decision::Trusted,
            _ => TrustNone.decide(origin),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(root: &str) -> Origin {
        Origin {
            real_root: Some(root.into()),
            ..Origin::new(Scope::Project, "agents", root)
        }
    }

    #[test]
    fn only_projects_wait_for_trust() {
        let store = TrustStore::new(["/home/u/work/mine".into()]);
        let decide = |origin: &Origin| store.decide(origin);
        assert_eq!(
            decide(&project("/home/u/work/mine/.agents/skills")),
            Decision::Trusted
        );
        assert_eq!(
            decide(&project("/home/u/work/mine-too/.agents/skills")),
            Decision::Untrusted
        );
        assert_eq!(
            decide(&project("/home/u/work/.agents/skills")),
            Decision::Untrusted
        );
        assert_eq!(
            decide(&Origin::new(Scope::Explicit, "dir", "x")),
            Decision::Trusted
        );
        assert_eq!(
            decide(&Origin::new(Scope::User, "agents", "x")),
            Decision::Trusted
        );
    }

    #[test]
    fn a_place_whose_real_path_is_unknown_is_not_trusted() {
        let store = TrustStore::new(["/".into()]);
        let origin = Origin::new(Scope::Project, "agents", "/x");
        assert_eq!(store.decide(&origin), Decision::Untrusted);
    }
}
