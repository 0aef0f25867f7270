//! The formula of adk-skill, served from the index.
//!
//! Every token of the request, repeats included, adds 4.0 if it stands in the name, 2.5 in the
//! description, 2.0 in the tags and 1.0 in the body. The sum is divided by the square root of the
//! number of different tokens in the body.

use super::{Best, Hit, with_scratch};
use crate::index::{IN_BODY, IN_DESCRIPTION, IN_NAME, IN_TAGS, Index};

/// Ranks documents that reach `min_score` by the tokens of a request, best first.
///
/// `tagged` says that the caller asked for tags: then a request without tokens gives every
/// allowed document the score 0, in place of nothing.
pub(crate) fn rank(
    index: &Index,
    tokens: &[(String, f32)],
    min_score: f32,
    limit: usize,
    tagged: bool,
    allow: impl Fn(u32) -> bool,
) -> Vec<Hit> {
    if limit == 0 || (tokens.is_empty() && !tagged) {
        return Vec::new();
    }
    let mut best = Best::new(limit, min_score);
    with_scratch(|scratch| {
        for part in &index.parts {
            let segment = &part.segment;
            let sums = scratch.zeros(segment.len());
            for (token, count) in tokens {
                let Some(token) = segment.tokens.get(token.as_bytes()) else {
                    continue;
                };
                let worth = WORTH.map(|worth| worth * count);
                segment.token_postings.each(token, |slot, places| {
                    if let Some(sum) = sums.get_mut(slot as usize) {
                        *sum += worth[usize::from(places & 15)];
                    }
                });
            }
            best.offer_divided(sums, &segment.roots, |slot, score| {
                let document = part.positions[slot];
                let counts = part.alive(slot) && allow(document);
                counts.then_some(Hit::new(document, score))
            });
        }
    });
    best.finish()
}

/// What a token in these places is worth.
pub(crate) fn worth_of(places: u8) -> f32 {
    WORTH[usize::from(places & 15)]
}

/// What a token is worth, by the places it stands in.
const WORTH: [f32; 16] = worth();

const fn worth() -> [f32; 16] {
    let mut table = [0.0; 16];
    let mut places = 0;
    while places < 16 {
        let bits = places as u8;
        table[places] = on(bits, IN_NAME, 4.0)
            + on(bits, IN_DESCRIPTION, 2.5)
            + on(bits, IN_TAGS, 2.0)
            + on(bits, IN_BODY, 1.0);
        places += 1;
    }
    table
}

const fn on(places: u8, place: u8, worth: f32) -> f32 {
    if places & place == 0 { 0.0 } else { worth }
}
