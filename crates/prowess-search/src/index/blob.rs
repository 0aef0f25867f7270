//! Bytes of an index, its own or a part of a saved one.

use std::{ops::Deref, ops::Range, sync::Arc};

/// Bytes that never change. A saved index is read once and its parts share what was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Blob {
    whole: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Blob {
    /// Takes so many bytes from the start; `None` where there are fewer.
    pub(crate) fn take(&mut self, length: usize) -> Option<Self> {
        let end = self.range.start.checked_add(length)?;
        if end > self.range.end {
            return None;
        }
        let range = self.range.start..end;
        self.range.start = end;
        Some(Self {
            whole: Arc::clone(&self.whole),
            range,
        })
    }
}

impl From<Vec<u8>> for Blob {
    fn from(mut bytes: Vec<u8>) -> Self {
        bytes.shrink_to_fit();
        Self {
            range: 0..bytes.len(),
            whole: Arc::new(bytes),
        }
    }
}

impl Deref for Blob {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.whole[self.range.clone()]
    }
}

impl PartialEq for Blob {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Blob {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_taken_one_after_the_other() {
        let mut rest = Blob::from(b"forms and tables".to_vec());
        let first = rest.take(5);
        assert_eq!(first.as_deref(), Some(&b"forms"[..]));
        assert_eq!(&*rest, b" and tables");
        assert_eq!(rest.take(12), None);
        assert_eq!(rest.take(usize::MAX), None);
        assert_eq!(rest.take(11).as_deref(), Some(&b" and tables"[..]));
        assert!(rest.is_empty());
    }
}
