//! An index as bytes, for a start that reads no skill twice.

use std::sync::Arc;

use super::{
    Blob, FieldWeights, Index, Part, Segment,
    grouped::Grouped,
    near::Near,
    postings::Postings,
    segment::{GAP, roots},
};
use crate::words::Interner;

/// First bytes of every saved index.
const MAGIC: [u8; 4] = *b"PRWI";

/// Grows with every change to the bytes, or to how words are read: an index of another version
/// would answer differently.
const VERSION: u32 = 5;

/// Why saved bytes are not used. The index is then built anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The bytes are no saved index.
    #[error("these bytes are not a saved index")]
    Foreign,
    /// Saved by another version.
    #[error("the index was saved by version {found} of its format, this is version {VERSION}")]
    Version {
        /// The version that saved it.
        found: u32,
    },
    /// Cut short or changed.
    #[error("the saved index is damaged")]
    Damaged,
}

impl Index {
    /// The index as bytes: version, checksum, then everything but the default weights.
    ///
    /// Only an index with the default weights can be read back.
    pub fn to_bytes(&self) -> Vec<u8> {
        let joined;
        let whole = self.parts.len() == 1 && self.parts[0].counts.is_none();
        let index = if whole {
            self
        } else {
            joined = self.joined();
            &joined
        };
        let part = &index.parts[0];
        let segment = &part.segment;
        let mut out = Vec::with_capacity(segment.memory());
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend([0; 8]);
        let numbers = [
            &part.positions[..],
            &segment.unique,
            segment.tokens.ends(),
            segment.terms.ends(),
            &segment.token_postings.starts,
            &segment.token_postings.counts,
            &segment.term_postings.starts,
            &segment.term_postings.counts,
            &segment.metadata.items,
            &segment.metadata.ends,
            &segment.body_pairs.ends,
            &segment.phrases.items,
            &segment.phrases.ends,
            segment.tokens.table().0,
            segment.terms.table().0,
        ];
        for list in numbers {
            out.extend((list.len() as u64).to_le_bytes());
            out.extend(list.iter().flat_map(|number| number.to_le_bytes()));
        }
        let wide = [
            &[segment.tokens.table().1, segment.terms.table().1][..],
            &segment.near.forms,
        ];
        for list in wide {
            out.extend((list.len() as u64).to_le_bytes());
            out.extend(list.iter().flat_map(|number| number.to_le_bytes()));
        }
        let pairs = &segment.body_pairs.items;
        out.extend((pairs.len() as u64).to_le_bytes());
        out.extend(pairs.iter().flat_map(|number| number.to_le_bytes()));
        let blobs = [
            segment.tokens.bytes(),
            segment.terms.bytes(),
            &segment.token_postings.bytes,
            &segment.term_postings.bytes,
        ];
        for blob in blobs {
            out.extend((blob.len() as u64).to_le_bytes());
            out.extend_from_slice(blob);
        }
        let sum = checksum(&out[16..]);
        out[8..16].copy_from_slice(&sum.to_le_bytes());
        out
    }

    /// Reads a saved index.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, IndexError> {
        let (sum, rest) = opened(bytes.to_vec().into())?;
        if sum != checksum(&rest) {
            return Err(IndexError::Damaged);
        }
        read(rest).ok_or(IndexError::Damaged)
    }

    /// Reads a saved index from a file that told damage by a sum of its own.
    pub fn from_vouched(bytes: Vec<u8>) -> Result<Self, IndexError> {
        read(opened(bytes.into())?.1).ok_or(IndexError::Damaged)
    }
}

/// The checksum of a saved index of this version, and what follows it.
fn opened(mut bytes: Blob) -> Result<(u64, Blob), IndexError> {
    let magic = bytes.take(MAGIC.len()).ok_or(IndexError::Foreign)?;
    if *magic != MAGIC {
        return Err(IndexError::Foreign);
    }
    let version = bytes.take(4).ok_or(IndexError::Damaged)?;
    if *version != VERSION.to_le_bytes() {
        let found = version
            .first_chunk()
            .map_or(0, |it| u32::from_le_bytes(*it));
        return Err(IndexError::Version { found });
    }
    let sum = bytes.take(8).ok_or(IndexError::Damaged)?;
    let sum = sum.first_chunk().map_or(0, |it| u64::from_le_bytes(*it));
    Ok((sum, bytes))
}

