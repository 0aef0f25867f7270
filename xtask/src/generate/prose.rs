//! Turns patterns such as `{V} the {n}` into sentences about one skill's topic.

use std::sync::LazyLock;

use super::random::Random;
use super::words::{ADJECTIVES, NOUNS, TRADES, Trade, VERBS, tail_word};

/// What one skill is about; its words come back through the whole text, as in real files.
#[derive(Debug)]
pub(crate) struct Topic {
    pub(crate) trade: &'static Trade,
    pub(crate) verb: &'static str,
    pub(crate) thing: &'static str,
    /// A product, person or place: a word few other skills use.
    pub(crate) product: String,
    own: Vec<String>,
}

impl Topic {
    /// Draws a topic.
    pub(crate) fn draw(random: &mut Random) -> Self {
        let trade = &TRADES[random.below(TRADES.len())];
        Self {
            trade,
            verb: VERBS[random.zipf(5, VERBS.len())],
            thing: random.pick(trade.things),
            product: tail_word(random),
            own: (0..9).map(|_| tail_word(random)).collect(),
        }
    }

    /// Fills every slot of `pattern`.
    ///
    /// `{V}` and `{v}` are verbs, `{g}` one in -ing, `{n}` a noun and `{ns}` several, `{t}` a
    /// thing of the trade, `{j}` its jargon, `{a}` an adjective, `{p}` a word of this skill,
    /// `{w}` a rare word, `{d}` a number; `{verb}`, `{thing}`, `{product}` and `{trade}` are
    /// the topic itself.
    pub(crate) fn fill(&self, pattern: &str, random: &mut Random) -> String {
        let mut text = String::with_capacity(pattern.len() * 2);
        let mut rest = pattern;
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let (slot, after) = after.split_once('}').expect("every slot is closed");
            let start = text.len();
            self.push(slot, random, &mut text);
            let vowel = text[start..].starts_with(['a', 'e', 'i', 'o', 'u']);
            if vowel && (text[..start].ends_with(" a ") || text[..start].ends_with("A ")) {
                text.insert(start - 1, 'n');
            }
            rest = after;
        }
        text.push_str(rest);
        text
    }

    fn push(&self, slot: &str, random: &mut Random, text: &mut String) {
        match slot {
            "V" => text.push_str(&capital(self.pick_verb(random))),
            "v" => text.push_str(self.pick_verb(random)),
            "g" => text.push_str(&gerund(self.pick_verb(random))),
            "n" => text.push_str(&self.pick_noun(random)),
            "ns" => text.push_str(&plural(&self.pick_noun(random))),
            "t" => text.push_str(random.pick(self.trade.things)),
            "ts" => text.push_str(&plural(random.pick(self.trade.things))),
            "j" => text.push_str(random.pick(self.trade.jargon)),
            "a" => text.push_str(ADJECTIVES[random.zipf(5, ADJECTIVES.len())]),
            "p" => text.push_str(&self.own[random.zipf(2, self.own.len())]),
            // A rare word comes back in its own skill more often than anywhere else.
            "w" if random.chance(55) => self.push("p", random, text),
            "w" => text.push_str(&tail_word(random)),
            "d" => text.push_str(&(random.zipf(3, 500) + 2).to_string()),
            "verb" => text.push_str(self.verb),
            "Verb" => text.push_str(&capital(self.verb)),
            "thing" => text.push_str(self.thing),
            "things" => text.push_str(&plural(self.thing)),
            "product" => text.push_str(&self.product),
            "Product" => text.push_str(&capital(&self.product)),
            "trade" => text.push_str(self.trade.name),
            _ => unreachable!("no slot is called `{slot}`"),
        }
    }

    fn pick_verb(&self, random: &mut Random) -> &'static str {
        if random.chance(30) {
            self.verb
        } else {
            VERBS[random.zipf(5, VERBS.len())]
        }
    }

    fn pick_noun(&self, random: &mut Random) -> String {
        let noun = match random.below(20) {
            0..=3 => self.thing,
            4..=6 => random.pick(self.trade.things),
            // A word from elsewhere: real skills mention other people's work too.
            7 => {
                let other = &TRADES[random.below(TRADES.len())];
                random.pick(other.things)
            }
            8 | 9 => return tail_word(random),
            _ => NOUNS[random.zipf(5, NOUNS.len())],
        };
        noun.to_string()
    }
}

/// Patterns, one a line.
type Patterns = LazyLock<Vec<&'static str>>;

fn lines(text: &'static str) -> Vec<&'static str> {
    text.lines().collect()
}

/// Sentences of a body.
pub(crate) static SENTENCES: Patterns =
    Patterns::new(|| lines(include_str!("patterns/sentences.txt")));
/// Items of a list.
pub(crate) static ITEMS: Patterns = Patterns::new(|| lines(include_str!("patterns/items.txt")));
/// Headings of a body, below the first.
pub(crate) static HEADINGS: Patterns =
    Patterns::new(|| lines(include_str!("patterns/headings.txt")));
/// Lines of a code block.
pub(crate) static CODE: Patterns = Patterns::new(|| lines(include_str!("patterns/code.txt")));

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_ascii_uppercase() + rest
}

fn plural(word: &str) -> String {
    match word.as_bytes() {
        [.., b's' | b'x' | b'h'] => format!("{word}es"),
        [.., before, b'y'] if !b"aeiou".contains(before) => {
            format!("{}ies", &word[..word.len() - 1])
        }
        _ => format!("{word}s"),
    }
}

fn gerund(word: &str) -> String {
    match word.as_bytes() {
        [.., b'e'] => format!("{}ing", &word[..word.len() - 1]),
        // plan, split: a short vowel before the last letter doubles it.
        [.., b'a' | b'i', last @ (b'n' | b't')] if !word.ends_with("ain") && word.len() < 6 => {
            format!("{word}{}ing", *last as char)
        }
        _ => format!("{word}ing"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_bend_as_in_english() {
        let bent: Vec<String> = ["plan", "split", "tune", "explain", "sort"]
            .map(gerund)
            .into();
        expect_test::expect!["planning splitting tuning explaining sorting"]
            .assert_eq(&bent.join(" "));
        let many: Vec<String> = ["policy", "key", "batch", "box", "row"].map(plural).into();
        expect_test::expect!["policies keys batches boxes rows"].assert_eq(&many.join(" "));
    }

    #[test]
    fn every_pattern_has_only_slots_that_exist() {
        let mut random = Random::new(5);
        let topic = Topic::draw(&mut random);
        let patterns = [&SENTENCES, &ITEMS, &HEADINGS, &CODE];
        for pattern in patterns.into_iter().flat_map(|it| it.iter()) {
            let text = topic.fill(pattern, &mut random);
            assert!(!text.contains(['{', '}']), "{text}");
        }
    }
}
