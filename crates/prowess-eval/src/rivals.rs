//! Skills that compete for the same requests.

use std::collections::BTreeSet;

use prowess::{
    Catalog,
    explain::Explanation,
    index::{Field, clauses},
    rank::Ranker,
    select::Policy,
};
use rayon::prelude::*;
use serde::Serialize;

/// Two skills that compete for the same requests.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rivals {
    /// The names, sorted.
    pub skills: [String; 2],
    /// How much of what one is asked for with, the other answers too: 0 to 1.
    pub strength: f32,
    /// The words they share, the weightiest first.
    pub words: Vec<String>,
    /// The skill whose "not for" sends requests to the other.
    pub told_apart_by: Option<String>,
}

/// Below this strength two skills have a few words in common and no more.
pub const LEAST_STRENGTH: f32 = 0.5;

/// So many of the nearest skills are compared with each.
const NEAREST: usize = 4;

/// So many shared words are told.
const MOST_WORDS: usize = 6;

/// A longer description is compared by its beginning.
const MOST_PROBE_BYTES: usize = 600;

/// Finds the pairs, the fiercest first; those that a "not for" tells apart come last.
pub fn rivals(catalog: &Catalog, least: f32, threads: usize) -> Vec<Rivals> {
    let policy = Policy {
        top_k: NEAREST + 1,
        min_score: Some(f32::MIN_POSITIVE),
        ..Policy::default()
    };
    let claims: Vec<(u32, Claim)> = catalog
        .model_visible()
        .filter_map(|skill| catalog.document(skill))
        .map(|document| (document, Claim::of(catalog, document)))
        .collect();
    let requests: Vec<&str> = claims.iter().map(|(_, claim)| &*claim.request).collect();
    let near = catalog.select_all(&requests, &policy, threads);
    let mut pairs: BTreeSet<(u32, u32)> = BTreeSet::new();
    for ((document, _), near) in claims.iter().zip(near) {
        let others = near.matches.into_iter().map(|it| it.document);
        let others = others.filter(|other| other != document);
        pairs.extend(others.map(|other| (other.min(*document), other.max(*document))));
    }
    let pairs: Vec<(u32, u32)> = pairs.into_iter().collect();
    let claim = |document: u32| {
        let at = claims.binary_search_by_key(&document, |(document, _)| *document);
        at.ok().map(|at| &claims[at].1)
    };
    let compare = |&(one, other): &(u32, u32)| {
        let (mine, theirs) = (claim(one)?, claim(other)?);
        let (there, words) = contest(catalog, one, other, mine);
        let (back, _) = contest(catalog, other, one, theirs);
        let strength = f32::midpoint(there, back);
        (strength >= least).then(|| {
            let sends = |claim: &Claim, to: u32| claim.sends(catalog, to, &policy);
            let name = |document: u32| catalog.skill(document).name().to_owned();
            Rivals {
                skills: [name(one), name(other)],
                strength,
                words,
                told_apart_by: if sends(mine, other) {
                    Some(name(one))
                } else {
                    sends(theirs, one).then(|| name(other))
                },
            }
        })
    };
    // Without threads of its own, which a system may refuse, the work is done all the same.
    let workers = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let mut rivals: Vec<Rivals> = match workers {
        Ok(workers) => workers.install(|| pairs.par_iter().filter_map(compare).collect()),
        Err(_) => pairs.iter().filter_map(compare).collect(),
    };
    rivals.sort_by(|a, b| {
        (a.told_apart_by.is_some().cmp(&b.told_apart_by.is_some()))
            .then(b.strength.total_cmp(&a.strength))
            .then_with(|| a.skills.cmp(&b.skills))
    });
    rivals
}

/// What a skill says it is for, and what not.
struct Claim {
    /// Its name and description, as a request.
    request: String,
    ruled_out: String,
}

