//! Folders by path, for platforms without folder handles. A link that is swapped in between the
//! look and the open is not caught here; everything else is as on Unix.
#![expect(clippy::disallowed_methods, reason = "the disk source asks the disk")]

use std::{
    ffi::OsStr,
    fs::{self, File, FileType, Metadata},
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use super::{
    handle::{Buffers, Facts, Folder, Kind, ReadFault},
    tree::Stamp,
};
use crate::write::{Access, write_whole};

/// A folder, known by its path.
#[derive(Debug)]
pub(crate) struct PortableFolder(PathBuf);

impl Folder for PortableFolder {
    fn open(path: &Path) -> io::Result<Self> {
        fs::read_dir(path).map(|_| Self(path.to_path_buf()))
    }

    fn child(&self, name: &OsStr) -> io::Result<Self> {
        let path = self.0.join(name);
        if fs::symlink_metadata(&path)?.is_dir() {
            Self::open(&path)
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    fn entries(
        &self,
        _buffers: &mut Buffers,
        each: &mut dyn FnMut(&OsStr, Kind) -> bool,
    ) -> io::Result<()> {
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            if !each(&entry.file_name(), kind_of(entry.file_type()?)) {
                break;
            }
        }
        Ok(())
    }

    fn read(&self, name: &OsStr, limit: usize, buffers: &mut Buffers) -> Result<Facts, ReadFault> {
        for _ in 0..2 {
            let (mut file, before) = self.open_file(name)?;
            if before.len() > limit as u64 {
                return Err(ReadFault::TooLarge(before.len()));
            }
            let size = before.len() as usize;
            let room = buffers.room(size + 1);
            let mut done = 0;
            while done < room.len() {
                let more = file.read(&mut room[done..])?;
                done += more;
                if more == 0 {
                    break;
                }
            }
            let after = file.metadata()?;
            if done == size && facts_of(&before) == facts_of(&after) {
                return Ok(facts_of(&after));
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
        let (mut file, metadata) = self.open_file(name)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.take(count as u64).read_to_end(&mut bytes)?;
        Ok((bytes, facts_of(&metadata)))
    }

    fn facts(&self, name: &OsStr) -> io::Result<(Kind, Facts)> {
        let metadata = fs::symlink_metadata(self.0.join(name))?;
        Ok((kind_of(metadata.file_type()), facts_of(&metadata)))
    }

    fn own_stamp(&self) -> Option<Stamp> {
        None
    }

    fn stamp_below(&self, _path: &Path) -> Option<(Kind, Stamp)> {
        None
    }

    fn replace(&self, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        write_whole(&self.0.join(name), bytes, Access::Shared)
    }

    fn link_target(&self, name: &OsStr) -> io::Result<PathBuf> {
        fs::read_link(self.0.join(name))
    }
}

impl PortableFolder {
    /// Opens a regular file. The look comes first: opening a pipe would wait for a writer.
    fn open_file(&self, name: &OsStr) -> Result<(File, Metadata), ReadFault> {
        let path = self.0.join(name);
        match kind_of(fs::symlink_metadata(&path)?.file_type()) {
            Kind::File => {}
            Kind::Link => return Err(ReadFault::Link),
            Kind::Folder => return Err(ReadFault::NotRegular("a folder")),
            Kind::Special => return Err(ReadFault::NotRegular("a pipe, a socket or a device")),
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        Ok((file, metadata))
    }
}

fn kind_of(file_type: FileType) -> Kind {
    if file_type.is_file() {
        Kind::File
    } else if file_type.is_dir() {
        Kind::Folder
    } else if file_type.is_symlink() {
        Kind::Link
    } else {
        Kind::Special
    }
}

fn facts_of(metadata: &Metadata) -> Facts {
    let modified = metadata
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .map_or(0, |since| since.as_secs().cast_signed());
    Facts {
        size: metadata.len(),
        modified,
        executable: None,
        foreign: false,
        stamp: None,
    }
}
