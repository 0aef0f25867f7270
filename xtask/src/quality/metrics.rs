//! The columns of `score.py`: how often the right skill comes first, and how well the score tells
//! when none is.

use std::collections::BTreeMap;

use prowess_eval::metrics::{auroc, mean, ranks, recall, reciprocal};

use super::{
    Rankings,
    data::{Data, Query},
};

/// The figures of some requests; `NaN` where there is nothing to count.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    pub(crate) count: usize,
    pub(crate) hit1: f64,
    pub(crate) recall5: f64,
    pub(crate) recall10: f64,
    pub(crate) mrr: f64,
    pub(crate) macro_hit1: f64,
    pub(crate) off: f64,
    pub(crate) ooc: f64,
    pub(crate) near: f64,
    pub(crate) fire5: f64,
    pub(crate) fire10: f64,
    pub(crate) typo: f64,
    pub(crate) pasted: f64,
    pub(crate) foreign: f64,
}

/// The score of a request that found nothing.
const NONE: f64 = -1e30;

/// A request and the ranks of its right skills.
struct Answer<'a> {
    query: &'a Query,
    ranking: &'a [(u32, f32)],
    ranks: Vec<usize>,
}

impl Answer<'_> {
    fn hit(&self) -> f64 {
        f64::from(u8::from(self.ranks.first() == Some(&1)))
    }

    /// The score of the first match, or of a given one.
    fn score(&self, of: Option<u32>) -> f64 {
        let mut ranking = self.ranking.iter();
        let found = ranking.find(|(id, _)| of.is_none_or(|of| of == *id));
        found.map_or(NONE, |(_, score)| f64::from(*score))
    }
}

fn answers<'a>(
    data: &'a Data,
    rankings: &'a Rankings,
    keep: impl Fn(&Query) -> bool,
) -> Vec<Answer<'a>> {
    let pairs = data.queries.iter().zip(rankings);
    let kept = pairs.filter(|(query, _)| keep(query));
    kept.map(|(query, ranking)| Answer {
        query,
        ranking,
        ranks: ranks(ranking, &query.gold, |(found, _), id| found == id),
    })
    .collect()
}

impl Report {
    pub(crate) const HEAD: &'static str = "     n   hit1     r5    r10    mrr  macro    off    ooc   near  fire5 fire10   typo pasted foreign";

    /// The figures of the requests of this choice: of those that people wrote, and beside them
    /// of those that were made to go wrong.
    pub(crate) fn of(data: &Data, rankings: &Rankings, keep: impl Fn(&Query) -> bool) -> Self {
        Self::new(&answers(data, rankings, keep), Query::is_natural)
    }

