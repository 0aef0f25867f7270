//! Items of each document, one after the other.

/// Items of each document, and where those of each end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grouped<T> {
    pub(super) items: Vec<T>,
    pub(super) ends: Vec<u32>,
}

impl<T> Default for Grouped<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<T: Copy> Grouped<T> {
    /// The items of a document.
    pub(crate) fn of(&self, document: u32) -> &[T] {
        let document = document as usize;
        let start = match document {
            0 => 0,
            _ => self.ends[document - 1] as usize,
        };
        &self.items[start..self.ends[document] as usize]
    }

    /// The items of the last document.
    pub(super) fn last(&self) -> &[T] {
        match self.ends.len() {
            0 => &[],
            count => self.of(count as u32 - 1),
        }
    }

    /// Where the items begin of the document that was not ended yet.
    pub(super) fn start(&self) -> usize {
        self.ends.last().map_or(0, |end| *end as usize)
    }

    /// Ends a document: what was added since the last one is its own.
    pub(super) fn end(&mut self) {
        self.ends.push(self.items.len() as u32);
    }

    /// Adds the documents of another one.
    pub(super) fn append(&mut self, other: &Self) {
        let base = self.items.len() as u32;
        self.items.extend_from_slice(&other.items);
        self.ends.extend(other.ends.iter().map(|end| base + end));
    }

    /// Whether these are so many documents, and all items theirs.
    pub(super) fn fits(&self, documents: usize) -> bool {
        self.ends.len() == documents
            && self.ends.is_sorted()
            && self.ends.last().map_or(0, |end| *end as usize) == self.items.len()
    }

    pub(super) fn memory(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.ends.capacity() * 4
    }
}
