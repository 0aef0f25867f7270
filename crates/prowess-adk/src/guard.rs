//! A host's tool that is called only within what the active skills and the host allow.

use std::sync::Arc;

use adk_core::{
    Result, Tool, ToolConfirmationDecision, ToolConfirmationHandler, ToolConfirmationRequest,
    ToolContext,
};
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
    /// Who is asked about a call that no grant covers.
    pub(crate) confirm: Option<Arc<dyn ToolConfirmationHandler>>,
}

impl Guard {
    fn verdict(&self, input: &Value) -> Verdict {
        let argument = self
            .argument_of
            .as_ref()
            .and_then(|argument_of| argument_of(self.tool.name(), input));
        let call = Call {
            tool: self.tool.name(),
            argument: argument.as_deref(),
        };
        let verdicts = self.authorities.iter().map(|it| it.judge(&call));
        verdicts.max().unwrap_or(Verdict::Denied)
    }

    /// Whether the host lets a call pass that has to be asked about. Nobody to ask is a no.
    async fn confirmed(&self, ctx: &dyn ToolContext, input: &Value) -> Result<bool> {
        let Some(handler) = &self.confirm else {
            return Ok(false);
        };
        confirmed(handler, self.tool.name(), ctx, input.clone()).await
    }
}

/// Whether whom the host names lets a call pass.
pub(crate) async fn confirmed(
    handler: &Arc<dyn ToolConfirmationHandler>,
    tool: &str,
    ctx: &dyn ToolContext,
    args: Value,
) -> Result<bool> {
    let request = ToolConfirmationRequest {
        tool_name: tool.to_owned(),
        function_call_id: Some(ctx.function_call_id().to_owned()),
        args,
    };
    Ok(handler.decide(&request).await? == ToolConfirmationDecision::Approve)
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
        let allowed = match self.verdict(&input) {
            Verdict::Allowed => true,
            Verdict::Ask => self.confirmed(ctx.as_ref(), &input).await?,
            Verdict::Denied => false,
        };
        if !allowed {
            let error = format!(
                "this call of `{}` is outside what the active skills may do without asking",
                self.tool.name()
            );
            tracing::warn!(gen_ai.tool.name = self.tool.name(), "{error}");
            return Ok(json!({ "error": error }));
        }
        self.tool.execute(ctx, input).await
    }
}

#[cfg(test)]
mod tests {
    use prowess::authority::{Grant, Pattern, Permission};

    use super::*;
    use crate::sample::{Named, Session, run};

    /// Says yes or no to every call.
    #[derive(Debug)]
    struct Person(ToolConfirmationDecision);

    #[async_trait]
    impl ToolConfirmationHandler for Person {
        async fn decide(&self, _: &ToolConfirmationRequest) -> Result<ToolConfirmationDecision> {
            Ok(self.0)
        }
    }

    fn guard(permission: Permission, patterns: &[&str], user: &Grant) -> Guard {
        Guard {
            tool: Named::tool("Bash"),
            authorities: patterns
                .iter()
                .map(|pattern| Authority {
                    permission,
                    user: user.clone(),
                    asked: vec![Pattern::new(pattern)],
                    ..Authority::default()
                })
                .collect(),
            argument_of: Some(Arc::new(|_, input| {
                input["command"].as_str().map(str::to_owned)
            })),
            confirm: None,
        }
    }

    fn call(guard: &Guard, command: &str) -> Value {
        run(guard.execute(Session::context(), json!({ "command": command }))).unwrap()
    }

    fn ran(command: &str) -> Value {
        json!({ "Bash": { "command": command } })
    }

    fn refused() -> Value {
        json!({ "error": "this call of `Bash` is outside what the active skills may do without asking" })
    }

    #[test]
    fn restrict_keeps_a_skill_to_its_patterns() {
        let restrict =
            |patterns: &[&str]| guard(Permission::Restrict, patterns, &Grant::everything());
        let one = restrict(&["Bash(git add:*)"]);
        assert_eq!(call(&one, "git add a"), ran("git add a"));
        assert_eq!(call(&one, "rm -r a"), refused());
        // Two skills are active, and the second may.
        let two = restrict(&["Bash(ls:*)", "Bash(git:*)"]);
        assert_eq!(call(&two, "git add a"), ran("git add a"));
    }

    #[test]
    fn what_has_to_be_asked_about_does_not_run_unasked() {
        let mut preapproved = guard(
            Permission::Preapprove,
            &["Bash(git add:*)"],
            &Grant::everything(),
        );
        assert_eq!(call(&preapproved, "git add a"), ran("git add a"));
        assert_eq!(call(&preapproved, "ls"), refused());
        preapproved.confirm = Some(Arc::new(Person(ToolConfirmationDecision::Deny)));
        assert_eq!(call(&preapproved, "ls"), refused());
        preapproved.confirm = Some(Arc::new(Person(ToolConfirmationDecision::Approve)));
        assert_eq!(call(&preapproved, "ls"), ran("ls"));
        // A skill's own list is a wish: without a grant of the user it asks too.
        let wish = guard(Permission::Preapprove, &["Bash"], &Grant::nothing());
        assert_eq!(call(&wish, "git add a"), refused());
    }
}
