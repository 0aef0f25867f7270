//! Entries read with everything an explanation needs.

use super::{
    Entry, FieldWeights,
    batch::{Batch, Reader},
    fields::Field,
};

/// Reads entries one after the other. What a word stands for is worked out once for all of them.
pub(crate) struct EntryReader {
    batch: Batch,
    reader: Reader,
}

impl EntryReader {
    pub(crate) fn new() -> Self {
        Self {
            batch: Batch {
                parts: Some(Vec::new()),
                ..Batch::default()
            },
            reader: Reader::default(),
        }
    }

    pub(crate) fn read(&mut self, entry: &Entry<'_>, weights: &FieldWeights) -> Reading<'_> {
        self.batch.add(entry, weights, &mut self.reader);
        Reading { batch: &self.batch }
    }
}

/// The entry that was read last.
pub(crate) struct Reading<'a> {
    batch: &'a Batch,
}

impl Reading<'_> {
    /// The effect of a term in 255ths, and what each field has in it.
    pub(crate) fn term(&self, term: &str) -> Option<(u8, [f32; Field::COUNT])> {
        let number = self.batch.terms.get(term.as_bytes())?;
        let at = self.batch.term_lists.find_in_last(number)?;
        let impact = self.batch.term_lists.payloads[at];
        Some((impact, *self.batch.parts.as_ref()?.get(at)?))
    }

    /// Where a token stands.
    pub(crate) fn token(&self, token: &str) -> u8 {
        let number = self.batch.tokens.get(token.as_bytes());
        let at = number.and_then(|number| self.batch.token_lists.find_in_last(number));
        at.map_or(0, |at| self.batch.token_lists.payloads[at])
    }

    /// How many different tokens the body has.
    pub(crate) fn unique(&self) -> u32 {
        self.batch.unique.last().copied().unwrap_or_default()
    }

    /// The terms of name, description and tags in order, by number, with their marks.
    pub(crate) fn metadata(&self) -> &[u32] {
        self.batch.metadata.last()
    }

    /// The text of a term by its number.
    pub(crate) fn text(&self, term: u32) -> &str {
        self.batch.terms.text(term)
    }

    /// Hashes of what stands together at the beginning of the instructions.
    pub(crate) fn body_pairs(&self) -> &[u16] {
        self.batch.body_pairs.last()
    }

    /// The quoted phrases of the description.
    pub(crate) fn phrases(&self) -> &[u32] {
        self.batch.phrases.last()
    }
}
