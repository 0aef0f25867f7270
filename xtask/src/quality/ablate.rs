//! What each idea is worth, and whether the weights hold for sources they were not chosen on.

use std::collections::BTreeMap;

use prowess_search::Ranker;

use super::{
    Tuning, build,
    data::Data,
    metrics::{Report, hits},
    rank_all,
};

/// Ideas, and the setting that turns each off.
const IDEAS: &[(&str, &str)] = &[
    ("nothing left out", ""),
    ("no name coverage", "name=0"),
    ("no word pairs", "pairs=0"),
    ("no presence share", "cover=0"),
    ("no body pairs", "body-pairs=0"),
    ("no background cover", "background-cover=0"),
    ("no words hit", "words-hit=0"),
    ("no quoted trigger", "quoted-trigger=0"),
    ("no whole name", "whole-name=0"),
    ("no foreign name word", "foreign-name=0"),
    ("no language", "language=0"),
    ("no other language", "other-language=0"),
    ("no form of the request", "form=0"),
    ("no typo tolerance", "fuzzy=0"),
    ("no joined words", "join=0"),
    ("no split words", "split=0"),
    ("no translation", "translation=0,translated=0"),
    ("foreign words count in full", "foreign=1"),
    ("no parts of compounds", "part=0"),
    ("no numbers", "number=0"),
    ("whole long requests", "long_middle=1"),
    ("fenced blocks as the rest", "fenced=1"),
    ("length of request ignored", "root=0"),
    ("square root of length", "root=0.5"),
    ("instructions ignored", "w.head=0,w.prose=0,w.code=0"),
    ("not-for as description", "w.not=3.5"),
    (
        "all fields alike",
        "w.name=1,w.desc=1,w.not=1,w.tags=1,w.head=1,w.prose=1,w.code=1",
    ),
];

/// Prints the figures with each idea turned off, and for how many sources it helps or hurts.
pub(crate) fn run(data: &Data) {
    println!("{} helps hurts", Report::HEAD);
    let mut full: Option<BTreeMap<String, f64>> = None;
    for (name, settings) in IDEAS {
        let rankings = ranked(data, settings);
        let own = by_source(&hits(data, &rankings));
        let full = full.get_or_insert_with(|| own.clone());
        let helps = full
            .iter()
            .filter(|(source, hit)| **hit > own[*source])
            .count();
        let hurts = full
            .iter()
            .filter(|(source, hit)| **hit < own[*source])
            .count();
        println!(
            "{} {helps:5} {hurts:5}  {name}",
            Report::of(data, &rankings, |_| true).line()
        );
    }
}

fn ranked(data: &Data, settings: &str) -> super::Rankings {
    let tuning = Tuning::parse(settings);
    let indexes = build(data, &tuning.fields);
    rank_all(data, &indexes, Ranker::Lexical, &tuning.weights)
}

fn by_source(hits: &[(&str, f64)]) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for (source, hit) in hits {
        *sums.entry((*source).to_owned()).or_default() += hit;
    }
    sums
}

/// Weights that are tried at less and at more than they are.
const TRIED: &[&str] = &[
    "name", "pairs", "cover", "join", "part", "root", "k1", "w.name", "w.desc", "w.prose", "w.head",
];

/// For each source, takes the setting that is best on all others and scores it on that source.
pub(crate) fn leave_out(data: &Data) {
    let mut settings = vec![String::new()];
    for key in TRIED {
        for factor in [0.6, 1.6] {
            let value = *Tuning::default().get(key) * factor;
            settings.push(format!("{key}={value:.2}"));
        }
    }
    let tried: Vec<Vec<(&str, f64)>> = settings
        .iter()
        .map(|setting| hits(data, &ranked(data, setting)))
        .collect();
    let sources: Vec<String> = by_source(&tried[0]).into_keys().collect();
    let rate = |setting: usize, keep: &dyn Fn(&str) -> bool| {
        let kept: Vec<f64> = tried[setting]
            .iter()
            .filter(|(source, _)| keep(source))
            .map(|(_, hit)| *hit)
            .collect();
        (kept.iter().sum::<f64>(), kept.len())
    };
    let (mut chosen_hits, mut chosen) = (0.0, BTreeMap::<usize, usize>::new());
    for source in &sources {
        let best = (0..settings.len())
            .max_by(|l, r| {
                let others = |setting: usize| rate(setting, &|other| other != source).0;
                others(*l).total_cmp(&others(*r)).then(r.cmp(l))
            })
            .unwrap_or(0);
        *chosen.entry(best).or_default() += 1;
        chosen_hits += rate(best, &|other| other == source).0;
    }
    let (all, count) = rate(0, &|_| true);
    println!(
        "hit@1 with the weights as they are:              {:.3}",
        all / count as f64
    );
    println!(
        "hit@1 with weights chosen without the source:    {:.3}",
        chosen_hits / count as f64
    );
    for (setting, name) in settings.iter().enumerate() {
        let rate = rate(setting, &|_| true).0 / count as f64;
        println!(
            "  {name:24} hit@1 {rate:.3}, chosen {} times",
            chosen.get(&setting).unwrap_or(&0)
        );
    }
}
