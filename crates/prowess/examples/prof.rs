//! scratch
use prowess::{
    Catalog, LoadOptions, Source,
    index::{Entry, FieldWeights, Index},
};
use std::time::Instant;
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    s.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e6
}
fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let rounds: usize = std::env::args().nth(2).map_or(5, |it| it.parse().unwrap());
    let t = Instant::now();
    let origin = prowess::DiskSource::new(&dir);
    let sources: Vec<Box<dyn Source>> = vec![Box::new(origin)];
    let options = LoadOptions {
        threads: std::num::NonZeroUsize::new(1),
        ..LoadOptions::default()
    };
    let catalog = Catalog::load(&sources, &options).unwrap();
    println!(
        "cpu {:.0} load {:?} skills {}",
        cpu(),
        t.elapsed(),
        catalog.skills().len()
    );
    let bodies: Vec<(String, String, String)> = catalog
        .skills()
        .iter()
        .map(|s| {
            (
                s.name().to_string(),
                s.description().to_string(),
                s.instructions().to_string(),
            )
        })
        .collect();
    let bytes: usize = bodies
        .iter()
        .map(|b| b.0.len() + b.1.len() + b.2.len())
        .sum();
    let entries: Vec<Entry<'_>> = bodies
        .iter()
        .map(|b| Entry {
            name: &b.0,
            description: &b.1,
            tags: vec![],
            body: &b.2,
        })
        .collect();
    println!("bytes {bytes}");
    for _ in 0..rounds {
        let c0 = cpu();
        let t = Instant::now();
        let index = Index::build_with(&entries, FieldWeights::default(), 1);
        let a = t.elapsed();
        let c1 = cpu() - c0;
        let t = Instant::now();
        let b = index.to_bytes();
        let c = t.elapsed();
        let t = Instant::now();
        let _again = Index::from_bytes(&b).unwrap();
        println!(
            "cpu {c1:.0} build {a:?} memory {} to_bytes {c:?} {} from_bytes {:?}",
            index.memory(),
            b.len(),
            t.elapsed()
        );
    }
}
