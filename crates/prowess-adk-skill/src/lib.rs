//! A catalog of [`prowess`] as ADK's [`SkillIndex`], and back.
//!
//! With it everything ADK-Rust offers for skills works on what prowess found, checked and
//! filtered: `with_skills`, `with_skill_policy` and `with_skill_budget` of its agents, and the
//! injector of its runner.
//!
//! ```
//! use prowess::{Catalog, LoadOptions, MemorySource, Source};
//! use prowess_adk_skill::{from_index, to_index};
//!
//! let source = MemorySource::new("example")
//!     .skill("tea/SKILL.md", "---\nname: tea\ndescription: Brews tea.\n---\nSteep it.\n");
//! let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
//! let catalog = Catalog::load(&sources, &LoadOptions::default())?;
//!
//! let index = to_index(&catalog);
//! assert_eq!(index.find_by_name("tea").unwrap().body, "Steep it.");
//! assert_eq!(from_index(&index).get("tea").unwrap().description(), "Brews tea.");
//! # Ok::<(), prowess::LoadError>(())
//! ```

use std::fmt::Write as _;

use adk_skill::{SkillDocument, SkillIndex};
use prowess::{Catalog, LoadOptions, MemorySource, Skill, Source};
use serde_json::{Value, json};

/// The skills that answer to their names, as an index of ADK. Ids and hashes are the same as
/// ADK's for the same files. A skill on a server that cannot be fetched now is left out.
pub fn to_index(catalog: &Catalog) -> SkillIndex {
    let callable = catalog.skills().iter().filter(|skill| skill.is_callable());
    let loaded = callable.filter_map(|skill| skill.loaded().ok());
    SkillIndex::new(loaded.map(|skill| document(&skill)).collect())
}

fn document(skill: &Skill) -> SkillDocument {
    let document = skill.document();
    let text = |key| document.text_of(key).map(str::to_owned);
    let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
    let metadata = document
        .get("metadata")
        .and_then(|node| serde_json::to_value(&node.value).ok());
    SkillDocument {
        id: skill.id().unwrap_or_default().to_owned(),
        name: skill.name().to_owned(),
        description: skill.description().to_owned(),
        version: text("version"),
        license: text("license"),
        compatibility: text("compatibility"),
        tags: owned(skill.tags()),
        allowed_tools: document
            .allowed_tools()
            .iter()
            .map(ToString::to_string)
            .collect(),
        references: owned(document.list_of("references")),
        trigger: skill.is_manual(),
        hint: text("hint"),
        metadata: match metadata {
            Some(Value::Object(fields)) => fields.into_iter().collect(),
            _ => Default::default(),
        },
        body: skill.instructions().to_owned(),
        path: skill.absolute_path(),
        hash: skill
            .hash()
            .map(|hash| hash.to_string())
            .unwrap_or_default(),
        last_modified: skill.last_modified(),
        triggers: document
            .trigger_globs()
            .iter()
            .map(|glob| glob.text.to_owned())
            .collect(),
    }
}

/// An index of ADK as a catalog. The files are written anew from what ADK read of them, so ids
/// and hashes are those of the new text.
pub fn from_index(index: &SkillIndex) -> Catalog {
    let mut source = MemorySource::new("adk");
    for skill in index.skills() {
        source = source.skill(format!("{}/SKILL.md", skill.name), file(skill));
    }
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    Catalog::load(&sources, &LoadOptions::default()).expect("the lenient profile always loads")
}

/// A document as the text of a skill's file. JSON is YAML, so every value is written as JSON.
fn file(skill: &SkillDocument) -> String {
    let mut text = "---\n".to_owned();
    for (key, value) in [
        ("name", json!(skill.name)),
        ("description", json!(skill.description)),
        ("version", json!(skill.version)),
        ("license", json!(skill.license)),
        ("compatibility", json!(skill.compatibility)),
        ("tags", json!(skill.tags)),
        ("allowed-tools", json!(skill.allowed_tools)),
        ("references", json!(skill.references)),
        ("hint", json!(skill.hint)),
        ("metadata", json!(skill.metadata)),
        ("triggers", json!(skill.triggers)),
        ("trigger", json!(skill.trigger.then_some(true))),
    ] {
        let is_empty = match &value {
            Value::Null => true,
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            _ => false,
        };
        if !is_empty {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{key}: {value}");
        }
    }
    text + "---\n" + &skill.body + "\n"
}
