//! What a host usually wants of a request: a context, a menu, or the generalist.

use serde::Serialize;

use super::{
    Candidate, Coordinator, Generalist, Matched, Mode, Provenance, Resolution, SkillContext, bind,
};
use crate::{
    activate::Reason,
    authority::{Authority, Pattern},
    select::{Decision, Match},
};

/// What to do about a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer<Tool> {
    /// Use this skill.
    Context(Box<SkillContext<Tool>>),
    /// Several could be meant: let the user or the model choose.
    Menu(Vec<Choice>),
    /// No skill is relevant.
    None,
}

/// One line of a menu.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// The skill's name; resolve it with [`Strategy::Name`](super::Strategy::Name).
    pub name: String,
    /// What it does.
    pub description: String,
    /// How well it answers.
    pub score: f32,
    /// How likely it is the right one, 0 to 1.
    pub confidence: f32,
}

impl<Tool> Coordinator<'_, Tool> {
    /// Gives the skill that answers a request, but only from this confidence on.
    pub fn gate(&self, query: &str, confidence: f32) -> Resolution<Tool> {
        let mut resolution = Resolution {
            context: None,
            refused: Vec::new(),
            warnings: Vec::new(),
        };
        self.each_match(query, |found| {
            // The matches come best first, but the second may be surer than a refused first.
            found.confidence >= confidence && self.consider(&matched(query, found), &mut resolution)
        });
        if resolution.context.is_none() && self.options.mode == Mode::Fallback {
            self.take_generalist(&mut resolution);
        }
        resolution
    }

    /// Decides what to do about a request: a sure match is used, close ones make a menu, and
    /// where nothing is relevant the generalist takes over if there is one.
    pub fn answer(&self, query: &str) -> Answer<Tool> {
        let mut resolution = Resolution {
            context: None,
            refused: Vec::new(),
            warnings: Vec::new(),
        };
        let menu = match self.catalog.select(query, &self.options.policy).decision {
            Decision::Confident(found) => {
                self.consider(&matched(query, found), &mut resolution);
                Vec::new()
            }
            Decision::Ambiguous(matches) => {
                let open = matches.iter().filter(|found| self.can_bind(**found));
                open.map(|found| choice(*found)).collect()
            }
            Decision::None => Vec::new(),
        };
        if !menu.is_empty() {
            return Answer::Menu(menu);
        }
        if resolution.context.is_none() {
            self.take_generalist(&mut resolution);
        }
        resolution
            .context
            .map_or(Answer::None, |context| Answer::Context(Box::new(context)))
    }

    /// Puts the host's generalist in, if there is one.
    pub(super) fn take_generalist(&self, resolution: &mut Resolution<Tool>) {
        match &self.options.generalist {
            Some(Generalist::Skill(name)) => {
                if let Some(skill) = self.catalog.get(name) {
                    let candidate = Candidate {
                        skill,
                        matched: Matched::Fallback,
                        score: None,
                        confidence: None,
                    };
                    self.consider(&candidate, resolution);
                }
            }
            Some(Generalist::Text { instruction, tools }) => {
                let authority = Authority {
                    asked: tools.iter().map(|tool| Pattern::new(tool)).collect(),
                    ..self.options.authority.clone()
                };
                let binding = bind::bind(self.registry, &authority);
                resolution.context = Some(SkillContext {
                    instruction: instruction.clone(),
                    provenance: Provenance {
                        name: None,
                        matched: Matched::Fallback,
                        score: None,
                        confidence: None,
                        id: None,
                        hash: None,
                        origin: None,
                        reason: Reason::Selected,
                        permission: authority.permission,
                        tools_asked: tools.clone(),
                        tools_missing: binding.missing,
                        truncated: false,
                        neutralized: 0,
                    },
                    tools: binding.bound,
                    authority,
                });
            }
            None => {}
        }
    }

    /// Whether a match could become a context, so that a menu offers nothing that is then refused.
    fn can_bind(&self, found: Match<'_>) -> bool {
        let document = found.skill().document();
        let authority = self.options.authority.for_skill(document);
        self.options.mode == Mode::Permissive
            || bind::bind(self.registry, &authority).missing.is_empty()
    }
}

fn matched<'m>(query: &str, found: Match<'m>) -> Candidate<'m> {
    Candidate {
        skill: found.skill(),
        matched: Matched::Query(query.to_owned()),
        score: Some(found.score),
        confidence: Some(found.confidence),
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
