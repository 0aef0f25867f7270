//! What is active in a conversation, and from which text.
//!
//! The ledger is a plain value. A host keeps one for each conversation, saves it as JSON and
//! restores it.

use serde::{Deserialize, Serialize};

use crate::{
    budget::{Budget, Meter},
    catalog::Catalog,
    frame::frame,
    reason::Reason,
    skill::Skill,
};

/// So many skills are active at once unless the host says otherwise; more instructions than that
/// crowd out the task.
const CAP: usize = 16;

/// The shape of the JSON; a reader that knows only older shapes refuses a newer one.
const VERSION: u32 = 1;

/// The active skills of one conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    version: u32,
    /// At most so many are active at once.
    cap: usize,
    /// Counts every use, so that the order of uses survives a restart.
    uses: u64,
    /// The active skills, in the order they were loaded.
    skills: Vec<ActiveSkill>,
}

/// One active skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActiveSkill {
    /// The skill's name.
    pub name: String,
    /// The hash of the file it was loaded from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hash: Option<String>,
    /// Why it was loaded.
    pub reason: Reason,
    /// When it was last used, in uses of the ledger.
    pub used: u64,
}

/// What became of a skill that was to be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loaded {
    /// It is new here; the ones used longest ago made room.
    New {
        /// The skills that are no longer active.
        evicted: Vec<String>,
    },
    /// The conversation holds this text already.
    Already,
    /// The conversation holds an older text; this one takes its place.
    Changed,
}

/// A skill whose text is no longer what the conversation holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "what")]
#[non_exhaustive]
pub enum StaleSkill {
    /// Its file changed since it was loaded.
    Changed {
        /// The skill's name.
        name: String,
    },
    /// The catalog no longer has it.
    Gone {
        /// The skill's name.
        name: String,
    },
}

/// What to put back after a compaction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PutBack {
    /// The framed skills, in the order they were first loaded, with a blank line between.
    pub text: String,
    /// The skills in the text.
    pub names: Vec<String>,
    /// The skills that did not fit, or that the catalog no longer has. They are unloaded.
    pub left_out: Vec<String>,
}

/// A ledger that could not be restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The text is not a ledger.
    #[error("the text is not a ledger of active skills")]
    Unreadable(#[source] serde_json::Error),
    /// It was written by a newer version.
    #[error("the ledger has version {version}, and this build reads up to {VERSION}; update it")]
    Newer {
        /// The version it has.
        version: u32,
    },
}

impl Default for Ledger {
    fn default() -> Self {
        Self::with_cap(CAP)
    }
}

impl Ledger {
    /// Starts a ledger that holds at most `cap` skills; at least one.
    pub fn with_cap(cap: usize) -> Self {
        Self {
            version: VERSION,
            cap: cap.max(1),
            uses: 0,
            skills: Vec::new(),
        }
    }

    /// The active skills, in the order they were loaded.
    pub fn entries(&self) -> &[ActiveSkill] {
        &self.skills
    }

    /// The entry of a skill.
    pub fn get(&self, name: &str) -> Option<&ActiveSkill> {
        self.skills.iter().find(|entry| entry.name == name)
    }

    /// Whether the conversation holds this very text of a skill.
    pub fn holds(&self, skill: &Skill) -> bool {
        self.get(skill.name())
            .is_some_and(|entry| entry.hash == hash_of(skill))
    }

    /// Notes that a skill is loaded, or used again.
    pub fn load(&mut self, skill: &Skill, reason: Reason) -> Loaded {
        self.uses += 1;
        let hash = hash_of(skill);
        if let Some(entry) = self
            .skills
            .iter_mut()
            .find(|entry| entry.name == skill.name())
        {
            entry.used = self.uses;
            if entry.hash == hash {
                return Loaded::Already;
            }
            entry.hash = hash;
            return Loaded::Changed;
        }
        let mut evicted = Vec::new();
        while self.skills.len() >= self.cap {
            // `min_by_key` takes the first of equals: what was loaded first goes first.
            let Some(oldest) = (0..self.skills.len()).min_by_key(|&at| self.skills[at].used) else {
                break;
            };
            evicted.push(self.skills.remove(oldest).name);
        }
        self.skills.push(ActiveSkill {
            name: skill.name().to_owned(),
            hash,
            reason,
            used: self.uses,
        });
        Loaded::New { evicted }
    }

