//! Makes contexts from a catalog and the tools a host really has.

use std::{fmt, sync::Arc};

use super::{
    Choice, ContextOptions, Generalist, MatchedBy, Mode, OriginRecord, Provenance, Refusal,
    Resolution, SkillContext, Strategy, ToolRegistry, bind,
};
use crate::{
    authority::{Authority, Pattern},
    catalog::Catalog,
    frame::frame_instruction,
    observe,
    reason::Reason,
    select::{Decision, Match, Policy, Ranker},
    skill::Skill,
    unknown,
};

/// A match may step in for a refused one from this share of the best score on: one far behind
/// the best answers another question.
const SHARE: f32 = 0.5;

/// Makes contexts from a catalog and the tools a host really has. It owns its side of both, so it
/// can be stored beside the catalog, shared between threads and used across an `await`.
pub struct Coordinator<Tool> {
    catalog: Arc<Catalog>,
    registry: Arc<dyn ToolRegistry<Tool>>,
    options: Arc<ContextOptions>,
}

/// A candidate: a skill, how it was found, and its scores.
struct Candidate<'a> {
    skill: &'a Skill,
    matched: MatchedBy,
    score: Option<f32>,
    confidence: Option<f32>,
}

impl<'a> Candidate<'a> {
    fn matched(query: &str, found: Match<'a>) -> Self {
        Self {
            skill: found.skill(),
            matched: MatchedBy::Query(query.to_owned()),
            score: Some(found.score),
            confidence: Some(found.confidence),
        }
    }
}

impl<Tool> Coordinator<Tool> {
    /// Creates a coordinator. Many can share one catalog, one registry and one set of options.
    pub fn new(
        catalog: impl Into<Arc<Catalog>>,
        registry: Arc<dyn ToolRegistry<Tool>>,
        options: impl Into<Arc<ContextOptions>>,
    ) -> Self {
        Self {
            catalog: catalog.into(),
            registry,
            options: options.into(),
        }
    }

    /// The catalog in use.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Tries the strategies in order; the first skill that fits becomes the context.
    pub fn resolve(&self, strategies: &[Strategy]) -> Resolution<Tool> {
        let span = observe::resolve();
        let _entered = span.enter();
        let mut resolution = Resolution::default();
        for strategy in strategies {
            self.try_strategy(strategy, &mut resolution);
            if resolution.context.is_some() {
                return resolution;
            }
        }
        self.fall_back(&mut resolution);
        resolution
    }

    /// Gives the skill that answers a request, but only from this confidence on.
    pub fn gate(&self, query: &str, confidence: f32) -> Resolution<Tool> {
        let span = observe::resolve();
        let _entered = span.enter();
        let mut resolution = Resolution::default();
        self.each_match(query, |found| {
            // The matches come best first, but the second may be surer than a refused first.
            found.confidence >= confidence
                && self.consider(&Candidate::matched(query, found), &mut resolution)
        });
        if resolution.context.is_none() {
            self.fall_back(&mut resolution);
        }
        resolution
    }

    /// Decides what to do about a request: a sure match is used, close ones make a menu, and
    /// where nothing is relevant the generalist takes over in fallback mode.
    pub fn answer(&self, query: &str) -> Resolution<Tool> {
        let span = observe::resolve();
        let _entered = span.enter();
        let mut resolution = Resolution::default();
        match self.catalog.select(query, &self.options.policy).decision {
            Decision::Confident(found) => {
                self.consider(&Candidate::matched(query, found), &mut resolution);
            }
            Decision::Ambiguous(matches) => {
                // A menu offers nothing that would be refused when it is chosen.
                for found in matches {
                    match self.missing(found.skill()) {
                        missing if missing.is_empty() => resolution.menu.push(choice(found)),
                        missing => refuse(found.skill().name(), missing, &mut resolution),
                    }
                }
            }
            Decision::None => {}
        }
        if resolution.context.is_none() && resolution.menu.is_empty() {
            self.fall_back(&mut resolution);
        }
        resolution
    }

