//! Zip: entries, and a list of them at the end.

use std::{
    collections::HashSet,
    io::{Cursor, Read as _},
};

use zip::{
    CompressionMethod, ZipArchive,
    read::{ArchiveOffset, Config},
};

use super::{ArchiveError, ArchiveLimits, Listing, damaged, is_no_bomb};
use crate::{file_path::FilePath, tree::Mode};

pub(super) fn read(
    bytes: &[u8],
    limits: &ArchiveLimits,
) -> Result<Vec<(FilePath, Mode, Vec<u8>)>, ArchiveError> {
    // Nothing may stand before it: other readers would start elsewhere.
    let config = Config {
        archive_offset: ArchiveOffset::Known(0),
    };
    let mut archive =
        ZipArchive::with_config(config, Cursor::new(bytes)).map_err(|error| damaged(&error))?;
    let listing = list(&mut archive, bytes, limits)?;
    let mut files = Vec::new();
    for listed in listing.judged()? {
        let wrong = |reason: &str| ArchiveError::Entry {
            name: listed.path.to_string(),
            reason: reason.to_owned(),
        };
        let file = archive
            .by_index(listed.bytes)
            .map_err(|error| damaged(&error))?;
        let mut unpacked = Vec::new();
        // Its checksum is held against it at the end.
        file.take(listed.size + 1)
            .read_to_end(&mut unpacked)
            .map_err(|error| wrong(&format!("is damaged: {error}")))?;
        if unpacked.len() as u64 != listed.size {
            return Err(wrong("has another size than the archive says"));
        }
        files.push((listed.path, listed.mode, unpacked));
    }
    Ok(files)
}

fn list<'a>(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    bytes: &[u8],
    limits: &'a ArchiveLimits,
) -> Result<Listing<'a, usize>, ArchiveError> {
    if archive.len() > limits.entries {
        let most = limits.entries;
        return Err(ArchiveError::TooLarge(format!("{most} entries")));
    }
    let names = names(bytes, archive.central_directory_start())
        .filter(|names| names.len() == archive.len() || archive.has_duplicate_names())
        .ok_or_else(|| {
            ArchiveError::Damaged("its list of entries does not end where the file does".to_owned())
        })?;
    let mut known = HashSet::new();
    if let Some(twice) = names.iter().find(|it| !known.insert(**it)) {
        return Err(ArchiveError::Entry {
            name: String::from_utf8_lossy(twice).into_owned(),
            reason: "is there twice".to_owned(),
        });
    }
    let mut listing = Listing::new(limits);
    for index in 0..archive.len() {
        let file = archive
            .by_index_data(index)
            .map_err(|error| damaged(&error))?;
        let name = file.name_raw();
        let refuse = |reason: &str| {
            Err(ArchiveError::Entry {
                name: String::from_utf8_lossy(name).into_owned(),
                reason: reason.to_owned(),
            })
        };
        if !known.contains(name) {
            return refuse("has two names");
        }
        if file.encrypted() {
            return refuse("is encrypted");
        }
        if !matches!(
            file.compression(),
            CompressionMethod::Stored | CompressionMethod::Deflated
        ) {
            return refuse("is packed in a way that is not read; pack it with `deflate`");
        }
        let bits = file.external_attributes() >> 16;
        let what = match bits & 0o170_000 {
            0 | 0o100_000 | 0o040_000 => None,
            0o120_000 => Some("a link"),
            0o060_000 | 0o020_000 => Some("a device"),
            0o010_000 => Some("a pipe"),
            _ => Some("no plain file"),
        };
        if let Some(what) = what {
            return refuse(&format!("is {what}, and only plain files are installed"));
        }
        let is_folder = name.ends_with(b"/");
        if (bits & 0o170_000 == 0o040_000 && !is_folder) || (is_folder && file.size() > 0) {
            return refuse("is a file and a folder");
        }
        is_no_bomb(file.compressed_size(), file.size(), limits)?;
        if is_folder {
            listing.folder(name)?;
        } else {
            let mode = file.unix_mode().map_or(Mode::Plain, Mode::of_bits);
            listing.file(name, mode, file.size(), index)?;
        }
    }
    archive
        .validate_header_consistency()
        .map_err(|error| damaged(&error))?;
    Ok(listing)
}

/// The names in the list, before any further field gives another one. Nothing may come between the
/// list and its end, nor after: another reader could find another list there.
fn names(bytes: &[u8], start: u64) -> Option<Vec<&[u8]>> {
    let number = |at: usize| Some(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    let mut at = usize::try_from(start).ok()?;
    let mut names = Vec::new();
    while bytes.get(at..at + 4)? == b"PK\x01\x02" {
        let name = at + 46;
        let end = name + usize::from(number(at + 28)?);
        names.push(bytes.get(name..end)?);
        at = end + usize::from(number(at + 30)?) + usize::from(number(at + 32)?);
    }
    let is_end = bytes.get(at..at + 4)? == b"PK\x05\x06"
        && bytes.get(at + 16..at + 20)? == u32::try_from(start).ok()?.to_le_bytes()
        && usize::from(number(at + 10)?) == names.len()
        && at + 22 + usize::from(number(at + 20)?) == bytes.len()
        && !bytes[at + 22..].windows(4).any(|it| it == b"PK\x05\x06");
    is_end.then_some(names)
}
