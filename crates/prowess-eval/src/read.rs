//! Reads requests with their right skills, in the shapes people publish.
//!
//! - a list of `{"query", "should_trigger"}`, about the skill in whose folder it lies;
//! - `{"skill_name", "evals": [{"id", "prompt", …}]}`, the guide's `evals/evals.json`;
//! - `{"skills", "query", "expected_behavior"}`, one object or a list, the older form of it;
//! - `{"skill", "should_trigger": […], "should_not_trigger": […]}`;
//! - lines of `{"query", "expect": [names]}` or `{"qid", "query", "gold": [[ids], …]}`.

use serde_json::{Map, Value};

use crate::case::{Case, Expected};

/// A file that holds no cases.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is neither JSON nor lines of JSON.
    #[error("line {line} is not JSON: {reason}")]
    NotJson {
        /// The line, from one.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// An item has no request.
    #[error("case {number} has no request; give it a `query` or a `prompt`")]
    NoRequest {
        /// The item, from one.
        number: usize,
    },
    /// Nothing says which skill is meant.
    #[error(
        "case {number} names no skill; add `skill_name`, or keep the file in the skill's folder"
    )]
    NoSkill {
        /// The item, from one.
        number: usize,
    },
}

/// Where a request may stand, the usual word first.
const REQUEST: [&str; 5] = ["query", "prompt", "request", "input", "user_request"];

/// Where the right skills may stand.
const EXPECT: [&str; 6] = [
    "expect",
    "gold",
    "skills",
    "expected_skills",
    "expected_skill",
    "expected_primary_skill",
];

/// Where the skill a file is about may stand.
const ABOUT: [&str; 2] = ["skill_name", "skill"];

/// Where a list of cases may stand.
const CASES: [&str; 6] = [
    "evals",
    "cases",
    "queries",
    "trigger",
    "triggers",
    "trigger_evals",
];

/// Reads the cases of a file. `owner` is the skill in whose folder the file lies.
pub fn read(text: &str, owner: Option<&str>) -> Result<Vec<Case>, ReadError> {
    read_with(text, owner, None)
}

/// Reads requests that need not say which skill is right; those that do not expect nothing.
pub fn read_requests(text: &str) -> Result<Vec<Case>, ReadError> {
    read_with(text, None, Some(Expected::Nothing))
}

fn read_with(
    text: &str,
    owner: Option<&str>,
    otherwise: Option<Expected>,
) -> Result<Vec<Case>, ReadError> {
    let mut cases = Cases {
        otherwise,
        ..Cases::default()
    };
    match serde_json::from_str::<Value>(text) {
        Ok(value) => cases.collect(&value, owner)?,
        Err(whole) => {
            let lines = text.lines().enumerate();
            for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
                let value = serde_json::from_str::<Value>(line).map_err(|error| {
                    // A broken first line is a broken file: tell where the file as a whole breaks.
                    let (line, error) = if at == 0 || text.trim_start().starts_with('[') {
                        (whole.line(), &whole)
                    } else {
                        (at + 1, &error)
                    };
                    ReadError::NotJson {
                        line,
                        reason: plain(error),
                    }
                })?;
                cases.collect(&value, owner)?;
            }
        }
    }
    Ok(cases.found)
}

/// The reason without the place, which stands beside it already.
fn plain(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message
        .split(" at line ")
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[derive(Default)]
struct Cases {
    found: Vec<Case>,
    seen: usize,
    /// What is expected where nothing is said.
    otherwise: Option<Expected>,
}

impl Cases {
    fn collect(&mut self, value: &Value, owner: Option<&str>) -> Result<(), ReadError> {
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.collect(item, owner)),
            Value::Object(object) => self.object(object, owner),
            _ => {
                self.seen += 1;
                Err(ReadError::NoRequest { number: self.seen })
            }
        }
    }

    fn object(
        &mut self,
        object: &Map<String, Value>,
        owner: Option<&str>,
    ) -> Result<(), ReadError> {
        let about = ABOUT.iter().find_map(|key| object.get(*key)?.as_str());
        let owner = about.or(owner);
        let lists = [("should_trigger", true), ("should_not_trigger", false)];
        let mut listed = false;
        for (key, wanted) in lists {
            for item in object
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                listed = true;
                let (request, id) = match item {
                    Value::Object(item) => (request(item), id(item)),
                    item => (item.as_str(), None),
                };
                self.add(request, id, owner.map(|owner| trigger(owner, wanted)))?;
            }
        }
        if listed {
            return Ok(());
        }
        if let Some(text) = request(object) {
            let expected = expected(object, owner);
            return self.add(Some(text), id(object), expected);
        }
        let lists: Vec<&Value> = CASES
            .iter()
            .filter_map(|key| object.get(*key).filter(|list| list.is_array()))
            .collect();
        if lists.is_empty() {
            return self.add(None, None, None);
        }
        lists
            .into_iter()
            .try_for_each(|list| self.collect(list, owner))
    }

    fn add(
        &mut self,
        request: Option<&str>,
        id: Option<String>,
        expected: Option<Expected>,
    ) -> Result<(), ReadError> {
        self.seen += 1;
        let number = self.seen;
        let request = request.ok_or(ReadError::NoRequest { number })?;
        let expected = expected.or_else(|| self.otherwise.clone());
        let expected = expected.ok_or(ReadError::NoSkill { number })?;
        self.found.push(Case {
            id: id.unwrap_or_else(|| number.to_string()),
            query: request.to_owned(),
            expected,
        });
        Ok(())
    }
}

