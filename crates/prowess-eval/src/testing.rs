//! A catalog from a few lines.

use prowess::{Catalog, LoadOptions, MemorySource, Source};

/// A catalog of skills that have a name and a description.
pub(crate) fn catalog(skills: &[(&str, &str)]) -> Catalog {
    let source = skills
        .iter()
        .fold(MemorySource::new("test"), |source, (name, description)| {
            let text = format!("---\nname: {name}\ndescription: {description:?}\n---\n");
            source.skill(format!("{name}/SKILL.md"), text)
        });
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    Catalog::load(&sources, &LoadOptions::default()).unwrap()
}
