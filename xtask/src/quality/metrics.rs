//! The columns: how often the right skill comes first, and how well the score tells when none is.

use std::collections::BTreeMap;

use super::{
    Rankings,
    data::{Data, Query},
};

/// What is known of the rankings of some requests.
#[derive(Debug, Clone, Default)]
pub(crate) struct Report {
    pub(crate) count: usize,
    pub(crate) hit1: f32,
    pub(crate) recall5: f32,
    pub(crate) recall10: f32,
    pub(crate) mrr: f32,
    pub(crate) macro_hit1: f32,
    pub(crate) off: f32,
    pub(crate) ooc: f32,
    pub(crate) near: f32,
    pub(crate) fire5: f32,
    pub(crate) fire10: f32,
    pub(crate) typo: f32,
    pub(crate) pasted: f32,
    pub(crate) foreign: f32,
}

const NONE: f32 = -1e30;

/// Ranks at which each class of right skills is found, among the first ten.
fn found(ranking: &[(u32, f32)], gold: &[Vec<u32>]) -> Vec<usize> {
    let mut ranks = vec![0; gold.len()];
    let mut rank = 0;
    for (id, _) in ranking {
        let class = gold.iter().position(|class| class.contains(id));
        if class.is_some_and(|class| ranks[class] > 0) {
            continue;
        }
        rank += 1;
        if rank > 10 {
            break;
        }
        if let Some(class) = class {
            ranks[class] = rank;
        }
    }
    ranks.retain(|rank| *rank > 0);
    ranks.sort_unstable();
    ranks
}

fn mean(values: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    if count == 0 {
        f32::NAN
    } else {
        sum / count as f32
    }
}

/// How often a value of the first list is above one of the second; ties count half.
pub(crate) fn auroc(yes: &[f32], no: &[f32]) -> f32 {
    let mut all: Vec<(f32, bool)> = yes
        .iter()
        .map(|v| (*v, true))
        .chain(no.iter().map(|v| (*v, false)))
        .collect();
    all.sort_by(|l, r| l.0.total_cmp(&r.0));
    let mut sum = 0.0_f64;
    let mut start = 0;
    while start < all.len() {
        let end = all[start..]
            .iter()
            .position(|v| v.0.total_cmp(&all[start].0).is_ne())
            .map_or(all.len(), |n| start + n);
        let rank = (start + 1 + end) as f64 / 2.0;
        sum += rank * all[start..end].iter().filter(|v| v.1).count() as f64;
        start = end;
    }
    let (yes, no) = (yes.len() as f64, no.len() as f64);
    ((sum - yes * (yes + 1.0) / 2.0) / (yes * no)) as f32
}

fn top(ranking: &[(u32, f32)]) -> f32 {
    ranking.first().map_or(NONE, |(_, score)| *score)
}

impl Report {
    pub(crate) const HEAD: &'static str = "     n   hit1     r5    r10    mrr  macro    off    ooc   near  fire5 fire10   typo pasted foreign";

    #[expect(clippy::cast_sign_loss, reason = "a share of a count is not negative")]
    pub(crate) fn of(data: &Data, rankings: &Rankings, keep: impl Fn(&Query) -> bool) -> Self {
        let kept: Vec<(&Query, &[(u32, f32)])> = data
            .queries
            .iter()
            .zip(rankings)
            .map(|(q, r)| (q, &**r))
            .filter(|(q, _)| keep(q))
            .collect();
        let natural: Vec<_> = kept
            .iter()
            .filter(|(q, _)| q.is_natural() && !q.gold.is_empty())
            .collect();
        let hit = |(query, ranking): &(&Query, &[(u32, f32)])| {
            f32::from(u8::from(found(ranking, &query.gold).first() == Some(&1)))
        };
        let recall = |k: usize| {
            mean(natural.iter().map(|(q, r)| {
                found(r, &q.gold).iter().filter(|rank| **rank <= k).count() as f32
                    / q.gold.len() as f32
            }))
        };
        let tops = |kind: &str| -> Vec<f32> {
            kept.iter()
                .filter(|(q, _)| q.kind == kind)
                .map(|(_, r)| top(r))
                .collect()
        };
        let yes: Vec<f32> = natural.iter().map(|(_, r)| top(r)).collect();
        let mut off = tops("offtopic");
        off.sort_by(|l, r| r.total_cmp(l));
        let fire = |share: f32| {
            let Some(limit) =
                off.get(((share * off.len() as f32) as usize).min(off.len().saturating_sub(1)))
            else {
                return f32::NAN;
            };
            mean(
                natural
                    .iter()
                    .map(|pair| if top(pair.1) > *limit { hit(pair) } else { 0.0 }),
            )
        };
        let mut sources: BTreeMap<&str, Vec<f32>> = BTreeMap::new();
        for pair in &natural {
            sources.entry(pair.0.source()).or_default().push(hit(pair));
        }
        let kind = |kind: &str| mean(kept.iter().filter(|(q, _)| q.kind == kind).map(hit));
        Self {
            count: natural.len(),
            hit1: mean(natural.iter().map(|pair| hit(pair))),
            recall5: recall(5),
            recall10: recall(10),
            mrr: mean(natural.iter().map(|(q, r)| {
                found(r, &q.gold)
                    .first()
                    .map_or(0.0, |rank| 1.0 / *rank as f32)
            })),
            macro_hit1: mean(
                sources
                    .values()
                    .filter(|v| v.len() >= 5)
                    .map(|v| mean(v.iter().copied())),
            ),
            off: auroc(&yes, &off),
            ooc: auroc(&yes, &tops("ooc")),
            near: near(&kept),
            fire5: fire(0.05),
            fire10: fire(0.10),
            typo: kind("typo"),
            pasted: kind("pasted-context"),
            foreign: mean(
                natural
                    .iter()
                    .filter(|(q, _)| q.lang != "en")
                    .map(|pair| hit(pair)),
            ),
        }
    }

