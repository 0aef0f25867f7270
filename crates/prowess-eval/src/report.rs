//! From answers to figures: hit@1, recall, MRR, false fires, and who is taken for whom.

use std::collections::BTreeMap;

use prowess::{
    Catalog, Skill,
    select::{Match, Policy, Selection},
};
use serde::Serialize;

use crate::{
    case::{Case, Expected, Outcome, Verdict},
    metrics::{self, MRR_PLACES},
};

/// How well a catalog answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// How many cases there are.
    pub cases: usize,
    /// Those that should lead to a skill.
    pub positives: usize,
    /// Those that should not.
    pub negatives: usize,
    /// Share of the positives with a right skill in the first place.
    pub hit1: Option<f64>,
    /// Share of the right skills among the first `recall_at`.
    pub recall: Option<f64>,
    /// How many places recall looks at.
    pub recall_at: usize,
    /// Mean of one over the rank of the first right skill.
    pub mrr: Option<f64>,
    /// Positives whose decision is `none`: a host would use no skill.
    pub abstained: usize,
    /// Those of them with the right skill first.
    pub hesitant: usize,
    /// Negatives for which a skill fired that should not.
    pub false_fires: usize,
    /// The same, by skill.
    pub skills: Vec<SkillReport>,
    /// Who came first in place of whom, the most common first.
    pub confusions: Vec<Confusion>,
    /// Expected skills that can not be chosen: the catalog does not have them, or keeps them from
    /// models. Their cases count as missed.
    pub unknown: Vec<String>,
    /// Every case, in its order.
    pub outcomes: Vec<Outcome>,
}

/// How well one skill is found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SkillReport {
    /// The skill, as the cases name it.
    pub name: String,
    /// Cases that should lead to it.
    pub positives: usize,
    /// Cases that should not.
    pub negatives: usize,
    /// Share of its positives with a right skill in the first place.
    pub hit1: Option<f64>,
    /// Share of its positives that have it among the first.
    pub recall: Option<f64>,
    /// Mean of one over the rank of the first right skill.
    pub mrr: Option<f64>,
    /// Negatives for which it fired.
    pub false_fires: usize,
}

/// A skill that came first in place of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Confusion {
    /// The skill that was expected.
    pub expected: String,
    /// The skill that came first; `None` where none did.
    pub got: Option<String>,
    /// How often.
    pub count: usize,
    /// The first request it happened with.
    pub example: String,
}

/// Answers every case and counts.
pub fn evaluate(
    catalog: &Catalog,
    cases: &[Case],
    policy: &Policy,
    recall_at: usize,
    threads: usize,
) -> Report {
    let policy = Policy {
        top_k: policy.top_k.max(recall_at).max(MRR_PLACES),
        ..policy.clone()
    };
    let queries: Vec<&str> = cases.iter().map(|case| &*case.query).collect();
    let selections = catalog.select_all(&queries, &policy, threads);
    let mut sums = Sums::default();
    let mut by_skill: BTreeMap<&str, Sums> = BTreeMap::new();
    let mut confusions: BTreeMap<(&str, Option<String>), (usize, &str)> = BTreeMap::new();
    let mut outcomes = Vec::with_capacity(cases.len());
    for (case, selection) in cases.iter().zip(&selections) {
        let answer = Answer::new(case, selection, recall_at);
        sums.add(&answer);
        for name in named(&case.expected) {
            by_skill.entry(name).or_default().add(&answer);
        }
        if answer.verdict == Verdict::Missed
            && let Some(expected) = named(&case.expected).next()
        {
            let got = answer.found.first().cloned();
            let (count, _) = confusions
                .entry((expected, got))
                .or_insert((0, &case.query));
            *count += 1;
        }
        outcomes.push(answer.outcome(case));
    }
    let mut confusions: Vec<Confusion> = confusions
        .into_iter()
        .map(|((expected, got), (count, example))| Confusion {
            expected: expected.to_owned(),
            got,
            count,
            example: example.to_owned(),
        })
        .collect();
    confusions.sort_by_key(|it| std::cmp::Reverse(it.count));
    let unknown = by_skill
        .keys()
        .filter(|name| {
            let skill = catalog.get(name).or_else(|| catalog.by_id(name));
            !skill.is_some_and(|skill| policy.include_manual || skill.is_model_visible())
        })
        .map(|name| (*name).to_owned())
        .collect();
    Report {
        cases: cases.len(),
        positives: sums.positives,
        negatives: sums.negatives,
        hit1: sums.share(sums.hits),
        recall: sums.share(sums.recall),
        recall_at,
        mrr: sums.share(sums.reciprocal),
        abstained: sums.abstained,
        hesitant: sums.hesitant,
        false_fires: sums.false_fires,
        skills: by_skill
            .into_iter()
            .map(|(name, sums)| SkillReport {
                name: name.to_owned(),
                positives: sums.positives,
                negatives: sums.negatives,
                hit1: sums.share(sums.hits),
                recall: sums.share(sums.recall),
                mrr: sums.share(sums.reciprocal),
                false_fires: sums.false_fires,
            })
            .collect(),
        confusions,
        unknown,
        outcomes,
    }
}

