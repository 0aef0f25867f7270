//! What stands where in the file of a source. The texts come last.

/// What the scan depended on.
pub(super) const KEY: usize = 0;
pub(super) const FOLDERS: usize = 1;
pub(super) const FILES: usize = 2;
pub(super) const PATHS: usize = 3;
pub(super) const SKILLS: usize = 4;
/// Names and ids.
pub(super) const NAMES: usize = 5;
/// What few skills have.
pub(super) const MORE: usize = 6;
/// What was noticed about other paths.
pub(super) const FINDINGS: usize = 7;
/// Read with the first question for one.
pub(super) const DESCRIPTIONS: usize = 8;
/// Read where a folder is looked at again.
pub(super) const FOLDERS_MORE: usize = 9;
