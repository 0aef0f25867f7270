//! The file that a cache and an index are kept in: a header that vouches for it, one value that
//! serde wrote (postcard), and bytes that are read piece by piece when they are needed.
//!
//! CRC-32 finds flipped bits and cut ends. It does not keep out somebody who writes a file on
//! purpose: whoever can do that can also write the skills.

use std::{
    fs::{self, File},
    io,
    path::Path,
    time::Duration,
};

use serde::Serialize;

use crate::write::{TEMPORARY_PREFIX, write_disposable};

/// First bytes of every file.
const MAGIC: [u8; 8] = *b"PROWESSC";

/// Grows with every change to what the files hold or how skills are read.
const FORMAT: u32 = 4;

/// Magic, format, version and edition; length of value and blob; their sums, and that of it all.
pub(crate) const HEADER: usize = 8 + 4 + 4 + 8 + 8 + 8 + 4 + 4 + 4;

/// What nobody wrote anew for so long belongs to skills that are gone.
const FORGOTTEN: Duration = Duration::from_secs(60 * 60 * 24 * 30);

/// What a killed process left behind is not in use any more after this long.
const LEFT_BEHIND: Duration = Duration::from_secs(60 * 60);

/// Why a file is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// There is none.
    Missing,
    /// Another version or another build wrote it.
    Foreign,
    /// It is cut short, or bits of it changed.
    Damaged,
}

/// Opens a regular file and gives its size. Something else in its place, such as a pipe that never
/// ends, is an error and keeps nobody waiting.
#[expect(clippy::disallowed_methods, reason = "the store opens its own files")]
fn open(path: &Path) -> io::Result<(File, u64)> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok((file, metadata.len()))
}

/// A file that is whole as far as its header says. It stays open: what replaces it later does not
/// touch it.
#[derive(Debug)]
pub(crate) struct Store {
    file: File,
    value: Section,
    blob: Section,
}

#[derive(Debug, Clone, Copy)]
struct Section {
    start: u64,
    length: u64,
    sum: u32,
}

impl Store {
    /// Opens a file and checks its header.
    pub(crate) fn open(path: &Path, edition: u64) -> Result<Self, Unusable> {
        let (file, size) = match open(path) {
            Ok(opened) => opened,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Err(Unusable::Missing);
            }
            Err(_) => return Err(Unusable::Damaged),
        };
        let mut header = [0; HEADER];
        read_at(&file, &mut header, 0).map_err(|_| Unusable::Damaged)?;
        let (fields, sum) = header.split_at(HEADER - 4);
        if sum != crc32fast::hash(fields).to_le_bytes() {
            return Err(Unusable::Damaged);
        }
        if fields[..24] != start(edition) {
            return Err(Unusable::Foreign);
        }
        let long = |at: usize| {
            let bytes = fields[at..].first_chunk();
            bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
        };
        let (value, blob, sums) = (long(24), long(32), long(40));
        let start = HEADER as u64 + value;
        if start.checked_add(blob) != Some(size) {
            return Err(Unusable::Damaged);
        }
        Ok(Self {
            file,
            value: Section {
                start: HEADER as u64,
                length: value,
                sum: sums as u32,
            },
            blob: Section {
                start,
                length: blob,
                sum: (sums >> 32) as u32,
            },
        })
    }

    /// Reads the bytes of the value, to be read by [`postcard::from_bytes`].
    pub(crate) fn value(&self) -> Result<Vec<u8>, Unusable> {
        self.section(self.value)
    }

    /// Reads the whole blob.
    pub(crate) fn blob(&self) -> Result<Vec<u8>, Unusable> {
        self.section(self.blob)
    }

    fn section(&self, section: Section) -> Result<Vec<u8>, Unusable> {
        let mut bytes = vec![0; section.length as usize];
        read_at(&self.file, &mut bytes, section.start).map_err(|_| Unusable::Damaged)?;
        if crc32fast::hash(&bytes) == section.sum {
            Ok(bytes)
        } else {
            Err(Unusable::Damaged)
        }
    }

    /// Reads a piece of the blob, which nothing vouches for; `None` where the file has less.
    pub(crate) fn piece(&self, start: u64, length: usize) -> Option<Vec<u8>> {
        if start.checked_add(length as u64)? > self.blob.length {
            return None;
        }
        let mut bytes = vec![0; length];
        read_at(&self.file, &mut bytes, self.blob.start + start).ok()?;
        Some(bytes)
    }

    /// How long ago it was written; nothing where that cannot be said.
    pub(crate) fn age(&self) -> Duration {
        let written = self.file.metadata().and_then(|it| it.modified()).ok();
        let age = written.and_then(|written| written.elapsed().ok());
        age.unwrap_or_default()
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

#[cfg(not(unix))]
fn read_at(_file: &File, _bytes: &mut [u8], _start: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// What tells files of this build from others.
fn start(edition: u64) -> [u8; 24] {
    let mut start = [0; 24];
    start[..8].copy_from_slice(&MAGIC);
    start[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    let version = crc32fast::hash(env!("CARGO_PKG_VERSION").as_bytes());
    start[12..16].copy_from_slice(&version.to_le_bytes());
    start[16..].copy_from_slice(&edition.to_le_bytes());
    start
}

/// Writes a value and the pieces of a blob, whole or not at all.
pub(crate) fn write(
    path: &Path,
    edition: u64,
    value: &impl Serialize,
    blob: &[impl AsRef<[u8]>],
) -> io::Result<()> {
    let value = postcard::to_allocvec(value).map_err(io::Error::other)?;
    let mut blob_sum = crc32fast::Hasher::new();
    let mut blob_length = 0;
    for piece in blob {
        blob_sum.update(piece.as_ref());
        blob_length += piece.as_ref().len() as u64;
    }
    let mut header = Vec::with_capacity(HEADER);
    header.extend(start(edition));
    header.extend((value.len() as u64).to_le_bytes());
    header.extend(blob_length.to_le_bytes());
    header.extend(crc32fast::hash(&value).to_le_bytes());
    header.extend(blob_sum.finalize().to_le_bytes());
    header.extend(crc32fast::hash(&header).to_le_bytes());
    tidy(path.parent().unwrap_or(Path::new(".")));
    write_disposable(path, |file| {
        file.write_all(&header)?;
        file.write_all(&value)?;
        blob.iter()
            .try_for_each(|piece| file.write_all(piece.as_ref()))
    })
}

/// Removes what nobody uses any more.
#[expect(
    clippy::disallowed_methods,
    reason = "the store looks at its own folder"
)]
fn tidy(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let ending = path.extension().and_then(|ending| ending.to_str());
        let most = match ending {
            _ if name
                .as_encoded_bytes()
                .starts_with(TEMPORARY_PREFIX.as_bytes()) =>
            {
                LEFT_BEHIND
            }
            Some("skills" | "index") => FORGOTTEN,
            _ => continue,
        };
        let age = entry.metadata().and_then(|it| it.modified()).ok();
        if age
            .and_then(|it| it.elapsed().ok())
            .is_some_and(|age| age > most)
        {
            // Somebody else may have been quicker.
            let _ = fs::remove_file(path);
        }
    }
}