    fn try_strategy(&self, strategy: &Strategy, resolution: &mut Resolution<Tool>) {
        match strategy {
            Strategy::Name(name) => match self.catalog.get(name) {
                Some(skill) => {
                    let candidate = Candidate {
                        skill,
                        matched: MatchedBy::Name(name.clone()),
                        score: None,
                        confidence: None,
                    };
                    self.consider(&candidate, resolution);
                }
                None => warn(unknown::reason(&self.catalog, name, None), resolution),
            },
            Strategy::Query(query) => self.each_match(query, |found| {
                self.consider(&Candidate::matched(query, found), resolution)
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
                        matched: MatchedBy::Tag(tag.clone()),
                        score: Some(0.0),
                        confidence: None,
                    };
                    if policy.admits(&skill.tags()) && self.consider(&candidate(), resolution) {
                        return;
                    }
                }
            }
        }
    }

    /// Hands over matches, best first and beyond `top_k`, until one is taken.
    fn each_match(&self, query: &str, mut take: impl FnMut(Match<'_>) -> bool) {
        // Most often the first match is taken, so more are asked for only when it is not.
        const MORE: usize = 8;
        let mut policy = self.options.policy.clone();
        let mut tried = 0;
        while policy.top_k > 0 {
            let matches = self.catalog.select(query, &policy).matches;
            let Some(best) = matches.first() else {
                return;
            };
            for found in matches.iter().skip(tried) {
                if !self.may_follow(best, found) || take(*found) {
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

    /// Whether a match is near enough to the best one to be tried. Where the best is not relevant
    /// nothing is. A host that names a score of its own has decided that already, and the other
    /// ranker's scores say too little to compare them so.
    fn may_follow(&self, best: &Match<'_>, found: &Match<'_>) -> bool {
        let policy = &self.options.policy;
        if policy.min_score.is_some() || policy.ranker != Ranker::Lexical {
            return true;
        }
        best.confidence >= policy.relevant && found.score >= best.score * SHARE
    }

    /// Takes a candidate if it fits, else notes why not; whether it was taken.
    fn consider(&self, candidate: &Candidate<'_>, resolution: &mut Resolution<Tool>) -> bool {
        let name = candidate.skill.name();
        let authority = self.options.authority.for_skill(candidate.skill.document());
        let binding = bind::bind(&*self.registry, &authority);
        let permissive =
            self.options.mode == Mode::Permissive || candidate.matched == MatchedBy::Fallback;
        if !binding.missing.is_empty() {
            if !permissive {
                refuse(name, binding.missing, resolution);
                return false;
            }
            let missing = bind::quoted(&binding.missing);
            let text =
                format!("the skill `{name}` goes without {missing}: the host does not offer it");
            warn(text, resolution);
        }
        let skill = match candidate.skill.loaded() {
            Ok(skill) => skill,
            Err(error) => {
                warn(error.to_string(), resolution);
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
        let names: Vec<&str> = binding.bound.iter().map(|it| it.name.as_str()).collect();
        let framed = frame_instruction(
            skill.name(),
            &skill.described(),
            &names,
            skill.instructions(),
            self.options.max_chars,
        );
        let reason = match candidate.matched {
            MatchedBy::Name(_) => Reason::Explicit,
            _ => Reason::Selected,
        };
        observe::resolved(skill, reason);
        let provenance = Provenance {
            name: Some(skill.name().to_owned()),
            score: candidate.score,
            confidence: candidate.confidence,
            id: skill.id().map(str::to_owned),
            hash: skill.hash().map(|hash| hash.to_string()),
            origin: Some(OriginRecord::of(skill)),
            reason,
            tools_asked: authority.asked.iter().map(ToString::to_string).collect(),
            tools_missing: binding.missing,
            truncated: framed.truncated,
            neutralized: framed.neutralized.len(),
            ..Provenance::new(candidate.matched.clone(), authority.permission)
        };
        SkillContext {
            instruction: framed.text,
            tools: binding.bound,
            authority,
            provenance,
        }
    }

    /// Puts the host's generalist in, in fallback mode.
    fn fall_back(&self, resolution: &mut Resolution<Tool>) {
        if self.options.mode != Mode::Fallback {
            return;
        }
        match &self.options.generalist {
            None => warn(
                "no skill fits, and fallback mode has no generalist".to_owned(),
                resolution,
            ),
            Some(Generalist::Skill(name)) => match self.catalog.get(name) {
                None => {
                    let reason = unknown::reason(&self.catalog, name, None);
                    warn(format!("the generalist is missing: {reason}"), resolution);
                }
                Some(skill) => {
                    let candidate = Candidate {
                        skill,
                        matched: MatchedBy::Fallback,
                        score: None,
                        confidence: None,
                    };
                    self.consider(&candidate, resolution);
                }
            },
            Some(Generalist::Text { instruction, tools }) => {
                let authority = Authority {
                    asked: tools.iter().map(|tool| Pattern::new(tool)).collect(),
                    ..self.options.authority.clone()
                };
                let binding = bind::bind(&*self.registry, &authority);
                resolution.context = Some(SkillContext {
                    instruction: instruction.clone(),
                    provenance: Provenance {
                        tools_asked: tools.clone(),
                        tools_missing: binding.missing,
                        ..Provenance::new(MatchedBy::Fallback, authority.permission)
                    },
                    tools: binding.bound,
                    authority,
                });
            }
        }
    }

    /// The tools for want of which a match would be refused.
    fn missing(&self, skill: &Skill) -> Vec<String> {
        if self.options.mode == Mode::Permissive {
            return Vec::new();
        }
        let document = skill.document();
        bind::bind(&*self.registry, &self.options.authority.for_skill(document)).missing
    }
}

fn choice(found: Match<'_>) -> Choice {
    let skill = found.skill();
    Choice {
        name: skill.name().to_owned(),
        description: skill.described().into_owned(),
        score: found.score,
        confidence: found.confidence,
    }
}

/// Notes a skill that was not taken. Two strategies may lead to one skill; it stands once.
fn refuse<Tool>(name: &str, tools_missing: Vec<String>, resolution: &mut Resolution<Tool>) {
    if resolution
        .refused
        .iter()
        .all(|refusal| refusal.name != name)
    {
        let refusal = Refusal {
            name: name.to_owned(),
            tools_missing,
        };
        observe::refused(name, &refusal.tools_missing);
        resolution.refused.push(refusal);
    }
}

fn warn<Tool>(warning: String, resolution: &mut Resolution<Tool>) {
    tracing::warn!("{warning}");
    resolution.warnings.push(warning);
}

impl<Tool> Clone for Coordinator<Tool> {
    fn clone(&self) -> Self {
        Self {
            catalog: Arc::clone(&self.catalog),
            registry: Arc::clone(&self.registry),
            options: Arc::clone(&self.options),
        }
    }
}

impl<Tool> fmt::Debug for Coordinator<Tool> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coordinator")
            .field("skills", &self.catalog.skills().len())
            .field("tools", &self.registry.available())
            .field("options", &self.options)
            .finish()
    }
}
