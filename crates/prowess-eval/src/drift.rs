//! What a change of the catalog did to the answers: the same requests, before and after.

use std::collections::BTreeSet;

use prowess::{
    Catalog, Skill,
    explain::{Field, clauses},
    select::{Match, Policy, Selection},
};
use serde::Serialize;

/// A request that is put to both catalogs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Probe {
    /// The request.
    pub query: String,
    /// The right skills, any of them; where none is named, the one the base puts first is right.
    pub expected: Vec<String>,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Turn {
    /// The right skill was first and would be used, and is not any more.
    Lost,
    /// The right skill has another rank, or another skill is first.
    Moved,
    /// The ranks are the same, and the decision, the confidence or the score is not.
    Changed,
    /// The right skill was not first, or would not be used, and is now.
    Gained,
}

/// A request that is answered differently.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Move {
    /// What became of it.
    pub turn: Turn,
    /// The request.
    pub query: String,
    /// The right skill; `None` where nobody was right.
    pub skill: Option<String>,
    /// Its rank in the base.
    pub before: Option<usize>,
    /// Its rank now.
    pub after: Option<usize>,
    /// Who was first.
    pub first_before: Option<String>,
    /// Who is first now.
    pub first_after: Option<String>,
    /// The right skill's score in the base.
    pub score_before: Option<f32>,
    /// Its score now.
    pub score_after: Option<f32>,
    /// How likely it was the right one, 0 to 1.
    pub confidence_before: Option<f32>,
    /// How likely it is now.
    pub confidence_after: Option<f32>,
    /// `confident`, `ambiguous` or `none`, in the base.
    pub decision_before: &'static str,
    /// The same, now.
    pub decision_after: &'static str,
}

/// What a change of the catalog did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drift {
    /// How many requests were put.
    pub queries: usize,
    /// How many have the same answer.
    pub same: usize,
    /// The others: lost ones first, then moved, changed and gained.
    pub moves: Vec<Move>,
    /// Skills only the new catalog has.
    pub added: Vec<String>,
    /// Skills only the base has.
    pub removed: Vec<String>,
}

impl Drift {
    /// How many requests took this turn.
    pub fn count(&self, turn: Turn) -> usize {
        self.moves.iter().filter(|it| it.turn == turn).count()
    }

    /// Whether a request or a skill was lost.
    pub fn has_losses(&self) -> bool {
        self.count(Turn::Lost) > 0 || !self.removed.is_empty()
    }
}

/// Ranks are compared this far down; further down nobody looks.
const PLACES: usize = 10;

/// A confidence that differs by this much can change what a host does.
const CONFIDENCE_STEP: f32 = 0.1;

/// Scores differ a little with every skill that comes or goes, because the rarity of words does;
/// by this share they differ because of the skill itself.
const SCORE_SHARE: f32 = 0.25;

/// Longer sentences are no request a person would type.
const MOST_PROBE_BYTES: usize = 300;

/// Requests a catalog's own skills should answer: each name, and what each says it does.
pub fn probes(catalog: &Catalog) -> Vec<Probe> {
    let mut probes = Vec::new();
    for skill in catalog.model_visible() {
        let name = skill.name().replace(['-', '_'], " ");
        for query in [name, first_sentence(skill.description())] {
            if !query.trim().is_empty() {
                probes.push(Probe {
                    query,
                    expected: vec![skill.name().to_owned()],
                });
            }
        }
    }
    probes
}

/// The first sentence that says what a skill does.
fn first_sentence(description: &str) -> String {
    let mut positive = String::new();
    clauses(description, |field, text| {
        if field == Field::Description && positive.trim().is_empty() {
            text.trim_start().clone_into(&mut positive);
        }
    });
    let end = positive
        .match_indices(['.', '。', '\n'])
        .map(|(at, mark)| at + mark.len())
        .find(|&at| !positive[at..].starts_with(char::is_alphanumeric))
        .unwrap_or(positive.len());
    let end = (0..=end.min(MOST_PROBE_BYTES))
        .rev()
        .find(|at| positive.is_char_boundary(*at))
        .unwrap_or(0);
    positive[..end].trim().to_owned()
}

