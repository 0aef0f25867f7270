//! Fits what the evidence for a request's matches says about which of them is right.

use std::collections::BTreeSet;

use prowess_search::{
    Query, Ranker,
    confidence::{CONFIDENT, Evidence, RELEVANT},
};

use super::{Indexes, data::Data};

/// Constant, strength, behind and metadata.
const FEATURES: usize = 4;

type Features = [f64; FEATURES];

/// A request whose right matches are known.
struct Sample {
    source: String,
    size: String,
    off_topic: bool,
    matches: Vec<Features>,
    right: Vec<bool>,
    /// The confidence in the first match, with weights that do not know its source.
    held: f64,
    /// The same with weights that know every source.
    fitted: f64,
}

/// Matches looked at for each request.
const DEPTH: usize = 5;

/// Fits on every source and prints the weights; then on all sources but one, for each one, and
/// prints how the confidence in the one left out holds.
pub(crate) fn run(all: &[(&Data, &Indexes)], ranker: Ranker) {
    let mut samples: Vec<Sample> = all
        .iter()
        .flat_map(|(data, indexes)| samples(data, indexes, ranker))
        .collect();
    let weights = fit(&samples, |_| true);
    println!("constant, strength, behind, metadata: {weights:.2?}");
    for sample in &mut samples {
        sample.fitted = chances(&weights, &sample.matches)[0];
    }
    let sources: BTreeSet<String> = samples.iter().map(|sample| sample.source.clone()).collect();
    for source in &sources {
        let weights = fit(&samples, |sample| sample.source != *source);
        for sample in samples.iter_mut().filter(|sample| sample.source == *source) {
            sample.held = chances(&weights, &sample.matches)[0];
        }
    }
    let sizes = all.iter().map(|(data, _)| &*data.size);
    for size in std::iter::once("").chain(sizes) {
        let kept: Vec<&Sample> = samples
            .iter()
            .filter(|sample| size.is_empty() || sample.size == size)
            .collect();
        println!("{}", if size.is_empty() { "all" } else { size });
        reliability(&kept);
        costs(&kept);
    }
}

/// Prints what was said of first matches, each source left out once, beside what was right.
fn reliability(samples: &[&Sample]) {
    println!("confidence   matches   said  right");
    let mut error = 0.0;
    for tenth in 0..10 {
        let (low, high) = (f64::from(tenth) / 10.0, f64::from(tenth + 1) / 10.0);
        let inside = || {
            let inside = move |sample: &&&Sample| sample.held >= low && sample.held < high;
            samples.iter().filter(inside)
        };
        let count = inside().count();
        let mean = |sum: f64| sum / count.max(1) as f64;
        let said = mean(inside().map(|sample| sample.held).sum());
        let right = mean(inside().filter(|sample| sample.right[0]).count() as f64);
        error += count as f64 * (said - right).abs();
        println!("{low:.1} to {high:.1} {count:10} {said:6.2} {right:6.2}");
    }
    println!("mean error {:.3}", error / samples.len().max(1) as f64);
}

/// Prints what the thresholds cost: how many off-topic requests get an answer, and how many whose
/// right skill is on top get none. Off-topic requests have sources of their own, so that weights
/// which do not know a source know fewer of them: these figures are with all sources.
fn costs(samples: &[&Sample]) {
    let share = |of: &dyn Fn(&Sample) -> bool, inside: &dyn Fn(f64) -> bool| {
        let (mut all, mut hit) = (0, 0);
        for sample in samples.iter().filter(|sample| of(sample)) {
            all += 1;
            hit += usize::from(inside(sample.fitted));
        }
        hit as f64 / f64::from(all.max(1))
    };
    let confident = f64::from(CONFIDENT);
    let off = |sample: &Sample| sample.off_topic;
    let right = |sample: &Sample| sample.right[0];
    println!(
        "off-topic: confident {:.3}; right on top: confident {:.3}",
        share(&off, &|said| said >= confident),
        share(&right, &|said| said >= confident),
    );
    for step in -2..=3 {
        let relevant = f64::from(RELEVANT) + f64::from(step) * 0.02;
        println!(
            "  none below {relevant:.2}: off-topic ambiguous {:.3}; right on top none {:.3}",
            share(&off, &|said| (relevant..confident).contains(&said)),
            share(&right, &|said| said < relevant),
        );
    }
}

