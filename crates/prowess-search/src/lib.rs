//! Search over short documents such as skills: entries in, explained matches out.
//!
//! ```
//! use prowess_search::{Entry, Index, Policy, Query, Ranker};
//!
//! let entries = [
//!     Entry { name: "pdf", description: "Fills PDF forms.".into(), ..Entry::default() },
//!     Entry { name: "sql", description: "Reviews SQL queries.".into(), ..Entry::default() },
//! ];
//! let index = Index::build(&entries);
//! let query = Query::new(&index, "fill in this form", Ranker::Lexical);
//! let selection = index.select(&query, &Policy::default(), |_| true);
//! let best = selection.matches[0];
//! assert_eq!(entries[best.document as usize].name, "pdf");
//!
//! let explanation = index.explain(&query, &entries[0]);
//! assert_eq!(explanation.score, best.score);
//! assert!(explanation.words.iter().any(|added| added.word == "fill"));
//! ```
//!
//! An entry is known by its position in the list the index was built from. Nothing here reads a
//! disk, a clock or the environment.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub use explain::{Explainer, Explanation};
pub use index::{Entry, Field, FieldWeights, Index, IndexError};
pub use query::Query;
pub use rank::Hit;
pub use ranker::{Ranker, UnknownRanker};
pub use select::{Decision, Match, Policy, Selection, same_tag};
pub use weights::{Signal, Weights};
pub use words::is_dense;

// Text as words, and words as terms.
mod words;

// Which entries hold which terms, and where.
pub mod index;

// What can be chosen: how to rank, and what each signal weighs.
mod form;
mod ranker;
mod weights;

// From a request to an order, and to a decision.
pub mod confidence;
#[cfg(feature = "embeddings")]
pub mod embed;
mod query;
pub mod rank;
pub mod select;

// Why.
pub mod explain;
