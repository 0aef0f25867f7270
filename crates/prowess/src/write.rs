//! Files written whole or not at all.
//!
//! The usual way to replace a file atomically: write a temporary file in the same folder, bring
//! it to the disk with `fsync`, rename it over the old name, then `fsync` the folder. A rename
//! within one file system is atomic, so a reader finds the old bytes or the new ones; without the
//! first `fsync` a crash after the rename could leave an empty file under the name, and without
//! the second the old one could come back.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
};

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
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    create_folder(folder, access)?;
    replace_below(folder, name, access, durable, contents)
}

fn fill(
    file: &File,
    durable: bool,
    contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffer = BufWriter::with_capacity(PIECE_BYTES, file);
    contents(&mut buffer)?;
    buffer.flush()?;
    drop(buffer);
    if durable {
        file.sync_all()?;
    }
    Ok(())
}

#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "this is the module that writes")]
fn replace_below(
    folder: &Path,
    name: &OsStr,
    access: Access,
    durable: bool,
    contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    // The way there is walked once. What is swapped afterwards leads nothing elsewhere.
    replace_in(&File::open(folder)?, name, access, durable, contents)
}

/// Replaces or creates a file in a folder that is open. A link of this name is replaced, never
/// followed.
#[cfg(unix)]
pub(crate) fn replace_in(
    folder: &impl std::os::fd::AsFd,
    name: &OsStr,
    access: Access,
    durable: bool,
    contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    use rustix::fs::{AtFlags, FileType, Mode, fchmod, fsync, renameat, statat, unlinkat};
    let (temporary, file) = unix::temporary_in(folder, access)?;
    let replaced = fill(&file, durable, |to| {
        contents(to)?;
        if let Ok(old) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
            && FileType::from_raw_mode(old.st_mode).is_file()
        {
            fchmod(&file, Mode::from_raw_mode(old.st_mode))?;
        }
        Ok(())
    });
    let replaced = replaced.and_then(|()| Ok(renameat(folder, &*temporary, folder, name)?));
    if replaced.is_err() {
        let _ = unlinkat(folder, &*temporary, AtFlags::empty());
    } else if durable {
        // Some file systems cannot be asked to; the file is whole there all the same.
        let _ = fsync(folder);
    }
    replaced
}

#[cfg(unix)]
mod unix {
    use std::{
        fs::File,
        io,
        os::fd::AsFd,
        sync::atomic::{AtomicU32, Ordering},
    };

    use rustix::{
        fs::{Mode, OFlags, openat},
        io::Errno,
    };

    use super::{Access, TEMPORARY_PREFIX};

    /// Names that are taken are left over from a process with this one's number, or were laid there.
    const TRIES: u32 = 1_000;

    /// A file of its own in this folder, and its name. The rename needs one file system, so no
    /// other folder serves.
    pub(super) fn temporary_in(folder: &impl AsFd, access: Access) -> io::Result<(String, File)> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = match access {
            // The umask takes away what the user does not give.
            Access::Shared => Mode::from_raw_mode(0o666),
            Access::Private => Mode::from_raw_mode(0o600),
        };
        let process = std::process::id();
        for _ in 0..TRIES {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("{TEMPORARY_PREFIX}{process}-{number}");
            match openat(folder, &*name, flags, mode) {
                Ok(file) => return Ok((name, File::from(file))),
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

#[cfg(not(unix))]
#[expect(clippy::disallowed_methods, reason = "this is the module that writes")]
fn replace_below(
    folder: &Path,
    name: &OsStr,
    _access: Access,
    durable: bool,
    contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    let file = builder.prefix(TEMPORARY_PREFIX).tempfile_in(folder)?;
    fill(file.as_file(), durable, contents)?;
    let path = folder.join(name);
    if let Ok(old) = fs::metadata(&path) {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.persist(path).map_err(|error| error.error)?;
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
