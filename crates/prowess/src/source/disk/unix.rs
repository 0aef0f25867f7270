//! Folders as Unix file descriptors: every open starts at one and never follows a link.

use std::{
    ffi::{OsStr, OsString},
    io,
    os::{
        fd::OwnedFd,
        unix::ffi::{OsStrExt as _, OsStringExt as _},
    },
    path::{Component, Path, PathBuf},
};

use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat},
    io::{Errno, pread, read},
};

use super::{
    handle::{Buffers, Facts, Folder, Kind, ReadFault},
    tree::Stamp,
};
use crate::write::{Access, replace_in};

/// An open folder.
#[derive(Debug)]
pub(crate) struct UnixFolder(OwnedFd);

// A pipe would block its opener until someone writes; `NONBLOCK` returns at once.
const FILE: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOCTTY);
const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

impl Folder for UnixFolder {
    fn open(path: &Path) -> io::Result<Self> {
        open_without_links(path).map(Self)
    }

    fn child(&self, name: &OsStr) -> io::Result<Self> {
        let flags = FOLDER.union(OFlags::NOFOLLOW);
        Ok(Self(openat(&self.0, name, flags, Mode::empty())?))
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn entries(
        &self,
        buffers: &mut Buffers,
        each: &mut dyn FnMut(&OsStr, Kind) -> bool,
    ) -> io::Result<()> {
        let mut entries = rustix::fs::RawDir::new(&self.0, buffers.listing());
        while let Some(entry) = entries.next() {
            let entry = entry?;
            if !self.tell(entry.file_name().to_bytes(), entry.file_type(), each) {
                break;
            }
        }
        Ok(())
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn entries(
        &self,
        _buffers: &mut Buffers,
        each: &mut dyn FnMut(&OsStr, Kind) -> bool,
    ) -> io::Result<()> {
        self.entries_by_stream(each)
    }

    fn read(&self, name: &OsStr, limit: usize, buffers: &mut Buffers) -> Result<Facts, ReadFault> {
        // A file that changes while it is read could give half of the old and half of the new.
        for _ in 0..2 {
            let file = self.open_file(name)?;
            let before = fstat(&file).map_err(io::Error::from)?;
            regular(&before)?;
            let size = size_of(&before);
            if size > limit as u64 {
                return Err(ReadFault::TooLarge(size));
            }
            let size = size as usize;
            let count = read_steadily(&file, size, buffers)?;
            let after = fstat(&file).map_err(io::Error::from)?;
            if count == size && same(&before, &after) {
                return Ok(self.facts_of(&after));
            }
        }
        Err(ReadFault::Unsteady)
    }

    fn read_at(
        &self,
        name: &OsStr,
        offset: u64,
        count: usize,
    ) -> Result<(Vec<u8>, Facts), ReadFault> {
        let file = self.open_file(name)?;
        let stat = fstat(&file).map_err(io::Error::from)?;
        regular(&stat)?;
        let count = count.min(size_of(&stat).saturating_sub(offset) as usize);
        let mut bytes = vec![0; count];
        let mut done = 0;
        while done < count {
            let more =
                pread(&file, &mut bytes[done..], offset + done as u64).map_err(io::Error::from)?;
            if more == 0 {
                break;
            }
            done += more;
        }
        bytes.truncate(done);
        Ok((bytes, self.facts_of(&stat)))
    }

    fn facts(&self, name: &OsStr) -> io::Result<(Kind, Facts)> {
        let stat = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = kind_of(FileType::from_raw_mode(stat.st_mode)).unwrap_or(Kind::Special);
        Ok((kind, self.facts_of(&stat)))
    }

    fn own_stamp(&self) -> Option<Stamp> {
        fstat(&self.0).ok().map(|stat| stamp(&stat))
    }

    fn stamp_below(&self, path: &Path) -> Option<(Kind, Stamp)> {
        let stat = statat(&self.0, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let kind = kind_of(FileType::from_raw_mode(stat.st_mode)).unwrap_or(Kind::Special);
        Some((kind, stamp(&stat)))
    }

    fn replace(&self, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        replace_in(&self.0, name, Access::Shared, true, |file| {
            file.write_all(bytes)
        })
    }

    fn link_target(&self, name: &OsStr) -> io::Result<PathBuf> {
        let target = readlinkat(&self.0, name, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }
}

/// Opens a folder by its path, and refuses a link anywhere on the way: the path had none when it
/// was found, so one that has come since was put there to lead elsewhere.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn open_without_links(path: &Path) -> io::Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};
    match openat2(CWD, path, FOLDER, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // Old kernels do not know the call, and some sandboxes do not allow it.
        Err(Errno::NOSYS | Errno::PERM) => open_step_by_step(path),
        opened => Ok(opened?),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn open_without_links(path: &Path) -> io::Result<OwnedFd> {
    let flags = FOLDER.union(OFlags::NOFOLLOW);
    Ok(openat(CWD, path, flags, Mode::empty())?)
}

/// The same for kernels without `openat2`: every folder on the way is opened in the one before. A
/// folder one may only pass through can be opened as a path.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn open_step_by_step(path: &Path) -> io::Result<OwnedFd> {
    let step = FOLDER.union(OFlags::NOFOLLOW).union(OFlags::PATH);
    let start = if path.is_absolute() { "/" } else { "." };
    let mut folder = openat(CWD, start, step, Mode::empty())?;
    for part in path.components() {
        match part {
            Component::Normal(name) => folder = openat(&folder, name, step, Mode::empty())?,
            Component::ParentDir => return Err(io::ErrorKind::InvalidInput.into()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    // What is only a path can not be listed; the folder itself can be opened in itself.
    Ok(openat(&folder, ".", FOLDER, Mode::empty())?)
}

impl UnixFolder {
    fn open_file(&self, name: &OsStr) -> Result<OwnedFd, ReadFault> {
        openat(&self.0, name, FILE, Mode::empty()).map_err(|errno| match errno {
            Errno::LOOP => ReadFault::Link,
            // What a socket answers to being opened.
            Errno::NXIO => ReadFault::NotRegular("a socket"),
            _ => ReadFault::Io(errno.into()),
        })
    }

    /// Lists the folder the way every Unix can.
    #[cfg(any(test, not(any(target_os = "linux", target_os = "android"))))]
    fn entries_by_stream(&self, each: &mut dyn FnMut(&OsStr, Kind) -> bool) -> io::Result<()> {
        for entry in rustix::fs::Dir::read_from(&self.0)? {
            let entry = entry?;
            if !self.tell(entry.file_name().to_bytes(), entry.file_type(), each) {
                break;
            }
        }
        Ok(())
    }

    fn tell(
        &self,
        name: &[u8],
        file_type: FileType,
        each: &mut dyn FnMut(&OsStr, Kind) -> bool,
    ) -> bool {
        if matches!(name, b"." | b"..") {
            return true;
        }
        let name = OsStr::from_bytes(name);
        // Some file systems tell the kind only when asked.
        let kind = kind_of(file_type)
            .or_else(|| self.facts(name).ok().map(|(kind, _)| kind))
            .unwrap_or(Kind::Special);
        each(name, kind)
    }

    fn facts_of(&self, stat: &Stat) -> Facts {
        Facts {
            size: size_of(stat),
            modified: modified(stat),
            executable: Some(stat.st_mode & 0o100 != 0),
            foreign: stat.st_nlink > 1
                && fstat(&self.0).is_ok_and(|folder| folder.st_uid != stat.st_uid),
            stamp: Some(stamp(stat)),
        }
    }
}

/// Reads `size` bytes, and one more if the file has it; gives the number of bytes read.
fn read_steadily(file: &OwnedFd, size: usize, buffers: &mut Buffers) -> io::Result<usize> {
    let room = buffers.room(size + 1);
    let mut done = 0;
    while done < room.len() {
        let more = read(file, &mut room[done..])?;
        done += more;
        // A regular file gives all it has: a short read that ends at its size is the end.
        if more == 0 || done == size {
            break;
        }
    }
    Ok(done)
}

fn regular(stat: &Stat) -> Result<(), ReadFault> {
    Err(ReadFault::NotRegular(
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => return Ok(()),
            FileType::Directory => "a folder",
            FileType::Fifo => "a pipe",
            FileType::Socket => "a socket",
            FileType::CharacterDevice | FileType::BlockDevice => "a device",
            _ => "no file",
        },
    ))
}

fn kind_of(file_type: FileType) -> Option<Kind> {
    match file_type {
        FileType::RegularFile => Some(Kind::File),
        FileType::Directory => Some(Kind::Folder),
        FileType::Symlink => Some(Kind::Link),
        FileType::Unknown => None,
        _ => Some(Kind::Special),
    }
}

fn same(before: &Stat, after: &Stat) -> bool {
    (before.st_size, before.st_mtime, before.st_mtime_nsec)
        == (after.st_size, after.st_mtime, after.st_mtime_nsec)
}

fn size_of(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}

// The type of `st_mtime` differs between platforms.
#[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions)]
fn modified(stat: &Stat) -> i64 {
    i64::try_from(stat.st_mtime).unwrap_or(0)
}

// The types of these differ between platforms too.
#[allow(
    clippy::useless_conversion,
    clippy::unnecessary_fallible_conversions,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::cast_lossless,
    clippy::unnecessary_cast
)]
fn stamp(stat: &Stat) -> Stamp {
    let nanoseconds = |seconds: i64, more: i64| seconds.saturating_mul(1_000_000_000) + more;
    Stamp {
        device: stat.st_dev as u64,
        inode: stat.st_ino as u64,
        size: size_of(stat),
        modified: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        changed: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Tree;

    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[test]
    fn a_link_that_came_later_is_refused_by_both_ways_to_open() {
        let tree = Tree::new()
            .file("real/inner/file", "")
            .link("link", "real")
            .link("last", "real/inner");
        for open in [open_without_links, open_step_by_step] {
            assert!(open(&tree.at("real/inner")).is_ok());
            assert!(open(&tree.at("link/inner")).is_err());
            assert!(open(&tree.at("last")).is_err());
            assert!(open(&tree.at("real/inner/file")).is_err());
        }
    }

    #[test]
    fn both_ways_to_list_a_folder_agree() {
        let tree = Tree::new()
            .file("file", "")
            .folder("folder")
            .link("link", "file");
        let folder = UnixFolder::open(&tree.root()).unwrap();
        let (mut one, mut other) = (Vec::new(), Vec::new());
        folder
            .entries_by_stream(&mut |name, kind| {
                one.push((name.to_os_string(), kind));
                true
            })
            .unwrap();
        folder
            .entries(&mut Buffers::default(), &mut |name, kind| {
                other.push((name.to_os_string(), kind));
                true
            })
            .unwrap();
        one.sort_by(|a, b| a.0.cmp(&b.0));
        other.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(one, other);
        assert_eq!(
            one,
            [
                ("file".into(), Kind::File),
                ("folder".into(), Kind::Folder),
                ("link".into(), Kind::Link)
            ]
        );
    }
}
