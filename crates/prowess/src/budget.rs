//! The list of skills within a budget: what is shown whole, what is cut, and a word about it.

use std::{collections::HashSet, fmt, str::FromStr};

use serde::Serialize;

use crate::{catalog::Catalog, select::Policy, skill::Skill};

mod count;
mod plan;
mod render;
#[cfg(test)]
mod tests;

pub(crate) use count::Meter;

/// How much room a text may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// How much.
    pub amount: usize,
    /// Of what.
    pub unit: Unit,
}

/// What a budget counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Unicode characters.
    Characters,
    /// Tokens: by a tokenizer with the feature `tiktoken`, else about a quarter of the
    /// characters.
    Tokens,
}

impl Budget {
    /// A budget of characters.
    pub fn characters(amount: usize) -> Self {
        Self {
            amount,
            unit: Unit::Characters,
        }
    }

    /// A budget of tokens.
    pub fn tokens(amount: usize) -> Self {
        Self {
            amount,
            unit: Unit::Tokens,
        }
    }

    /// How the budget is counted, in words.
    pub fn counter(&self) -> &'static str {
        count::name(self.unit)
    }

    /// How much of the budget a text takes.
    pub fn measure(&self, text: &str) -> usize {
        count::measure(self.unit, text)
    }
}

/// A text that is no budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a budget; write characters like `8000c` or tokens like `2000t`")]
pub struct BadBudget {
    /// The text that was given.
    pub text: String,
}

impl FromStr for Budget {
    type Err = BadBudget;

    /// Reads `8000c` or `8000` as characters and `2000t` as tokens.
    fn from_str(text: &str) -> Result<Self, BadBudget> {
        let (amount, unit) = match text.as_bytes().last() {
            Some(b't') => (&text[..text.len() - 1], Unit::Tokens),
            Some(b'c') => (&text[..text.len() - 1], Unit::Characters),
            _ => (text, Unit::Characters),
        };
        match amount.parse() {
            Ok(amount) => Ok(Self { amount, unit }),
            Err(_) => Err(BadBudget {
                text: text.to_owned(),
            }),
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Characters => 'c',
            Unit::Tokens => 't',
        };
        write!(f, "{}{unit}", self.amount)
    }
}

/// What the list looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Form {
    /// `<available_skills>`, with the place of each file.
    #[default]
    Xml,
    /// One line for each skill: `- name: description`.
    Lines,
}

/// How much of a skill is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Nothing; it is counted.
    Hidden,
    /// Its name.
    NameOnly,
    /// Its name and the first sentences of its description.
    Trimmed,
    /// All there is to show.
    Full,
}

/// How the list of skills is made.
#[derive(Debug, Clone)]
pub struct PromptOptions<'a> {
    /// How much room there is; `None` shows everything.
    pub budget: Option<Budget>,
    /// The task at hand: what answers it comes first, and is cut last. Without one the order is
    /// by name, the same every time, so that a prompt cache holds.
    pub query: Option<&'a str>,
    /// How skills are ranked for the query.
    pub policy: Policy,
    /// Skills that are cut last of all.
    pub pins: &'a [&'a str],
    /// Skills shown by name only.
    pub names_only: &'a [&'a str],
    /// Skills in the order they are used most; without a query they are cut later.
    pub used: &'a [&'a str],
    /// What the list looks like.
    pub form: Form,
    /// How the model finds what is left out.
    pub search: &'a str,
}

/// So many matches of a query come before the rest.
const RANKED: usize = 64;

impl Default for PromptOptions<'_> {
    fn default() -> Self {
        Self {
            budget: None,
            query: None,
            policy: Policy {
                top_k: RANKED,
                min_score: Some(0.0),
                ..Policy::default()
            },
            pins: &[],
            names_only: &[],
            used: &[],
            form: Form::Xml,
            search: "find them with `search_skills`",
        }
    }
}

/// A list of skills and what was done to make it fit.
#[derive(Debug, Clone, PartialEq)]
pub struct CatalogPrompt<'a> {
    /// What the model reads; empty for no skills.
    pub text: String,
    /// What was cut.
    pub report: PromptReport<'a>,
}

