//! How much is looked at before a scan or a read says that it stopped.

use std::time::Duration;

/// Bounds on every input. A host may lower them and a user may raise them; beyond one stands a
/// diagnostic, never a hang and never a silent cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a skill's file. The largest of 45,000 real ones has 294 KB.
    pub file_bytes: usize,
    /// Bytes from which a skill's file is worth a warning. Real files: p99 34 KB.
    pub large_file_bytes: usize,
    /// Folders below a root. Clients look between one and six deep.
    pub depth: usize,
    /// Links followed one inside another. Real trees have one.
    pub links: usize,
    /// Files and folders seen by one load, all its roots together.
    pub entries: usize,
    /// Time one load spends looking, all its roots together.
    pub time: Duration,
    /// Files listed in one skill. Real skills: p99 25.
    pub skill_files: usize,
    /// Bytes of all files in one skill.
    pub skill_bytes: u64,
    /// Folders below a skill.
    pub skill_depth: usize,
    /// Bytes of one page of a resource.
    pub page_bytes: usize,
    /// Bytes of a resource that can be read at all.
    pub resource_bytes: u64,
    /// Folders in one folder from which several threads walk them. Fewer are read before a second
    /// thread has paid for itself.
    pub thread_folders: usize,
    /// How long ago a file must have been touched for its stamp to be believed: some file systems
    /// count time in steps of two seconds.
    pub settle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 1024 * 1024,
            large_file_bytes: 128 * 1024,
            depth: 16,
            links: 8,
            entries: 1_000_000,
            time: Duration::from_secs(30),
            skill_files: 2_000,
            skill_bytes: 64 * 1024 * 1024,
            skill_depth: 16,
            page_bytes: 256 * 1024,
            resource_bytes: 16 * 1024 * 1024,
            thread_folders: 1_500,
            settle: Duration::from_secs(2),
        }
    }
}
