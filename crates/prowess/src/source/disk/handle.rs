//! Open folders: what is opened below one cannot be led elsewhere by a link or a swapped name.

use std::{
    ffi::OsStr,
    io,
    mem::MaybeUninit,
    path::{Path, PathBuf},
};

use super::tree::Stamp;

/// What a folder's entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
    Link,
    /// A pipe, a socket, a device.
    Special,
}

/// What is known of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) size: u64,
    /// Unix seconds.
    pub(crate) modified: i64,
    /// `None` where the platform has no such bit.
    pub(crate) executable: Option<bool>,
    /// Whether the file also lives elsewhere and belongs to someone else than its folder.
    pub(crate) foreign: bool,
    /// `None` where the platform cannot tell versions apart without reading.
    pub(crate) stamp: Option<Stamp>,
}

/// Why a file was not read.
#[derive(Debug)]
pub(crate) enum ReadFault {
    /// It is no regular file, but this.
    NotRegular(&'static str),
    /// It is a link, which was not to be followed.
    Link,
    /// It has more bytes than allowed.
    TooLarge(u64),
    /// It changed under the reader, twice.
    Unsteady,
    /// The system said no.
    Io(io::Error),
}

impl From<io::Error> for ReadFault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The memory a worker lists and reads with, used again for every folder and file.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    listing: Vec<MaybeUninit<u8>>,
    bytes: Vec<u8>,
}

/// What other programs use to list a folder; holds some five hundred entries.
const LISTING_BYTES: usize = 32 * 1024;

impl Buffers {
    /// Room for the system's list of entries.
    pub(crate) fn listing(&mut self) -> &mut [MaybeUninit<u8>] {
        self.listing.resize(LISTING_BYTES, MaybeUninit::uninit());
        &mut self.listing
    }

    /// Room for `count` bytes of a file.
    pub(crate) fn room(&mut self, count: usize) -> &mut [u8] {
        if self.bytes.len() < count {
            self.bytes.resize(count, 0);
        }
        &mut self.bytes[..count]
    }

    /// The first `count` bytes that were read.
    pub(crate) fn bytes(&self, count: usize) -> &[u8] {
        &self.bytes[..count]
    }
}

/// A folder that was opened. No method follows a link.
pub(crate) trait Folder: Sized + Send + Sync {
    /// Opens a folder by its absolute path without links, found earlier. On Unix a link that has
    /// come since is refused.
    fn open(path: &Path) -> io::Result<Self>;

    /// Opens a folder in this one.
    fn child(&self, name: &OsStr) -> io::Result<Self>;

    /// Tells every entry, in the order of the disk, until `each` says `false`.
    fn entries(
        &self,
        buffers: &mut Buffers,
        each: &mut dyn FnMut(&OsStr, Kind) -> bool,
    ) -> io::Result<()>;

    /// Reads a whole file of at most `limit` bytes; `buffers` then holds `Facts::size` bytes.
    /// No more than one byte beyond the limit is read.
    fn read(&self, name: &OsStr, limit: usize, buffers: &mut Buffers) -> Result<Facts, ReadFault>;

    /// Reads at most `count` bytes from `offset` on.
    fn read_at(
        &self,
        name: &OsStr,
        offset: u64,
        count: usize,
    ) -> Result<(Vec<u8>, Facts), ReadFault>;

    /// What an entry is, without opening it.
    fn facts(&self, name: &OsStr) -> io::Result<(Kind, Facts)>;

    /// The stamp of the folder itself; `None` where the platform has none.
    fn own_stamp(&self) -> Option<Stamp>;

    /// What lies at a path below, and its stamp, without opening anything. A link in the middle
    /// of the path may be followed: a stamp only says whether what is known still holds.
    fn stamp_below(&self, path: &Path) -> Option<(Kind, Stamp)>;

    /// Writes a file of this folder whole or not at all; a link of this name is replaced.
    fn replace(&self, name: &OsStr, bytes: &[u8]) -> io::Result<()>;

    /// Where a link points.
    fn link_target(&self, name: &OsStr) -> io::Result<PathBuf>;
}

/// The handle for this platform.
#[cfg(unix)]
pub(crate) type NativeFolder = super::unix::UnixFolder;
/// The handle for this platform.
#[cfg(not(unix))]
pub(crate) type NativeFolder = super::portable::PortableFolder;