impl Claim {
    fn of(catalog: &Catalog, document: u32) -> Self {
        let skill = catalog.skill(document);
        let mut request = skill.name().replace(['-', '_'], " ");
        let mut ruled_out = String::new();
        clauses(skill.description(), |field, text| {
            let side = match field {
                Field::NotFor => &mut ruled_out,
                _ => &mut request,
            };
            side.push(' ');
            side.push_str(text);
        });
        for side in [&mut request, &mut ruled_out] {
            let end = (0..=side.len().min(MOST_PROBE_BYTES))
                .rev()
                .find(|at| side.is_char_boundary(*at));
            side.truncate(end.unwrap_or(0));
        }
        Self { request, ruled_out }
    }

    /// Whether what is ruled out leads to the other skill.
    fn sends(&self, catalog: &Catalog, to: u32, policy: &Policy) -> bool {
        if self.ruled_out.trim().is_empty() {
            return false;
        }
        let named = self.ruled_out.contains(catalog.skill(to).name());
        let found = || catalog.select(&self.ruled_out, policy).matches;
        named || found().iter().take(2).any(|it| it.document == to)
    }
}

/// How much of what leads to `own` leads to `other` too, and by which words.
fn contest(catalog: &Catalog, own: u32, other: u32, claim: &Claim) -> (f32, Vec<String>) {
    // Only what a request can see is compared: the instructions are read after the choice.
    let explain = |document: u32| catalog.explain_listed(&claim.request, document, Ranker::Lexical);
    let (mine, theirs) = (explain(own), explain(other));
    let whole: f32 = said(&mine).map(|(_, added)| added).sum();
    let mut shared: Vec<(&str, f32)> = said(&theirs).collect();
    shared.sort_by(|a, b| b.1.total_cmp(&a.1));
    let contested: f32 = shared.iter().map(|(_, added)| added).sum();
    let mut words: Vec<String> = Vec::new();
    for (word, _) in shared {
        let word = word.to_lowercase();
        if words.len() < MOST_WORDS && !words.contains(&word) {
            words.push(word);
        }
    }
    let strength = if whole > 0.0 { contested / whole } else { 0.0 };
    (strength.min(1.0), words)
}

/// What each word adds where a skill says what it is for; a "not for" wins no request.
fn said(explanation: &Explanation) -> impl Iterator<Item = (&str, f32)> {
    explanation.words.iter().filter_map(|word| {
        let fields = word.fields.iter();
        let said = fields.filter(|it| it.field != Field::NotFor);
        let added: f32 = said.map(|it| it.added).sum();
        (added > 0.0).then_some((&*word.word, added))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::catalog;
    use expect_test::{Expect, expect};
    use std::fmt::Write as _;

    fn check(skills: &[(&str, &str)], expected: &Expect) {
        let mut told = String::new();
        for it in rivals(&catalog(skills), LEAST_STRENGTH, 2) {
            let Rivals {
                skills,
                strength,
                words,
                told_apart_by,
            } = it;
            writeln!(told, "{skills:?} {strength:.2} {words:?} {told_apart_by:?}").unwrap();
        }
        expected.assert_eq(&told);
    }

    const SQL: (&str, &str) = ("sql-review", "Reviews SQL queries for speed.");

    #[test]
    fn two_of_a_kind_are_found_with_the_words_they_share() {
        check(
            &[
                (
                    "pdf-fill",
                    "Fills in PDF forms. Use when the user has a form to complete.",
                ),
                ("form-helper", "Completes PDF forms for the user."),
                SQL,
                ("bread", "Scales recipes for bread."),
            ],
            &expect![[r#"
                ["form-helper", "pdf-fill"] 0.61 ["form", "pdf", "completes", "user"] None
            "#]],
        );
    }

    #[test]
    fn a_not_for_tells_two_apart() {
        check(
            &[
                (
                    "pdf-fill",
                    "Fills in PDF forms. Not for merging PDF forms, use pdf-merge.",
                ),
                ("pdf-merge", "Merges PDF forms."),
                SQL,
            ],
            &expect![[r#"
                ["pdf-fill", "pdf-merge"] 0.52 ["pdf", "forms"] Some("pdf-fill")
            "#]],
        );
    }

    #[test]
    fn skills_of_different_trades_do_not_compete() {
        check(&[SQL, ("bread", "Scales recipes for bread.")], &expect![""]);
    }
}
