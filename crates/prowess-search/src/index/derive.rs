//! A changed list of skills, for the price of what changed.

use std::sync::Arc;

use super::{Change, DEAD, Entry, Index, Part, Segment, batch::Batch};

/// More parts than this are joined: each costs every request a look-up per word.
const MAX_PARTS: usize = 8;

impl Index {
    /// The index of a changed list, one [`Change`] per document in its new order.
    ///
    /// Documents that are kept are not read again. A request gives the same scores, bit for bit,
    /// as it would with an index built anew.
    #[must_use]
    pub fn derive(&self, changes: &[Change<'_>]) -> Self {
        let mut positions: Vec<Vec<u32>> = self
            .parts
            .iter()
            .map(|part| vec![DEAD; part.segment.len()])
            .collect();
        let mut places = vec![(0, 0); changes.len()];
        let mut fresh: Vec<Entry<'_>> = Vec::new();
        let mut fresh_positions: Vec<u32> = Vec::new();
        let new_part = self.parts.len() as u32;
        for (position, change) in changes.iter().enumerate() {
            match change {
                Change::Keep(old) => {
                    let (part, slot) = self.places[*old as usize];
                    positions[part as usize][slot as usize] = position as u32;
                    places[position] = (part, slot);
                }
                Change::Read(entry) => {
                    places[position] = (new_part, fresh.len() as u32);
                    fresh.push(entry.clone());
                    fresh_positions.push(position as u32);
                }
            }
        }
        let mut parts: Vec<Part> = self
            .parts
            .iter()
            .zip(positions)
            .map(|(part, positions)| part.moved(positions))
            .collect();
        let segment = Segment::build(&fresh, &self.weights, super::threads());
        parts.push(Part::new(Arc::new(segment), fresh_positions));
        Self {
            parts,
            places: places.into(),
            weights: Arc::clone(&self.weights),
        }
        .tidied()
    }

    /// Drops empty parts, and joins the rest once there are many or much of them is dead.
    fn tidied(self) -> Self {
        let slots: usize = self.parts.iter().map(|part| part.segment.len()).sum();
        let used = self.parts.iter().filter(|part| part.is_used()).count();
        if slots > 2 * self.len() + 64 {
            return self.joined();
        }
        if used == self.parts.len() && used <= MAX_PARTS {
            return self;
        }
        let mut parts: Vec<Part> = self.parts.into_iter().filter(Part::is_used).collect();
        if parts.len() > MAX_PARTS {
            // Small parts are joined among themselves, so that a change costs about as much as
            // has changed since, and the great part that never changes is left alone.
            parts.sort_by_key(|part| std::cmp::Reverse(part.segment.len()));
            let mut first = parts.len() - 1;
            let mut small = parts[first].segment.len();
            while first > 0 && (first > MAX_PARTS / 2 || parts[first - 1].segment.len() <= small) {
                first -= 1;
                small += parts[first].segment.len();
            }
            let together = parts.split_off(first);
            parts.push(join(&together));
        }
        Self::arranged(parts, self.places.len(), self.weights)
    }

    /// The same documents in a single part.
    pub(crate) fn joined(&self) -> Self {
        let part = join(&self.parts);
        Self::arranged(vec![part], self.places.len(), Arc::clone(&self.weights))
    }

    /// Works out where each position is to be found.
    pub(super) fn arranged(
        parts: Vec<Part>,
        count: usize,
        weights: Arc<super::FieldWeights>,
    ) -> Self {
        let mut places = vec![(0, 0); count];
        for (number, part) in parts.iter().enumerate() {
            for (slot, &position) in part.positions.iter().enumerate() {
                if let Some(place) = places.get_mut(position as usize) {
                    *place = (number as u32, slot as u32);
                }
            }
        }
        Self {
            parts,
            places: places.into(),
            weights,
        }
    }
}

/// The living documents of parts as one part.
fn join(parts: &[Part]) -> Part {
    let batches = parts
        .iter()
        .map(|part| Batch::of(&part.segment, |slot| part.alive(slot as usize)))
        .collect();
    let alive = |part: &Part| {
        part.positions
            .iter()
            .copied()
            .filter(|position| *position != DEAD)
            .collect::<Vec<u32>>()
    };
    let positions: Vec<u32> = parts.iter().flat_map(alive).collect();
    Part::new(Arc::new(Segment::join(batches)), positions)
}

impl Part {
    pub(super) fn new(segment: Arc<Segment>, positions: Vec<u32>) -> Self {
        debug_assert!(!positions.contains(&DEAD));
        Self {
            segment,
            positions: positions.into(),
            counts: None,
        }
    }

    /// The same segment with its documents at other positions, and some of them gone.
    fn moved(&self, positions: Vec<u32>) -> Self {
        let gone: Vec<u32> = (0..positions.len() as u32)
            .filter(|&slot| positions[slot as usize] == DEAD && self.alive(slot as usize))
            .collect();
        let counts = if gone.is_empty() {
            self.counts.clone()
        } else {
            let mut counts = match &self.counts {
                Some(counts) => counts.to_vec(),
                None => self.segment.term_postings.counts.clone(),
            };
            for slot in gone {
                self.segment
                    .forward()
                    .each(slot, |term| counts[term as usize] -= 1);
            }
            Some(counts.into())
        };
        Self {
            segment: Arc::clone(&self.segment),
            positions: positions.into(),
            counts,
        }
    }

    fn is_used(&self) -> bool {
        self.positions.iter().any(|position| *position != DEAD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{query::Query, ranker::Ranker};
    use proptest::prelude::*;

    const WORDS: [&str; 12] = [
        "pdf",
        "form",
        "merge",
        "deploy",
        "kubernetes",
        "python",
        "review",
        "test",
        "sql",
        "chart",
        "invoice",
        "translate",
    ];

    fn text(seed: usize, count: usize) -> String {
        (0..count)
            .map(|at| WORDS[(seed * 7 + at * at * 3 + at) % 12])
            .collect::<Vec<_>>()
            .join(" ")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn after_any_changes_scores_equal_those_of_a_new_index(
            rounds in prop::collection::vec(prop::collection::vec(0_usize..40, 1..30), 1..14),
            query in prop::sample::subsequence(WORDS.to_vec(), 1..6),
        ) {
            let skills: Vec<(String, String, String)> =
                (0..40).map(|seed| (text(seed, 2), text(seed + 3, 6), text(seed + 5, 20))).collect();
            let entry = |number: usize| {
                let (name, description, body) = &skills[number];
                Entry { name, description: description.into(), tags: Vec::new(), body }
            };
            let query = query.join(" ");
            let mut index = Index::default();
            let mut held: Vec<usize> = Vec::new();
            for round in rounds {
                let mut wanted = round;
                wanted.sort_unstable();
                wanted.dedup();
                let changes: Vec<Change<'_>> = wanted
                    .iter()
                    .map(|number| match held.iter().position(|old| old == number) {
                        Some(old) => Change::Keep(old as u32),
                        None => Change::Read(entry(*number)),
                    })
                    .collect();
                index = index.derive(&changes);
                held = wanted;
                let entries: Vec<Entry<'_>> = held.iter().map(|number| entry(*number)).collect();
                let cold = Index::build(&entries);
                for ranker in Ranker::ALL {
                    let rank = |index: &Index| {
                        index.rank(&Query::new(index, &query, ranker), 0.0, 50, |_| true)
                    };
                    prop_assert_eq!(rank(&index), rank(&cold));
                }
            }
        }
    }
}
