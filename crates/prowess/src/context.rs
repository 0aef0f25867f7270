//! A skill with the tools it needs, as one unit: instructions and tools together or not at all.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    activate::Reason,
    authority::Authority,
    catalog::Catalog,
    frame::frame_instruction,
    select::{Match, Policy, Ranker},
    skill::Skill,
};

mod answer;
mod bind;
mod provenance;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Choice};
pub use bind::{BoundTool, ToolRegistry};
pub use provenance::{Envelope, Matched, OriginRecord, Provenance};

/// So many characters of a body stand in an instruction unless the host says otherwise.
pub const MAX_CHARS: usize = 8_000;

/// How a skill is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Strategy {
    /// The skill that answers to this name.
    Name(String),
    /// The skills that answer this request best.
    Query(String),
    /// The skills with this tag, by name.
    Tag(String),
}

/// What happens when a tool is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The skill is refused and the next candidate is tried.
    #[default]
    Strict,
    /// The tool is left out, and named in the provenance and a warning.
    Permissive,
    /// As strict; where nothing is left, the host's generalist takes over.
    Fallback,
}

/// Who takes over where no skill fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Generalist {
    /// A skill of the catalog. Tools it lacks are left out.
    Skill(String),
    /// The host's own words, and the tools that go with them.
    Text {
        /// The instruction, given to the model as it is.
        instruction: String,
        /// The names of the tools; those the host lacks are left out.
        tools: Vec<String>,
    },
}

/// How contexts are made.
#[derive(Debug, Clone)]
pub struct ContextOptions {
    /// What happens when a tool is missing.
    pub mode: Mode,
    /// Who may be chosen by query or tag.
    pub policy: Policy,
    /// The most characters of a body in an instruction.
    pub max_chars: usize,
    /// What the host and the user allow, and what `allowed-tools` means.
    pub authority: Authority,
    /// Who takes over in fallback mode.
    pub generalist: Option<Generalist>,
}

impl Default for ContextOptions {
    fn default() -> Self {
        Self {
            mode: Mode::Strict,
            policy: Policy::default(),
            max_chars: MAX_CHARS,
            authority: Authority::default(),
            generalist: None,
        }
    }
}

/// A skill ready for a model.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillContext<Tool> {
    /// The framed instruction. It names exactly the tools that are bound.
    pub instruction: String,
    /// The tools, in the order the skill asks for them.
    pub tools: Vec<BoundTool<Tool>>,
    /// What the skill may do with them.
    pub authority: Authority,
    /// Where all this comes from.
    pub provenance: Provenance,
}

/// A skill that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The skill's name.
    pub name: String,
    /// The tools it asks for and would not get.
    pub tools_missing: Vec<String>,
}

/// What a search for a context gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution<Tool> {
    /// The context; `None` where no skill fits.
    pub context: Option<SkillContext<Tool>>,
    /// The candidates that were passed over, best first.
    pub refused: Vec<Refusal>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

/// A candidate: a skill, how it was found, and its scores.
#[derive(Debug, Clone)]
struct Candidate<'a> {
    skill: &'a Skill,
    matched: Matched,
    score: Option<f32>,
    confidence: Option<f32>,
}

/// Makes contexts from a catalog and the tools a host really has.
pub struct Coordinator<'a, Tool> {
    catalog: &'a Catalog,
    registry: &'a dyn ToolRegistry<Tool>,
    options: ContextOptions,
}

impl<'a, Tool> Coordinator<'a, Tool> {
    /// Creates a coordinator.
    pub fn new(
        catalog: &'a Catalog,
        registry: &'a dyn ToolRegistry<Tool>,
        options: ContextOptions,
    ) -> Self {
        Self {
            catalog,
            registry,
            options,
        }
    }

    /// Tries the strategies in order; the first skill that fits becomes the context.
    pub fn resolve(&self, strategies: &[Strategy]) -> Resolution<Tool> {
        let mut resolution = Resolution {
            context: None,
            refused: Vec::new(),
            warnings: Vec::new(),
        };
        for strategy in strategies {
            self.each_candidate(strategy, |candidate| {
                self.consider(&candidate, &mut resolution)
            });
            if resolution.context.is_some() {
                return resolution;
            }
        }
        if self.options.mode == Mode::Fallback {
            self.take_generalist(&mut resolution);
        }
        resolution
    }

