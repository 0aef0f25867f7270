//! Files written whole or not at all.
//!
//! The usual way to replace a file atomically: write a temporary file in the same folder, bring
//! it to the disk with `fsync`, rename it over the old name, then `fsync` the folder. A rename
//! within one file system is atomic, so a reader finds the old bytes or the new ones; without the
//! first `fsync` a crash after the rename could leave an empty file under the name, and without
//! the second the old one could come back.

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::Path,
};

use tempfile::NamedTempFile;

/// How the name of every temporary file starts, so that leftovers of a killed process are found.
pub(crate) const TEMPORARY_PREFIX: &str = ".prowess-";

/// Bytes go to the file in pieces of this size: few system calls, and a piece fits into the cache
/// of a processor.
const PIECE_BYTES: usize = 256 * 1024;

/// Who may read a file that is new, and the folders that are made for it. A file that is replaced
/// keeps its permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whoever may read other new files of this user.
    Shared,
    /// The user alone.
    Private,
}

/// Replaces or creates a file, with the folders above it, so that a reader or a crash finds the
/// old bytes or the new ones.
pub fn write_whole(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    replace(path, access, true, |file| file.write_all(bytes))
}

/// The same for a file that can be made anew, such as a cache: nothing waits for the disk. After
/// a crash of the whole machine such a file may be damaged, so its reader must find that out.
pub(crate) fn write_disposable(
    path: &Path,
    contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    replace(path, Access::Private, false, contents)
}

#[expect(clippy::disallowed_methods, reason = "this is the module that writes")]
fn replace(
    path: &Path,
    access: Access,
    durable: bool,
    contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    create_folder(folder, access)?;
    let file = temporary(folder, access)?;
    let mut buffer = BufWriter::with_capacity(PIECE_BYTES, file.as_file());
    contents(&mut buffer)?;
    buffer.flush()?;
    drop(buffer);
    if let Ok(old) = fs::metadata(path) {
        file.as_file().set_permissions(old.permissions())?;
    }
    if durable {
        file.as_file().sync_all()?;
    }
    file.persist(path).map_err(|error| error.error)?;
    // Some file systems cannot be asked to; the file is whole there all the same.
    if durable && let Ok(folder) = fs::File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

fn create_folder(folder: &Path, access: Access) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    if access == Access::Private {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    }
    #[cfg(not(unix))]
    let _ = access;
    builder.create(folder)
}

/// A file of its own in this folder. The rename needs one file system, so no other folder serves.
fn temporary(folder: &Path, access: Access) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX);
    #[cfg(unix)]
    if access == Access::Shared {
        use std::os::unix::fs::PermissionsExt as _;
        // The umask takes away what the user does not give; the default here is 0600.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = access;
    builder.tempfile_in(folder)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at the disk")]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/file");
        write_whole(&path, b"one", Access::Shared).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        write_whole(&path, b"three", Access::Shared).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"three");
        let failed = write_disposable(&path, |file| {
            file.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"three");
        let names: Vec<_> = fs::read_dir(path.parent().unwrap())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["file"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay_and_private_files_are_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let script = folder.path().join("script");
        write_whole(&script, b"one", Access::Shared).unwrap();
        assert_eq!(mode(&script) & 0o111, 0);
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        write_whole(&script, b"two", Access::Private).unwrap();
        assert_eq!(mode(&script), 0o755);
        let secret = folder.path().join("deep/secret");
        write_whole(&secret, b"one", Access::Private).unwrap();
        assert_eq!(mode(&secret), 0o600);
        assert_eq!(mode(secret.parent().unwrap()), 0o700);
    }
}
