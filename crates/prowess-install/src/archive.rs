//! Archives, read in memory: every entry is judged before a single one is taken.
//!
//! What two programs could read in two ways is refused: names that are one file on some system,
//! sizes and names said twice and not alike, bytes that no list names. Nothing here touches a disk.

use std::io::{self, Read};

use crate::{
    file_path::{FilePath, UnsafePath},
    tree::{Mode, TreeError, no_twins},
};

mod tape;
mod zipped;

/// How much of an archive is unpacked.
#[derive(Debug, Clone, Copy)]
pub struct ArchiveLimits {
    /// Entries, folders too.
    pub entries: usize,
    /// Bytes of all files, and of the archive itself.
    pub bytes: u64,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// How many bytes one packed byte may become, once a mebibyte is there.
    pub ratio: u64,
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        Self {
            entries: 10_000,
            bytes: 256 * MIB,
            file_bytes: 64 * MIB,
            ratio: 200,
        }
    }
}

const MIB: u64 = 1024 * 1024;

/// What a tar needs beside the bytes of a file: its header, its long name, what fills a block.
const ENTRY_OVERHEAD: u64 = 4096;

/// Why an archive is not taken. Nothing of it is.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// Its first bytes are those of no format that is read.
    #[error("it is no zip, tar, tar.gz or tar.zst")]
    Unknown,
    /// It cannot be read, or can be read in two ways.
    #[error("the archive is damaged: {0}")]
    Damaged(String),
    /// One entry that is not taken.
    #[error("the entry `{}` {reason}", prowess::display_text(name))]
    Entry {
        /// What the archive calls it.
        name: String,
        /// Why.
        reason: String,
    },
    /// A path that is not the same file everywhere.
    #[error(transparent)]
    Path(#[from] UnsafePath),
    /// Names that are one file on some system.
    #[error(transparent)]
    Names(#[from] TreeError),
    /// It unpacks to too much.
    #[error("it has more than {0}")]
    TooLarge(String),
    /// A few bytes that become very many.
    #[error("it unpacks to more than {0} times its size")]
    Bomb(u64),
}

/// Reads every file of an archive: zip, tar, tar.gz or tar.zst, by its first bytes. What Finder
/// puts beside the files (`__MACOSX`) is none of them.
pub fn read_archive(
    bytes: &[u8],
    limits: &ArchiveLimits,
) -> Result<Vec<(FilePath, Mode, Vec<u8>)>, ArchiveError> {
    if bytes.len() as u64 > limits.bytes {
        return Err(ArchiveError::TooLarge(format!("{} bytes", limits.bytes)));
    }
    match bytes {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => zipped::read(bytes, limits),
        [0x1f, 0x8b, ..] => {
            let mut tape = Unpacked::new(bytes, limits);
            tape.take(&mut flate2::bufread::MultiGzDecoder::new(bytes))?;
            tape::read(&tape.bytes, limits)
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] => tape::read(&unpack_zstd(bytes, limits)?, limits),
        _ if tape::is_tape(bytes) => tape::read(bytes, limits),
        _ => Err(ArchiveError::Unknown),
    }
}

/// Bytes that were packed, up to what the limits allow.
struct Unpacked<'a> {
    bytes: Vec<u8>,
    packed: u64,
    limits: &'a ArchiveLimits,
}

impl<'a> Unpacked<'a> {
    fn new(packed: &[u8], limits: &'a ArchiveLimits) -> Self {
        Self {
            bytes: Vec::new(),
            packed: packed.len() as u64,
            limits,
        }
    }

    fn take(&mut self, from: &mut dyn Read) -> Result<(), ArchiveError> {
        let entries = self.limits.entries as u64;
        let most = self.limits.bytes + entries.saturating_mul(ENTRY_OVERHEAD);
        let mut piece = vec![0; 64 * 1024];
        loop {
            let got = match from.read(&mut piece) {
                Ok(0) => return Ok(()),
                Ok(got) => got,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(damaged(&error)),
            };
            self.bytes.extend_from_slice(&piece[..got]);
            let size = self.bytes.len() as u64;
            if size > most {
                return Err(ArchiveError::TooLarge(format!(
                    "{} bytes in it",
                    self.limits.bytes
                )));
            }
            is_no_bomb(self.packed, size, self.limits)?;
        }
    }
}

fn is_no_bomb(packed: u64, size: u64, limits: &ArchiveLimits) -> Result<(), ArchiveError> {
    if size > MIB && size > packed.saturating_mul(limits.ratio) {
        return Err(ArchiveError::Bomb(limits.ratio));
    }
    Ok(())
}

