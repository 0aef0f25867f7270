//! Files written whole or not at all.

use std::{fs, io, path::Path};

use crate::{exit::Failure, files};

/// Writes a file so that a reader, or a crash, finds the old bytes or the new ones.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    prowess::write_whole(path, bytes, prowess::Access::Shared)
        .map_err(|error| Failure::new(format!("cannot write `{}`", path.display())).because(&error))
}

/// The same for what only the user may read, with the folder it lies in: a file that others could
/// read before is closed to them.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let write = || {
        close(path)?;
        prowess::write_whole(path, bytes, prowess::Access::Private)
    };
    write()
        .map_err(|error| Failure::new(format!("cannot write `{}`", path.display())).because(&error))
}

/// Opens the file beside `path` that whoever changes it holds locked, and makes it if need be.
/// Whoever could open it could hold the lock for good.
#[expect(clippy::disallowed_methods, reason = "this is the module that writes")]
pub(crate) fn open_lock(path: &Path) -> io::Result<fs::File> {
    let lock = path.with_extension("lock");
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    // It holds nothing: the lock is the system's, and ends with the process.
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let file = options.open(&lock)?;
    close(&lock)?;
    Ok(file)
}

/// Takes a file and its folder from everybody but the user.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "this is the module that writes")]
fn close(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let only = |path: &Path, mode: u32| match fs::set_permissions(
        path,
        fs::Permissions::from_mode(mode),
    ) {
        // What is not there yet is made so.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    only(path.parent().unwrap_or(path), 0o700)?;
    only(path, 0o600)
}

#[cfg(not(unix))]
fn close(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// One file of a new folder.
pub(crate) struct NewFile {
    /// Below the folder, with `/`.
    pub(crate) path: &'static str,
    pub(crate) text: String,
    /// Whether it can be run.
    pub(crate) run: bool,
}

/// Creates a folder with all its files, or nothing. `base` is where the user stands or what they
/// named; the folders of `below` are made where they are missing, and are no links: what a
/// repository points at is not where a user's skill goes.
pub(crate) fn create_folder(
    base: &Path,
    below: &Path,
    name: &str,
    files: &[NewFile],
) -> Result<(), Failure> {
    create(base, below, name, files).map_err(|error| {
        let path = base.join(below).join(name);
        let failure = Failure::new(format!("cannot create `{}`", path.display()));
        if files::has_link(base, below) {
            failure
                .because(&io::Error::other("a folder on the way is a link"))
                .hint("name the folder it leads to with `--dir DIR`")
        } else {
            failure.because(&error)
        }
    })
}

/// Every step opens one name in a folder that is already open and follows no link, so whatever is
/// swapped meanwhile, nothing is written elsewhere (`openat` against TOCTOU).
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "this is the module that writes")]
fn create(base: &Path, below: &Path, name: &str, files: &[NewFile]) -> io::Result<()> {
    use rustix::fs::{Mode, OFlags, RenameFlags, renameat, renameat_with};
    fs::create_dir_all(base)?;
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut parent = rustix::fs::open(base, flags, Mode::empty())?;
    for part in below {
        parent = unix::folder_in(&parent, part)?;
    }
    let (temporary, folder) = unix::temporary_folder(&parent)?;
    let made = files
        .iter()
        .try_for_each(|file| unix::write_in(&folder, file));
    let made = made.and_then(|()| {
        let named = renameat_with(&parent, &*temporary, &parent, name, RenameFlags::NOREPLACE);
        match named {
            // Some file systems know no such flag; a folder with files in it stays there too.
            Err(rustix::io::Errno::INVAL) => Ok(renameat(&parent, &*temporary, &parent, name)?),
            other => Ok(other?),
        }
    });
    if made.is_err() {
        unix::remove(&parent, &temporary, &folder, files);
    }
    made
}

#[cfg(unix)]
mod unix {
    use std::{ffi::OsStr, fs, io, io::Write as _, os::fd::OwnedFd, path::Path};

    use rustix::{
        fs::{AtFlags, Mode, OFlags, mkdirat, openat, unlinkat},
        io::Errno,
    };

    use super::NewFile;

    const FOLDER: OFlags = OFlags::DIRECTORY
        .union(OFlags::NOFOLLOW)
        .union(OFlags::CLOEXEC);

    /// What an ordinary new folder gets; the user's mask takes its part.
    const ANY: Mode = Mode::RWXU.union(Mode::RWXG).union(Mode::RWXO);

    /// Opens the folder of this name, and makes it if need be.
    pub(super) fn folder_in(parent: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
        match mkdirat(parent, name, ANY) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(openat(parent, name, FOLDER, Mode::empty())?)
    }

