//! How much a reader takes in before it stops and says so.

/// The largest frontmatter that is read: p99 of real files is 1.2 KB.
pub const FRONTMATTER_BYTES: usize = 64 * 1024;

/// The most values in a frontmatter; real files have a few dozen.
pub const NODES: usize = 10_000;

/// The deepest nesting; real files reach 6. It also bounds recursion over values.
pub const DEPTH: usize = 32;

/// The most aliases that are followed; no real file has one.
pub const ALIASES: usize = 64;
