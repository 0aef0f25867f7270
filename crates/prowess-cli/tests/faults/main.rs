//! The table of faults, row by row, through the real command: what a person reads of each, that
//! all else still loads, and that it is quick. `docs/FAULTS.md` is the same table in words.
//!
//! Every case lies beside a good skill, which must stay in use. A row shows what `check` finds of
//! the faulty one and what `list` makes of it.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "a test lays out its own files")]

mod bench;
mod bounds;
mod disk;
mod door;
mod endure;
mod served;
mod strace;
mod text;
mod trust;
