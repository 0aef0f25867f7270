//! The parts records are made of: numbers, ranges and stamps as bytes.

use std::io;

use crate::source::disk::seen::Stamp;

/// Where something stands in a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Range {
    pub(super) start: u32,
    pub(super) length: u32,
}

impl Range {
    /// Adds bytes to a section.
    pub(super) fn put(section: &mut Vec<u8>, bytes: &[u8]) -> io::Result<Self> {
        let range = Self {
            start: number(section.len())?,
            length: number(bytes.len())?,
        };
        section.extend_from_slice(bytes);
        Ok(range)
    }

    fn places(self) -> std::ops::Range<usize> {
        let start = self.start as usize;
        start..start + self.length as usize
    }

    /// What stands there; nothing where the section does not reach so far.
    pub(super) fn of(self, section: &[u8]) -> &[u8] {
        section.get(self.places()).unwrap_or_default()
    }

    /// The same of a section that is text.
    pub(super) fn of_text(self, section: &str) -> &str {
        section.get(self.places()).unwrap_or_default()
    }
}

/// A length as a record holds it.
pub(super) fn number(length: usize) -> io::Result<u32> {
    u32::try_from(length).map_err(|_| io::Error::other("the skills do not fit into one file"))
}

/// Five numbers, and whether there is a stamp.
pub(super) const STAMP: usize = 5 * 8 + 1;

pub(super) fn write_range(range: Range, bytes: &mut Vec<u8>) {
    bytes.extend(range.start.to_le_bytes());
    bytes.extend(range.length.to_le_bytes());
}

pub(super) fn write_stamp(stamp: Option<Stamp>, bytes: &mut Vec<u8>) {
    bytes.push(u8::from(stamp.is_some()));
    let none = Stamp {
        device: 0,
        inode: 0,
        size: 0,
        modified: 0,
        changed: 0,
    };
    let stamp = stamp.unwrap_or(none);
    for number in [stamp.device, stamp.inode, stamp.size] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(stamp.modified.to_le_bytes());
    bytes.extend(stamp.changed.to_le_bytes());
}

/// The bytes of a record that are still to be read.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl Fields<'_> {
    #[inline]
    pub(super) fn take<const N: usize>(&mut self) -> [u8; N] {
        match self.0.split_first_chunk() {
            Some((bytes, rest)) => {
                self.0 = rest;
                *bytes
            }
            None => [0; N],
        }
    }

    #[inline]
    pub(super) fn range(&mut self) -> Range {
        Range {
            start: u32::from_le_bytes(self.take()),
            length: u32::from_le_bytes(self.take()),
        }
    }

    #[inline]
    pub(super) fn stamp(&mut self) -> Option<Stamp> {
        let [there] = self.take();
        let [device, inode, size] = [(); 3].map(|()| u64::from_le_bytes(self.take()));
        let [modified, changed] = [(); 2].map(|()| i64::from_le_bytes(self.take()));
        (there != 0).then_some(Stamp {
            device,
            inode,
            size,
            modified,
            changed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_that_leads_nowhere_is_empty() {
        let far = Range {
            start: u32::MAX,
            length: 7,
        };
        assert_eq!(far.of(b"abc"), b"");
        assert_eq!(
            Range {
                start: 1,
                length: 7
            }
            .of_text("abc"),
            ""
        );
        let one = Range {
            start: 1,
            length: 1,
        };
        assert_eq!((one.of(b"abc"), one.of_text("äb")), (&b"b"[..], ""));
    }
}
