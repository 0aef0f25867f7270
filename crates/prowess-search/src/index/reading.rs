//! One document, read with everything an explanation needs.

use super::{
    Entry, FieldWeights, GAP,
    batch::{Batch, Reader},
    fields::Field,
};

/// One document, read with everything an explanation needs.
pub(crate) struct Reading {
    batch: Batch,
}

impl Reading {
    pub(crate) fn of(entry: &Entry<'_>, weights: &FieldWeights) -> Self {
        let mut batch = Batch {
            parts: Some(Vec::new()),
            ..Batch::default()
        };
        batch.add(entry, weights, &mut Reader::default());
        Self { batch }
    }

    /// The effect of a term in 255ths, and what each field has in it.
    pub(crate) fn term(&self, term: &str) -> Option<(u8, [f32; Field::COUNT])> {
        let number = self.batch.terms.get(term.as_bytes())?;
        let lists = &self.batch.term_lists;
        let at = lists.words.iter().position(|term| *term == number)?;
        Some((lists.payloads[at], *self.batch.parts.as_ref()?.get(at)?))
    }

    /// Where a token stands.
    pub(crate) fn token(&self, token: &str) -> u8 {
        let number = self.batch.tokens.get(token.as_bytes());
        let lists = &self.batch.token_lists;
        let at = lists.words.iter().position(|token| Some(*token) == number);
        at.map_or(0, |at| lists.payloads[at])
    }

    /// How many different tokens the body has.
    pub(crate) fn unique(&self) -> u32 {
        self.batch.unique[0]
    }

    /// The terms of name, description and tags in order; `None` between them.
    pub(crate) fn metadata(&self) -> impl Iterator<Item = Option<&str>> {
        let text = |&term: &u32| (term != GAP).then(|| self.batch.terms.text(term));
        self.batch.metadata.iter().map(text)
    }
}