    /// Hands over candidates, best first, until one is taken.
    fn each_candidate(&self, strategy: &Strategy, mut take: impl FnMut(Candidate<'a>) -> bool) {
        match strategy {
            Strategy::Name(name) => {
                if let Some(skill) = self.catalog.get(name) {
                    take(Candidate {
                        skill,
                        matched: Matched::Name(name.clone()),
                        score: None,
                        confidence: None,
                    });
                }
            }
            Strategy::Query(query) => self.each_match(query, |found| {
                take(Candidate {
                    skill: found.skill(),
                    matched: Matched::Query(query.clone()),
                    score: Some(found.score),
                    confidence: Some(found.confidence),
                })
            }),
            Strategy::Tag(tag) => {
                // The strategy names the tag that counts; the policy's other wishes still hold.
                let policy = Policy {
                    include_tags: vec![tag.clone()],
                    exclude_tags: self.options.policy.exclude_tags.clone(),
                    ..Policy::default()
                };
                for skill in self.catalog.model_visible() {
                    let candidate = || Candidate {
                        skill,
                        matched: Matched::Tag(tag.clone()),
                        score: Some(0.0),
                        confidence: None,
                    };
                    if policy.admits(&skill.tags()) && take(candidate()) {
                        return;
                    }
                }
            }
        }
    }

    /// Hands over matches, best first and beyond `top_k`, until one is taken.
    fn each_match(&self, query: &str, mut take: impl FnMut(Match<'a>) -> bool) {
        // Most often the first match is taken, so more are asked for only when it is not.
        const MORE: usize = 8;
        let mut policy = self.options.policy.clone();
        let mut tried = 0;
        let mut least = f32::NEG_INFINITY;
        while policy.top_k > 0 {
            let matches = self.catalog.select(query, &policy).matches;
            if tried == 0 {
                least = matches.first().map_or(least, |best| self.least_score(best));
            }
            for found in matches.iter().skip(tried) {
                if found.score < least || take(*found) {
                    return;
                }
            }
            if matches.len() < policy.top_k {
                return;
            }
            tried = matches.len();
            policy.top_k = policy.top_k.saturating_mul(MORE);
        }
    }

    /// The score from which on a match may step in for a better one that was refused. A match
    /// far behind the best answers another question, and where the best is not relevant nothing
    /// is. A host that names a score of its own has decided that already.
    fn least_score(&self, best: &Match<'_>) -> f32 {
        const SHARE: f32 = 0.5;
        let policy = &self.options.policy;
        // The other ranker's scores say too little to compare them so.
        if policy.min_score.is_some() || policy.ranker != Ranker::Lexical {
            return f32::NEG_INFINITY;
        }
        if best.confidence < policy.relevant {
            return f32::INFINITY;
        }
        best.score * SHARE
    }

    /// Takes a candidate if it fits, else notes why not; whether it was taken.
    fn consider(&self, candidate: &Candidate<'_>, resolution: &mut Resolution<Tool>) -> bool {
        let authority = self.options.authority.for_skill(candidate.skill.document());
        let binding = bind::bind(self.registry, &authority);
        let permissive =
            self.options.mode == Mode::Permissive || candidate.matched == Matched::Fallback;
        if !binding.missing.is_empty() {
            if !permissive {
                resolution.refused.push(Refusal {
                    name: candidate.skill.name().to_owned(),
                    tools_missing: binding.missing,
                });
                return false;
            }
            let missing: Vec<_> = binding.missing.iter().map(|t| format!("`{t}`")).collect();
            let warning = format!(
                "the skill `{}` goes without {}: the host does not offer it",
                candidate.skill.name(),
                missing.join(", ")
            );
            tracing::warn!(gen_ai.skill.name = candidate.skill.name(), "{warning}");
            resolution.warnings.push(warning);
        }
        let skill = match candidate.skill.loaded() {
            Ok(skill) => skill,
            Err(error) => {
                tracing::warn!(gen_ai.skill.name = candidate.skill.name(), "{error}");
                resolution.warnings.push(error.to_string());
                return false;
            }
        };
        resolution.context = Some(self.assemble(candidate, &skill, authority, binding));
        true
    }

    fn assemble(
        &self,
        candidate: &Candidate<'_>,
        skill: &Skill,
        authority: Authority,
        binding: bind::Binding<Tool>,
    ) -> SkillContext<Tool> {
        let names: Vec<_> = binding
            .bound
            .iter()
            .map(|tool| tool.name.as_str())
            .collect();
        let framed = frame_instruction(
            skill.name(),
            &skill.described(),
            &names,
            skill.instructions(),
            self.options.max_chars,
        );
        let provenance = Provenance {
            name: Some(skill.name().to_owned()),
            matched: candidate.matched.clone(),
            score: candidate.score,
            confidence: candidate.confidence,
            id: skill.id().map(str::to_owned),
            hash: skill.hash().map(|hash| hash.to_string()),
            origin: Some(OriginRecord::of(skill)),
            reason: match candidate.matched {
                Matched::Name(_) => Reason::Explicit,
                _ => Reason::Selected,
            },
            permission: authority.permission,
            tools_asked: authority.asked.iter().map(ToString::to_string).collect(),
            tools_missing: binding.missing,
            truncated: framed.truncated,
            neutralized: framed.neutralized.len(),
        };
        SkillContext {
            instruction: framed.text,
            tools: binding.bound,
            authority,
            provenance,
        }
    }
}