fn request(object: &Map<String, Value>) -> Option<&str> {
    REQUEST.iter().find_map(|key| object.get(*key)?.as_str())
}

fn id(object: &Map<String, Value>) -> Option<String> {
    ["id", "qid", "case_id"]
        .iter()
        .find_map(|key| match object.get(*key)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        })
}

fn trigger(owner: &str, wanted: bool) -> Expected {
    if wanted {
        Expected::Skills(vec![vec![owner.to_owned()]])
    } else {
        Expected::Not(vec![owner.to_owned()])
    }
}

/// What a case should lead to: what it says itself, else the skill it is about.
fn expected(object: &Map<String, Value>, owner: Option<&str>) -> Option<Expected> {
    let ruled_out = ["not", "neg_of"].iter().find_map(|key| object.get(*key));
    if let Some(names) = ruled_out.map(names).filter(|names| !names.is_empty()) {
        return Some(Expected::Not(names));
    }
    if let Some(wanted) = object.get("should_trigger").and_then(Value::as_bool) {
        let named = EXPECT.iter().find_map(|key| object.get(*key)).map(names);
        let named = named.and_then(|names| names.into_iter().next());
        return Some(trigger(named.as_deref().or(owner)?, wanted));
    }
    if let Some(value) = EXPECT.iter().find_map(|key| object.get(*key)) {
        let groups: Vec<Vec<String>> = match value {
            Value::Array(items) if items.iter().any(Value::is_array) => {
                items.iter().map(names).collect()
            }
            // A plain list of names: any of them is right.
            value => vec![names(value)],
        };
        let groups: Vec<_> = groups
            .into_iter()
            .filter(|group| !group.is_empty())
            .collect();
        return Some(if groups.is_empty() {
            Expected::Nothing
        } else {
            Expected::Skills(groups)
        });
    }
    Some(trigger(owner?, true))
}

fn names(value: &Value) -> Vec<String> {
    match value {
        Value::String(name) => vec![name.clone()],
        Value::Array(items) => items
            .iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::fmt::Write as _;

    fn check(text: &str, expected: &Expect) {
        let mut told = String::new();
        match read(text, Some("pdf")) {
            Ok(cases) => {
                for Case {
                    id,
                    query,
                    expected,
                } in cases
                {
                    writeln!(told, "{id}: {query}: {expected:?}").unwrap();
                }
            }
            Err(error) => told = format!("{error}\n"),
        }
        expected.assert_eq(&told);
    }

    #[test]
    fn trigger_files_are_about_their_skill() {
        check(
            r#"[{"query": "fill this", "should_trigger": true}, {"query": "tea", "should_trigger": false}]"#,
            &expect![[r#"
                1: fill this: Skills([["pdf"]])
                2: tea: Not(["pdf"])
            "#]],
        );
        check(
            r#"{"skill": "sql", "should_trigger": ["slow query"], "should_not_trigger": [{"request": "tea"}]}"#,
            &expect![[r#"
                1: slow query: Skills([["sql"]])
                2: tea: Not(["sql"])
            "#]],
        );
    }

    #[test]
    fn both_shapes_of_evals_are_read() {
        check(
            r#"{"skill_name": "csv", "evals": [{"id": 7, "prompt": "clean it", "expected_output": "clean"}]}"#,
            &expect![[r#"
                7: clean it: Skills([["csv"]])
            "#]],
        );
        check(
            r#"{"skills": ["pdf-tools"], "query": "extract text", "files": [], "expected_behavior": ["reads"]}"#,
            &expect![[r#"
                1: extract text: Skills([["pdf-tools"]])
            "#]],
        );
    }

    #[test]
    fn lines_say_what_they_expect() {
        check(
            "{\"query\": \"a\", \"expect\": [\"x\", \"y\"]}\n\n{\"qid\": \"q1\", \"query\": \"b\", \"gold\": [[\"x@1\"], [\"y@2\"]]}\n{\"query\": \"c\", \"gold\": []}\n{\"query\": \"d\", \"gold\": [], \"neg_of\": \"x\"}\n",
            &expect![[r#"
                1: a: Skills([["x", "y"]])
                q1: b: Skills([["x@1"], ["y@2"]])
                3: c: Nothing
                4: d: Not(["x"])
            "#]],
        );
    }

    #[test]
    fn what_can_not_be_read_is_told_with_its_place() {
        check(
            "[\n{\"query\": 1,\n]",
            &expect![[r#"
            line 3 is not JSON: key must be a string
        "#]],
        );
        check(
            "{\"query\": \"a\"}\nnonsense\n",
            &expect![[r#"
            line 2 is not JSON: expected ident
        "#]],
        );
        check(
            r#"[{"question": "a"}]"#,
            &expect![[r#"
            case 1 has no request; give it a `query` or a `prompt`
        "#]],
        );
        let nobody = read(r#"[{"query": "a"}]"#, None).unwrap_err();
        expect!["case 1 names no skill; add `skill_name`, or keep the file in the skill's folder"]
            .assert_eq(&nobody.to_string());
    }
}