/// What was cut to make a list fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PromptReport<'a> {
    /// How much room there was.
    pub budget: Option<usize>,
    /// How much the text takes.
    pub used: usize,
    /// What both are counted in.
    pub unit: Unit,
    /// How that was counted.
    pub counter: &'static str,
    /// How many skills there are.
    pub skills: usize,
    /// How many are shown whole.
    pub full: usize,
    /// Those whose description is cut.
    pub trimmed: Vec<&'a str>,
    /// Those shown by name.
    pub name_only: Vec<&'a str>,
    /// Those left out.
    pub hidden: Vec<&'a str>,
    /// Pins that name no skill the model may see.
    pub unknown_pins: Vec<String>,
}

impl Catalog {
    /// The list of skills a model reads, within a budget.
    ///
    /// Over budget it gives way in steps: descriptions are cut at sentence ends, then only names
    /// stand, then a count of what is left out and how to find it. Pins give way last.
    pub fn prompt(&self, options: &PromptOptions<'_>) -> CatalogPrompt<'_> {
        let mut items = self.in_order_of_worth(options);
        let skills = items.len();
        let known: HashSet<&str> = items
            .iter()
            .take_while(|item| item.group == plan::Group::Pin)
            .map(|item| item.skill.name())
            .collect();
        let unknown_pins = options
            .pins
            .iter()
            .filter(|pin| !known.contains(**pin))
            .map(|pin| (*pin).to_owned())
            .collect();
        let text = plan::fit(&mut items, options);
        let unit = options
            .budget
            .map_or(Unit::Characters, |budget| budget.unit);
        let named = |tier| {
            let at = items.iter().filter(move |item| item.tier == tier);
            at.map(|item| item.skill.name()).collect::<Vec<_>>()
        };
        let report = PromptReport {
            budget: options.budget.map(|budget| budget.amount),
            used: count::measure(unit, &text),
            unit,
            counter: count::name(unit),
            skills,
            full: items.iter().filter(|item| item.tier == Tier::Full).count(),
            trimmed: named(Tier::Trimmed),
            name_only: named(Tier::NameOnly),
            hidden: named(Tier::Hidden),
            unknown_pins,
        };
        CatalogPrompt { text, report }
    }

    /// The skills a model may see: pins, what answers the query, and the rest.
    fn in_order_of_worth<'a>(&'a self, options: &PromptOptions<'_>) -> Vec<plan::Item<'a>> {
        let mut items = Vec::with_capacity(self.skills().len());
        let mut placed: HashSet<*const Skill> = HashSet::new();
        let mut place = |skill: &'a Skill, group| {
            if placed.insert(skill) {
                items.push(plan::Item::new(skill, group));
            }
        };
        let visible = |name: &&str| self.get(name).filter(|skill| skill.is_model_visible());
        for skill in options.pins.iter().filter_map(visible) {
            place(skill, plan::Group::Pin);
        }
        if let Some(query) = options.query {
            for found in self.select(query, &options.policy).matches {
                place(found.skill(), plan::Group::Ranked);
            }
        }
        for skill in options.used.iter().filter_map(visible) {
            place(skill, plan::Group::Rest);
        }
        // Most of many skills are only counted in the end. They are told apart by where they
        // lie, because looking into each would cost more than all the rest.
        let mut placed: Vec<*const Skill> = placed.into_iter().collect();
        placed.sort_unstable();
        let mut next = placed.into_iter().peekable();
        for skill in self.model_visible() {
            if next.next_if_eq(&std::ptr::from_ref(skill)).is_none() {
                items.push(plan::Item::new(skill, plan::Group::Rest));
            }
        }
        let asked = options.names_only.iter().copied();
        let names: HashSet<&str> = asked.chain(self.names_only()).collect();
        if !names.is_empty() {
            for item in &mut items {
                if names.contains(item.skill.name()) {
                    item.most = Tier::NameOnly;
                }
            }
        }
        items
    }
}
