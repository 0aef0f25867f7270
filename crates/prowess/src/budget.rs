//! How much room a text may take: characters, or tokens by a tokenizer or by a rule of thumb.

use std::{fmt, str::FromStr};

use serde::Serialize;

/// How much room a text may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// How much.
    pub amount: usize,
    /// Of what.
    pub unit: Unit,
}

/// What a budget counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Unicode characters.
    Characters,
    /// Tokens: by a tokenizer with the feature `tiktoken`, else about a quarter of the
    /// characters.
    Tokens,
}

impl Budget {
    /// A budget of characters.
    pub fn characters(amount: usize) -> Self {
        Self {
            amount,
            unit: Unit::Characters,
        }
    }

    /// A budget of tokens.
    pub fn tokens(amount: usize) -> Self {
        Self {
            amount,
            unit: Unit::Tokens,
        }
    }

    /// How the budget is counted, in words.
    pub fn counter(&self) -> &'static str {
        name(self.unit)
    }

    /// How much of the budget a text takes.
    pub fn measure(&self, text: &str) -> usize {
        measure(self.unit, text)
    }
}

/// A text that is no budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a budget; write characters like `8000c` or tokens like `2000t`")]
pub struct BadBudget {
    /// The text that was given.
    pub text: String,
}

impl FromStr for Budget {
    type Err = BadBudget;

    /// Reads `8000c` or `8000` as characters and `2000t` as tokens.
    fn from_str(text: &str) -> Result<Self, BadBudget> {
        let (amount, unit) = match text.as_bytes().last() {
            Some(b't') => (&text[..text.len() - 1], Unit::Tokens),
            Some(b'c') => (&text[..text.len() - 1], Unit::Characters),
            _ => (text, Unit::Characters),
        };
        match amount.parse() {
            Ok(amount) => Ok(Self { amount, unit }),
            Err(_) => Err(BadBudget {
                text: text.to_owned(),
            }),
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Characters => 'c',
            Unit::Tokens => 't',
        };
        write!(f, "{}{unit}", self.amount)
    }
}

/// How a unit is counted, in words.
pub(crate) fn name(unit: Unit) -> &'static str {
    match unit {
        Unit::Characters => "characters",
        Unit::Tokens => tokens::NAME,
    }
}

/// How much room a text takes, in its unit.
pub(crate) fn measure(unit: Unit, text: &str) -> usize {
    match unit {
        Unit::Characters => text.chars().count(),
        Unit::Tokens => tokens::count(text),
    }
}

/// What a text adds to what is there already, in steps of `1 / scale` of the unit, so that parts
/// can be added up without rounding each of them.
pub(crate) fn cost(unit: Unit, text: &str) -> usize {
    match unit {
        Unit::Characters => text.chars().count(),
        Unit::Tokens => tokens::cost(text),
    }
}

/// The steps in one unit.
pub(crate) fn scale(unit: Unit) -> usize {
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
