//! `search_skills`: finds skills for a task, for catalogs too large to list.

use serde::Serialize;
use serde_json::{Value, json};

use super::{Tool, ToolRecord, ToolResult, Toolset, observed, text_of};
use crate::{
    explain::{Explanation, Field},
    frame::one_line,
    select::Policy,
    skill::Skill,
};

/// So many hits are given unless the model asks for more.
const TOP_K: u64 = 5;

/// More hits than this are a list, not an answer.
const MOST: u64 = 50;

/// The tool `search_skills`.
#[derive(Debug, Clone)]
pub struct SearchTool(pub(super) Toolset);

/// One skill that was found.
#[derive(Debug, Serialize)]
struct Hit<'a> {
    name: &'a str,
    /// Why it was found, on one line.
    reason: String,
    score: f32,
    confidence: f32,
    /// The tools it asks for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allowed_tools: Vec<String>,
}

impl Tool for SearchTool {
    fn name(&self) -> &str {
        &self.0.options().names.search
    }

    fn description(&self) -> String {
        let options = self.0.options();
        if let Some(own) = &options.descriptions.search {
            return own.clone();
        }
        if !options.enabled {
            return "Searches skills. They are switched off now, so there is none.".to_owned();
        }
        let count = self.0.catalog().model_visible().count();
        format!(
            "Searches all {count} skills for those that fit a task. Gives the name of each, why \
             it fits, and how likely it is right (0 to 1). Load one with `{}`. An empty result \
             means that no skill is about the task.",
            options.names.skill
        )
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "description": "The task, in a few words or in full.",
                },
                "top_k": {
                    "type": "integer",
                    "description": format!("How many skills to give at most, 1 to {MOST}; {TOP_K} unless given."),
                },
            },
            "required": ["query"],
        })
    }

    fn call(&self, input: &Value) -> ToolResult {
        observed(self.name(), input, |input| self.run(input))
    }
}

impl SearchTool {
    fn run(&self, input: &Value) -> ToolResult {
        let query = match text_of(input, "query", "the task to find skills for") {
            Ok(query) => query,
            Err(error) => return self.0.failure(self.name(), None, error),
        };
        if !self.0.options().enabled {
            let error = "skills are switched off, so none was searched".to_owned();
            return self.0.failure(self.name(), None, error);
        }
        let top_k = match input.get("top_k") {
            None | Some(Value::Null) => TOP_K,
            Some(value) => match value.as_u64() {
                Some(count @ 1..=MOST) => count,
                _ => {
                    let error = format!("`top_k` is `{value}`; give a number from 1 to {MOST}");
                    return self.0.failure(self.name(), None, error);
                }
            },
        };
        let catalog = self.0.catalog();
        let policy = Policy {
            top_k: top_k as usize,
            ..self.0.options().policy.clone()
        };
        let selection = catalog.select(query, &policy);
        let hits: Vec<Hit<'_>> = selection
            .matches
            .iter()
            .zip(selection.explain())
            .map(|(found, explanation)| Hit {
                name: found.skill().name(),
                reason: reason(&explanation, found.skill()),
                score: found.score,
                confidence: found.confidence,
                allowed_tools: found.skill().allowed_tools(),
            })
            .collect();
        let text = if hits.is_empty() {
            "No skill is about this task.".to_owned()
        } else {
            let lines = hits.iter().map(|hit| {
                format!(
                    "- {} ({:.2}): {}",
                    one_line(hit.name),
                    hit.confidence,
                    hit.reason
                )
            });
            lines.collect::<Vec<_>>().join("\n")
        };
        ToolResult {
            text,
            record: ToolRecord {
                data: Some(json!({
                    "query": query,
                    "decision": selection.decision.name(),
                    "matches": hits,
                })),
                ..self.0.record(self.name())
            },
        }
    }
}

/// Why a skill was found: what it is for, and where it has the words of the request.
///
/// The words are those of the explanation that `select` and `why` show, so a word that was
/// misspelt or stands in `when_to_use` is named here too.
fn reason(explanation: &Explanation, skill: &Skill) -> String {
    let description = one_line(skill.description());
    let origin = skill.remote().map(|remote| format!(" ({})", remote.told()));
    let shared: Vec<String> = explanation
        .by_field()
        .into_iter()
        .map(|(field, words)| {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            format!("{} in its {}", words.join(", "), place(field))
        })
        .collect();
    let first: String = description.chars().take(120).collect();
    let mark = if first.len() < description.len() {
        " …"
    } else {
        ""
    };
    let origin = origin.unwrap_or_default();
    if shared.is_empty() {
        format!("{first}{mark}{origin}")
    } else {
        format!("{first}{mark}{origin} [{}]", shared.join("; "))
    }
}

/// Where a word stands, as a model reads it.
fn place(field: Field) -> &'static str {
    match field {
        Field::NotFor => "description, of what it is not for",
        Field::Prose => "instructions",
        field => field.name(),
    }
}
