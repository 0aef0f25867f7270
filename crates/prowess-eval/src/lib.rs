//! How well a catalog's skills are found, for authors and teams.
//!
//! ```
//! use prowess::{Catalog, LoadOptions, MemorySource, Source, select::Policy};
//!
//! let source = MemorySource::new("example")
//!     .skill("pdf/SKILL.md", "---\nname: pdf\ndescription: Fills PDF forms.\n---\n");
//! let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
//! let catalog = Catalog::load(&sources, &LoadOptions::default())?;
//! let cases = prowess_eval::read(r#"{"query": "fill in this form", "expect": ["pdf"]}"#, None)?;
//! let report = prowess_eval::evaluate(&catalog, &cases, &Policy::default(), 5, 1);
//! assert_eq!(report.hit1, Some(1.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use case::{Case, Expected, Outcome, Verdict};
pub use read::{ReadError, read, read_requests};
pub use report::{Confusion, Report, SkillReport, evaluate};

// Requests whose right skill is known, and what became of them.
mod case;
pub mod metrics;
mod read;
mod report;

// One catalog against another, and one skill against another.
pub mod drift;
pub mod rivals;

#[cfg(test)]
mod testing;
