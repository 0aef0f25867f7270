//! What a word is worth in each field: BM25F.
//!
//! BM25F (Zaragoza, Craswell, Taylor, Saria and Robertson, TREC 2004) adds up how often a term
//! stands in each field, each count weighted and divided by its field's length, and saturates the
//! sum once: `sum / (k1 + sum)`. What a term is worth then grows with where it stands, and a
//! term that stands in two fields is not counted as two.

use super::fields::Field;

/// What a word in each field is worth, and how much a long field dilutes it.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldWeights {
    /// What one mention is worth, by field.
    pub weight: [f32; Field::COUNT],
    /// BM25's `b`, by field: how much length dilutes, 0 (not at all) to 1 (in full proportion).
    pub b: [f32; Field::COUNT],
    /// The length, in terms, at which a mention is worth exactly its weight.
    ///
    /// BM25 takes the catalog's average here. Fixed lengths instead: a score then depends on its own skill
    /// and on how rare words are, and one changed skill does not touch the others.
    pub pivot: [f32; Field::COUNT],
    /// BM25's `k1`: the sum at which a word has half of its possible effect.
    pub k1: f32,
    /// What a word is worth for being the meaning of one in another language, against standing
    /// in the description.
    pub translation: f32,
}

impl Default for FieldWeights {
    fn default() -> Self {
        Self {
            //       name desc  not  tags head prose code
            weight: [8.0, 3.5, 1.5, 4.0, 2.0, 0.7, 0.8],
            b: [0.75, 0.15, 0.15, 0.75, 0.75, 0.75, 0.75],
            pivot: [3.0, 25.0, 8.0, 4.0, 30.0, 300.0, 250.0],
            k1: 2.0,
            translation: 0.5,
        }
    }
}

/// How often a word stands in each field, and whether it is what a word of the metadata means in
/// English: eight numbers, so that all of them fit a register.
pub(crate) type Counts = [u16; Field::COUNT + 1];

/// The place of the last one.
pub(crate) const TRANSLATED: usize = Field::COUNT;

/// How many mentions count in each field.
const MOST: Counts = [1, 1, 1, 1, u16::MAX, u16::MAX, u16::MAX, 1];

/// Impacts are stored as fractions of this.
pub(crate) const FULL: f32 = 255.0;

impl FieldWeights {
    /// What one mention is worth in a document with fields of these lengths.
    pub(crate) fn norms(&self, lengths: &[u32; Field::COUNT]) -> [f32; Field::COUNT] {
        std::array::from_fn(|field| {
            let b = self.b[field];
            self.weight[field] / (1.0 - b + b * lengths[field] as f32 / self.pivot[field])
        })
    }

    /// Leaves a word one mention in each field of the metadata: there it counts once, however
    /// often it is repeated.
    pub(crate) fn cap(counts: &mut Counts) {
        for (count, most) in counts.iter_mut().zip(MOST) {
            *count = (*count).min(most);
        }
    }

    /// What each field adds, before saturation, from capped counts.
    pub(crate) fn parts(
        &self,
        counts: &Counts,
        norms: &[f32; Field::COUNT],
    ) -> [f32; Field::COUNT] {
        let description = Field::Description as usize;
        let mut parts = std::array::from_fn(|field| f32::from(counts[field]) * norms[field]);
        if counts[description] > 0 {
            parts[Field::NotFor as usize] = 0.0;
        } else if counts[TRANSLATED] > 0 {
            parts[description] = self.translation * norms[description];
        }
        parts
    }

    /// The saturated effect of a word on a document, in 255ths, from capped counts.
    pub(crate) fn impact(&self, counts: &Counts, norms: &[f32; Field::COUNT]) -> u8 {
        let sum: f32 = self.parts(counts, norms).iter().sum();
        #[expect(clippy::cast_sign_loss, reason = "weights are not negative")]
        // Adding a half and cutting off rounds; `round` would be a call for every term.
        let impact = (sum / (self.k1 + sum) * FULL + 0.5) as u8;
        impact
    }
}
