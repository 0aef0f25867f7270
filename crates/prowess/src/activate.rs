//! Which skills a turn of a conversation activates, each with its reason.

use std::collections::HashMap;

use prowess_format::rules::{Report, Subject, bad_glob};
use serde::{Deserialize, Serialize};

use crate::{
    catalog::Catalog, ledger::Ledger, observe, select::Policy, skill::Skill, source::Finding,
};

mod glob;
mod keyword;
mod mention;
#[cfg(test)]
mod tests;

pub use crate::reason::Reason;

/// What happened in one turn.
#[derive(Debug, Clone, Copy, Default)]
pub struct Turn<'a> {
    /// What the user wrote.
    pub message: &'a str,
    /// The files the turn touches, with `/` or `\` between their parts.
    pub files: &'a [&'a str],
    /// The folder that globs start at; files below it are taken relative to it.
    pub root: Option<&'a str>,
    /// The skills the model called by name.
    pub invoked: &'a [&'a str],
    /// Whether a skill may also be chosen by the message alone, and how sure that has to be.
    /// Off unless the host turns it on: a lexical score alone chooses wrongly too often.
    pub select: Option<&'a Selecting>,
}

/// How a skill is chosen by the message alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Selecting {
    /// Who may be chosen.
    pub policy: Policy,
    /// The least confidence, 0 to 1.
    pub confidence: f32,
}

/// One skill that a turn activates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Activation {
    /// The skill's name.
    pub name: String,
    /// Its name and hash in one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Why it is active.
    pub reason: Reason,
    /// What decided: the mention, the glob and the path, the keyword.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// What the user wrote behind its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// How sure the choice is, where it was chosen by query.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f32>,
    /// Whether the conversation holds this text already, so that it need not be shown again.
    pub already_active: bool,
}

/// Every trigger of a catalog, compiled once.
#[derive(Debug)]
pub struct Triggers {
    mentions: mention::Mentions,
    globs: glob::Globs,
    keywords: keyword::Keywords,
    always: Vec<Box<str>>,
    findings: Vec<Finding>,
}

impl Triggers {
    /// Compiles the triggers of every skill that answers to its name.
    pub fn new(catalog: &Catalog) -> Self {
        let callable = || catalog.skills().iter().filter(|skill| skill.is_callable());
        // What asks to be called by name is activated by nothing else.
        let automatic = || callable().filter(|skill| skill.is_model_visible());
        let (globs, bad) = glob::Globs::new(automatic());
        Self {
            mentions: mention::Mentions::new(
                callable().filter(|skill| is_switch(skill, "user-invocable", true)),
            ),
            globs,
            keywords: keyword::Keywords::new(automatic()),
            always: automatic()
                .filter(|skill| is_switch(skill, "always", false))
                .map(|skill| skill.name().into())
                .collect(),
            findings: bad
                .into_iter()
                .flat_map(|skill| findings(skill, catalog))
                .collect(),
        }
    }

    /// The globs that could not be read, at their lines.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Gives the skills a turn activates, each once and with its strongest reason, in the order of
    /// the reasons. The ledger says which of them the conversation holds already.
    pub fn activate(
        &self,
        catalog: &Catalog,
        turn: &Turn<'_>,
        ledger: Option<&Ledger>,
    ) -> Vec<Activation> {
        let span = observe::activate();
        let _entered = span.enter();
        let mut found = Collector::new(catalog, ledger);
        for mention in self.mentions.find(turn.message) {
            found.add(mention.skill, Reason::Explicit, |activation| {
                activation.evidence = Some(mention.text.to_owned());
                activation.arguments = mention.arguments.map(str::to_owned);
            });
        }
        for name in turn.invoked {
            if catalog.get(name).is_some_and(Skill::is_model_visible) {
                found.add(name, Reason::Invoked, |_| {});
            }
        }
        self.globs.find(turn, |skill, glob, path| {
            found.add(skill, Reason::TriggerGlob, |activation| {
                activation.evidence = Some(format!("`{path}` fits `{glob}`"));
            });
        });
        self.keywords.find(turn.message, |skill, keyword| {
            found.add(skill, Reason::TriggerKeyword, |activation| {
                activation.evidence = Some(keyword.to_owned());
            });
        });
        for name in &self.always {
            found.add(name, Reason::Always, |_| {});
        }
        if let Some(selecting) = turn.select {
            let selection = catalog.select(turn.message, &selecting.policy);
            for chosen in selection.matches {
                if chosen.confidence >= selecting.confidence {
                    let name = chosen.skill().name();
                    found.add(name, Reason::Selected, |activation| {
                        activation.confidence = Some(chosen.confidence);
                    });
                }
            }
        }
        let activations = found.finish();
        span.record("gen_ai.skill.count", activations.len());
        for it in &activations {
            observe::activated(&it.name, it.reason, it.evidence.as_deref());
        }
        activations
    }
}

/// The skills found so far.
struct Collector<'a> {
    catalog: &'a Catalog,
    ledger: Option<&'a Ledger>,
    seen: HashMap<&'a str, usize>,
    activations: Vec<Activation>,
}

impl<'a> Collector<'a> {
    fn new(catalog: &'a Catalog, ledger: Option<&'a Ledger>) -> Self {
        Self {
            catalog,
            ledger,
            seen: HashMap::new(),
            activations: Vec::new(),
        }
    }

    fn add(&mut self, name: &str, reason: Reason, detail: impl FnOnce(&mut Activation)) {
        // The triggers may be older than the catalog; a skill that left it is not activated.
        let Some(skill) = self.catalog.get(name) else {
            return;
        };
        if self.seen.contains_key(skill.name()) {
            return;
        }
        self.seen.insert(skill.name(), self.activations.len());
        let mut activation = Activation {
            name: skill.name().to_owned(),
            id: skill.id().map(str::to_owned),
            reason,
            evidence: None,
            arguments: None,
            confidence: None,
            already_active: self.ledger.is_some_and(|ledger| ledger.holds(skill)),
        };
        detail(&mut activation);
        self.activations.push(activation);
    }

    fn finish(mut self) -> Vec<Activation> {
        // Stable: within one reason, what the turn said first comes first.
        self.activations.sort_by_key(|activation| activation.reason);
        self.activations
    }
}

/// Reads a switch of a skill's file.
pub(crate) fn is_switch(skill: &Skill, key: &str, default: bool) -> bool {
    skill
        .document()
        .get(key)
        .and_then(|node| node.value.as_bool())
        .unwrap_or(default)
}

/// What the rule says about the globs of one skill.
fn findings(skill: &Skill, catalog: &Catalog) -> Vec<Finding> {
    let document = skill.document();
    let mut report = Report::new(document.text().as_bytes(), catalog.profile());
    let subject = Subject {
        document,
        file_name: "SKILL.md",
        folder: None,
    };
    if let Some(check) = bad_glob::RULE.check {
        check(&subject, &mut report);
    }
    report
        .finish()
        .into_iter()
        .map(|diagnostic| Finding {
            path: skill.path().to_path_buf(),
            diagnostic,
        })
        .collect()
}
