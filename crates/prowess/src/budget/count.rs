//! How much room a text takes: characters, or tokens by a tokenizer or by a rule of thumb.

use super::{Budget, Unit};

/// How a unit is counted, in words.
pub(super) fn name(unit: Unit) -> &'static str {
    match unit {
        Unit::Characters => "characters",
        Unit::Tokens => tokens::NAME,
    }
}

/// How much room a text takes, in its unit.
pub(super) fn measure(unit: Unit, text: &str) -> usize {
    match unit {
        Unit::Characters => text.chars().count(),
        Unit::Tokens => tokens::count(text),
    }
}

/// What a text adds to what is there already, in steps of `1 / scale` of the unit, so that parts
/// can be added up without rounding each of them.
pub(super) fn cost(unit: Unit, text: &str) -> usize {
    match unit {
        Unit::Characters => text.chars().count(),
        Unit::Tokens => tokens::cost(text),
    }
}

/// The steps in one unit.
pub(super) fn scale(unit: Unit) -> usize {
    match unit {
        Unit::Characters => 1,
        Unit::Tokens => tokens::SCALE,
    }
}

/// Fills a budget piece by piece.
#[derive(Debug)]
pub(crate) struct Meter {
    unit: Unit,
    left: usize,
    empty: bool,
}

impl Meter {
    pub(crate) fn new(budget: &Budget) -> Self {
        Self {
            unit: budget.unit,
            left: budget.amount.saturating_mul(scale(budget.unit)),
            empty: true,
        }
    }

    /// Takes room for one more piece and what stands between two; whether there was enough.
    pub(crate) fn take(&mut self, piece: &str, between: &str) -> bool {
        let mut cost = cost(self.unit, piece);
        if !self.empty {
            cost += self::cost(self.unit, between);
        }
        let fits = cost <= self.left;
        if fits {
            self.left -= cost;
            self.empty = false;
        }
        fits
    }
}

/// A quarter of the characters, and one for each heavy character, as
/// [`prowess_format::estimate_tokens`] does.
#[cfg(not(feature = "tiktoken"))]
mod tokens {
    pub(super) const NAME: &str = "characters/4";
    pub(super) const SCALE: usize = 4;

    pub(super) fn count(text: &str) -> usize {
        prowess_format::estimate_tokens(text)
    }

    pub(super) fn cost(text: &str) -> usize {
        let light = |byte: &u8| *byte < 0x80 || (0xC0..0xE0).contains(byte);
        let bytes = text.as_bytes().iter();
        bytes.fold(0, |sum, byte| {
            sum + usize::from(light(byte)) + SCALE * usize::from(*byte >= 0xE0)
        })
    }
}

/// The tokenizer of a widely used family of models; others come within a few percent.
#[cfg(feature = "tiktoken")]
mod tokens {
    pub(super) const NAME: &str = "tiktoken o200k_base";
    pub(super) const SCALE: usize = 1;

    /// Where two pieces meet, the tokenizer may part them otherwise than each alone.
    const SEAM: usize = 2;

    pub(super) fn count(text: &str) -> usize {
        tiktoken_rs::o200k_base_singleton().count_ordinary(text)
    }

    pub(super) fn cost(text: &str) -> usize {
        count(text) + SEAM
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_at_least_the_whole() {
        let parts = ["Fill ", "the form.\n", "填写", "ä", "  ", "🛠️"];
        let whole = parts.concat();
        for unit in [Unit::Characters, Unit::Tokens] {
            let sum: usize = parts.iter().map(|part| cost(unit, part)).sum();
            assert!(
                sum.div_ceil(scale(unit)) >= measure(unit, &whole),
                "{unit:?}"
            );
        }
    }

    #[test]
    fn a_meter_stops_at_its_budget() {
        let mut meter = Meter::new(&Budget::characters(5));
        assert!(meter.take("ab", ", "));
        assert!(
            !meter.take("cd", ", "),
            "with what stands between it needs four"
        );
        assert!(meter.take("c", ", "));
        assert!(!meter.take("d", ""));
    }
}