    /// Notes that a skill was used, so that it stays longer.
    pub fn touch(&mut self, name: &str) {
        self.uses += 1;
        if let Some(entry) = self.skills.iter_mut().find(|entry| entry.name == name) {
            entry.used = self.uses;
        }
    }

    /// Takes a skill out; whether it was active.
    pub fn unload(&mut self, name: &str) -> bool {
        let before = self.skills.len();
        self.skills.retain(|entry| entry.name != name);
        self.skills.len() < before
    }

    /// Forgets every skill: after a compaction the conversation holds none of their texts.
    pub fn reset(&mut self) {
        self.skills.clear();
    }

    /// The skills whose text is no longer what the conversation holds.
    pub fn changes(&self, catalog: &Catalog) -> Vec<StaleSkill> {
        self.skills
            .iter()
            .filter_map(|entry| {
                let name = entry.name.clone();
                match catalog.get(&entry.name) {
                    None => Some(StaleSkill::Gone { name }),
                    Some(skill) if hash_of(skill) != entry.hash => {
                        Some(StaleSkill::Changed { name })
                    }
                    Some(_) => None,
                }
            })
            .collect()
    }

    /// Gives the active skills again after a compaction, as many as fit, those used last first.
    /// Each comes with its present text; what does not fit is unloaded, so that it can be loaded
    /// again when it is needed.
    pub fn put_back(&mut self, catalog: &Catalog, budget: &Budget) -> PutBack {
        const BETWEEN: &str = "\n\n";
        let mut order: Vec<usize> = (0..self.skills.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(self.skills[at].used));
        let mut meter = Meter::new(budget);
        let mut blocks: Vec<Option<String>> = vec![None; self.skills.len()];
        for at in order {
            let entry = &self.skills[at];
            // A skill that cannot be fetched now is left out, and can be loaded later.
            if let Some(Ok(skill)) = catalog.get(&entry.name).map(Skill::loaded) {
                let text = frame(skill.name(), &skill.instructed()).text;
                if meter.take(&text, BETWEEN) {
                    blocks[at] = Some(text);
                }
            }
        }
        let mut back = PutBack::default();
        let mut texts = Vec::new();
        let mut block = blocks.into_iter();
        self.skills.retain_mut(|entry| {
            let Some(text) = block.next().flatten() else {
                back.left_out.push(entry.name.clone());
                return false;
            };
            entry.hash = catalog.get(&entry.name).and_then(hash_of);
            back.names.push(entry.name.clone());
            texts.push(text);
            true
        });
        back.text = texts.join(BETWEEN);
        back
    }

    /// Does what [`put_back`](Self::put_back) did to a copy of this ledger.
    pub(crate) fn follow(&mut self, copy: &Self, back: &PutBack) {
        self.skills
            .retain(|entry| !back.left_out.contains(&entry.name));
        for entry in &mut self.skills {
            if let Some(put) = copy.get(&entry.name) {
                entry.hash.clone_from(&put.hash);
            }
        }
    }

    /// The ledger as JSON.
    pub fn export(&self) -> String {
        // A ledger holds only texts and numbers, which always have a JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads back what [`export`](Self::export) wrote.
    pub fn restore(json: &str) -> Result<Self, RestoreError> {
        let value: serde_json::Value =
            serde_json::from_str(json).map_err(RestoreError::Unreadable)?;
        // Asked first: a newer shape may not fit this one's fields.
        if let Some(version) = value.get("version").and_then(serde_json::Value::as_u64)
            && version > u64::from(VERSION)
        {
            return Err(RestoreError::Newer {
                version: u32::try_from(version).unwrap_or(u32::MAX),
            });
        }
        let mut ledger: Self = serde_json::from_value(value).map_err(RestoreError::Unreadable)?;
        ledger.cap = ledger.cap.max(1);
        Ok(ledger)
    }
}

fn hash_of(skill: &Skill) -> Option<String> {
    skill.hash().map(|hash| hash.to_string())
}

#[cfg(test)]
mod tests;
