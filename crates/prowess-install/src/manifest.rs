//! `[skills.sources]` of a config: what is wanted, in the words of `prowess add`.
//!
//! Each key is a source. Its value names the skills (`["pdf", "sql"]`), takes all of them (`"*"`),
//! or is a table with `skills` and `pinned`. Everything else in the file stays as it is written.

use crate::lock::LockedSkill;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

/// One wanted source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedSource {
    /// The source, with its ref.
    pub source: String,
    /// The skills by name; `None` for all of them.
    pub skills: Option<Vec<String>>,
    /// Whether `update` leaves them where they are.
    pub pinned: bool,
}

impl WantedSource {
    /// What wants a skill that comes with its entry in a lock.
    pub fn of(skill: &LockedSkill) -> Self {
        let reference = skill.reference.as_deref().or(skill.commit.as_deref());
        let short = reference.map(|it| {
            it.trim_start_matches("refs/heads/")
                .trim_start_matches("refs/tags/")
        });
        Self {
            source: short.map_or(skill.source.clone(), |it| format!("{}#{it}", skill.source)),
            skills: Some(vec![skill.name().to_owned()]),
            pinned: skill.pinned,
        }
    }
}

/// Why a text holds no manifest.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// It is no TOML.
    #[error("this is not TOML")]
    Damaged(#[from] toml_edit::TomlError),
    /// A value of another shape.
    #[error("`skills.sources.{0}` is neither `\"*\"`, a list of names, nor a table with `skills`")]
    Shape(String),
}

/// Reads what is wanted.
pub fn read_manifest(text: &str) -> Result<Vec<WantedSource>, ManifestError> {
    let document: DocumentMut = text.parse()?;
    let sources = document.get("skills").and_then(|it| it.get("sources"));
    let Some(sources) = sources.and_then(Item::as_table_like) else {
        return Ok(Vec::new());
    };
    sources
        .iter()
        .map(|(source, value)| wanted(source, value))
        .collect()
}

fn wanted(source: &str, value: &Item) -> Result<WantedSource, ManifestError> {
    let shape = || ManifestError::Shape(prowess::display_text(source));
    let (skills, pinned) = match value.as_table_like() {
        Some(table) => {
            let pinned = table.get("pinned").map(|it| it.as_bool().ok_or_else(shape));
            (
                table.get("skills").ok_or_else(shape)?,
                pinned.transpose()?.unwrap_or(false),
            )
        }
        None => (value, false),
    };
    let skills = match (skills.as_str(), skills.as_array()) {
        (Some("*"), _) => None,
        (_, Some(names)) => {
            let names: Option<Vec<String>> = names
                .iter()
                .map(|it| it.as_str().map(str::to_owned))
                .collect();
            Some(names.ok_or_else(shape)?)
        }
        _ => return Err(shape()),
    };
    Ok(WantedSource {
        source: source.to_owned(),
        skills,
        pinned,
    })
}

/// The text with this source wanted: names join those that are there.
pub fn add_to_manifest(text: &str, wanted: &WantedSource) -> Result<String, ManifestError> {
    let before = read_manifest(text)?
        .into_iter()
        .find(|it| it.source == wanted.source);
    let skills = match (
        before.and_then(|it| it.skills.map(Some).or(Some(None))),
        &wanted.skills,
    ) {
        (Some(None), _) | (_, None) => None,
        (Some(Some(mut names)), Some(more)) => {
            names.extend(more.iter().cloned());
            names.sort();
            names.dedup();
            Some(names)
        }
        (None, Some(names)) => Some(names.clone()),
    };
    let mut document: DocumentMut = text.parse()?;
    let sources =
        sources_table(&mut document).ok_or_else(|| ManifestError::Shape(String::new()))?;
    sources.insert(
        &wanted.source,
        Item::Value(shown(skills.as_deref(), wanted.pinned)),
    );
    Ok(document.to_string())
}

/// The text without this skill of a source; without the source where it was its last one. Where
/// all skills of a source were wanted, `others` are those that stay.
pub fn remove_from_manifest(
    text: &str,
    source: &str,
    skill: &str,
    others: &[String],
) -> Result<String, ManifestError> {
    let mut document: DocumentMut = text.parse()?;
    let all = read_manifest(text)?;
    let same = |it: &&WantedSource| {
        it.source == source
            && it
                .skills
                .as_ref()
                .is_none_or(|names| names.iter().any(|it| it == skill))
    };
    let Some(found) = all.iter().find(same) else {
        return Ok(text.to_owned());
    };
    let left: Vec<String> = found
        .skills
        .as_deref()
        .unwrap_or(others)
        .iter()
        .filter(|it| *it != skill)
        .cloned()
        .collect();
    if let Some(sources) = sources_table(&mut document) {
        if left.is_empty() {
            sources.remove(source);
        } else {
            sources.insert(source, Item::Value(shown(Some(&left), found.pinned)));
        }
    }
    Ok(document.to_string())
}

fn sources_table(document: &mut DocumentMut) -> Option<&mut dyn toml_edit::TableLike> {
    let skills = document.entry("skills").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let skills = skills.as_table_like_mut()?;
    skills
        .entry("sources")
        .or_insert_with(toml_edit::table)
        .as_table_like_mut()
}

fn shown(skills: Option<&[String]>, pinned: bool) -> Value {
    let skills = match skills {
        None => Value::from("*"),
        Some(names) => Value::Array(names.iter().collect::<Array>()),
    };
    if !pinned {
        return skills;
    }
    let mut table = InlineTable::new();
    table.insert("skills", skills);
    table.insert("pinned", Value::from(true));
    Value::InlineTable(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn what_is_wanted_is_written_and_the_rest_stays() {
        let add = |text: &str, source: &str, skills: Option<&[&str]>, pinned| {
            let skills = skills.map(|it| it.iter().map(|&it| it.to_owned()).collect());
            add_to_manifest(
                text,
                &WantedSource {
                    source: source.to_owned(),
                    skills,
                    pinned,
                },
            )
            .unwrap()
        };
        let text = "# Ours.\n[skills]\nenabled = true # yes\n";
        let text = add(text, "acme/skills", Some(&["sql"]), false);
        let text = add(&text, "acme/skills", Some(&["pdf", "sql"]), false);
        let text = add(&text, "./own", None, false);
        let text = add(&text, "zoo/skills#v1", Some(&["cat"]), true);
        expect![[r##"
            # Ours.
            [skills]
            enabled = true # yes

            [skills.sources]
            "acme/skills" = ["pdf", "sql"]
            "./own" = "*"
            "zoo/skills#v1" = { skills = ["cat"], pinned = true }
        "##]]
        .assert_eq(&text);
        assert_eq!(read_manifest(&text).unwrap().len(), 3);
        let text = remove_from_manifest(&text, "acme/skills", "sql", &[]).unwrap();
        let text = remove_from_manifest(&text, "zoo/skills#v1", "cat", &[]).unwrap();
        let others = ["one".to_owned()];
        let text = remove_from_manifest(&text, "./own", "any", &others).unwrap();
        expect![[r##"
            # Ours.
            [skills]
            enabled = true # yes

            [skills.sources]
            "acme/skills" = ["pdf"]
            "./own" = ["one"]
        "##]]
        .assert_eq(&text);
        let fresh = add("", "a/b", Some(&["x"]), false);
        expect![[r#"
            [skills.sources]
            "a/b" = ["x"]
        "#]]
        .assert_eq(&fresh);
        assert!(read_manifest("[skills.sources]\na = 1").is_err());
    }
}
