//! Fits the weights of the signals: listwise, each with the sign it must have.

use std::collections::BTreeMap;

use prowess_search::{self as search, Explainer, Signal, Weights};

use super::{Indexes, data::Data, entry};

/// So many of the best are compared for each request; the right ones come to them.
const CANDIDATES: usize = 24;

/// Steps of the descent; the loss no longer moves in its fourth digit long before.
const STEPS: usize = 400;

/// What is fitted: the sum of the words, then every signal but the form, which moves all
/// candidates of a request alike.
const FEATURES: usize = Signal::ALL.len();

type Features = [f64; FEATURES];

struct Sample {
    source: String,
    candidates: Vec<Features>,
    right: Vec<bool>,
}

/// The signal that a feature stands for; the first is the sum of the words.
fn signals() -> impl Iterator<Item = Signal> {
    Signal::ALL.into_iter().filter(|it| *it != Signal::Form)
}

/// Fits on all sources and prints the weights beside those in use; then without each source in
/// turn, and prints how that source is answered.
pub(crate) fn run(data: &Data, indexes: &Indexes) {
    let samples = samples(data, indexes);
    let fitted = fit(&samples, "");
    let mut now = Weights::default();
    println!("signal            in use  fitted");
    for (at, signal) in signals().enumerate() {
        let used = now.get_mut(signal.name()).copied().unwrap_or_default();
        println!(
            "{:17} {used:6.2} {:7.2}",
            signal.name(),
            fitted[at + 1] / fitted[0]
        );
    }
    let mut used: Features = [1.0; FEATURES];
    for (at, signal) in signals().enumerate() {
        used[at + 1] = now.get_mut(signal.name()).map_or(0.0, |it| f64::from(*it));
    }
    let mut by_source: BTreeMap<&str, Vec<&Sample>> = BTreeMap::new();
    for sample in &samples {
        by_source.entry(&sample.source).or_default().push(sample);
    }
    let (mut as_used, mut as_fitted, mut held) = (0, 0, 0);
    for (source, own) in &by_source {
        let without = fit(&samples, source);
        as_used += hits(&used, own);
        as_fitted += hits(&fitted, own);
        held += hits(&without, own);
    }
    let share = |hits: usize| hits as f64 / samples.len() as f64;
    println!("first of {CANDIDATES}: in use {:.3}", share(as_used));
    println!("             fitted {:.3}", share(as_fitted));
    println!("  without the source {:.3}", share(held));
}

fn hits(weights: &Features, samples: &[&Sample]) -> usize {
    let first = |sample: &Sample| {
        let scores = sample.candidates.iter().map(|it| dot(weights, it));
        let best = scores
            .enumerate()
            .max_by(|l, r| l.1.total_cmp(&r.1).then(r.0.cmp(&l.0)));
        best.is_some_and(|(at, _)| sample.right[at])
    };
    samples.iter().filter(|it| first(it)).count()
}

fn dot(weights: &Features, features: &Features) -> f64 {
    weights.iter().zip(features).map(|(w, f)| w * f).sum()
}

