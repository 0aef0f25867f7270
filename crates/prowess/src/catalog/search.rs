//! The catalog as something to search: its index, made on first use.

use std::borrow::Cow;

use prowess_search::{Entry, FieldWeights, Index, Query};

use super::Catalog;
use crate::{
    observe,
    pool::spread,
    select::{Policy, Selection},
    skill::{Skill, State},
    source::Layout,
};

/// An index over the skills that answer to their name, and where each stands in the catalog.
#[derive(Debug, Clone)]
pub(super) struct Search {
    pub(super) index: Index,
    pub(super) positions: Vec<u32>,
}

impl Catalog {
    /// Ranks the skills a model may be told about by how well they answer a request.
    ///
    /// ```
    /// use prowess::{Catalog, LoadOptions, MemorySource, Source, select::Policy};
    ///
    /// let source = MemorySource::new("example")
    ///     .skill("pdf/SKILL.md", "---\nname: pdf\ndescription: Fills PDF forms.\n---\n")
    ///     .skill("sql/SKILL.md", "---\nname: sql\ndescription: Reviews SQL queries.\n---\n");
    /// let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    /// let catalog = Catalog::load(&sources, &LoadOptions::default())?;
    /// let selection = catalog.select("fill in this form", &Policy::default());
    /// assert_eq!(selection.matches[0].skill().name(), "pdf");
    /// # Ok::<(), prowess::LoadError>(())
    /// ```
    pub fn select(&self, query: &str, policy: &Policy) -> Selection<'_> {
        let span = observe::select().entered();
        let index = self.index();
        let read = Query::new(index, query, policy.ranker);
        let found = self.found(query, &read, policy);
        let selection = Selection::new(found, index, read, |document| self.skill(document));
        observe::selected(&span, &selection);
        selection
    }

    /// By words, and by a model where the catalog has one.
    #[cfg_attr(
        not(feature = "embeddings"),
        expect(unused_variables, reason = "words are read already")
    )]
    fn found(&self, query: &str, read: &Query, policy: &Policy) -> prowess_search::Selection {
        let index = self.index();
        let allow = |document| self.admits(document, policy);
        #[cfg(feature = "embeddings")]
        if let Some(meaning) = &self.meaning {
            let vectors = self.vectors.get_or_init(|| {
                let skills = (0..index.len() as u32).map(|document| self.skill(document));
                let entries: Vec<Entry<'_>> = skills.map(Skill::entry).collect();
                meaning.vectors(&entries)
            });
            return vectors.select(index, query, policy, meaning.embedder(), allow);
        }
        index.select(read, policy, allow)
    }

    /// Answers many requests, on so many threads and in their order.
    pub fn select_all(
        &self,
        queries: &[&str],
        policy: &Policy,
        threads: usize,
    ) -> Vec<Selection<'_>> {
        // The index is made before the threads start, so that none waits for another.
        self.prepare();
        spread(queries, threads, |query| self.select(query, policy))
    }

    /// Makes the index now, for which the first request would wait.
    pub fn prepare(&self) {
        self.index();
    }

    /// The bytes its index keeps in memory, beside the skills; makes the index.
    pub fn index_memory(&self) -> usize {
        self.index().memory()
    }

    /// Whether the policy lets a skill be chosen.
    pub(crate) fn admits(&self, document: u32, policy: &Policy) -> bool {
        let skill = self.skill(document);
        let tagged = !policy.include_tags.is_empty() || !policy.exclude_tags.is_empty();
        (policy.include_manual || skill.is_model_visible() || self.is_namesake(skill))
            && (!tagged || policy.admits(&skill.tags()))
    }

    /// The index over every skill that answers to its name.
    pub(crate) fn index(&self) -> &Index {
        &self.search().index
    }

    /// The skill at this position of the index.
    pub(crate) fn skill(&self, document: u32) -> &Skill {
        &self.skills[self.search().positions[document as usize] as usize]
    }

    /// The position of a skill in the index; `None` for one that does not answer to its name.
    pub(crate) fn document(&self, skill: &Skill) -> Option<u32> {
        let positions = &self.search().positions;
        let found = positions.binary_search_by(|&at| {
            let other = &self.skills[at as usize];
            (other.name(), other.path()).cmp(&(skill.name(), skill.path()))
        });
        found.ok().map(|document| document as u32)
    }

    /// Whether a record only shares its name with another of the same catalog file. There the id
    /// tells them apart, so each can be the right one.
    fn is_namesake(&self, skill: &Skill) -> bool {
        match skill.state() {
            State::Shadowed { by } => {
                skill.layout() == Layout::Record && self.skills[by].source == skill.source
            }
            _ => false,
        }
    }

    /// The places of the skills that can be found.
    pub(super) fn searchable(&self) -> Vec<u32> {
        (0..self.skills.len() as u32)
            .filter(|&at| {
                let skill = &self.skills[at as usize];
                skill.is_callable() || self.is_namesake(skill)
            })
            .collect()
    }

    fn search(&self) -> &Search {
        self.search.get_or_init(|| {
            let positions = self.searchable();
            let skills = positions.iter().map(|&at| &self.skills[at as usize]);
            let skills: Vec<&Skill> = skills.collect();
            let index = match &self.saved {
                Some(saved) => saved.index(&skills, self.threads),
                None => build(&skills, self.threads),
            };
            Search { index, positions }
        })
    }
}

/// Reads skills for an index, on so many threads.
pub(crate) fn build(skills: &[&Skill], threads: usize) -> Index {
    let entries: Vec<Entry<'_>> = skills.iter().map(|skill| skill.entry()).collect();
    Index::build_with(&entries, FieldWeights::default(), threads)
}

impl Skill {
    /// What the index reads of a skill. Other clients keep the "when" and the labels in fields
    /// of their own; they count like the standard's.
    pub(crate) fn entry(&self) -> Entry<'_> {
        self.entry_saying(self.description())
    }

    /// The same with another description.
    pub(super) fn entry_saying<'a>(&'a self, description: &'a str) -> Entry<'a> {
        let description = match self.document().text_of("when_to_use") {
            Some(when) => Cow::Owned(format!("{description}\n{when}")),
            None => Cow::Borrowed(description),
        };
        let mut tags = self.tags();
        tags.extend(self.document().list_of("keywords"));
        Entry {
            name: self.name(),
            description,
            tags,
            body: self.instructions(),
        }
    }
}
