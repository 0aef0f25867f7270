//! One measurement of one library in a process of its own; it prints its cost as a line of JSON.
//!
//! `cargo xtask bench` builds and starts this program, once for each measurement. `DIR` holds the
//! skills (or is a catalog file, `.jsonl`), `ROOT` holds a `.skills` that does, and `QUERIES` has one
//! request a line. The crates of other people are behind the features `peers` and `tantivy`, which
//! are on by default.

#![expect(
    clippy::disallowed_methods,
    reason = "a program that only measures may open files itself"
)]

mod measure;
mod ours;
#[cfg(feature = "peers")]
mod theirs;
#[cfg(feature = "tantivy")]
mod text_search;

use std::error::Error;

use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    println!("{}", measured(&arguments)?);
    Ok(())
}

fn measured(arguments: &[&str]) -> Result<Value, Box<dyn Error>> {
    Ok(match *arguments {
        ["floor", dir, threads] => json!(ours::floor(dir, threads.parse()?)?),
        ["load", dir, threads] => json!(ours::load(dir, threads.parse()?)),
        ["load-plain", dir] => json!(ours::load_plain(dir)),
        ["index", dir] => ours::index(dir),
        ["select", dir, ranker, queries, repeats] => {
            json!(ours::select(dir, ranker, queries, repeats.parse()?)?)
        }
        ["count", dir, ranker, query] => json!(ours::count(dir, ranker, query)?),
        ["stamps", dir] => json!(ours::stamps(dir)?),
        ["start", dir] => json!(ours::start(dir, None, false)),
        ["start", dir, "search"] => json!(ours::start(dir, None, true)),
        ["start", dir, "cache", folder] => json!(ours::start(dir, Some(folder), false)),
        ["start", dir, "cache", folder, "search"] => {
            json!(ours::start(dir, Some(folder), true))
        }
        #[cfg(feature = "peers")]
        ["adk-load", root] => json!(theirs::adk_load(root)),
        #[cfg(feature = "peers")]
        ["phi-load", root] => json!(theirs::phi_load(root)),
        #[cfg(feature = "peers")]
        ["agent-skills-load", root] => json!(theirs::agent_skills_load(root)),
        #[cfg(feature = "peers")]
        ["adk-select", root, queries, repeats] => {
            json!(theirs::adk_select(root, queries, repeats.parse()?)?)
        }
        #[cfg(feature = "tantivy")]
        ["tantivy-select", dir, queries, repeats] => {
            json!(text_search::select(dir, queries, repeats.parse()?)?)
        }
        _ => return Err(format!("nothing here is measured as {arguments:?}").into()),
    })
}
