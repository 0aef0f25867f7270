//! From a request to ranked matches and a decision.

use crate::{
    confidence,
    index::Index,
    rank::{Ranker, Scored, Weights, lexical, overlap},
};

/// Who may be chosen, and when a choice is sure enough.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// How scores are made.
    pub ranker: Ranker,
    /// At most so many matches; 0 gives none.
    pub top_k: usize,
    /// The least score of a match; `None` takes the ranker's own. A threshold that is not a
    /// number lets nothing pass.
    pub min_score: Option<f32>,
    /// Only skills with one of these tags, if there are any here. Case does not matter.
    pub include_tags: Vec<String>,
    /// No skill with one of these tags. Case does not matter.
    pub exclude_tags: Vec<String>,
    /// Whether skills that ask to be called by name may be chosen all the same, as the original
    /// ranker did.
    pub explicit_only: bool,
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
            explicit_only: false,
            confident: confidence::CONFIDENT,
            relevant: confidence::RELEVANT,
        }
    }
}

impl Policy {
    /// Whether a skill with these tags may be chosen.
    pub fn admits<T: AsRef<str>>(&self, tags: &[T]) -> bool {
        let has = |wanted: &String| {
            tags.iter()
                .any(|tag| tag.as_ref().eq_ignore_ascii_case(wanted))
        };
        (self.include_tags.is_empty() || self.include_tags.iter().any(has))
            && !self.exclude_tags.iter().any(has)
    }

    /// The least score of a match.
    pub fn threshold(&self) -> f32 {
        self.min_score
            .unwrap_or_else(|| self.ranker.default_min_score())
    }
}

/// A document that answers a request.
#[derive(Debug, Clone, Copy, PartialEq)]
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
pub enum Decision {
    /// The first match is very likely right.
    Confident(Match),
    /// One of these is likely right: show a menu, or let the model choose.
    Ambiguous(Vec<Match>),
    /// Nothing relevant: choose no skill.
    None,
}

impl Decision {
    /// The word that stands for it in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Confident(_) => "confident",
            Self::Ambiguous(_) => "ambiguous",
            Self::None => "none",
        }
    }
}

/// Ranked matches and what they mean.
#[derive(Debug, Clone, PartialEq)]
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
    /// hides a skill.
    pub fn select(&self, query: &str, policy: &Policy, allow: impl Fn(u32) -> bool) -> Selection {
        let limit = policy.top_k.max(MENU);
        let tagged = !policy.include_tags.is_empty();
        let threshold = policy.threshold();
        let mut ranked = match policy.ranker {
            Ranker::Overlap => overlap::rank(self, query, threshold, limit, tagged, allow),
            Ranker::Lexical => {
                let ranked = lexical::rank(self, query, &Weights::default(), limit, &allow);
                if ranked.is_empty() && tagged && !query.chars().any(char::is_alphanumeric) {
                    every(self, limit, allow)
                } else {
                    ranked
                }
            }
        };
        ranked.retain(|scored| scored.score >= threshold);
        let mut matches = confidence::weigh(policy.ranker, &ranked, self.len());
        let decision = decide(&matches, policy);
        matches.truncate(policy.top_k);
        Selection { matches, decision }
    }
}

/// Every allowed document with the score 0.
fn every(index: &Index, limit: usize, allow: impl Fn(u32) -> bool) -> Vec<Scored> {
    (0..index.len() as u32)
        .filter(|document| allow(*document))
        .map(|document| Scored {
            document,
            score: 0.0,
        })
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