    /// A new folder that nobody else has, and its name.
    pub(super) fn temporary_folder(parent: &OwnedFd) -> io::Result<(String, OwnedFd)> {
        let mut number = 0_u32;
        loop {
            let name = format!(".prowess-{}-{number}", std::process::id());
            match mkdirat(parent, &*name, ANY) {
                Ok(()) => {
                    let folder = openat(parent, &*name, FOLDER, Mode::empty())?;
                    return Ok((name, folder));
                }
                Err(Errno::EXIST) => number += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }

    pub(super) fn write_in(folder: &OwnedFd, file: &NewFile) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let runs = Mode::XUSR | Mode::XGRP | Mode::XOTH;
        let mode = if file.run { ANY } else { ANY - runs };
        let path = Path::new(file.path);
        let name = path.file_name().unwrap_or_default();
        let mut into = folder.try_clone()?;
        for part in path.parent().into_iter().flatten() {
            into = folder_in(&into, part)?;
        }
        let opened = openat(&into, name, flags | OFlags::CLOEXEC, mode)?;
        let mut opened = fs::File::from(opened);
        opened.write_all(file.text.as_bytes())?;
        // Without this a crash after the rename could leave an empty file under the name.
        opened.sync_all()
    }

    /// Takes back what was made; what cannot be taken back stays under its temporary name.
    pub(super) fn remove(parent: &OwnedFd, name: &str, folder: &OwnedFd, files: &[NewFile]) {
        for file in files {
            let _ = unlinkat(folder, file.path, AtFlags::empty());
            let above = Path::new(file.path).parent();
            if let Some(above) = above.filter(|above| *above != Path::new("")) {
                let _ = unlinkat(folder, above, AtFlags::REMOVEDIR);
            }
        }
        let _ = unlinkat(parent, name, AtFlags::REMOVEDIR);
    }
}

#[cfg(not(unix))]
#[expect(clippy::disallowed_methods, reason = "this is the module that writes")]
fn create(base: &Path, below: &Path, name: &str, files: &[NewFile]) -> io::Result<()> {
    let parent = base.join(below);
    fs::create_dir_all(&parent)?;
    let mut builder = tempfile::Builder::new();
    let folder = builder.prefix(".prowess-").tempdir_in(&parent)?;
    for file in files {
        let path = folder.path().join(file.path);
        fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
        fs::write(&path, &file.text)?;
        fs::File::open(&path)?.sync_all()?;
    }
    fs::rename(folder.path(), parent.join(name))?;
    // It has its name now, so there is nothing left to clean up.
    let _ = folder.keep();
    Ok(())
}

#[cfg(all(test, unix))]
#[expect(clippy::disallowed_methods, reason = "tests look at the disk")]
mod tests {
    use std::{
        os::unix::fs::{PermissionsExt as _, symlink},
        sync::atomic::{AtomicBool, Ordering},
    };

    use super::*;

    const BELOW: &str = ".agents/skills";

    fn file(path: &'static str, run: bool) -> NewFile {
        NewFile {
            path,
            text: path.to_owned(),
            run,
        }
    }

    #[test]
    fn a_folder_is_made_whole_and_never_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (base, outside) = (folder.path().join("work"), folder.path().join("outside"));
        fs::create_dir_all(&outside).unwrap();
        let files = [file("SKILL.md", false), file("scripts/run.sh", true)];
        let make = |name| create_folder(&base, Path::new(BELOW), name, &files);
        make("one").unwrap();
        let mode = |path: &str| {
            let path = base.join(BELOW).join("one").join(path);
            fs::metadata(path).unwrap().permissions().mode() & 0o100
        };
        assert_eq!((mode("SKILL.md"), mode("scripts/run.sh")), (0, 0o100));
        assert!(make("one").is_err());
        let names = fs::read_dir(base.join(BELOW)).unwrap();
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["one"], "what failed is taken back");
        fs::remove_dir_all(base.join(".agents")).unwrap();
        symlink(&outside, base.join(".agents")).unwrap();
        let failure = make("two").unwrap_err();
        let text = failure.render(crate::render::Paint::plain());
        assert!(text.contains("is a link"), "{text}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }

    /// A folder on the way is swapped for a link while skills are made.
    #[test]
    fn no_swap_leads_a_new_folder_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let (base, outside) = (folder.path().join("work"), folder.path().join("outside"));
        let (agents, away) = (base.join(".agents"), base.join("away"));
        fs::create_dir_all(agents.join("skills")).unwrap();
        fs::create_dir_all(outside.join("skills")).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let _ = fs::rename(&agents, &away);
                    let _ = symlink(&outside, &agents);
                    let _ = fs::remove_file(&agents);
                    let _ = fs::rename(&away, &agents);
                }
            });
            for number in 0..500 {
                // It may find a link, or nothing; it must not go through one.
                let name = format!("s{number}");
                let files = [file("SKILL.md", false)];
                let _ = create_folder(&base, Path::new(BELOW), &name, &files);
            }
            done.store(true, Ordering::Relaxed);
        });
        assert_eq!(fs::read_dir(outside.join("skills")).unwrap().count(), 0);
    }
}
