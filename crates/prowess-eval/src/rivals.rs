//! Skills that compete for the same requests.

use std::{
    collections::{BTreeSet, HashMap},
    ptr,
};

use prowess::{
    Catalog, Skill,
    explain::{Explanation, Field, clauses},
    select::{Policy, Ranker},
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
        min_score: Some(Ranker::default().lowest_score()),
        ..Policy::default()
    };
    let claims: Vec<Claim<'_>> = catalog.model_visible().map(Claim::new).collect();
    let requests: Vec<&str> = claims.iter().map(|claim| &*claim.request).collect();
    let near = catalog.select_all(&requests, &policy, threads);
    // A skill is itself wherever it turns up, so its address tells whose claim it is.
    let places: HashMap<*const Skill, usize> = claims
        .iter()
        .enumerate()
        .map(|(at, claim)| (ptr::from_ref(claim.skill), at))
        .collect();
    let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (at, near) in near.iter().enumerate() {
        let others = near.matches.iter().map(|it| ptr::from_ref(it.skill()));
        let others = others.filter_map(|skill| places.get(&skill).copied());
        let others = others.filter(|other| *other != at);
        pairs.extend(others.map(|other| (other.min(at), other.max(at))));
    }
    let pairs: Vec<(usize, usize)> = pairs.into_iter().collect();
    let compare = |&(one, other): &(usize, usize)| {
        let (mine, theirs) = (&claims[one], &claims[other]);
        let (there, words) = contest(catalog, mine, theirs.skill);
        let (back, _) = contest(catalog, theirs, mine.skill);
        let strength = f32::midpoint(there, back);
        (strength >= least).then(|| {
            let name = |claim: &Claim<'_>| claim.skill.name().to_owned();
            Rivals {
                skills: [name(mine), name(theirs)],
                strength,
                words,
                told_apart_by: if mine.sends(catalog, theirs.skill, &policy) {
                    Some(name(mine))
                } else {
                    let sends = theirs.sends(catalog, mine.skill, &policy);
                    sends.then(|| name(theirs))
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
struct Claim<'c> {
    skill: &'c Skill,
    /// Its name and description, as a request.
    request: String,
    ruled_out: String,
}

impl<'c> Claim<'c> {
    fn new(skill: &'c Skill) -> Self {
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
        Self {
            skill,
            request,
            ruled_out,
        }
    }

    /// Whether what is ruled out leads to the other skill.
    fn sends(&self, catalog: &Catalog, to: &Skill, policy: &Policy) -> bool {
        if self.ruled_out.trim().is_empty() {
            return false;
        }
        let named = self.ruled_out.contains(to.name());
        let found = || catalog.select(&self.ruled_out, policy).matches;
        named || found().iter().take(2).any(|it| ptr::eq(it.skill(), to))
    }
}

/// How much of what leads to one skill leads to another too, and by which words.
fn contest(catalog: &Catalog, claim: &Claim<'_>, other: &Skill) -> (f32, Vec<String>) {
    // Only what a request can see is compared: the instructions are read after the choice.
    let explain = |skill: &Skill| catalog.explain_listed(&claim.request, skill, Ranker::Lexical);
    let (mine, theirs) = (explain(claim.skill), explain(other));
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
