//! A cache's file: a header that vouches for it, then sections that are read when they are needed.

use std::{
    borrow::Cow,
    fs::{self, File},
    io,
    path::Path,
    time::Duration,
};

use super::FORMAT;
use crate::write::{TEMPORARY_PREFIX, write_disposable};

/// First bytes of every file of a cache.
const MAGIC: [u8; 8] = *b"PROWESSC";

/// How many sections a file has; one that is not used is empty.
pub(super) const SECTIONS: usize = 11;

/// The last section: texts, each of which is held against its own hash when it is read.
const TEXTS: usize = SECTIONS - 1;

/// Magic, format, version and edition.
const START: usize = 8 + 4 + 4 + 8;

/// The start, length and sum of each section, and the sum of all that.
pub(super) const HEADER: usize = START + SECTIONS * 16 + 8;

/// What nobody wrote anew for so long belongs to skills that are gone.
const FORGOTTEN: Duration = Duration::from_secs(60 * 60 * 24 * 30);

/// What a killed process left behind is not in use any more after this long.
const LEFT_BEHIND: Duration = Duration::from_secs(60 * 60);

/// Why a file is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unusable {
    /// There is none.
    Missing,
    /// Another version or another build wrote it.
    Foreign,
    /// It is cut short, or bits of it changed.
    Damaged,
}

/// What is written.
#[derive(Debug, Default)]
pub(super) struct Parts<'a> {
    /// Every section but the texts.
    pub(super) sections: [Vec<u8>; TEXTS],
    pub(super) texts: Vec<Cow<'a, [u8]>>,
}

/// A file that is whole as far as its header tells. It stays open: what replaces it later does not
/// touch it.
#[derive(Debug)]
pub(super) struct Opened {
    file: File,
    sections: [Section; SECTIONS],
}

#[derive(Debug, Clone, Copy, Default)]
struct Section {
    start: u64,
    length: u64,
    sum: u64,
}

impl Opened {
    /// Reads a section, known to be as it was written.
    pub(super) fn section(&self, number: usize) -> Result<Vec<u8>, Unusable> {
        let section = self.sections[number];
        let mut bytes = vec![0; section.length as usize];
        read_at(&self.file, &mut bytes, section.start).map_err(|_| Unusable::Damaged)?;
        if checksum(&bytes) == section.sum {
            Ok(bytes)
        } else {
            Err(Unusable::Damaged)
        }
    }

    /// How long ago it was written; nothing where that cannot be told.
    pub(super) fn age(&self) -> Duration {
        let written = self.file.metadata().and_then(|it| it.modified()).ok();
        let age = written.and_then(|written| written.elapsed().ok());
        age.unwrap_or_default()
    }

    /// Reads one text, which may be damaged; `None` where the file does not have it.
    pub(super) fn text(&self, start: u64, length: usize) -> Option<Vec<u8>> {
        let texts = self.sections[TEXTS];
        if start.checked_add(length as u64)? > texts.length {
            return None;
        }
        let mut bytes = vec![0; length];
        read_at(&self.file, &mut bytes, texts.start + start).ok()?;
        Some(bytes)
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

/// Opens a file and reads its header.
#[expect(clippy::disallowed_methods, reason = "the cache opens its own files")]
pub(super) fn open(path: &Path, edition: u64) -> Result<Opened, Unusable> {
    let file = match File::open(path) {
        Ok(file) => file,
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
    let size = file.metadata().map_err(|_| Unusable::Damaged)?.len();
    let mut header = [0; HEADER];
    read_at(&file, &mut header, 0).map_err(|_| Unusable::Damaged)?;
    let number = |at: usize| {
        let bytes = header[at..].first_chunk::<8>();
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    if number(HEADER - 8) != checksum(&header[..HEADER - 8]) {
        return Err(Unusable::Damaged);
    }
    if header[..16] != start() || number(16) != edition {
        return Err(Unusable::Foreign);
    }
    let mut sections = [Section::default(); SECTIONS];
    let mut end = HEADER as u64;
    for (section, at) in sections.iter_mut().zip((START..).step_by(16)) {
        *section = Section {
            start: end,
            length: number(at),
            sum: number(at + 8),
        };
        end = end.checked_add(section.length).ok_or(Unusable::Damaged)?;
    }
    if end != size {
        return Err(Unusable::Damaged);
    }
    Ok(Opened { file, sections })
}

fn start() -> [u8; 16] {
    let mut start = [0; 16];
    start[..8].copy_from_slice(&MAGIC);
    start[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    let version = checksum(env!("CARGO_PKG_VERSION").as_bytes());
    start[12..].copy_from_slice(&(version as u32).to_le_bytes());
    start
}

/// Writes a file whole or not at all: a reader finds the old bytes or the new ones.
pub(super) fn write(path: &Path, edition: u64, parts: &Parts<'_>) -> io::Result<()> {
    let mut header = Vec::with_capacity(HEADER);
    header.extend(start());
    header.extend(edition.to_le_bytes());
    for section in &parts.sections {
        header.extend((section.len() as u64).to_le_bytes());
        header.extend(checksum(section).to_le_bytes());
    }
    let texts: usize = parts.texts.iter().map(|text| text.len()).sum();
    header.extend((texts as u64).to_le_bytes());
    header.extend(0_u64.to_le_bytes());
    header.extend(checksum(&header).to_le_bytes());
    tidy(path.parent().unwrap_or(Path::new(".")));
    write_disposable(path, |file| {
        file.write_all(&header)?;
        for section in &parts.sections {
            file.write_all(section)?;
        }
        parts.texts.iter().try_for_each(|text| file.write_all(text))
    })
}

/// Removes what nobody uses any more.
#[expect(
    clippy::disallowed_methods,
    reason = "the cache looks at its own folder"
)]
fn tidy(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        let temporary = entry.file_name();
        let temporary = temporary.as_encoded_bytes();
        let most = match ending {
            _ if temporary.starts_with(TEMPORARY_PREFIX.as_bytes()) => LEFT_BEHIND,
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

/// Tells flipped bits and cut ends. Four sums side by side, as the processor likes it.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let step = |sum: u64, value: u64| (sum ^ value).wrapping_mul(ODD).rotate_left(29) ^ value;
    let mut sums = [bytes.len() as u64, 1, 2, 3];
    let (blocks, rest) = bytes.as_chunks::<32>();
    for block in blocks {
        let (values, _) = block.as_chunks::<8>();
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum = step(*sum, u64::from_le_bytes(*value));
        }
    }
    let sum = sums.into_iter().fold(0, step);
    rest.iter()
        .fold(sum, |sum, byte| step(sum, u64::from(*byte)))
}