/// Puts the same requests to two catalogs and tells where the answers differ.
pub fn drift(
    base: &Catalog,
    now: &Catalog,
    probes: &[Probe],
    policy: &Policy,
    threads: usize,
) -> Drift {
    let policy = Policy {
        top_k: PLACES,
        ..policy.clone()
    };
    let queries: Vec<&str> = probes.iter().map(|probe| &*probe.query).collect();
    let before = base.select_all(&queries, &policy, threads);
    let after = now.select_all(&queries, &policy, threads);
    let mut moves: Vec<Move> = probes
        .iter()
        .zip(before.iter().zip(&after))
        .filter_map(|(probe, (before, after))| {
            compare(probe, &Answer::new(before), &Answer::new(after))
        })
        .collect();
    let same = probes.len() - moves.len();
    moves.sort_by_key(|it| it.turn);
    let names = |catalog: &Catalog| -> BTreeSet<String> {
        catalog
            .model_visible()
            .map(|it| it.name().to_owned())
            .collect()
    };
    let (old, new) = (names(base), names(now));
    Drift {
        queries: probes.len(),
        same,
        moves,
        added: new.difference(&old).cloned().collect(),
        removed: old.difference(&new).cloned().collect(),
    }
}

/// What a catalog answered.
struct Answer<'a> {
    found: &'a [Match<'a>],
    decision: &'static str,
}

/// Where the right skill stands in an answer.
#[derive(Clone, Copy)]
struct Place<'a> {
    rank: usize,
    skill: &'a Skill,
    score: f32,
    confidence: f32,
}

impl<'a> Answer<'a> {
    fn new(selection: &'a Selection<'a>) -> Self {
        Self {
            found: &selection.matches,
            decision: selection.decision.name(),
        }
    }

    /// Whether a host would use what comes first.
    fn fires(&self) -> bool {
        self.decision != "none"
    }

    /// Who is taken for right, where anyone is.
    fn first(&self) -> Option<String> {
        let first = self.found.first().filter(|_| self.fires());
        first.map(|it| it.skill().name().to_owned())
    }

    /// The best place of these skills.
    fn place(&self, wanted: &[String]) -> Option<Place<'a>> {
        let is = |skill: &Skill| {
            let mut wanted = wanted.iter();
            wanted.any(|name| skill.name() == name || skill.id() == Some(name))
        };
        let at = self.found.iter().position(|it| is(it.skill()))?;
        let found = &self.found[at];
        Some(Place {
            rank: at + 1,
            skill: found.skill(),
            score: found.score,
            confidence: found.confidence,
        })
    }
}

fn compare(probe: &Probe, before: &Answer<'_>, after: &Answer<'_>) -> Option<Move> {
    let (first_before, first_after) = (before.first(), after.first());
    let wanted = if probe.expected.is_empty() {
        first_before.iter().cloned().collect()
    } else {
        probe.expected.clone()
    };
    let (was, is) = (before.place(&wanted), after.place(&wanted));
    let rank = |place: Option<Place<'_>>| place.map(|place| place.rank);
    let used = |place, answer: &Answer<'_>| rank(place) == Some(1) && answer.fires();
    let turn = match (used(was, before), used(is, after)) {
        (true, false) => Turn::Lost,
        (false, true) => Turn::Gained,
        _ if rank(was) != rank(is) || first_before != first_after => Turn::Moved,
        _ if before.decision != after.decision || differs(was, is) => Turn::Changed,
        _ => return None,
    };
    let skill = was.or(is).map(|place| place.skill.name().to_owned());
    Some(Move {
        turn,
        query: probe.query.clone(),
        skill: skill.or_else(|| wanted.first().cloned()),
        before: rank(was),
        after: rank(is),
        first_before,
        first_after,
        score_before: was.map(|place| place.score),
        score_after: is.map(|place| place.score),
        confidence_before: was.map(|place| place.confidence),
        confidence_after: is.map(|place| place.confidence),
        decision_before: before.decision,
        decision_after: after.decision,
    })
}

