//! The few files a host keeps: read with a bound, written whole or not at all.

use std::{fs, io, io::Read as _, path::Path, time::SystemTime};

/// Reads a file up to a limit, and when it was written; `None` where there is none.
#[expect(
    clippy::disallowed_methods,
    reason = "the module that reads what a host keeps"
)]
pub(super) fn read(path: &Path, most: u64) -> io::Result<Option<(Vec<u8>, SystemTime)>> {
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let facts = file.metadata()?;
    if !facts.is_file() || facts.len() > most {
        return Err(io::Error::other("it is no file of this program"));
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(Some((bytes, facts.modified()?)))
}

/// Writes a file so that a reader, or a crash, finds the old bytes or the new ones. It and the
/// folders made for it are for the user alone.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    prowess::write_whole(path, bytes, prowess::Access::Private)
}

/// Removes a file; whether it was there.
#[expect(
    clippy::disallowed_methods,
    reason = "the module that removes what a host keeps"
)]
pub(super) fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The names of the files in a folder; none where there is no such folder.
#[expect(
    clippy::disallowed_methods,
    reason = "the module that reads what a host keeps"
)]
pub(super) fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    names.sort();
    Ok(names)
}