fn samples(data: &Data, indexes: &Indexes, ranker: Ranker) -> Vec<Sample> {
    let mut samples = Vec::new();
    for query in &data.queries {
        // What is right for a near miss is not known, only what is wrong; and longer tails of
        // made requests would count natural ones twice.
        let asked = query.is_natural() || matches!(&*query.kind, "offtopic" | "ooc" | "typo");
        if !asked {
            continue;
        }
        let (index, ids) = &indexes[&query.group];
        let least = match ranker {
            Ranker::Lexical => 0.0,
            Ranker::Overlap => 1.0,
        };
        let asked = Query::new(index, &query.text, ranker);
        let found = index.rank(&asked, least, DEPTH, |_| true);
        if found.is_empty() {
            continue;
        }
        let right = |id: u32| query.gold.iter().any(|class| class.contains(&id));
        samples.push(Sample {
            source: query.source().to_owned(),
            size: data.size.clone(),
            off_topic: query.kind == "offtopic",
            matches: Evidence::of(&found, index.len())
                .iter()
                .map(|it| [1.0, it.strength, it.behind, it.metadata].map(f64::from))
                .collect(),
            right: found
                .iter()
                .map(|scored| right(ids[scored.document as usize]))
                .collect(),
            held: 0.0,
            fitted: 0.0,
        });
    }
    samples
}

/// The chance of each match to be right, shared with the chance that none is.
fn chances(weights: &Features, matches: &[Features]) -> Vec<f64> {
    let odds: Vec<f64> = matches
        .iter()
        .map(|features| {
            let sum: f64 = weights.iter().zip(features).map(|(w, f)| w * f).sum();
            sum.min(40.0).exp()
        })
        .collect();
    let shared = 1.0 + odds.iter().sum::<f64>();
    odds.iter().map(|odds| odds / shared).collect()
}

/// Finds the weights under which what was right is likeliest, by Newton's steps, with a little
/// pull towards zero.
fn fit(samples: &[Sample], keep: impl Fn(&Sample) -> bool) -> Features {
    let mut weights = [0.0; FEATURES];
    for _ in 0..12 {
        let mut gradient = weights.map(|weight| 0.01 * weight);
        let mut curve = [[0.0; FEATURES]; FEATURES];
        for (at, row) in curve.iter_mut().enumerate() {
            row[at] = 0.01;
        }
        for sample in samples.iter().filter(|sample| keep(sample)) {
            let said = chances(&weights, &sample.matches);
            // Where several are right they share being so as they share the chance.
            let right = said.iter().zip(&sample.right);
            let right: f64 = right
                .filter(|(_, right)| **right)
                .map(|(said, _)| said)
                .sum();
            let mean: Features = std::array::from_fn(|at| {
                let parts = said.iter().zip(&sample.matches);
                parts.map(|(said, features)| said * features[at]).sum()
            });
            for (said, (features, is_right)) in
                said.iter().zip(sample.matches.iter().zip(&sample.right))
            {
                let off = if *is_right {
                    said - said / right
                } else {
                    *said
                };
                for at in 0..FEATURES {
                    gradient[at] += off * features[at];
                    for (other, cell) in curve[at].iter_mut().enumerate() {
                        *cell += said * features[at] * (features[other] - mean[other]);
                    }
                }
            }
        }
        let step = solve(curve, gradient);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight -= step;
        }
    }
    weights
}

/// Solves so many equations by elimination.
fn solve(mut left: [Features; FEATURES], mut right: Features) -> Features {
    for at in 0..FEATURES {
        for other in 0..FEATURES {
            if other != at {
                let factor = left[other][at] / left[at][at];
                let pivot = left[at];
                for (cell, pivot) in left[other].iter_mut().zip(pivot) {
                    *cell -= factor * pivot;
                }
                right[other] -= factor * right[at];
            }
        }
    }
    std::array::from_fn(|at| right[at] / left[at][at])
}
