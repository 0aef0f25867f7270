//! The catalog with another description of one skill, so that a text is tried before it is written.

use prowess_search::{Index, Query, index::Change};

use super::Catalog;
use crate::{
    select::{Match, Policy},
    skill::Skill,
};

/// A catalog in which one skill has another description. Nothing is written.
#[derive(Debug)]
pub struct Draft<'c> {
    catalog: &'c Catalog,
    document: u32,
    index: Index,
}

/// What a request gives with a draft.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Trial<'c> {
    /// The rank of the skill that was changed, from 1; `None` where it does not answer.
    pub rank: Option<usize>,
    /// Its score.
    pub score: f32,
    /// How likely it is to be the right one, 0 to 1.
    pub confidence: f32,
    /// What a host would make of the request: `confident`, `ambiguous` or `none`.
    pub decision: &'static str,
    /// Every skill that answers, the changed one too, best first.
    pub matches: Vec<Match<'c>>,
}

impl Catalog {
    /// Gives a skill another description in an index of its own; `None` for a skill that does not
    /// answer to its name.
    ///
    /// ```
    /// use prowess::{Catalog, LoadOptions, MemorySource, Source, select::Policy};
    ///
    /// let source = MemorySource::new("example")
    ///     .skill("pdf/SKILL.md", "---\nname: pdf\ndescription: Reads files.\n---\n")
    ///     .skill("sql/SKILL.md", "---\nname: sql\ndescription: Reviews SQL queries.\n---\n");
    /// let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    /// let catalog = Catalog::load(&sources, &LoadOptions::default())?;
    /// let pdf = catalog.get("pdf").unwrap();
    /// let draft = catalog.draft(pdf, "Fills in forms.").unwrap();
    /// assert_eq!(draft.try_out("fill this form", &Policy::default()).rank, Some(1));
    /// # Ok::<(), prowess::LoadError>(())
    /// ```
    pub fn draft(&self, skill: &Skill, description: &str) -> Option<Draft<'_>> {
        let document = self.document(skill)?;
        let skill = self.skill(document);
        let entry = skill.entry_saying(description);
        let changes: Vec<Change<'_>> = (0..self.index().len() as u32)
            .map(|other| {
                if other == document {
                    Change::Read(entry.clone())
                } else {
                    Change::Keep(other)
                }
            })
            .collect();
        let index = self.index().derive(&changes);
        Some(Draft {
            catalog: self,
            document,
            index,
        })
    }
}

impl<'c> Draft<'c> {
    /// Asks for every skill that answers, among those the policy lets pass and the changed one.
    pub fn try_out(&self, query: &str, policy: &Policy) -> Trial<'c> {
        let policy = Policy {
            top_k: self.index.len(),
            ..policy.clone()
        };
        let query = Query::new(&self.index, query, policy.ranker);
        let found = self.index.select(&query, &policy, |other| {
            other == self.document || self.catalog.admits(other, &policy)
        });
        let place = found
            .matches
            .iter()
            .position(|it| it.document == self.document);
        let own = place.map(|place| found.matches[place]);
        let matches = found.matches.iter();
        Trial {
            rank: place.map(|place| place + 1),
            score: own.map_or(0.0, |own| own.score),
            confidence: own.map_or(0.0, |own| own.confidence),
            decision: found.decision.name(),
            matches: matches
                .map(|it| Match::new(self.catalog.skill(it.document), it.score, it.confidence))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::memory_catalog;

    /// What a draft says is what a catalog says whose file has the text.
    #[test]
    fn a_draft_answers_as_the_written_file_would() {
        let others = [
            ("ceiling-paint", "Paints a kitchen ceiling or a wall."),
            ("wall-art", "Hangs pictures on a wall."),
        ];
        let with = |description| {
            let mut skills = vec![("pipe-repair", description)];
            skills.extend(others);
            memory_catalog(&skills)
        };
        let (before, after) = ("Mends pipes.", "Mends pipes; water on a ceiling or wall.");
        let catalog = with(before);
        let written = with(after);
        let pipe = catalog.get("pipe-repair").unwrap();
        let draft = catalog.draft(pipe, after).unwrap();
        let policy = Policy {
            top_k: 9,
            ..Policy::default()
        };
        for query in [
            "water on the ceiling",
            "paint a wall",
            "mend pipes",
            "bread",
        ] {
            let tried = draft.try_out(query, &policy);
            let real = written.select(query, &policy);
            let told = |matches: &[Match<'_>]| {
                let told = |it: &Match<'_>| (it.skill().name().to_owned(), it.confidence.to_bits());
                matches.iter().map(told).collect::<Vec<_>>()
            };
            assert_eq!(told(&tried.matches), told(&real.matches), "{query}");
            assert_eq!(tried.decision, real.decision.name(), "{query}");
        }
        assert_eq!(draft.try_out("bread", &policy).rank, None);
    }
}
