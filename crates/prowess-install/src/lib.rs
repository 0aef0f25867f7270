//! Agent Skills from elsewhere, known to the byte.
//!
//! ```
//! use prowess_install::{Place, Source};
//!
//! let source = Source::parse("acme/skills/pdf#v2", &|_| false)?;
//! assert_eq!(source.place, Place::Git("https://github.com/acme/skills.git".to_owned()));
//! assert_eq!(source.path, "pdf");
//! # Ok::<(), prowess_install::SourceError>(())
//! ```

pub use archive::{ArchiveError, ArchiveLimits, read_archive};
pub use bundle::{BundleError, bundle, open_bundle, read_bundle};
pub use disk::{FolderError, SkillLimits, read_folder, write_folder};
pub use file_path::{FilePath, UnsafePath};
pub use git::{FetchOptions, Git, GitError};
pub use import::{
    Import, ImportOptions, ImportState, ImportedSkill, Record, RecordError, RecordedHash,
    gh_record, import, read_records,
};
pub use install::{
    ClientPlace, InstallError, Item, Outcome, change_for, client_places, plan, plan_locked,
};
pub use lock::{Lock, LockError, LockedSkill, is_folder_name, owner};
pub use manifest::{
    ManifestError, WantedSource, add_to_manifest, read_manifest, remove_from_manifest,
};
pub use merge::merge;
pub use offer::{
    Offer, OfferError, OfferOptions, OfferedSkill, Origin, RemotePlugin, install_name, own_name,
};
pub use pack::pack;
pub use publish::{IndexEntry, PublishError, PublishedSkill, publish};
pub use restore::{RestoreError, restore};
pub use site::{Change, LOCK_FILE, Owner, Site, SiteError, Turn};
pub use source::{Place, Reference, Source, SourceError};
pub use store::Store;
pub use tree::{FileEntry, Mode, SkillFiles, Tree, TreeDigest, TreeError};
pub use update::{Edits, Update, Upstream, upstream};
pub use verify::{Difference, Differs, Stamps, client_differs, verify};
pub use web::{WebError, WebOptions};

// What a skill is, to the byte.
mod file_path;
mod lock;
mod tree;

// The disk, and what is kept there.
mod disk;
mod store;

// Where skills come from.
mod archive;
mod git;
mod offer;
mod source;
mod web;

// What others get from here.
mod bundle;
mod pack;
mod publish;

// Where they go.
mod import;
mod install;
mod manifest;
mod merge;
mod restore;
mod site;
mod update;
mod verify;
