//! A host's model, and the vectors it gave for skills so far.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use prowess_search::{
    Entry,
    embed::{Embedder, VectorStore, Vectors},
};

/// A model whose vectors count beside the words, for every snapshot of a catalog.
///
/// Vectors are kept by the content hash of the text they stand for: a changed skill is given to
/// the model again and no other, and vectors of one snapshot cannot choose on the next.
///
/// ```
/// use std::sync::Arc;
/// use prowess::{
///     Catalog, LoadOptions, Meaning, MemorySource, Source, embed::StaticModel, select::Policy,
/// };
///
/// let model = StaticModel::read("mend 1 0\nfixes 1 0\nsql 0 1\n".as_bytes())?;
/// let source = MemorySource::new("example")
///     .skill("bike/SKILL.md", "---\nname: bike\ndescription: Fixes bikes.\n---\n")
///     .skill("sql/SKILL.md", "---\nname: sql\ndescription: Reviews SQL.\n---\n");
/// let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
/// let options = LoadOptions {
///     meaning: Some(Arc::new(Meaning::new(model))),
///     ..LoadOptions::default()
/// };
/// let catalog = Catalog::load(&sources, &options)?;
/// let selection = catalog.select("mend it", &Policy::default());
/// assert_eq!(selection.matches[0].skill().name(), "bike");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Meaning {
    embedder: Box<dyn Embedder>,
    store: Mutex<VectorStore>,
}

impl Meaning {
    /// Takes a model.
    pub fn new(embedder: impl Embedder + 'static) -> Self {
        Self {
            embedder: Box::new(embedder),
            store: Mutex::default(),
        }
    }

    /// How many texts of skills it has vectors for.
    pub fn texts(&self) -> usize {
        self.store
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    pub(crate) fn embedder(&self) -> &dyn Embedder {
        &*self.embedder
    }

    /// The vectors of these skills; the model is asked for what is new.
    pub(crate) fn vectors(&self, entries: &[Entry<'_>]) -> Vectors {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store.follow(entries, &*self.embedder)
    }
}

impl fmt::Debug for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meaning")
            .field("texts", &self.texts())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::{Catalog, LoadOptions, MemorySource, Source, select::Policy};

    /// Knows two meanings, and writes down what it was asked for.
    #[derive(Clone, Default)]
    struct Model(Arc<Mutex<Vec<String>>>);

    impl Embedder for Model {
        fn embed(&self, text: &str) -> Option<Vec<f32>> {
            let name = text.lines().next().unwrap_or_default();
            self.0.lock().unwrap().push(name.to_owned());
            let has = |words: [&str; 2]| f32::from(words.iter().any(|word| text.contains(word)));
            Some(vec![has(["mend", "bicycle"]), has(["brew", "kettle"])])
        }
    }

    fn load(skills: &[(&str, &str)], meaning: &Arc<Meaning>) -> Catalog {
        let mut source = MemorySource::new("test");
        for (name, description) in skills {
            let text = format!("---\nname: {name}\ndescription: {description}\n---\n");
            source = source.skill(format!("{name}/SKILL.md"), text);
        }
        let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
        let options = LoadOptions {
            meaning: Some(Arc::clone(meaning)),
            ..LoadOptions::default()
        };
        Catalog::load(&sources, &options).unwrap()
    }

    fn first(catalog: &Catalog, query: &str) -> String {
        let selection = catalog.select(query, &Policy::default());
        let found = selection.matches.first();
        found.map_or_else(String::new, |found| found.skill().name().to_owned())
    }

    #[test]
    fn vectors_follow_the_skills_of_each_snapshot() {
        let model = Model::default();
        let meaning = Arc::new(Meaning::new(model.clone()));
        let asked = || std::mem::take(&mut *model.0.lock().unwrap());
        let before = load(
            &[("bike", "Wheels, a bicycle."), ("tea", "A kettle.")],
            &meaning,
        );
        assert_eq!(first(&before, "mend"), "bike");
        assert_eq!(asked(), ["bike", "tea", "mend"]);

        // A skill comes first and moves the others, and one changes: only those two are asked for.
        let after = load(
            &[
                ("anchor", "Holds a ship."),
                ("bike", "Wheels, a bicycle."),
                ("tea", "A pot, a kettle."),
            ],
            &meaning,
        );
        assert_eq!(first(&after, "mend"), "bike");
        assert_eq!(asked(), ["anchor", "tea", "mend"]);
        assert_eq!(first(&after, "brew"), "tea");
        // The snapshot from before still answers with its own skills.
        assert_eq!(first(&before, "brew"), "tea");
        assert_eq!(asked(), ["brew", "brew"]);
    }
}
