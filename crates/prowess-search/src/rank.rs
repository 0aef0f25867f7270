//! Orders documents by how well they answer a request.

pub mod lexical;
pub mod overlap;

use std::{cell::RefCell, cmp::Ordering};

/// A document and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Position of the document in the index.
    pub document: u32,
    /// How well it answers; comparable between requests for the ranker `lexical`.
    pub score: f32,
    /// How much of what is asked stands in the name, the description and the tags, 0 to 1, for
    /// the ranker `lexical`; else 0.
    pub metadata: f32,
}

impl Hit {
    pub(crate) fn new(document: u32, score: f32) -> Self {
        Self {
            document,
            score,
            metadata: 0.0,
        }
    }
}

/// Best first; equal scores in the order of the documents.
pub(crate) fn best_first(left: &Hit, right: &Hit) -> Ordering {
    right
        .score
        .total_cmp(&left.score)
        .then(left.document.cmp(&right.document))
}

/// Keeps the best `limit`, best first.
pub(crate) fn keep_best(scored: &mut Vec<Hit>, limit: usize) {
    if limit == 0 {
        scored.clear();
    } else if scored.len() > limit {
        scored.select_nth_unstable_by(limit - 1, best_first);
        scored.truncate(limit);
    }
    scored.sort_unstable_by(best_first);
}

/// So many sums are compared in one go with the least that counts.
const BLOCK: usize = 64;

/// Fewer candidates than this are not worth sorting out.
const MIN_ROOM: usize = 128;

/// A product may be rounded the other way than the quotient it stands for.
const SLACK: f32 = 1.0 - 1e-6;

/// Keeps the best so many, and knows from when on a score cannot be among them.
struct Best {
    limit: usize,
    scored: Vec<Hit>,
    least: f32,
}

impl Best {
    /// Keeps at most `limit` scores, none of them below `least`.
    fn new(limit: usize, least: f32) -> Self {
        Self {
            limit,
            scored: Vec::new(),
            least,
        }
    }

    /// Looks at the sum of every slot. `score` is asked only for those that can be among the
    /// best, and says what the slot scores, if it counts.
    fn offer(&mut self, sums: &[f32], mut score: impl FnMut(usize, f32) -> Option<Hit>) {
        for (block, sums) in sums.chunks(BLOCK).enumerate() {
            // Counting has no branch, so the compiler compares several at a time; hardly any
            // block holds one of the best.
            let least = self.least;
            let good = sums.iter().map(|sum| u32::from(*sum >= least));
            if good.sum::<u32>() > 0 {
                for (at, &sum) in sums.iter().enumerate() {
                    if sum >= self.least {
                        self.take(score(block * BLOCK + at, sum));
                    }
                }
            }
        }
    }

    /// The same for sums that are divided by the divisor of their slot, which is positive.
    fn offer_divided(
        &mut self,
        sums: &[f32],
        divisors: &[f32],
        mut score: impl FnMut(usize, f32) -> Option<Hit>,
    ) {
        let blocks = sums.chunks(BLOCK).zip(divisors.chunks(BLOCK));
        for (block, (sums, divisors)) in blocks.enumerate() {
            let pairs = || sums.iter().zip(divisors);
            let least = self.least * SLACK;
            let good = pairs().map(|(sum, divisor)| u32::from(*sum >= least * divisor));
            if good.sum::<u32>() > 0 {
                for (at, (&sum, divisor)) in pairs().enumerate() {
                    if sum >= self.least * SLACK * divisor {
                        self.take(score(block * BLOCK + at, sum / divisor));
                    }
                }
            }
        }
    }

    fn take(&mut self, scored: Option<Hit>) {
        let Some(scored) = scored.filter(|scored| scored.score >= self.least) else {
            return;
        };
        self.scored.push(scored);
        if self.scored.len() >= self.limit.saturating_mul(2).max(MIN_ROOM) {
            keep_best(&mut self.scored, self.limit);
            // Equal scores go on: one of a lower number may be waiting.
            self.least = self.scored.last().map_or(self.least, |last| last.score);
        }
    }

    /// The best, best first.
    fn finish(mut self) -> Vec<Hit> {
        keep_best(&mut self.scored, self.limit);
        self.scored
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// A sum for each document of the segment at hand.
#[derive(Default)]
struct Scratch {
    sums: Vec<f32>,
}

impl Scratch {
    /// So many zeros.
    fn zeros(&mut self, count: usize) -> &mut [f32] {
        self.sums.clear();
        self.sums.resize(count, 0.0);
        &mut self.sums
    }
}

/// Lends this thread's working memory; a request inside a request gets memory of its own.
fn with_scratch<R>(work: impl FnOnce(&mut Scratch) -> R) -> R {
    SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
        Ok(mut scratch) => work(&mut scratch),
        Err(_) => work(&mut Scratch::default()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_are_those_of_a_full_sort(
            sums in prop::collection::vec((0_u8..40, 1_u8..9), 0..900),
            limit in 0_usize..90,
            least in 0_u8..9,
        ) {
            let least = f32::from(least) / 2.0;
            let divisors: Vec<f32> = sums.iter().map(|sum| f32::from(sum.1).sqrt()).collect();
            let sums: Vec<f32> = sums.iter().map(|sum| f32::from(sum.0)).collect();
            // Documents stand in another order than their slots, and some do not count.
            let document = |slot: usize| (slot * 7 % 901) as u32;
            let scored = |slot: usize, score: f32| {
                (!slot.is_multiple_of(5)).then(|| Hit::new(document(slot), score))
            };
            let expected = |score: &dyn Fn(usize) -> f32| {
                let mut all: Vec<Hit> = (0..sums.len())
                    .filter_map(|slot| scored(slot, score(slot)))
                    .filter(|scored| scored.score >= least)
                    .collect();
                keep_best(&mut all, limit);
                all
            };
            let mut best = Best::new(limit, least);
            best.offer(&sums, scored);
            prop_assert_eq!(best.finish(), expected(&|slot| sums[slot]));
            let mut best = Best::new(limit, least);
            best.offer_divided(&sums, &divisors, scored);
            prop_assert_eq!(best.finish(), expected(&|slot| sums[slot] / divisors[slot]));
        }
    }

    #[test]
    fn thresholds_that_are_no_numbers_do_no_harm() {
        let scored = |slot: usize, score: f32| Some(Hit::new(slot as u32, score));
        let count = |least: f32| {
            let mut best = Best::new(usize::MAX, least);
            best.offer_divided(&[0.0, 2.0], &[1.0, 4.0], scored);
            best.finish().len()
        };
        assert_eq!(count(f32::NAN), 0);
        assert_eq!(count(f32::INFINITY), 0);
        assert_eq!(count(f32::NEG_INFINITY), 2);
        assert_eq!(count(-3.0), 2);
        assert_eq!(count(0.0), 2);
        assert_eq!(count(0.5), 1);
    }
}