/// Whether a skill that kept its rank is judged differently.
fn differs(was: Option<Place<'_>>, is: Option<Place<'_>>) -> bool {
    was.zip(is).is_some_and(|(was, is)| {
        (was.confidence - is.confidence).abs() >= CONFIDENCE_STEP
            || (was.score - is.score).abs() >= SCORE_SHARE * was.score.max(is.score)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::catalog;
    use expect_test::expect;
    use std::fmt::Write as _;

    const FORMS: (&str, &str) = ("pdf-forms", "Fills in PDF forms. Not for scans.");
    const MERGE: (&str, &str) = ("pdf-merge", "Merges PDF files into one.");
    const GREEDY: (&str, &str) = (
        "pdf",
        "Fills in PDF forms and merges PDF files. Use for any PDF form.",
    );
    const SQL: (&str, &str) = ("sql-review", "Reviews SQL queries for speed.");

    fn tell(base: &Catalog, now: &Catalog, probes: &[Probe]) -> String {
        let drift = drift(base, now, probes, &Policy::default(), 2);
        let mut told = format!("{} of {} the same\n", drift.same, drift.queries);
        for it in &drift.moves {
            let Move {
                turn,
                query,
                before,
                after,
                first_after,
                decision_before,
                decision_after,
                ..
            } = it;
            writeln!(
                told,
                "{turn:?} {query:?}: {before:?} to {after:?}, {decision_before} to \
                 {decision_after}, now {first_after:?}"
            )
            .unwrap();
        }
        writeln!(told, "added {:?}, removed {:?}", drift.added, drift.removed).unwrap();
        told
    }

    #[test]
    fn a_skill_that_takes_the_requests_of_another_is_seen() {
        let base = catalog(&[FORMS, MERGE, SQL]);
        let now = catalog(&[("pdf-forms", "Helps with paper."), MERGE, GREEDY]);
        expect![[r#"
            0 of 6 the same
            Lost "Fills in PDF forms.": Some(1) to Some(2), confident to confident, now Some("pdf")
            Lost "sql review": Some(1) to None, confident to none, now None
            Lost "Reviews SQL queries for speed.": Some(1) to None, confident to none, now None
            Changed "pdf forms": Some(1) to Some(1), confident to confident, now Some("pdf-forms")
            Changed "pdf merge": Some(1) to Some(1), confident to confident, now Some("pdf-merge")
            Changed "Merges PDF files into one.": Some(1) to Some(1), confident to confident, now Some("pdf-merge")
            added ["pdf"], removed ["sql-review"]
        "#]]
        .assert_eq(&tell(&base, &now, &probes(&base)));
    }

    #[test]
    fn the_same_catalog_has_no_drift() {
        let base = catalog(&[FORMS, MERGE, SQL]);
        expect![[r#"
            6 of 6 the same
            added [], removed []
        "#]]
        .assert_eq(&tell(&base, &base, &probes(&base)));
    }

    #[test]
    fn a_rival_that_takes_the_confidence_and_not_the_rank_is_seen() {
        let base = catalog(&[FORMS, MERGE, SQL]);
        let now = catalog(&[FORMS, MERGE, SQL, GREEDY]);
        let probe = Probe {
            query: "pdf forms".to_owned(),
            expected: vec!["pdf-forms".to_owned()],
        };
        let drift = drift(&base, &now, &[probe], &Policy::default(), 1);
        let it = &drift.moves[0];
        assert_eq!(
            (it.turn, it.before, it.after),
            (Turn::Changed, Some(1), Some(1))
        );
        assert!(it.confidence_before > it.confidence_after);
        assert!(!drift.has_losses());
    }

    #[test]
    fn without_a_right_skill_the_base_decides() {
        let base = catalog(&[FORMS, MERGE]);
        let now = catalog(&[MERGE]);
        let probe = |query: &str| Probe {
            query: query.to_owned(),
            expected: Vec::new(),
        };
        expect![[r#"
            1 of 2 the same
            Lost "fill in this pdf form": Some(1) to None, confident to ambiguous, now Some("pdf-merge")
            added [], removed ["pdf-forms"]
        "#]]
        .assert_eq(&tell(
            &base,
            &now,
            &[probe("fill in this pdf form"), probe("tea")],
        ));
    }

    #[test]
    fn a_probe_is_what_a_skill_says_it_does() {
        assert_eq!(
            first_sentence("Not for scans. Fills node.js forms. Use it."),
            "Fills node.js forms."
        );
        assert_eq!(first_sentence(&"ä".repeat(400)).len(), 300);
    }
}