    #[expect(clippy::cast_sign_loss, reason = "a share of a count is not negative")]
    fn new(kept: &[Answer<'_>], counts: impl Fn(&Query) -> bool) -> Self {
        let natural: Vec<&Answer<'_>> = kept
            .iter()
            .filter(|it| counts(it.query) && !it.query.gold.is_empty())
            .collect();
        let share = |figure: &dyn Fn(&Answer<'_>) -> f64| {
            mean(natural.iter().map(|it| figure(it))).unwrap_or(f64::NAN)
        };
        let of_kind = |kind: &'static str| kept.iter().filter(move |it| it.query.kind == kind);
        let tops = |kind| -> Vec<f64> { of_kind(kind).map(|it| it.score(None)).collect() };
        let yes: Vec<f64> = natural.iter().map(|it| it.score(None)).collect();
        let mut off = tops("offtopic");
        off.sort_by(|a, b| b.total_cmp(a));
        // Hits among the requests that score above all but this share of the off-topic ones.
        let fire = |share_of_off: f64| {
            let at = (share_of_off * off.len() as f64) as usize;
            let limit = off.get(at.min(off.len().saturating_sub(1)));
            limit.map_or(f64::NAN, |limit| {
                share(&|it| {
                    if it.score(None) > *limit {
                        it.hit()
                    } else {
                        0.0
                    }
                })
            })
        };
        let mut sources: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for it in &natural {
            sources.entry(it.query.source()).or_default().push(it.hit());
        }
        let sources = sources.into_values().filter(|hits| hits.len() >= 5);
        let some = |figure: Option<f64>| figure.unwrap_or(f64::NAN);
        let recall_at = |at| share(&|it| recall(&it.ranks, it.query.gold.len(), at));
        Self {
            count: natural.len(),
            hit1: share(&|it| it.hit()),
            recall5: recall_at(5),
            recall10: recall_at(10),
            mrr: share(&|it| reciprocal(&it.ranks)),
            macro_hit1: some(mean(sources.filter_map(mean))),
            off: some(auroc(&yes, &off)),
            ooc: some(auroc(&yes, &tops("ooc"))),
            near: some(near(kept)),
            fire5: fire(0.05),
            fire10: fire(0.10),
            typo: some(mean(of_kind("typo").map(Answer::hit))),
            pasted: some(mean(of_kind("pasted-context").map(Answer::hit))),
            foreign: some(mean(
                natural
                    .iter()
                    .filter(|it| it.query.lang != "en")
                    .map(|it| it.hit()),
            )),
        }
    }

    pub(crate) fn line(&self) -> String {
        let figures = [
            self.hit1,
            self.recall5,
            self.recall10,
            self.mrr,
            self.macro_hit1,
            self.off,
            self.ooc,
            self.near,
            self.fire5,
            self.fire10,
            self.typo,
            self.pasted,
            self.foreign,
        ];
        let figures = figures.map(|figure| format!(" {figure:6.3}"));
        format!("{:6}{}", self.count, figures.concat())
    }

    pub(crate) fn short(&self) -> String {
        format!(
            "n={:4} hit1={:.3} r5={:.3} r10={:.3} mrr={:.3}",
            self.count, self.hit1, self.recall5, self.recall10, self.mrr
        )
    }
}

/// Whether the first match is right, for each natural request, with its source.
pub(crate) fn hits<'a>(data: &'a Data, rankings: &Rankings) -> Vec<(&'a str, f64)> {
    let natural = |query: &Query| query.is_natural() && !query.gold.is_empty();
    let answers = answers(data, rankings, natural);
    let hits: Vec<f64> = answers.iter().map(Answer::hit).collect();
    let queries = data.queries.iter().filter(|query| natural(query));
    queries.map(Query::source).zip(hits).collect()
}

/// For each skill with near misses: does it score higher for its own requests?
fn near(kept: &[Answer<'_>]) -> Option<f64> {
    let mut yes: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    let mut no: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for it in kept {
        if it.query.is_natural() {
            for id in it.query.gold.iter().filter_map(|class| class.first()) {
                yes.entry(*id).or_default().push(it.score(Some(*id)));
            }
        } else if it.query.kind == "near-miss"
            && let Some(id) = it.query.not
        {
            no.entry(id).or_default().push(it.score(Some(id)));
        }
    }
    mean(no.iter().filter_map(|(id, no)| {
        let yes = yes.get(id)?;
        (yes.len() >= 3 && no.len() >= 3).then(|| auroc(yes, no))?
    }))
}

/// Reports for each value of a column, the most common first.
pub(crate) fn by(data: &Data, rankings: &Rankings, column: &str) -> Vec<(String, Report)> {
    let keys = |query: &Query| -> Vec<String> {
        match column {
            "kind" => vec![query.kind.clone()],
            "group" => vec![query.group.clone()],
            "source" => vec![query.source().to_owned()],
            "lang" => vec![query.lang.clone()],
            _ => query.tags.clone(),
        }
    };
    // A kind that was made is shown too; elsewhere only what people wrote counts.
    let counts = |query: &Query| column == "kind" || query.is_natural();
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    for key in data.queries.iter().filter(|it| counts(it)).flat_map(keys) {
        *all.entry(key).or_default() += 1;
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all.into_iter()
        .map(|(key, _)| {
            let kept = answers(data, rankings, |query| keys(query).contains(&key));
            (key, Report::new(&kept, counts))
        })
        .collect()
}
