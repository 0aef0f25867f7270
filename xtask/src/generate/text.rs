//! The text of one made-up skill and of requests about it: patterns such as `{V} the {n}`, filled
//! with words of one topic.

use std::{fmt::Write as _, sync::LazyLock};

use super::{Fields, random::Random};

/// The smallest and the largest file, in bytes; the issue asks for 1 to 6 KB.
const BYTES: (usize, usize) = (1024, 6144);

/// How many different words the long tail holds.
const TAIL: usize = 250_000;

/// One generated skill: its files, relative to its own folder.
#[derive(Debug)]
pub(super) struct Skill {
    pub(super) name: String,
    pub(super) text: String,
    /// Further files: path below the folder, and what they say.
    pub(super) resources: Vec<(String, String)>,
}

/// One field of work: what is handled, and the words that only this field uses.
#[derive(Debug)]
struct Trade {
    name: &'static str,
    things: Vec<&'static str>,
    jargon: Vec<&'static str>,
}

/// `patterns/words.txt`: verbs, nouns and adjectives of every field, the most frequent first;
/// syllables of rare words; then a line for each trade.
struct Words {
    verbs: Vec<&'static str>,
    nouns: Vec<&'static str>,
    adjectives: Vec<&'static str>,
    syllables: Vec<&'static str>,
    trades: Vec<Trade>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let words = |line: &'static str| line.split_whitespace().collect();
    let mut lines = include_str!("patterns/words.txt").lines();
    let mut next = || words(lines.next().expect("four lines of words"));
    Words {
        verbs: next(),
        nouns: next(),
        adjectives: next(),
        syllables: next(),
        trades: lines
            .map(|line| {
                let (name, rest) = line.split_once(':').expect("a trade has a name");
                let (things, jargon) = rest.split_once('/').expect("a trade has jargon");
                let (things, jargon) = (words(things), words(jargon));
                Trade {
                    name,
                    things,
                    jargon,
                }
            })
            .collect(),
    }
});

/// Patterns, one a line.
type Patterns = LazyLock<Vec<&'static str>>;

static SENTENCES: Patterns =
    Patterns::new(|| include_str!("patterns/sentences.txt").lines().collect());
static ITEMS: Patterns = Patterns::new(|| include_str!("patterns/items.txt").lines().collect());
static HEADINGS: Patterns =
    Patterns::new(|| include_str!("patterns/headings.txt").lines().collect());
static CODE: Patterns = Patterns::new(|| include_str!("patterns/code.txt").lines().collect());

/// Requests of five words: what people type, from bare keywords to half a sentence.
const REQUESTS: &[&str] = &[
    "{verb} a {thing} for {product}",
    "{thing} {j} {n} with {p}",
    "how to {verb} {a} {things}",
    "{product} {thing} {n} is {a}",
    "{verb} {n} {ts} {j} {p}",
    "please {verb} the {product} {thing}",
    "{a} {t} {j} in {trade}",
    "why does {product} {verb} {ns}",
];

/// Requests of five words that few skills hold.
const RARE: &[&str] = &["{product} {p} {p} {p} {p}", "{p} {product} {p} {p} {p}"];

/// Requests of five words that very many skills hold.
const FREQUENT: &[&str] = &["{v} {n} {n} {a} {ns}", "{n} {a} {v} {n} {v}"];

/// How common the words of a request are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// As people ask: some rare, some common.
    Mixed,
    /// Words of one skill.
    Rare,
    /// Words that most skills share.
    Frequent,
}

impl Asked {
    fn patterns(self) -> &'static [&'static str] {
        match self {
            Self::Mixed => REQUESTS,
            Self::Rare => RARE,
            Self::Frequent => FREQUENT,
        }
    }
}

/// Skills are asked for among the first so many, which the smallest catalog holds too.
const ASKED: usize = 1_000;

/// Gives `count` requests, one a line; the first ones are the same whatever the count.
pub(crate) fn queries(asked: Asked, count: usize) -> String {
    let patterns = asked.patterns();
    let request = |number: usize| {
        // Step through the catalog so that neighbours in the list are about different skills.
        let topic = Topic::draw(&mut Random::new((number * 37 % ASKED) as u64));
        let pattern = patterns[number % patterns.len()];
        topic.fill(pattern, &mut Random::new(number as u64)) + "\n"
    };
    (0..count).map(request).collect()
}

