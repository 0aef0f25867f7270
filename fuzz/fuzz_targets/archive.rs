//! Of any bytes as an archive either nothing is taken, or files within the limits, each under a path
//! of its own that stays below. The first byte says how the others are packed, so that most inputs
//! reach the headers.
#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use prowess_install::{ArchiveLimits, FilePath, read_archive};

/// Small ones, so that they are met.
const LIMITS: ArchiveLimits = ArchiveLimits {
    entries: 16,
    bytes: 1 << 20,
    file_bytes: 1 << 16,
    ratio: 200,
};

fuzz_target!(|bytes: &[u8]| {
    hold(bytes);
    if let Some((0, rest)) = bytes.split_first().map(|(first, rest)| (first % 2, rest)) {
        hold(&with_sums(rest));
    }
});

/// A tar whose headers have the right sums, which no search finds.
fn with_sums(bytes: &[u8]) -> Vec<u8> {
    let mut tape = bytes.to_vec();
    tape.resize(tape.len().next_multiple_of(512) + 1024, 0);
    for block in tape.chunks_mut(512) {
        if block[0] == 0 {
            continue;
        }
        block[148..156].fill(b' ');
        let sum: u32 = block.iter().map(|&it| u32::from(it)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    tape
}

fn hold(bytes: &[u8]) {
    let Ok(files) = read_archive(bytes, &LIMITS) else {
        return;
    };
    assert!(files.len() <= LIMITS.entries);
    let mut names = HashSet::new();
    let mut total = 0;
    for (path, _, bytes) in &files {
        let path = path.as_str();
        assert!(FilePath::new(path).is_ok(), "{path}");
        assert!(names.insert(path.to_lowercase()), "{path}");
        assert!(bytes.len() as u64 <= LIMITS.file_bytes, "{path}");
        total += bytes.len() as u64;
    }
    assert!(total <= LIMITS.bytes);
}
