//! Small catalogs for tests.

use crate::{
    catalog::{Catalog, LoadOptions},
    select::{Policy, Ranker},
    source::{Source, memory::MemorySource},
};

/// A catalog of skills, each told as its name, the rest of its frontmatter, and its body.
pub(crate) fn catalog(skills: &[(&str, &str, &str)]) -> Catalog {
    let mut source = MemorySource::new("test");
    for (name, fields, body) in skills {
        source = source.skill(
            format!("{name}/SKILL.md"),
            format!("---\nname: {name}\n{fields}---\n{body}\n"),
        );
    }
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    Catalog::load(&sources, &LoadOptions::default()).expect("the lenient profile always loads")
}

/// The policy with the plain formula, whose scores can be worked out by hand.
pub(crate) fn overlap() -> Policy {
    Policy {
        ranker: Ranker::Overlap,
        ..Policy::default()
    }
}