/// What one skill is about; its words come back through the whole text, as in real files.
#[derive(Debug)]
struct Topic {
    trade: &'static Trade,
    verb: &'static str,
    thing: &'static str,
    /// A product, person or place: a word few other skills use.
    product: String,
    own: Vec<String>,
}

impl Topic {
    fn draw(random: &mut Random) -> Self {
        let trade = &WORDS.trades[random.below(WORDS.trades.len())];
        Self {
            trade,
            verb: random.frequent(&WORDS.verbs),
            thing: random.pick(&trade.things),
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
    fn fill(&self, pattern: &str, random: &mut Random) -> String {
        let mut text = String::with_capacity(pattern.len() * 2);
        let mut rest = pattern;
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let (slot, after) = after.split_once('}').expect("every slot is closed");
            let word = self.word(slot, random);
            let vowel = word.starts_with(['a', 'e', 'i', 'o', 'u']);
            if vowel && (text.ends_with(" a ") || text.ends_with("A ")) {
                text.insert(text.len() - 1, 'n');
            }
            text.push_str(&word);
            rest = after;
        }
        text + rest
    }

    fn word(&self, slot: &str, random: &mut Random) -> String {
        match slot {
            "V" => capital(self.pick_verb(random)),
            "v" => self.pick_verb(random).to_owned(),
            "g" => gerund(self.pick_verb(random)),
            "n" => self.pick_noun(random),
            "ns" => plural(&self.pick_noun(random)),
            "t" => random.pick(&self.trade.things).to_owned(),
            "ts" => plural(random.pick(&self.trade.things)),
            "j" => random.pick(&self.trade.jargon).to_owned(),
            "a" => random.frequent(&WORDS.adjectives).to_owned(),
            "p" => self.own[random.zipf(2, self.own.len())].clone(),
            // A rare word comes back in its own skill more often than anywhere else.
            "w" if random.chance(55) => self.word("p", random),
            "w" => tail_word(random),
            "d" => (random.zipf(3, 500) + 2).to_string(),
            "verb" => self.verb.to_owned(),
            "Verb" => capital(self.verb),
            "thing" => self.thing.to_owned(),
            "things" => plural(self.thing),
            "product" => self.product.clone(),
            "Product" => capital(&self.product),
            "trade" => self.trade.name.to_owned(),
            _ => unreachable!("no slot is called `{slot}`"),
        }
    }

    fn pick_verb(&self, random: &mut Random) -> &'static str {
        if random.chance(30) {
            self.verb
        } else {
            random.frequent(&WORDS.verbs)
        }
    }

    fn pick_noun(&self, random: &mut Random) -> String {
        let noun = match random.below(20) {
            0..=3 => self.thing,
            4..=6 => random.pick(&self.trade.things),
            // A word from elsewhere: real skills mention other people's work too.
            7 => {
                let other = &WORDS.trades[random.below(WORDS.trades.len())];
                random.pick(&other.things)
            }
            8 | 9 => return tail_word(random),
            _ => random.frequent(&WORDS.nouns),
        };
        noun.to_owned()
    }
}

/// Gives a word of the long tail: common ones often, most of them hardly ever.
fn tail_word(random: &mut Random) -> String {
    coin(random.zipf(60, TAIL) as u64)
}

/// Spells the tail word of one rank; different ranks give different spellings of syllables.
fn coin(rank: u64) -> String {
    // An odd factor scrambles 18 bits without losing any, so neighbours do not look alike.
    let bits = (rank.wrapping_mul(0x2_9E37)) & 0x7_FFFF;
    let syllable = |at: u64| WORDS.syllables[(bits >> (6 * at) & 63) as usize];
    let end = if bits >> 18 == 1 { "s" } else { "" };
    [syllable(0), syllable(1), syllable(2), end].concat()
}

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

/// Writes the skill that belongs to `random`; `fresh` makes its name one of a kind.
pub(super) fn skill(
    random: &mut Random,
    fields: Fields,
    fresh: &mut dyn FnMut(String) -> String,
) -> Skill {
    let topic = Topic::draw(random);
    let shape = random.pick(&[
        "{thing}-{verb}-{product}",
        "{verb}-{thing}-{product}",
        "{product}-{thing}",
        "{product}-{thing}-{verb}",
        "{trade}-{thing}-{product}",
    ]);
    let name = fresh(topic.fill(shape, random));
    let mut writer = Writer {
        text: String::with_capacity(BYTES.1),
        topic,
        random,
    };
    writer.frontmatter(&name, fields);
    // Real files of this range lean a little towards the short end.
    let (least, most) = (BYTES.0 as f64 * 1.1, BYTES.1 as f64 * 0.87);
    #[expect(clippy::cast_sign_loss, reason = "a sum of positive numbers")]
    let goal = (least + (most - least) * writer.random.unit().powf(1.2)) as usize;
    writer.body(goal);
    let resources = writer.resources();
    let text = writer.text;
    Skill {
        name,
        text,
        resources,
    }
}