/// The skills a case is about: the first of each group stands for it.
fn named(expected: &Expected) -> impl Iterator<Item = &str> {
    let (groups, names): (&[Vec<String>], &[String]) = match expected {
        Expected::Skills(groups) => (groups, &[]),
        Expected::Not(names) => (&[], names),
        Expected::Nothing => (&[], &[]),
    };
    let first = groups.iter().filter_map(|group| group.first());
    first.chain(names).map(String::as_str)
}

struct Answer {
    verdict: Verdict,
    found: Vec<String>,
    rank: Option<usize>,
    recall: f64,
    reciprocal: f64,
    decision: &'static str,
    confidence: f32,
}

impl Answer {
    fn new(case: &Case, selection: &Selection<'_>, recall_at: usize) -> Self {
        let found: Vec<_> = selection.matches.iter().map(Match::skill).collect();
        let is =
            |skill: &&Skill, wanted: &String| skill.name() == wanted || skill.id() == Some(wanted);
        let fires = !selection.decision.is_none();
        let mut ranks = Vec::new();
        let verdict = match &case.expected {
            Expected::Skills(groups) => {
                ranks = metrics::ranks(&found, groups, is);
                if ranks.first() == Some(&1) {
                    Verdict::Hit
                } else {
                    Verdict::Missed
                }
            }
            Expected::Not(names) => {
                let first = found.first();
                let ruled_out = first.is_some_and(|it| names.iter().any(|name| is(it, name)));
                if fires && ruled_out {
                    Verdict::FalseFire
                } else {
                    Verdict::Quiet
                }
            }
            Expected::Nothing if fires => Verdict::FalseFire,
            Expected::Nothing => Verdict::Quiet,
        };
        Self {
            verdict,
            recall: metrics::recall(&ranks, case.expected.groups(), recall_at),
            reciprocal: metrics::reciprocal(&ranks),
            rank: ranks.first().copied(),
            decision: selection.decision.name(),
            confidence: selection.matches.first().map_or(0.0, |it| it.confidence),
            found: found.iter().map(|skill| skill.name().to_owned()).collect(),
        }
    }

    fn outcome(mut self, case: &Case) -> Outcome {
        self.found.truncate(5);
        Outcome {
            id: case.id.clone(),
            query: case.query.clone(),
            expected: case.expected.clone(),
            verdict: self.verdict,
            found: self.found,
            rank: self.rank,
            decision: self.decision,
            confidence: self.confidence,
        }
    }
}

#[derive(Default)]
struct Sums {
    positives: usize,
    negatives: usize,
    hits: f64,
    recall: f64,
    reciprocal: f64,
    abstained: usize,
    hesitant: usize,
    false_fires: usize,
}