/// Reads what follows the checksum. Even with a right checksum nothing is taken on trust.
fn read(mut rest: Blob) -> Option<Index> {
    let mut numbers = || {
        let bytes = next(&mut rest, 4)?;
        let (chunks, _) = bytes.as_chunks::<4>();
        let numbers = chunks.iter().map(|it| u32::from_le_bytes(*it));
        Some(numbers.collect::<Vec<u32>>())
    };
    let (positions, unique) = (numbers()?, numbers()?);
    let (token_ends, term_ends) = (numbers()?, numbers()?);
    let (token_starts, token_counts) = (numbers()?, numbers()?);
    let (term_starts, term_counts) = (numbers()?, numbers()?);
    let metadata = Grouped {
        items: numbers()?,
        ends: numbers()?,
    };
    let pair_ends = numbers()?;
    let phrases = Grouped {
        items: numbers()?,
        ends: numbers()?,
    };
    let (token_table, term_table) = (numbers()?, numbers()?);
    let mut wide = || {
        let bytes = next(&mut rest, 8)?;
        let (chunks, _) = bytes.as_chunks::<8>();
        let numbers = chunks.iter().map(|it| u64::from_le_bytes(*it));
        Some(numbers.collect::<Vec<u64>>())
    };
    let [token_seed, term_seed] = wide()?[..] else {
        return None;
    };
    let near = Near { forms: wide()? };
    let pairs = next(&mut rest, 2)?;
    let (pairs, _) = pairs.as_chunks::<2>();
    let body_pairs = Grouped {
        items: pairs.iter().map(|it| u16::from_le_bytes(*it)).collect(),
        ends: pair_ends,
    };
    let mut words = |ends, table, seed| {
        let bytes = next(&mut rest, 1)?.to_vec();
        Interner::from_parts(bytes, ends, table, seed)
    };
    let tokens = words(token_ends, token_table, token_seed)?;
    let terms = words(term_ends, term_table, term_seed)?;
    let token_postings = next(&mut rest, 1)?;
    let token_postings = postings(token_postings, token_starts, token_counts, tokens.len())?;
    let term_postings = next(&mut rest, 1)?;
    let term_postings = postings(term_postings, term_starts, term_counts, terms.len())?;
    let documents = unique.len();
    let mut seen = vec![false; documents];
    for &position in &positions {
        let seen = seen.get_mut(position as usize)?;
        if std::mem::replace(seen, true) {
            return None;
        }
    }
    let known = metadata
        .items
        .iter()
        .all(|&term| term == GAP || (term as usize) < terms.len())
        && near
            .forms
            .iter()
            .all(|&form| (form as u32 as usize) < tokens.len());
    let fits = positions.len() == documents
        && near.forms.is_sorted()
        && metadata.fits(documents)
        && body_pairs.fits(documents)
        && phrases.fits(documents);
    if !known || !fits || !rest.is_empty() {
        return None;
    }
    let segment = Segment {
        roots: roots(&unique),
        unique,
        tokens,
        token_postings,
        terms,
        term_postings,
        metadata,
        body_pairs,
        phrases,
        near,
        ..Segment::default()
    };
    let part = Part::new(Arc::new(segment), positions);
    Some(Index::arranged(
        vec![part],
        documents,
        Arc::new(FieldWeights::default()),
    ))
}

fn postings(bytes: Blob, starts: Vec<u32>, counts: Vec<u32>, terms: usize) -> Option<Postings> {
    let fits = starts.len() == terms + 1
        && counts.len() == terms
        && starts.is_sorted()
        && starts
            .last()
            .is_some_and(|end| *end as usize == bytes.len());
    fits.then_some(Postings {
        bytes,
        starts,
        counts,
    })
}

/// The next length and so many items of this size.
fn next(rest: &mut Blob, size: usize) -> Option<Blob> {
    let length = u64::from_le_bytes(*rest.take(8)?.first_chunk()?);
    rest.take(usize::try_from(length).ok()?.checked_mul(size)?)
}

/// Tells flipped bits and cut ends; not meant against an attacker, who could write the whole
/// file anew.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, value: u64| {
        (sum ^ value)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29)
            ^ value
    };
    let (chunks, rest) = bytes.as_chunks::<8>();
    let sum = chunks.iter().fold(bytes.len() as u64, |sum, chunk| {
        step(sum, u64::from_le_bytes(*chunk))
    });
    rest.iter()
        .fold(sum, |sum, byte| step(sum, u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{index::Entry, query::Query, ranker::Ranker};

    fn index() -> Index {
        let skill = |name, description: &'static str| Entry {
            name,
            description: description.into(),
            tags: Vec::new(),
            body: "Read the file.",
        };
        Index::build(&[
            skill("pdf", "Fills PDF forms."),
            skill("sql", "Writes queries. Größe!"),
        ])
    }

    #[test]
    fn a_saved_index_answers_as_before() {
        let index = index();
        let bytes = index.to_bytes();
        let again = Index::from_bytes(&bytes).unwrap();
        assert_eq!(again.to_bytes(), bytes);
        let rank = |index: &Index| {
            let query = Query::new(index, "fill a from", Ranker::Lexical);
            index.rank(&query, 0.0, 9, |_| true)
        };
        assert_eq!(rank(&again), rank(&index));
        assert!(!rank(&index).is_empty());
        assert!(
            Index::from_bytes(&Index::default().to_bytes())
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn damage_is_told_and_never_used() {
        let bytes = index().to_bytes();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assert!(Index::from_bytes(&damaged).is_err(), "byte {at}");
            assert!(Index::from_bytes(&bytes[..at]).is_err(), "cut at {at}");
        }
        let mut newer = bytes;
        newer[4] = 9;
        assert_eq!(
            Index::from_bytes(&newer).unwrap_err().to_string(),
            "the index was saved by version 9 of its format, this is version 5"
        );
    }
}
