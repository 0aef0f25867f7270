//! Writes the text of one skill: frontmatter in the shapes people use, then a body.

use std::fmt::Write as _;

use super::Fields;
use super::prose::{CODE, HEADINGS, ITEMS, SENTENCES, Topic};
use super::random::Random;

/// The smallest and the largest file, in bytes; the issue asks for 1 to 6 KB.
pub(crate) const BYTES: (usize, usize) = (1024, 6144);

/// One generated skill: its files, relative to its own folder.
#[derive(Debug)]
pub(crate) struct Skill {
    pub(crate) name: String,
    pub(crate) text: String,
    /// Further files: path below the folder, and what they say.
    pub(crate) resources: Vec<(String, String)>,
}

/// Writes the skill that belongs to `random`; `fresh` makes its name one of a kind.
pub(crate) fn skill(
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
    let mut text = String::with_capacity(BYTES.1);
    frontmatter(&name, &topic, fields, random, &mut text);

    // Real files of this range lean a little towards the short end.
    let (least, most) = (BYTES.0 as f64 * 1.1, BYTES.1 as f64 * 0.87);
    #[expect(clippy::cast_sign_loss, reason = "a sum of positive numbers")]
    let goal = (least + (most - least) * random.unit().powf(1.2)) as usize;
    body(&topic, goal, random, &mut text);

    let resources = resources(&topic, random, &mut text);
    Skill {
        name,
        text,
        resources,
    }
}

fn frontmatter(name: &str, topic: &Topic, fields: Fields, random: &mut Random, text: &mut String) {
    let mut say = |pattern: &str| topic.fill(pattern, random);
    let what = say("{Verb} {things} for {Product}: {g} the {a} {n}, {g} {ts} and {j} {ns}.");
    let when = say(
        "Use when the user wants to {verb} a {thing}, mentions {p} or {product}, \
                    or asks about a {a} {n} in {trade}.",
    );
    let not = say("Not for {ts} or {w}.");
    let mut sentences = vec![what, when];
    for _ in 0..random.zipf(2, 5) {
        let more = random.pick(&[
            "Covers {ts}, {w} and {a} {ns}.",
            "Also helps with {g} {w} or {p}.",
            "Triggers on phrases like {v} my {t}, {j} {n}, {w}.",
        ]);
        sentences.push(topic.fill(more, random));
    }
    if random.chance(35) {
        sentences.push(not);
    }
    if random.chance(15) {
        sentences.remove(1);
    }

    let _ = writeln!(text, "---\nname: {name}");
    match random.below(10) {
        // A colon inside a plain scalar is broken YAML, so the colon goes.
        0..=3 => {
            let plain = sentences.join(" ").replace(": ", " by ");
            let _ = writeln!(text, "description: {plain}");
        }
        4..=6 => {
            let _ = writeln!(text, "description: \"{}\"", sentences.join(" "));
        }
        style => {
            let _ = writeln!(text, "description: {}", if style < 9 { ">-" } else { "|" });
            for sentence in &sentences {
                fold(sentence, text);
            }
        }
    }
    if random.chance(30) {
        let _ = writeln!(
            text,
            "license: {}",
            random.pick(&["MIT", "Apache-2.0", "Proprietary"])
        );
    }
    if random.chance(10) {
        let line = topic.fill("compatibility: Needs {p} and network access to {w}", random);
        let _ = writeln!(text, "{line}");
    }
    if random.chance(35) {
        let line = topic.fill("metadata:\n  author: {w}\n  version: \"{d}.{d}\"", random);
        let _ = writeln!(text, "{line}");
        if random.chance(40) {
            let line = topic.fill("  category: {trade}\n  tags: {thing}, {j}, {p}", random);
            let _ = writeln!(text, "{line}");
        }
    }
    if fields == Fields::Rich {
        if random.chance(40) {
            let _ = writeln!(
                text,
                "{}",
                topic.fill("tags: [{trade}, {thing}, {p}]", random)
            );
        }
        if random.chance(30) {
            let _ = writeln!(
                text,
                "{}",
                topic.fill("allowed-tools:\n  - Read\n  - Bash({p}:*)", random)
            );
        }
    }
    text.push_str("---\n\n");
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

/// Adds sections until the text has `goal` bytes.
fn body(topic: &Topic, goal: usize, random: &mut Random, text: &mut String) {
    let _ = writeln!(
        text,
        "# {}\n",
        topic.fill("{Verb} {things} with {Product}", random)
    );
    paragraph(topic, 2, random, text);
    while text.len() + 80 < goal {
        let heading = topic.fill(random.pick(&HEADINGS), random);
        let level = if random.chance(25) { "###" } else { "##" };
        let _ = writeln!(text, "{level} {heading}\n");
        // One part at a time, so that no file runs far past its goal.
        let mut parts = 1 + random.below(3);
        while parts > 0 && text.len() < goal {
            parts -= 1;
            part(topic, random, text);
        }
    }
}

fn part(topic: &Topic, random: &mut Random, text: &mut String) {
    let rows = 2 + random.below(4);
    match random.below(8) {
        0..=3 => paragraph(topic, rows, random, text),
        4 | 5 => {
            for _ in 0..rows {
                let _ = writeln!(text, "- {}", topic.fill(random.pick(&ITEMS), random));
            }
            text.push('\n');
        }
        6 => {
            for row in 1..=rows {
                let _ = writeln!(text, "{row}. {}", topic.fill(random.pick(&ITEMS), random));
            }
            text.push('\n');
        }
        _ => {
            let _ = writeln!(text, "```{}", random.pick(&["bash", "python", "sh", ""]));
            for _ in 0..rows {
                let _ = writeln!(text, "{}", topic.fill(random.pick(&CODE), random));
            }
            text.push_str("```\n\n");
        }
    }
}

fn paragraph(topic: &Topic, sentences: usize, random: &mut Random, text: &mut String) {
    for n in 0..sentences {
        if n > 0 {
            text.push(' ');
        }
        text.push_str(&topic.fill(random.pick(&SENTENCES), random));
    }
    text.push_str("\n\n");
}

/// Gives some skills a script or a reference, and mentions it in the body.
fn resources(topic: &Topic, random: &mut Random, text: &mut String) -> Vec<(String, String)> {
    let mut files = Vec::new();
    if random.chance(12) {
        let path = topic.fill("scripts/{verb}.sh", random);
        let _ = writeln!(text, "Run `{path}` to {} it in one go.\n", topic.verb);
        let code = topic.fill("#!/bin/sh\n{p} {v} --{n} \"$1\"\n", random);
        files.push((path, code));
    }
    if random.chance(12) {
        let path = topic.fill("references/{thing}.md", random);
        let _ = writeln!(text, "Details are in [{}]({path}).\n", topic.thing);
        let mut page = topic.fill("# {things} in {trade}\n\n", random);
        paragraph(topic, 8, random, &mut page);
        files.push((path, page));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_reads_like_one() {
        let skill = skill(&mut Random::new(11), Fields::Common, &mut |name| name);
        let head: String = skill.text.split_inclusive('\n').take(14).collect();
        expect_test::expect![[r#"
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
