//! Tar: headers and bytes, one after the other.

use std::ops::Range;

use tar::{Archive, EntryType, Header};

use super::{ArchiveError, ArchiveLimits, Listing, damaged};
use crate::{file_path::FilePath, tree::Mode};

/// Headers and bytes come in blocks.
const BLOCK: usize = 512;

/// No name and no list of further fields is longer.
const MOST_EXTENSION: u64 = 64 * 1024;

/// Whether the first block is a header.
pub(super) fn is_tape(bytes: &[u8]) -> bool {
    let Some(block) = bytes.get(..BLOCK) else {
        return false;
    };
    // All bytes, with blanks where the sum itself stands.
    let sum = |part: &[u8]| part.iter().map(|&it| u32::from(it)).sum::<u32>();
    let sum = sum(&block[..148]) + 8 * u32::from(b' ') + sum(&block[156..]);
    block[0] != 0 && Header::from_byte_slice(block).cksum().ok() == Some(sum)
}

/// What the headers before an entry say about it.
#[derive(Default)]
struct Said {
    name: Option<Vec<u8>>,
    size: Option<u64>,
    /// Whether it has the target of a link.
    link: bool,
}

impl Said {
    fn name(&mut self, name: &[u8]) -> Result<(), ArchiveError> {
        match &self.name {
            Some(known) if known != name => Err(entry(name, "has two names")),
            _ => {
                self.name = Some(name.to_vec());
                Ok(())
            }
        }
    }
}

fn entry(name: &[u8], reason: &str) -> ArchiveError {
    ArchiveError::Entry {
        name: String::from_utf8_lossy(name).into_owned(),
        reason: reason.to_owned(),
    }
}

fn cut_short() -> ArchiveError {
    ArchiveError::Damaged("it is cut short".to_owned())
}

pub(super) fn read(
    bytes: &[u8],
    limits: &ArchiveLimits,
) -> Result<Vec<(FilePath, Mode, Vec<u8>)>, ArchiveError> {
    let listed = list(bytes, limits)?;
    Ok(listed
        .judged()?
        .into_iter()
        .map(|it| (it.path, it.mode, bytes[it.bytes].to_vec()))
        .collect())
}

fn list<'a>(
    bytes: &[u8],
    limits: &'a ArchiveLimits,
) -> Result<Listing<'a, Range<usize>>, ArchiveError> {
    let mut listing = Listing::new(limits);
    let mut archive = Archive::new(bytes);
    let mut said = Said::default();
    let (mut headers, mut end) = (0, 0);
    let entries = archive.entries().map_err(|error| damaged(&error))?;
    // As they stand: names and sizes that are said twice must be seen here.
    for raw in entries.raw(true) {
        let raw = raw.map_err(|error| damaged(&error))?;
        headers += 1;
        if headers > 4 * limits.entries {
            let most = limits.entries;
            return Err(ArchiveError::TooLarge(format!("{most} entries")));
        }
        let size = raw.size();
        let start = raw.raw_file_position() as usize;
        let stop = usize::try_from(size)
            .ok()
            .and_then(|size| start.checked_add(size))
            .filter(|stop| *stop <= bytes.len())
            .ok_or_else(cut_short)?;
        end = stop.next_multiple_of(BLOCK);
        let header = raw.header();
        let own = header.path_bytes();
        match header.entry_type() {
            EntryType::GNULongName => {
                let name = extension(&bytes[start..stop])?;
                said.name(name.strip_suffix(b"\0").unwrap_or(name))?;
            }
            EntryType::GNULongLink => said.link = true,
            EntryType::XHeader => fields(extension(&bytes[start..stop])?, &mut said)?,
            EntryType::XGlobalHeader => {
                let mut all = Said::default();
                fields(extension(&bytes[start..stop])?, &mut all)?;
                if all.name.is_some() || all.size.is_some() || all.link {
                    return Err(entry(&own, "gives all others one name, size or target"));
                }
            }
            kind => {
                let said = std::mem::take(&mut said);
                let name = said.name.unwrap_or_else(|| own.to_vec());
                if said.size.is_some_and(|it| it != size) {
                    return Err(entry(&name, "has two sizes"));
                }
                if let Some(what) = odd(kind).or(said.link.then_some("a link")) {
                    let reason = format!("is {what}, and only plain files are installed");
                    return Err(entry(&name, &reason));
                }
                // Old archives know a folder by the end of its name.
                if kind.is_dir() || name.ends_with(b"/") {
                    if size > 0 {
                        return Err(entry(&name, "is a folder with bytes of its own"));
                    }
                    listing.folder(&name)?;
                } else {
                    let bits = header.mode().map_err(|error| damaged(&error))?;
                    listing.file(&name, Mode::of_bits(bits), size, start..stop)?;
                }
            }
        }
    }
    if said.name.is_some() || said.size.is_some() || said.link {
        return Err(cut_short());
    }
    // A block of zeros is the end; a reader that looks beyond must find nothing.
    match bytes.get(end..) {
        Some(rest) if rest.len() >= BLOCK => {
            if rest.iter().any(|it| *it != 0) {
                return Err(ArchiveError::Damaged("more comes after its end".to_owned()));
            }
            Ok(listing)
        }
        _ => Err(cut_short()),
    }
}