impl Sums {
    fn add(&mut self, answer: &Answer) {
        match answer.verdict {
            Verdict::Quiet => self.negatives += 1,
            Verdict::FalseFire => {
                self.negatives += 1;
                self.false_fires += 1;
            }
            Verdict::Hit | Verdict::Missed => {
                self.positives += 1;
                self.abstained += usize::from(answer.decision == "none");
                self.recall += answer.recall;
                self.reciprocal += answer.reciprocal;
            }
        }
        if answer.verdict == Verdict::Hit {
            self.hits += 1.0;
            self.hesitant += usize::from(answer.decision == "none");
        }
    }

    fn share(&self, sum: f64) -> Option<f64> {
        (self.positives > 0).then(|| sum / self.positives as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{read, testing::catalog};
    use expect_test::expect;
    use std::fmt::Write as _;

    #[test]
    fn figures_follow_from_the_answers() {
        let catalog = catalog(&[
            (
                "pdf-forms",
                "Fills in PDF forms. Use when there is a form to complete.",
            ),
            ("pdf-merge", "Merges several PDF files into one document."),
            ("sql-review", "Reviews PostgreSQL queries for speed."),
        ]);
        let cases = read(
            r#"
            {"id": "first", "query": "fill in this pdf form", "expect": ["pdf-forms"]}
            {"id": "second", "query": "merge the pdf form files into one document", "expect": ["pdf-forms"]}
            {"id": "any", "query": "merge these pdf files", "gold": [["pdf-forms", "pdf-merge"]]}
            {"id": "both", "query": "fill in a pdf form", "gold": [["pdf-merge"], ["pdf-forms"]]}
            {"id": "absent", "query": "bake bread", "expect": ["bread"]}
            {"id": "not", "query": "merge these pdf files into one document", "not": ["pdf-merge"]}
            {"id": "quiet", "query": "what is the weather", "expect": []}
            "#,
            None,
        )
        .unwrap();
        let report = evaluate(&catalog, &cases, &Policy::default(), 5, 2);
        let mut told = String::new();
        for outcome in &report.outcomes {
            writeln!(
                told,
                "{}: {:?} {:?}",
                outcome.id, outcome.verdict, outcome.rank
            )
            .unwrap();
        }
        writeln!(
            told,
            "hit@1 {:?}, recall {:?}, mrr {:?}, abstained {}, false fires {} of {}",
            report.hit1,
            report.recall,
            report.mrr,
            report.abstained,
            report.false_fires,
            report.negatives
        )
        .unwrap();
        for it in &report.confusions {
            writeln!(told, "{} taken for {:?}: {}", it.expected, it.got, it.count).unwrap();
        }
        for it in &report.skills {
            writeln!(told, "{}: {:?} of {}", it.name, it.hit1, it.positives).unwrap();
        }
        writeln!(told, "unknown: {:?}", report.unknown).unwrap();
        expect![[r#"
            first: Hit Some(1)
            second: Missed Some(2)
            any: Hit Some(1)
            both: Hit Some(1)
            absent: Missed None
            not: FalseFire None
            quiet: Quiet None
            hit@1 Some(0.6), recall Some(0.8), mrr Some(0.7), abstained 1, false fires 1 of 2
            bread taken for None: 1
            pdf-forms taken for Some("pdf-merge"): 1
            bread: Some(0.0) of 1
            pdf-forms: Some(0.75) of 4
            pdf-merge: Some(1.0) of 1
            unknown: ["bread"]
        "#]]
        .assert_eq(&told);
    }

    #[test]
    fn nothing_to_measure_gives_no_figure() {
        let report = evaluate(&Catalog::default(), &[], &Policy::default(), 5, 4);
        assert_eq!((report.cases, report.hit1, report.mrr), (0, None, None));
    }
}
