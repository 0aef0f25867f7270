//! Skills as prompts: what a user can call, such as a slash command.

use std::sync::Arc;

use prowess::{
    Catalog, Skill, ToolOptions, Toolset, activate::Reason, display_text, format::Value,
};
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

/// The one argument of a skill that takes free text.
const FREE: &str = "arguments";

/// Every skill a user may call, sorted by the name of its prompt.
pub(crate) fn all(catalog: &Catalog) -> Vec<(usize, Prompt)> {
    let mut prompts: Vec<(usize, Prompt)> = catalog
        .skills()
        .iter()
        .enumerate()
        .filter(|(_, skill)| skill.is_callable() && is_for_users(skill))
        .map(|(at, skill)| (at, prompt(skill)))
        .collect();
    prompts.sort_by(|a, b| a.1.name.cmp(&b.1.name));
    prompts
}

fn is_for_users(skill: &Skill) -> bool {
    let field = skill.document().get("user-invocable");
    field.and_then(|node| node.value.as_bool()).unwrap_or(true)
}

fn prompt(skill: &Skill) -> Prompt {
    // A name that would disturb a menu is replaced by the id.
    let name = match skill.id() {
        Some(id) if display_text(skill.name()) != skill.name() => id,
        _ => skill.name(),
    };
    let arguments = arguments(skill);
    Prompt::new(
        name,
        Some(skill.description()),
        (!arguments.is_empty()).then_some(arguments),
    )
}

/// What a skill takes: the names in `arguments`, else free text where it asks for any.
fn arguments(skill: &Skill) -> Vec<PromptArgument> {
    let document = skill.document();
    let hint = document.text_of("argument-hint");
    let named = match document.get("arguments").map(|node| &node.value) {
        Some(Value::List(nodes)) => nodes.iter().filter_map(|node| named(&node.value)).collect(),
        Some(Value::Map(fields)) => fields
            .iter()
            .map(|field| described(&field.key, &field.node.value))
            .collect(),
        Some(Value::Scalar(text, _)) => text
            .split([',', ' '])
            .filter(|name| !name.is_empty())
            .map(PromptArgument::new)
            .collect(),
        None => Vec::new(),
    };
    if !named.is_empty() {
        return named;
    }
    let asks = hint.is_some() || skill.instructions().contains("$ARGUMENTS");
    let free = PromptArgument::new(FREE)
        .with_description(hint.unwrap_or("What the skill is to work on"))
        .with_required(false);
    asks.then_some(free).into_iter().collect()
}

/// An item of a list: a name, or a map that has one.
fn named(value: &Value) -> Option<PromptArgument> {
    match value {
        Value::Scalar(name, _) => Some(PromptArgument::new(name.trim())),
        Value::Map(fields) => {
            let name = fields.iter().find(|field| &*field.key == "name")?;
            Some(described(name.node.value.as_str()?, value))
        }
        Value::List(_) => None,
    }
}

fn described(name: &str, value: &Value) -> PromptArgument {
    let argument = PromptArgument::new(name.trim());
    let Some(fields) = value.as_map() else {
        return match value.as_str() {
            Some(text) if !text.is_empty() => argument.with_description(text),
            _ => argument,
        };
    };
    let field = |key: &str| {
        let found = fields.iter().find(|field| &*field.key == key);
        found.map(|field| &field.node.value)
    };
    let argument = match field("description").and_then(Value::as_str) {
        Some(text) => argument.with_description(text),
        None => argument,
    };
    argument.with_required(field("required").and_then(Value::as_bool).unwrap_or(false))
}

/// What the model reads when a user calls the skill: its instructions and what the user gave.
/// Nothing in a skill's text is filled in.
pub(crate) fn get(
    catalog: &Arc<Catalog>,
    options: &Arc<ToolOptions>,
    skill: &Skill,
    given: Option<&JsonObject>,
) -> GetPromptResult {
    let tools = Toolset::new(Arc::clone(catalog), Arc::clone(options));
    let given = given.map(spoken).unwrap_or_default();
    let given = (!given.is_empty()).then_some(given);
    let text = tools.load(skill, Reason::Explicit, given.as_deref()).text;
    let message = PromptMessage::new_text(Role::User, text);
    GetPromptResult::new(vec![message]).with_description(skill.description())
}

/// The arguments on one line: free text as it is, the others with their names.
fn spoken(given: &JsonObject) -> String {
    let parts = given.iter().map(|(name, value)| {
        let value = match value.as_str() {
            Some(text) => text.to_owned(),
            None => value.to_string(),
        };
        if name == FREE {
            value
        } else {
            format!("{name}: {value}")
        }
    });
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use prowess::{LoadOptions, MemorySource, Source};

    fn check(fields: &str, expect: &Expect) {
        let text = format!("---\nname: pdf\ndescription: Fills forms.\n{fields}---\nFill it.\n");
        let source = MemorySource::new("test").skill("pdf/SKILL.md", text);
        let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
        let catalog = Catalog::load(&sources, &LoadOptions::default()).unwrap();
        let prompts: Vec<Prompt> = all(&catalog).into_iter().map(|(_, it)| it).collect();
        expect.assert_eq(&serde_json::to_string(&prompts).unwrap());
    }

    #[test]
    fn a_skill_without_arguments_is_a_prompt_without_any() {
        check(
            "",
            &expect![[r#"[{"name":"pdf","description":"Fills forms."}]"#]],
        );
    }

    #[test]
    fn a_hint_becomes_one_argument_of_free_text() {
        check(
            "argument-hint: '[file] [page]'\n",
            &expect![[
                r#"[{"name":"pdf","description":"Fills forms.","arguments":[{"name":"arguments","description":"[file] [page]","required":false}]}]"#
            ]],
        );
    }

    #[test]
    fn names_become_arguments_in_each_way_to_write_them() {
        check(
            "arguments: [file, page]\n",
            &expect![[
                r#"[{"name":"pdf","description":"Fills forms.","arguments":[{"name":"file"},{"name":"page"}]}]"#
            ]],
        );
        check(
            "arguments:\n  - name: file\n    description: The form.\n    required: true\n",
            &expect![[
                r#"[{"name":"pdf","description":"Fills forms.","arguments":[{"name":"file","description":"The form.","required":true}]}]"#
            ]],
        );
    }

    #[test]
    fn a_skill_that_is_not_for_users_is_no_prompt_and_one_for_users_only_is() {
        check("user-invocable: false\n", &expect!["[]"]);
        check(
            "disable-model-invocation: true\n",
            &expect![[r#"[{"name":"pdf","description":"Fills forms."}]"#]],
        );
    }
}
