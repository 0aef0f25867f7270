//! The list of skills as a model reads it, within a budget: what is shown whole, what is cut, and
//! a word about it.

use std::{borrow::Cow, collections::HashSet};

use serde::Serialize;

use crate::{
    budget::{self, Budget, Unit},
    catalog::Catalog,
    select::{Policy, Ranker},
    skill::Skill,
};

mod plan;
mod render;
#[cfg(test)]
mod tests;

/// What the list looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
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
                min_score: Some(Ranker::default().lowest_score()),
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
    /// The `<available_skills>` block for a system prompt, sorted by name; empty for no skills.
    pub fn format_for_prompt(&self) -> String {
        self.prompt(&PromptOptions::default()).text
    }

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
            used: budget::measure(unit, &text),
            unit,
            counter: budget::name(unit),
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

/// Text that can stand inside an XML element or a quoted attribute.
pub fn escape_xml(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            _ => escaped.push(char),
        }
    }
    Cow::Owned(escaped)
}