    pub(crate) fn line(&self) -> String {
        format!(
            "{:6} {:6.3} {:6.3} {:6.3} {:6.3} {:6.3} {:6.3} {:6.3} {:6.3} {:6.3} {:6.3} {:6.3} {:6.3} {:6.3}",
            self.count,
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
            self.foreign
        )
    }

    pub(crate) fn short(&self) -> String {
        format!(
            "n={:4} hit1={:.3} r5={:.3} r10={:.3} mrr={:.3}",
            self.count, self.hit1, self.recall5, self.recall10, self.mrr
        )
    }
}

/// Whether the first match is right, for each natural request, with its source.
pub(crate) fn hits<'a>(data: &'a Data, rankings: &Rankings) -> Vec<(&'a str, f32)> {
    data.queries
        .iter()
        .zip(rankings)
        .filter(|(query, _)| query.is_natural() && !query.gold.is_empty())
        .map(|(query, ranking)| {
            let right = found(ranking, &query.gold).first() == Some(&1);
            (query.source(), f32::from(u8::from(right)))
        })
        .collect()
}

/// For each skill with near misses: does it score higher for its own requests?
fn near(kept: &[(&Query, &[(u32, f32)])]) -> f32 {
    let score = |ranking: &[(u32, f32)], id: u32| {
        ranking
            .iter()
            .find(|(found, _)| *found == id)
            .map_or(NONE, |(_, score)| *score)
    };
    let mut yes: BTreeMap<u32, Vec<f32>> = BTreeMap::new();
    let mut no: BTreeMap<u32, Vec<f32>> = BTreeMap::new();
    for (query, ranking) in kept {
        if query.is_natural() {
            for id in query.gold.iter().filter_map(|class| class.first()) {
                yes.entry(*id).or_default().push(score(ranking, *id));
            }
        } else if query.kind == "near-miss"
            && let Some(id) = query.not
        {
            no.entry(id).or_default().push(score(ranking, id));
        }
    }
    mean(no.iter().filter_map(|(id, no)| {
        let yes = yes.get(id)?;
        (yes.len() >= 3 && no.len() >= 3).then(|| auroc(yes, no))
    }))
}

/// Reports for each value of a column.
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
    let mut all: BTreeMap<String, usize> = BTreeMap::new();
    for query in data
        .queries
        .iter()
        .filter(|q| column == "kind" || q.is_natural())
    {
        for key in keys(query) {
            *all.entry(key).or_default() += 1;
        }
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all.into_iter()
        .map(|(key, _)| {
            let report = if column == "kind" {
                Report::of_kind(data, rankings, &key)
            } else {
                Report::of(data, rankings, |query| keys(query).contains(&key))
            };
            (key, report)
        })
        .collect()
}

impl Report {
    /// The figures of one kind, made or natural.
    fn of_kind(data: &Data, rankings: &Rankings, kind: &str) -> Self {
        let kept: Vec<_> = data
            .queries
            .iter()
            .zip(rankings)
            .filter(|(q, _)| q.kind == kind && !q.gold.is_empty())
            .collect();
        let recall = |k: usize| {
            mean(kept.iter().map(|(q, r)| {
                found(r, &q.gold).iter().filter(|rank| **rank <= k).count() as f32
                    / q.gold.len() as f32
            }))
        };
        Self {
            count: kept.len(),
            hit1: mean(
                kept.iter()
                    .map(|(q, r)| f32::from(u8::from(found(r, &q.gold).first() == Some(&1)))),
            ),
            recall5: recall(5),
            recall10: recall(10),
            mrr: mean(kept.iter().map(|(q, r)| {
                found(r, &q.gold)
                    .first()
                    .map_or(0.0, |rank| 1.0 / *rank as f32)
            })),
            ..Self::default()
        }
    }
}