/// A skill while it is written.
struct Writer<'a> {
    text: String,
    topic: Topic,
    random: &'a mut Random,
}

impl Writer<'_> {
    fn fill(&mut self, pattern: &str) -> String {
        self.topic.fill(pattern, self.random)
    }

    /// Writes a filled pattern as lines of their own.
    fn line(&mut self, pattern: &str) {
        let line = self.fill(pattern);
        self.text += &line;
        self.text.push('\n');
    }

    fn frontmatter(&mut self, name: &str, fields: Fields) {
        let what =
            self.fill("{Verb} {things} for {Product}: {g} the {a} {n}, {g} {ts} and {j} {ns}.");
        let when = self.fill(
            "Use when the user wants to {verb} a {thing}, mentions {p} or {product}, \
             or asks about a {a} {n} in {trade}.",
        );
        let not = self.fill("Not for {ts} or {w}.");
        let mut sentences = vec![what, when];
        for _ in 0..self.random.zipf(2, 5) {
            let more = self.random.pick(&[
                "Covers {ts}, {w} and {a} {ns}.",
                "Also helps with {g} {w} or {p}.",
                "Triggers on phrases like {v} my {t}, {j} {n}, {w}.",
            ]);
            sentences.push(self.fill(more));
        }
        if self.random.chance(35) {
            sentences.push(not);
        }
        if self.random.chance(15) {
            sentences.remove(1);
        }
        // Writing to a string does not fail.
        let _ = write!(self.text, "---\nname: {name}\ndescription: ");
        match self.random.below(10) {
            // A colon inside a plain scalar is broken YAML, so the colon goes.
            0..=3 => self.text += &(sentences.join(" ").replace(": ", " by ") + "\n"),
            4..=6 => self.text += &["\"", &sentences.join(" "), "\"\n"].concat(),
            style => {
                self.text += if style < 9 { ">-\n" } else { "|\n" };
                for sentence in &sentences {
                    fold(sentence, &mut self.text);
                }
            }
        }
        if self.random.chance(30) {
            let license = self.random.pick(&["MIT", "Apache-2.0", "Proprietary"]);
            self.line(&format!("license: {license}"));
        }
        if self.random.chance(10) {
            self.line("compatibility: Needs {p} and network access to {w}");
        }
        if self.random.chance(35) {
            self.line("metadata:\n  author: {w}\n  version: \"{d}.{d}\"");
            if self.random.chance(40) {
                self.line("  category: {trade}\n  tags: {thing}, {j}, {p}");
            }
        }
        if fields == Fields::Rich {
            if self.random.chance(40) {
                self.line("tags: [{trade}, {thing}, {p}]");
            }
            if self.random.chance(30) {
                self.line("allowed-tools:\n  - Read\n  - Bash({p}:*)");
            }
        }
        self.text += "---\n\n";
    }

    /// Adds sections until the text has `goal` bytes.
    fn body(&mut self, goal: usize) {
        self.line("# {Verb} {things} with {Product}\n");
        self.text += &paragraph(&self.topic, 2, self.random);
        while self.text.len() + 80 < goal {
            let heading = self.random.pick(&HEADINGS);
            let heading = self.fill(heading);
            let level = if self.random.chance(25) { "###" } else { "##" };
            let _ = writeln!(self.text, "{level} {heading}\n");
            // One part at a time, so that no file runs far past its goal.
            let mut parts = 1 + self.random.below(3);
            while parts > 0 && self.text.len() < goal {
                parts -= 1;
                self.part();
            }
        }
    }

    fn part(&mut self) {
        let rows = 2 + self.random.below(4);
        match self.random.below(8) {
            0..=3 => self.text += &paragraph(&self.topic, rows, self.random),
            list @ 4..=6 => {
                for row in 1..=rows {
                    let item = self.random.pick(&ITEMS);
                    match list {
                        6 => self.line(&format!("{row}. {item}")),
                        _ => self.line(&format!("- {item}")),
                    }
                }
                self.text.push('\n');
            }
            _ => {
                let language = self.random.pick(&["bash", "python", "sh", ""]);
                let _ = writeln!(self.text, "```{language}");
                for _ in 0..rows {
                    let code = self.random.pick(&CODE);
                    self.line(code);
                }
                self.text += "```\n\n";
            }
        }
    }

    /// Gives some skills a script or a reference, and mentions it in the body.
    fn resources(&mut self) -> Vec<(String, String)> {
        let mut files = Vec::new();
        if self.random.chance(12) {
            let path = self.fill("scripts/{verb}.sh");
            self.line(&format!("Run `{path}` to {{verb}} it in one go.\n"));
            files.push((path, self.fill("#!/bin/sh\n{p} {v} --{n} \"$1\"\n")));
        }
        if self.random.chance(12) {
            let path = self.fill("references/{thing}.md");
            self.line(&format!("Details are in [{{thing}}]({path}).\n"));
            let page = self.fill("# {things} in {trade}\n\n");
            files.push((path, page + &paragraph(&self.topic, 8, self.random)));
        }
        files
    }
}