fn samples(data: &Data, indexes: &Indexes) -> Vec<Sample> {
    let asked = |query: &&super::Query| query.is_natural() && !query.gold.is_empty();
    let queries: Vec<_> = data.queries.iter().filter(asked).collect();
    let one = |query: &&super::Query| {
        let (index, ids) = &indexes[&query.group];
        let now = search::Query::weighted(index, &query.text, Weights::default());
        let found = index.rank(&now, f32::MIN, CANDIDATES, |_| true);
        let right = |id: u32| query.gold.iter().any(|class| class.contains(&id));
        let mut documents: Vec<u32> = found.iter().map(|it| it.document).collect();
        let missed = (0..ids.len() as u32).filter(|at| right(ids[*at as usize]));
        let missed: Vec<u32> = missed.filter(|it| !documents.contains(it)).collect();
        documents.extend(missed);
        // With every weight 1, what a signal adds is its value.
        let ones = Weights {
            signals: [1.0; Signal::ALL.len()],
            ..Weights::default()
        };
        let plain = search::Query::weighted(index, &query.text, ones);
        let mut explainer = Explainer::new(index, &plain);
        let candidates = documents.iter().map(|document| {
            let id = ids[*document as usize];
            let told = explainer.explain(&entry(&data.skills[id as usize]));
            let words: f32 = told.words.iter().map(|it| it.added).sum();
            let mut features = [f64::from(words); FEATURES];
            for (at, signal) in signals().enumerate() {
                let other = || told.signals.iter().find(|it| it.signal == signal);
                features[at + 1] = f64::from(match signal {
                    Signal::Name => told.name,
                    Signal::Pairs => told.pairs,
                    _ => other().map_or(0.0, |it| it.added),
                });
            }
            features
        });
        Sample {
            source: query.source().to_owned(),
            candidates: candidates.collect(),
            right: documents
                .iter()
                .map(|it| right(ids[*it as usize]))
                .collect(),
        }
    };
    let all: Vec<Sample> = queries.iter().map(one).collect();
    let told = |sample: &Sample| sample.right.contains(&true) && sample.right.contains(&false);
    all.into_iter().filter(told).collect()
}

/// The weights under which what is right is likeliest to be first of its list (a softmax over the
/// candidates), by gradient descent with a step for each weight (Adam) and a little pull towards
/// zero. A weight that would change its sign is 0.
fn fit(samples: &[Sample], without: &str) -> Features {
    let negative: Vec<bool> = std::iter::once(false)
        .chain(signals().map(|it| matches!(it, Signal::ForeignName | Signal::OtherLanguage)))
        .collect();
    let mut weights = [0.0; FEATURES];
    weights[0] = 1.0;
    let (mut mean, mut square) = ([0.0; FEATURES], [0.0; FEATURES]);
    let kept: Vec<&Sample> = samples.iter().filter(|it| it.source != without).collect();
    for step in 1..=STEPS {
        let mut gradient = weights.map(|weight| 0.002 * weight);
        for sample in &kept {
            let scores: Vec<f64> = sample
                .candidates
                .iter()
                .map(|it| dot(&weights, it))
                .collect();
            let top = scores.iter().copied().fold(f64::MIN, f64::max);
            let odds: Vec<f64> = scores.iter().map(|score| (score - top).exp()).collect();
            let all: f64 = odds.iter().sum();
            let right = odds
                .iter()
                .zip(&sample.right)
                .filter(|it| *it.1)
                .map(|it| it.0);
            let right: f64 = right.sum::<f64>().max(1e-12);
            for (at, features) in sample.candidates.iter().enumerate() {
                let wanted = if sample.right[at] {
                    odds[at] / right
                } else {
                    0.0
                };
                let off = (odds[at] / all - wanted) / kept.len() as f64;
                for (sum, feature) in gradient.iter_mut().zip(features) {
                    *sum += off * feature;
                }
            }
        }
        let (slow, slower): (f64, f64) = (0.9, 0.999);
        let rate = if step < STEPS / 2 { 0.05 } else { 0.01 };
        for at in 0..FEATURES {
            mean[at] = slow * mean[at] + (1.0 - slow) * gradient[at];
            square[at] = slower * square[at] + (1.0 - slower) * gradient[at].powi(2);
            let count = i32::try_from(step).unwrap_or(i32::MAX);
            let (first, second) = (1.0 - slow.powi(count), 1.0 - slower.powi(count));
            weights[at] -= rate * (mean[at] / first) / ((square[at] / second).sqrt() + 1e-9);
            weights[at] = if negative[at] {
                weights[at].min(0.0)
            } else {
                weights[at].max(0.0)
            };
        }
        weights[0] = weights[0].max(0.01);
    }
    weights
}
