//! Scores the ranker on labelled requests, with the columns of the data's own `score.py`.

mod ablate;
mod background;
mod calibrate;
mod data;
mod fit;
mod floor;
mod metrics;

use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

pub(crate) use data::Data;
use data::Query;
use metrics::Report;
use prowess_search::{self as search, Entry, FieldWeights, Index, Ranker, Weights};

/// Scores the ranker on labelled requests.
#[derive(clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct Args {
    /// The size of the catalogs: `c1000` or `c100`.
    #[arg(long, default_value = "c1000")]
    catalog: String,
    /// Splits the figures by `kind`, `group`, `source`, `lang` or `tag`.
    #[arg(long)]
    by: Option<String>,
    /// `lexical` or `overlap`.
    #[arg(long, default_value = "lexical")]
    ranker: Ranker,
    /// The labelled data; else `data/selection` in `PROWESS_SHARED` or `../shared`.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Fails when a figure is below what was reached before.
    #[arg(long)]
    check: bool,
    /// Fits the confidence and shows how well it holds, with catalogs of 1,000, 100 and 20.
    #[arg(long)]
    calibrate: bool,
    /// Fits the weights of the signals, and shows how they hold without each source.
    #[arg(long)]
    fit: bool,
    /// Writes the table of how rare terms are among real skills at large.
    #[arg(long)]
    background: bool,
    /// Scores each of these settings too, as `pairs=0,cover=1`.
    #[arg(long = "try")]
    tries: Vec<String>,
    /// Turns each idea off in turn, and tells what that costs.
    #[arg(long)]
    ablate: bool,
    /// Chooses every weight without one source, and scores that source; for each source.
    #[arg(long)]
    leave_out: bool,
}

/// An index and the skills in it, for each group of requests.
pub(crate) type Indexes = BTreeMap<String, (Index, Vec<u32>)>;

/// Rankings of every request.
pub(crate) type Rankings = Vec<Vec<(u32, f32)>>;

/// Everything that can be tuned.
#[derive(Clone, Default)]
pub(crate) struct Tuning {
    pub(crate) fields: FieldWeights,
    pub(crate) weights: Weights,
}

impl Tuning {
    /// Reads settings such as `pairs=0,cover=1`; the rest stays as it is.
    pub(crate) fn parse(settings: &str) -> Self {
        let mut tuning = Self::default();
        for pair in settings.split(',').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').expect("NAME=VALUE");
            *tuning.get(key) = value.parse().expect("a number");
        }
        tuning
    }

    pub(crate) fn get(&mut self, key: &str) -> &mut f32 {
        let (head, field) = key.split_once('.').unwrap_or((key, ""));
        let at = ["name", "desc", "not", "tags", "head", "prose", "code"]
            .iter()
            .position(|f| *f == field);
        match (head, at) {
            ("w", Some(at)) => &mut self.fields.weight[at],
            ("b", Some(at)) => &mut self.fields.b[at],
            ("p", Some(at)) => &mut self.fields.pivot[at],
            ("k1", _) => &mut self.fields.k1,
            ("translated", _) => &mut self.fields.translation,
            _ => self
                .weights
                .get_mut(key)
                .unwrap_or_else(|| panic!("no weight named `{key}`")),
        }
    }
}

/// Runs the chore.
pub(crate) fn run(args: &Args) -> ExitCode {
    if args.check {
        return floor::run(|size| Data::load(args.data.clone(), size));
    }
    let Some(data) = Data::load(args.data.clone(), &args.catalog) else {
        println!("note: the labelled data is not here; set PROWESS_SHARED or pass --data");
        return ExitCode::SUCCESS;
    };
    if args.background {
        background::run(&data);
        return ExitCode::SUCCESS;
    }
    if args.calibrate {
        let sets: Vec<_> = ["c1000", "c100"]
            .iter()
            .filter_map(|size| Data::load(args.data.clone(), size))
            .chain(Data::load(args.data.clone(), "c100").map(Data::in_twenties))
            .map(|data| {
                let indexes = build(&data, &FieldWeights::default());
                (data, indexes)
            })
            .collect();
        let sets: Vec<_> = sets.iter().map(|(data, indexes)| (data, indexes)).collect();
        calibrate::run(&sets, args.ranker);
        return ExitCode::SUCCESS;
    }
    if args.fit {
        fit::run(&data, &build(&data, &FieldWeights::default()));
        return ExitCode::SUCCESS;
    }
    if args.ablate {
        ablate::run(&data);
        return ExitCode::SUCCESS;
    }
    if args.leave_out {
        ablate::leave_out(&data);
        return ExitCode::SUCCESS;
    }
    println!("{}", Report::HEAD);
    for tried in std::iter::once("").chain(args.tries.iter().map(String::as_str)) {
        let tuning = Tuning::parse(tried);
        let indexes = build(&data, &tuning.fields);
        let rankings = rank_all(&data, &indexes, args.ranker, &tuning.weights);
        println!("{} {tried}", Report::of(&data, &rankings, |_| true).line());
        for (key, report) in args
            .by
            .iter()
            .flat_map(|by| metrics::by(&data, &rankings, by))
        {
            println!("  {key:40} {}", report.short());
        }
    }
    ExitCode::SUCCESS
}

pub(crate) fn entry(skill: &data::Skill) -> Entry<'_> {
    Entry {
        name: &skill.name,
        description: (&*skill.description).into(),
        tags: skill.tags.iter().map(String::as_str).collect(),
        body: &skill.body,
    }
}

pub(crate) fn build(data: &Data, fields: &FieldWeights) -> Indexes {
    data.catalogs
        .iter()
        .map(|(group, ids)| {
            let entries: Vec<Entry<'_>> = ids
                .iter()
                .map(|id| entry(&data.skills[*id as usize]))
                .collect();
            (
                group.clone(),
                (Index::build_with(&entries, fields.clone(), 2), ids.clone()),
            )
        })
        .collect()
}

pub(crate) fn rank_all(
    data: &Data,
    indexes: &Indexes,
    ranker: Ranker,
    weights: &Weights,
) -> Rankings {
    let one = |query: &Query| {
        let (index, ids) = &indexes[&query.group];
        let limit = if data.size == "c100" { 100 } else { 20 };
        let asked = match ranker {
            Ranker::Lexical => search::Query::weighted(index, &query.text, weights.clone()),
            Ranker::Overlap => search::Query::new(index, &query.text, ranker),
        };
        let found = index.rank(&asked, 0.0, limit, |_| true);
        found
            .into_iter()
            .map(|scored| (ids[scored.document as usize], scored.score))
            .collect()
    };
    let (left, right) = data.queries.split_at(data.queries.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| right.iter().map(one).collect::<Vec<_>>());
        let mut all: Rankings = left.iter().map(one).collect();
        all.extend(other.join().expect("ranking does not panic"));
        all
    })
}