fn paragraph(topic: &Topic, sentences: usize, random: &mut Random) -> String {
    let sentences: Vec<String> = (0..sentences)
        .map(|_| topic.fill(random.pick(&SENTENCES), random))
        .collect();
    sentences.join(" ") + "\n\n"
}

/// Breaks a sentence into indented lines of about 76 characters.
fn fold(sentence: &str, text: &mut String) {
    let mut width = 0;
    for word in sentence.split(' ') {
        if width == 0 || width + word.len() > 74 {
            text.push_str(if width == 0 { "  " } else { "\n  " });
            width = 0;
        } else {
            text.push(' ');
        }
        text.push_str(word);
        width += word.len() + 1;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use expect_test::expect;

    use super::*;

    #[test]
    fn words_bend_as_in_english() {
        let bent = ["plan", "split", "tune", "explain", "sort"].map(gerund);
        expect!["planning splitting tuning explaining sorting"].assert_eq(&bent.join(" "));
        let many = ["policy", "key", "batch", "box", "row"].map(plural);
        expect!["policies keys batches boxes rows"].assert_eq(&many.join(" "));
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

    #[test]
    fn tail_words_read_like_words_and_hardly_repeat() {
        let mut random = Random::new(3);
        let words: Vec<String> = (0..6).map(|_| tail_word(&mut random)).collect();
        expect!["monddenriss pollusto quitamsas irverbri wokair tucorsins"]
            .assert_eq(&words.join(" "));
        let words: HashSet<String> = (0..20_000).map(coin).collect();
        assert!(words.len() > 19_000, "{}", words.len());
    }

    #[test]
    fn a_request_has_five_words() {
        let text = queries(Asked::Mixed, 200);
        assert!(text.lines().all(|line| line.split(' ').count() == 5));
        let first: String = text.split_inclusive('\n').take(8).collect();
        expect![[r#"
            clean a lead for falgatis
            thumbnail saturation backup with wickcrugas
            how to check local assertions
            irbelhem sensor sensor is single
            rename fordluros escalations blackout pipolzor
            please check the lynostsis account
            strict license indemnify in law
            why does meldenfords translate cisterns
        "#]]
        .assert_eq(&first);
    }

    #[test]
    fn a_skill_reads_like_one() {
        let skill = skill(&mut Random::new(11), Fields::Common, &mut |name| name);
        let head: String = skill.text.split_inclusive('\n').take(14).collect();
        expect![[r#"
            ---
            name: security-firewall-torfalnos
            description: |
              Fix firewalls for Torfalnos: fixing the final detail, reviewing sessions
              and exploit sinirquis.
              Use when the user wants to fix a firewall, mentions tirekes or torfalnos,
              or asks about a shared value in security.
              Also helps with labeling sterpolmond or lobumis.
              Covers permissions, vokcrusins and stable lists.
            ---

            # Fix firewalls with Torfalnos

            Your draft might contain tuversas, irlunis plus several exact sources. Only exact permissions need sterpolmond.
        "#]].assert_eq(&head);
    }

    #[test]
    fn every_file_has_one_to_six_kilobytes() {
        for seed in 0..3000 {
            let skill = skill(&mut Random::new(seed), Fields::Rich, &mut |name| name);
            let bytes = skill.text.len();
            assert!(
                (BYTES.0..=BYTES.1).contains(&bytes),
                "{}: {bytes}",
                skill.name
            );
        }
    }
}
