//! Fits what a match's evidence says about its being right.

use std::collections::BTreeSet;

use prowess::{
    confidence::Evidence,
    rank::{Ranker, Weights, lexical, overlap},
};

use super::{Indexes, data::Data};

/// A match whose being right is known.
struct Sample {
    source: String,
    first: bool,
    features: [f64; 4],
    right: bool,
    held: f64,
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
    println!("constant, strength, share, lead: {weights:.2?}");
    let sources: BTreeSet<String> = samples.iter().map(|sample| sample.source.clone()).collect();
    for source in &sources {
        let weights = fit(&samples, |sample| sample.source != *source);
        for sample in samples.iter_mut().filter(|sample| sample.source == *source) {
            sample.held = chance(&weights, &sample.features);
        }
    }
    println!("confidence   matches   said  right   first matches   said  right");
    let held: Vec<(f64, &Sample)> = samples.iter().map(|sample| (sample.held, sample)).collect();
    let mut error = 0.0;
    for tenth in 0..10 {
        let (low, high) = (f64::from(tenth) / 10.0, f64::from(tenth + 1) / 10.0);
        let inside = |first: bool| {
            let inside: Vec<_> = held
                .iter()
                .filter(|(said, sample)| *said >= low && *said < high && (sample.first || !first))
                .collect();
            let count = inside.len().max(1) as f64;
            let said = inside.iter().map(|(said, _)| said).sum::<f64>() / count;
            let right = inside.iter().filter(|(_, sample)| sample.right).count() as f64 / count;
            (inside.len(), said, right)
        };
        let ((n, said, right), (n1, said1, right1)) = (inside(false), inside(true));
        error += n1 as f64 * (said1 - right1).abs();
        println!(
            "{low:.1} to {high:.1} {n:10} {said:6.2} {right:6.2} {n1:15} {said1:6.2} {right1:6.2}"
        );
    }
    let firsts = held
        .iter()
        .filter(|(_, sample)| sample.first)
        .count()
        .max(1);
    println!(
        "mean error of first matches, each source left out once: {:.3}",
        error / firsts as f64
    );
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
        let (found, ideal) = match ranker {
            Ranker::Lexical => {
                lexical::rank_and_ideal(index, &query.text, &Weights::default(), DEPTH, |_| true)
            }
            Ranker::Overlap => (
                overlap::rank(index, &query.text, 1.0, DEPTH, false, |_| true),
                0.0,
            ),
        };
        for (rank, (scored, evidence)) in found
            .iter()
            .zip(Evidence::of(&found, ideal, index.len()))
            .enumerate()
        {
            let id = ids[scored.document as usize];
            samples.push(Sample {
                source: query.source().to_owned(),
                first: rank == 0,
                features: [
                    1.0,
                    f64::from(evidence.strength),
                    f64::from(evidence.share),
                    f64::from(evidence.lead),
                ],
                right: query.gold.iter().any(|class| class.contains(&id)),
                held: 0.0,
            });
        }
    }
    samples
}

fn chance(weights: &[f64; 4], features: &[f64; 4]) -> f64 {
    let sum: f64 = weights
        .iter()
        .zip(features)
        .map(|(weight, feature)| weight * feature)
        .sum();
    1.0 / (1.0 + (-sum).exp())
}

/// Logistic regression by Newton's steps, with a little pull towards zero.
fn fit(samples: &[Sample], keep: impl Fn(&Sample) -> bool) -> [f64; 4] {
    let mut weights = [0.0; 4];
    for _ in 0..20 {
        let mut gradient = weights.map(|weight| 0.01 * weight);
        let mut curve = [[0.0; 4]; 4];
        for (at, row) in curve.iter_mut().enumerate() {
            row[at] = 0.01;
        }
        for sample in samples.iter().filter(|sample| keep(sample)) {
            let said = chance(&weights, &sample.features);
            let off = said - f64::from(u8::from(sample.right));
            for (at, row) in curve.iter_mut().enumerate() {
                gradient[at] += off * sample.features[at];
                for (cell, feature) in row.iter_mut().zip(&sample.features) {
                    *cell += said * (1.0 - said) * sample.features[at] * feature;
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

/// Solves four equations by elimination.
fn solve(mut left: [[f64; 4]; 4], mut right: [f64; 4]) -> [f64; 4] {
    for at in 0..4 {
        for other in 0..4 {
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
