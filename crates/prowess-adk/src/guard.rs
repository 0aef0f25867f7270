//! A host's tool that is called only within what the active skills and the host allow.

use std::sync::Arc;

use adk_core::{Result, Tool, ToolContext};
use async_trait::async_trait;
use prowess::authority::{Authority, Call, Verdict};
use serde_json::{Value, json};

/// Tells what patterns such as `Bash(git:*)` are compared with: the command, the path or the
/// domain in a tool's input. It is given the tool's name and the input.
pub type ArgumentOf = Arc<dyn Fn(&str, &Value) -> Option<String> + Send + Sync>;

/// A tool bound for one or more skills.
pub(crate) struct Guard {
    pub(crate) tool: Arc<dyn Tool>,
    /// One for each active skill that asks for the tool; the most generous decides.
    pub(crate) authorities: Vec<Authority>,
    pub(crate) argument_of: Option<ArgumentOf>,
}

impl Guard {
    fn denies(&self, input: &Value) -> bool {
        let argument = self
            .argument_of
            .as_ref()
            .and_then(|argument_of| argument_of(self.tool.name(), input));
        let call = Call {
            tool: self.tool.name(),
            argument: argument.as_deref(),
        };
        self.authorities
            .iter()
            .all(|authority| authority.judge(&call) == Verdict::Denied)
    }
}

#[async_trait]
impl Tool for Guard {
    fn name(&self) -> &str {
        self.tool.name()
    }

    fn description(&self) -> &str {
        self.tool.description()
    }

    fn declaration(&self) -> Value {
        self.tool.declaration()
    }

    fn enhanced_description(&self) -> String {
        self.tool.enhanced_description()
    }

    fn is_long_running(&self) -> bool {
        self.tool.is_long_running()
    }

    fn is_builtin(&self) -> bool {
        self.tool.is_builtin()
    }

    fn parameters_schema(&self) -> Option<Value> {
        self.tool.parameters_schema()
    }

    fn response_schema(&self) -> Option<Value> {
        self.tool.response_schema()
    }

    fn required_scopes(&self) -> &[&str] {
        self.tool.required_scopes()
    }

    fn is_read_only(&self) -> bool {
        self.tool.is_read_only()
    }

    fn is_concurrency_safe(&self) -> bool {
        self.tool.is_concurrency_safe()
    }

    fn is_agent_delegation(&self) -> bool {
        self.tool.is_agent_delegation()
    }

    async fn execute(&self, ctx: Arc<dyn ToolContext>, input: Value) -> Result<Value> {
        if self.denies(&input) {
            let error = format!(
                "this call of `{}` is outside what the active skills may do",
                self.tool.name()
            );
            return Ok(json!({ "error": error }));
        }
        self.tool.execute(ctx, input).await
    }
}

#[cfg(test)]
mod tests {
    use prowess::authority::{Pattern, Permission};

    use super::*;
    use crate::sample::{Named, Session, run};

    fn call(permission: Permission, patterns: &[&str], command: &str) -> Value {
        let guard = Guard {
            tool: Named::tool("Bash"),
            authorities: patterns
                .iter()
                .map(|pattern| Authority {
                    permission,
                    asked: vec![Pattern::new(pattern)],
                    ..Authority::default()
                })
                .collect(),
            argument_of: Some(Arc::new(|_, input| {
                input["command"].as_str().map(str::to_owned)
            })),
        };
        run(guard.execute(Session::context(), json!({ "command": command }))).unwrap()
    }

    #[test]
    fn restrict_keeps_a_skill_to_its_patterns() {
        let ran = json!({ "Bash": { "command": "git add a" } });
        let restrict = Permission::Restrict;
        assert_eq!(call(restrict, &["Bash(git add:*)"], "git add a"), ran);
        assert_eq!(
            call(restrict, &["Bash(git add:*)"], "rm -r a"),
            json!({ "error": "this call of `Bash` is outside what the active skills may do" })
        );
        // Two skills are active, and the second may.
        assert_eq!(
            call(restrict, &["Bash(ls:*)", "Bash(git:*)"], "git add a"),
            ran
        );
    }

    #[test]
    fn preapprove_leaves_other_calls_to_the_host() {
        assert_eq!(
            call(Permission::Preapprove, &["Bash(git add:*)"], "ls"),
            json!({ "Bash": { "command": "ls" } })
        );
    }
}
