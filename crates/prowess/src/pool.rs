//! A chosen few skills with an index of their own.

use std::thread;

use crate::{
    catalog::{Catalog, Text},
    index::{Entry, Index},
    select::{Policy, Selection},
    skill::Skill,
};

/// Skills that compete with each other and with nobody else.
///
/// A catalog lets one skill answer to a name. A pool does not ask for names, so two lines of an
/// exported catalog that share one are both ranked, each under its id.
#[derive(Debug)]
pub struct Pool<'a> {
    skills: Vec<&'a Skill>,
    index: Index,
}

impl<'a> Pool<'a> {
    /// Reads skills; their order is by name and path, whatever order they come in.
    pub fn new(skills: impl IntoIterator<Item = &'a Skill>) -> Self {
        let mut skills: Vec<&Skill> = skills.into_iter().collect();
        skills.sort_by(|a, b| (a.name(), a.path()).cmp(&(b.name(), b.path())));
        let texts: Vec<Text<'_>> = skills.iter().map(|skill| Text::of(skill)).collect();
        let entries: Vec<Entry<'_>> = texts.iter().map(Text::entry).collect();
        let index = Index::build(&entries);
        Self { skills, index }
    }

    /// How many skills it holds.
    pub fn len(&self) -> usize {
        self.skills.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }

    /// The skill at this position of the index.
    ///
    /// # Panics
    ///
    /// When the position did not come from this pool.
    pub fn skill(&self, document: u32) -> &'a Skill {
        self.skills[document as usize]
    }

    /// Ranks the skills for a request.
    pub fn select(&self, query: &str, policy: &Policy) -> Selection {
        self.index.select(query, policy, |document| {
            let skill = self.skill(document);
            (policy.explicit_only || !skill.is_explicit_only()) && policy.admits(&skill.tags())
        })
    }

    /// Answers many requests, on so many threads and in their order.
    pub fn select_all(&self, queries: &[&str], policy: &Policy, threads: usize) -> Vec<Selection> {
        spread(queries, threads, |query| self.select(query, policy))
    }
}

impl Catalog {
    /// Answers many requests, on so many threads and in their order.
    pub fn select_all(&self, queries: &[&str], policy: &Policy, threads: usize) -> Vec<Selection> {
        // The index is made before the threads start, so that none waits for another.
        self.index();
        spread(queries, threads, |query| self.select(query, policy))
    }
}

/// Does the same with every item, on so many threads; the answers keep the order of the items.
fn spread<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    answer: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let share = items.len().div_ceil(threads.max(1)).max(1);
    if items.len() <= share {
        return items.iter().map(answer).collect();
    }
    thread::scope(|scope| {
        let running: Vec<_> = items
            .chunks(share)
            .map(|part| scope.spawn(|| part.iter().map(&answer).collect::<Vec<R>>()))
            .collect();
        running
            .into_iter()
            .flat_map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{catalog::LoadOptions, jsonl::import_jsonl, limits::Limits, source::Source};
    use std::path::Path;

    #[test]
    fn two_lines_of_one_name_are_both_ranked() {
        let lines = r#"{"id":"pdf@1","name":"pdf","description":"Fills PDF forms."}
{"id":"pdf@2","name":"pdf","description":"Merges PDF files."}"#;
        let source = import_jsonl(Path::new("a.jsonl"), lines.as_bytes(), &Limits::default());
        let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
        let catalog = Catalog::load(&sources, &LoadOptions::default()).unwrap();
        let pool = Pool::new(catalog.skills());
        let policy = Policy {
            top_k: 5,
            min_score: Some(0.0),
            ..Policy::default()
        };
        for threads in [1, 3] {
            let found = pool.select_all(&["merge pdf", "pdf form", "tea"], &policy, threads);
            let ids: Vec<Vec<&str>> = found
                .iter()
                .map(|selection| {
                    let ids = selection.matches.iter();
                    ids.filter_map(|it| pool.skill(it.document).id()).collect()
                })
                .collect();
            let expected: [&[&str]; 3] = [&["pdf@2", "pdf@1"], &["pdf@1", "pdf@2"], &[]];
            assert_eq!(ids, expected);
        }
    }
}
