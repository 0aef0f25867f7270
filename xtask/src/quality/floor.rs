//! Holds the ranker to what it has reached, so that a change cannot lose it unseen.

use std::process::ExitCode;

use super::{Tuning, build, data::Data, metrics::Report, rank_all};
use prowess_search::Ranker;

/// A figure that may not fall below a value: the size of catalog, its name, how to read it.
type Floor = (&'static str, &'static str, fn(&Report) -> f64, f64);

/// A little below what is reached, so that only a real loss fails.
const FLOORS: [Floor; 9] = [
    ("c1000", "hit@1", |it| it.hit1, 0.755),
    ("c1000", "recall@10", |it| it.recall10, 0.925),
    ("c1000", "off-topic AUROC", |it| it.off, 0.960),
    ("c1000", "fire@5", |it| it.fire5, 0.680),
    ("c1000", "typo", |it| it.typo, 0.70),
    ("c1000", "pasted context", |it| it.pasted, 0.50),
    ("c1000", "non-English", |it| it.foreign, 0.745),
    ("c100", "hit@1", |it| it.hit1, 0.80),
    ("c100", "recall@10", |it| it.recall10, 0.965),
];

/// Fails when a figure is below its floor.
pub(crate) fn run(data: impl Fn(&str) -> Option<Data>) -> ExitCode {
    let tuning = Tuning::default();
    let mut failed = false;
    for size in ["c1000", "c100"] {
        let Some(data) = data(size) else {
            println!("note: the labelled data is not here, so nothing was checked");
            return ExitCode::SUCCESS;
        };
        let indexes = build(&data, &tuning.fields);
        let rankings = rank_all(&data, &indexes, Ranker::Lexical, &tuning.weights);
        let report = Report::of(&data, &rankings, |_| true);
        for (_, name, figure, floor) in FLOORS.iter().filter(|(of, ..)| *of == size) {
            let reached = figure(&report);
            let mark = if reached >= *floor { "ok" } else { "LOST" };
            failed |= reached < *floor;
            println!("{size} {name:16} {reached:.3}, floor {floor:.3}: {mark}");
        }
    }
    ExitCode::from(u8::from(failed))
}
