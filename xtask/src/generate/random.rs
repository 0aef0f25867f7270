//! Numbers that look random and are the same on every machine and in every release.
//!
//! A crate would change its stream with a new version, and with it every catalog and
//! every figure; nine lines of arithmetic never do.

/// A stream of numbers fixed by its seed (the `SplitMix64` generator).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Starts the stream that belongs to `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Gives the next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Gives a number from 0 up to, not including, `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // The high half of a product: no division and no visible bias at these sizes.
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// Gives a number in 0..1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Says yes in `percent` of a hundred calls.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Picks one of `items`, each as likely as the other.
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Picks one of `items`, which stand with the most frequent first.
    pub(crate) fn frequent(&mut self, items: &[&'static str]) -> &'static str {
        items[self.zipf(5, items.len())]
    }

    /// Gives a rank from 0 up to `end`; rank r is drawn in proportion to 1/(r + `head`).
    ///
    /// Words in real text follow this law (Zipf's, as Mandelbrot put it): a few everywhere,
    /// most of them rare. A larger `head` makes the first ones less dominant.
    pub(crate) fn zipf(&mut self, head: usize, end: usize) -> usize {
        let (low, high) = ((head as f64).ln(), ((head + end) as f64).ln());
        let rank = (low + (high - low) * self.unit()).exp() - head as f64;
        // The rank is the whole part, and never below zero but for rounding.
        #[expect(clippy::cast_sign_loss, reason = "`as` gives 0 for what is below 0")]
        let rank = rank as usize;
        rank.min(end - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_stream_is_the_same_everywhere() {
        let mut random = Random::new(7);
        let first: Vec<usize> = (0..8).map(|_| random.below(1000)).collect();
        expect_test::expect!["[389, 16, 900, 582, 452, 249, 467, 328]"]
            .assert_eq(&format!("{first:?}"));
    }

    #[test]
    fn low_ranks_are_drawn_far_more_often() {
        let mut random = Random::new(1);
        let mut seen = [0u32; 1000];
        for _ in 0..100_000 {
            seen[random.zipf(1, 1000)] += 1;
        }
        assert!(seen[0] > 5 * seen[9], "{} and {}", seen[0], seen[9]);
        assert!(seen[9] > 5 * seen[99], "{} and {}", seen[9], seen[99]);
        assert!(seen[500..].iter().any(|n| *n > 0));
    }
}
