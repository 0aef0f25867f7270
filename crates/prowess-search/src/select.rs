//! From a request to ranked matches and a decision.

use serde::{Deserialize, Serialize};

use crate::{
    confidence,
    index::Index,
    query::{Query, Words},
    rank::{Hit, lexical, overlap},
    ranker::Ranker,
};

/// Who may be chosen, and when a choice is sure enough.
///
/// Fields are added as selection learns more: write `Policy { top_k: 5, ..Policy::default() }`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Policy {
    /// How scores are made.
    pub ranker: Ranker,
    /// At most so many matches; 0 gives none.
    pub top_k: usize,
    /// The least score of a match; `None` takes the ranker's own. A threshold that is not a
    /// number lets nothing pass.
    pub min_score: Option<f32>,
    /// Only documents with one of these tags, if there are any here; see [`same_tag`].
    pub include_tags: Vec<String>,
    /// No document with one of these tags.
    pub exclude_tags: Vec<String>,
    /// Whether documents that are *manual*, to be used only when called by name, may be chosen
    /// all the same. Which ones are is for the caller of [`Index::select`] to know.
    pub include_manual: bool,
    /// From this confidence on, the first match is taken without asking.
    pub confident: f32,
    /// Below this confidence nothing is relevant.
    pub relevant: f32,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            ranker: Ranker::default(),
            top_k: 1,
            min_score: None,
            include_tags: Vec::new(),
            exclude_tags: Vec::new(),
            include_manual: false,
            confident: confidence::CONFIDENT,
            relevant: confidence::RELEVANT,
        }
    }
}

impl Policy {
    /// Whether a document with these tags may be chosen.
    pub fn admits<T: AsRef<str>>(&self, tags: &[T]) -> bool {
        let has = |wanted: &String| tags.iter().any(|tag| same_tag(tag.as_ref(), wanted));
        (self.include_tags.is_empty() || self.include_tags.iter().any(has))
            && !self.exclude_tags.iter().any(has)
    }

    /// The least score of a match.
    pub fn threshold(&self) -> f32 {
        self.min_score
            .unwrap_or_else(|| self.ranker.default_min_score())
    }
}

/// Whether two tags are the same: case does not matter, in any script.
///
/// Upper case first and then lower case is Unicode's full case folding for every letter that has
/// both, so that `ß` meets `SS` and a final `ς` any other sigma.
pub fn same_tag(one: &str, other: &str) -> bool {
    fn folded(tag: &str) -> impl Iterator<Item = char> {
        let upper = tag.chars().flat_map(char::to_uppercase);
        upper.flat_map(char::to_lowercase)
    }
    folded(one).eq(folded(other))
}

/// A document that answers a request.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Match {
    /// Position of the document in the index.
    pub document: u32,
    /// How well it answers.
    pub score: f32,
    /// How likely it is to be the right one, 0 to 1.
    pub confidence: f32,
}

/// What the scores mean for a host.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision<M = Match> {
    /// The first match is very likely right.
    Confident(M),
    /// One of these is likely right: show a menu, or let the model choose.
    Ambiguous(Vec<M>),
    /// Nothing relevant: choose no document.
    None,
}

impl<M> Decision<M> {
    /// The word that stands for it in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Confident(_) => "confident",
            Self::Ambiguous(_) => "ambiguous",
            Self::None => "none",
        }
    }

    /// Whether nothing is relevant.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// What comes first, if anything is relevant.
    pub fn first(&self) -> Option<&M> {
        match self {
            Self::Confident(first) => Some(first),
            Self::Ambiguous(menu) => menu.first(),
            Self::None => None,
        }
    }

    /// The same decision about what the matches stand for.
    pub fn map<N>(self, mut with: impl FnMut(M) -> N) -> Decision<N> {
        match self {
            Self::Confident(first) => Decision::Confident(with(first)),
            Self::Ambiguous(menu) => Decision::Ambiguous(menu.into_iter().map(with).collect()),
            Self::None => Decision::None,
        }
    }
}

/// Ranked matches and what they mean.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Selection {
    /// The matches, best first.
    pub matches: Vec<Match>,
    /// What a host should make of them.
    pub decision: Decision,
}

pub(crate) use confidence::MENU;

impl Index {
    /// Ranks the documents that `allow` lets pass.
    ///
    /// The caller's `allow` holds the policy's tags (see [`Policy::admits`]) and whatever else
    /// hides a document. The query was read for the ranker of the policy.
    pub fn select(&self, query: &Query, policy: &Policy, allow: impl Fn(u32) -> bool) -> Selection {
        let limit = policy.top_k.max(MENU);
        let tagged = !policy.include_tags.is_empty();
        let threshold = policy.threshold();
        let ranked = ranked(self, query, threshold, limit, tagged, allow);
        let confidences = confidence::weigh(query.ranker(), &ranked, self.len());
        let found = |(scored, confidence): (&Hit, f32)| Match {
            document: scored.document,
            score: scored.score,
            confidence,
        };
        let mut matches: Vec<Match> = ranked.iter().zip(confidences).map(found).collect();
        let decision = decide(&matches, policy);
        matches.truncate(policy.top_k);
        Selection { matches, decision }
    }

    /// The documents that `allow` lets pass and that reach a score, best first and without a
    /// decision.
    pub fn rank(
        &self,
        query: &Query,
        min_score: f32,
        limit: usize,
        allow: impl Fn(u32) -> bool,
    ) -> Vec<Hit> {
        ranked(self, query, min_score, limit, false, allow)
    }
}

fn ranked(
    index: &Index,
    query: &Query,
    min_score: f32,
    limit: usize,
    tagged: bool,
    allow: impl Fn(u32) -> bool,
) -> Vec<Hit> {
    let mut ranked = match &query.words {
        Words::Overlap(tokens) => overlap::rank(index, tokens, min_score, limit, tagged, allow),
        // Whoever asks for tags alone wants what has them.
        Words::Lexical(_) if tagged && !query.has_words => every(index, limit, allow),
        Words::Lexical(terms) => lexical::rank(index, terms, limit, allow),
    };
    ranked.retain(|scored| scored.score >= min_score);
    ranked
}

/// Every allowed document with the score 0.
fn every(index: &Index, limit: usize, allow: impl Fn(u32) -> bool) -> Vec<Hit> {
    (0..index.len() as u32)
        .filter(|document| allow(*document))
        .map(|document| Hit::new(document, 0.0))
        .take(limit)
        .collect()
}

fn decide(matches: &[Match], policy: &Policy) -> Decision {
    match matches.first() {
        Some(first) if first.confidence >= policy.confident => Decision::Confident(*first),
        // What passes the threshold of `overlap` is relevant by its own rule; its scores cannot
        // say more.
        Some(first) if first.confidence >= policy.relevant || policy.ranker == Ranker::Overlap => {
            let close = first.confidence * confidence::CLOSE;
            let menu = matches
                .iter()
                .take(MENU)
                .filter(|found| found.confidence >= close);
            Decision::Ambiguous(menu.copied().collect())
        }
        _ => Decision::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_compared_without_case_in_any_script() {
        for (one, other) in [
            ("Web", "wEB"),
            ("Übersetzung", "übersetzung"),
            ("ПОИСК", "поиск"),
            ("Straße", "STRASSE"),
            ("ΟΔΟΣ", "οδος"),
        ] {
            assert!(same_tag(one, other), "{one} {other}");
        }
        assert!(!same_tag("web", "webs"));
    }
}
