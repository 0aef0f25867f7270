//! A chosen few skills with an index of their own.

use prowess_search::{Entry, Index, Query};

use crate::{
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
        let entries: Vec<Entry<'_>> = skills.iter().map(|skill| skill.entry()).collect();
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

    /// Ranks the skills for a request.
    pub fn select(&self, query: &str, policy: &Policy) -> Selection<'_> {
        let skill = |document: u32| self.skills[document as usize];
        let query = Query::new(&self.index, query, policy.ranker);
        let found = self.index.select(&query, policy, |document| {
            let skill = skill(document);
            (policy.include_manual || !skill.asks_for_manual()) && policy.admits(&skill.tags())
        });
        Selection::new(found, &self.index, query, skill)
    }

    /// Answers many requests, on so many threads and in their order.
    pub fn select_all(
        &self,
        queries: &[&str],
        policy: &Policy,
        threads: usize,
    ) -> Vec<Selection<'_>> {
        spread(queries, threads, |query| self.select(query, policy))
    }
}

/// Does the same with every item, on so many threads; the answers keep the order of the items.
pub(crate) fn spread<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    answer: impl Fn(&T) -> R + Sync + Send,
) -> Vec<R> {
    if threads < 2 {
        return items.iter().map(answer).collect();
    }
    // Neighbours cost about the same, so equal shares keep every thread busy.
    let share = items.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let workers: Vec<_> = items
            .chunks(share)
            .map(|items| scope.spawn(|| items.iter().map(&answer).collect::<Vec<R>>()))
            .collect();
        let answers = workers.into_iter().map(|worker| match worker.join() {
            Ok(answers) => answers,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        answers.flatten().collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::{Catalog, LoadOptions},
        jsonl::import_jsonl,
        limits::Limits,
        source::Source,
    };
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
                    ids.filter_map(|it| it.skill().id()).collect()
                })
                .collect();
            let expected: [&[&str]; 3] = [&["pdf@2", "pdf@1"], &["pdf@1", "pdf@2"], &[]];
            assert_eq!(ids, expected);
        }
    }
}