fn damaged(error: &dyn std::error::Error) -> ArchiveError {
    ArchiveError::Damaged(error.to_string())
}

/// Every frame, one after the other. A frame that is to be skipped holds nothing of the tar.
fn unpack_zstd(bytes: &[u8], limits: &ArchiveLimits) -> Result<Vec<u8>, ArchiveError> {
    use ruzstd::decoding::{
        StreamingDecoder,
        errors::{FrameDecoderError, ReadFrameHeaderError},
    };
    let mut all = Unpacked::new(bytes, limits);
    let mut rest = bytes;
    while !rest.is_empty() {
        let mut after = rest;
        match StreamingDecoder::new(&mut after) {
            Ok(mut decoder) => {
                all.take(&mut decoder)?;
                let decoder = decoder.into_frame_decoder();
                let said = decoder.get_checksum_from_data();
                if said.is_some() && said != decoder.get_calculated_checksum() {
                    return Err(ArchiveError::Damaged(
                        "a checksum is not that of its bytes".to_owned(),
                    ));
                }
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                after = after
                    .get(length as usize..)
                    .ok_or_else(|| ArchiveError::Damaged("it is cut short".to_owned()))?;
            }
            Err(_) => {
                return Err(ArchiveError::Damaged(
                    "the head of a zstd frame cannot be read".to_owned(),
                ));
            }
        }
        rest = after;
    }
    Ok(all.bytes)
}

/// One file of a list that was judged: where its bytes are is the format's business.
struct Listed<T> {
    path: FilePath,
    mode: Mode,
    size: u64,
    bytes: T,
}

/// The entries of an archive, judged one by one and then as a whole.
struct Listing<'a, T> {
    limits: &'a ArchiveLimits,
    files: Vec<Listed<T>>,
    folders: Vec<FilePath>,
    entries: usize,
    total: u64,
}

impl<'a, T> Listing<'a, T> {
    fn new(limits: &'a ArchiveLimits) -> Self {
        Self {
            limits,
            files: Vec::new(),
            folders: Vec::new(),
            entries: 0,
            total: 0,
        }
    }

    /// The name of an entry as a path; `None` for the top itself, which `tar` lists as `./`.
    fn path(name: &[u8], folder: bool) -> Result<Option<FilePath>, ArchiveError> {
        let text = str::from_utf8(name).map_err(|_| ArchiveError::Entry {
            name: String::from_utf8_lossy(name).into_owned(),
            reason: "is named by no text".to_owned(),
        })?;
        let mut path = text;
        while let Some(rest) = path.strip_prefix("./") {
            path = rest;
        }
        if folder {
            path = path.strip_suffix('/').unwrap_or(path);
            if path.is_empty() && text.starts_with("./") || path == "." {
                return Ok(None);
            }
        }
        Ok(Some(FilePath::new(path)?))
    }

    fn count(&mut self) -> Result<(), ArchiveError> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            let most = self.limits.entries;
            return Err(ArchiveError::TooLarge(format!("{most} entries")));
        }
        Ok(())
    }

    fn folder(&mut self, name: &[u8]) -> Result<(), ArchiveError> {
        self.count()?;
        self.folders.extend(Self::path(name, true)?);
        Ok(())
    }

    fn file(&mut self, name: &[u8], mode: Mode, size: u64, bytes: T) -> Result<(), ArchiveError> {
        self.count()?;
        let Some(path) = Self::path(name, false)? else {
            return Ok(());
        };
        if size > self.limits.file_bytes {
            return Err(ArchiveError::Entry {
                name: path.to_string(),
                reason: format!("has more than {} bytes", self.limits.file_bytes),
            });
        }
        self.total = self.total.saturating_add(size);
        if self.total > self.limits.bytes {
            return Err(ArchiveError::TooLarge(format!(
                "{} bytes in it",
                self.limits.bytes
            )));
        }
        self.files.push(Listed {
            path,
            mode,
            size,
            bytes,
        });
        Ok(())
    }

    /// Every file, if no two are one.
    fn judged(mut self) -> Result<Vec<Listed<T>>, ArchiveError> {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        let files: Vec<&FilePath> = self.files.iter().map(|it| &it.path).collect();
        if let Some(twins) = files.windows(2).find(|it| it[0] == it[1]) {
            return Err(ArchiveError::Entry {
                name: twins[0].to_string(),
                reason: "is there twice".to_owned(),
            });
        }
        let folders: Vec<&FilePath> = self.folders.iter().collect();
        no_twins(&files, &folders)?;
        self.files
            .retain(|it| !it.path.as_str().starts_with("__MACOSX/"));
        Ok(self.files)
    }
}