fn extension(bytes: &[u8]) -> Result<&[u8], ArchiveError> {
    if bytes.len() as u64 > MOST_EXTENSION {
        return Err(ArchiveError::TooLarge(format!(
            "{MOST_EXTENSION} bytes for one name"
        )));
    }
    Ok(bytes)
}

/// What an entry is that is neither a file nor a folder.
fn odd(kind: EntryType) -> Option<&'static str> {
    match kind {
        EntryType::Regular | EntryType::Continuous | EntryType::Directory => None,
        EntryType::Link | EntryType::Symlink => Some("a link"),
        EntryType::Char | EntryType::Block => Some("a device"),
        EntryType::Fifo => Some("a pipe"),
        EntryType::GNUSparse => Some("a file with holes"),
        _ => Some("no plain file"),
    }
}

/// The fields of an extended header: `LENGTH SP KEY=VALUE LF`, the length with all of it.
fn fields(mut rest: &[u8], said: &mut Said) -> Result<(), ArchiveError> {
    let wrong = || ArchiveError::Damaged("a field of an extended header is none".to_owned());
    while !rest.is_empty() {
        let space = rest.iter().position(|it| *it == b' ').ok_or_else(wrong)?;
        let length: usize = str::from_utf8(&rest[..space])
            .ok()
            .filter(|it| it.bytes().all(|it| it.is_ascii_digit()))
            .and_then(|it| it.parse().ok())
            .filter(|length| *length > space + 1 && *length <= rest.len())
            .ok_or_else(wrong)?;
        let field = rest[space + 1..length]
            .strip_suffix(b"\n")
            .ok_or_else(wrong)?;
        let equals = field.iter().position(|it| *it == b'=').ok_or_else(wrong)?;
        let (key, value) = (&field[..equals], &field[equals + 1..]);
        match key {
            b"path" => said.name(value)?,
            b"size" => {
                let size = str::from_utf8(value).ok().and_then(|it| it.parse().ok());
                let size = Some(size.ok_or_else(wrong)?);
                if said.size.is_some() && said.size != size {
                    return Err(ArchiveError::Damaged("one entry has two sizes".to_owned()));
                }
                said.size = size;
            }
            b"linkpath" => said.link = true,
            _ if key.starts_with(b"GNU.sparse.") => {
                return Err(entry(
                    said.name.as_deref().unwrap_or(value),
                    "is a file with holes, and only plain files are installed",
                ));
            }
            _ => {}
        }
        rest = &rest[length..];
    }
    Ok(())
}
