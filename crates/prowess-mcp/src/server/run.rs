//! `run_skill_script`: a script runs when the user of the client said yes to it.
//!
//! The question goes through the client (elicitation). Clients of the newer protocol get it as a
//! result that asks for input and call again with the answer; older ones are asked while their
//! call waits. A client that cannot ask its user gets a refusal with the reason.

use std::{collections::BTreeMap, time::Duration};

use prowess::{
    ContentHash, Tool as _, ToolResult, Toolset,
    run::Grant,
    tool::{RunTool, ScriptCall, ToolRun},
};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitRequest,
        ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, InputRequest,
        InputRequiredResult, InputResponses, Tool,
    },
    service::RequestContext,
};
use serde_json::{Value as Json, json};

use super::{
    connection::{Connection, is_modern},
    tools::{RUN, awaken, described, object},
};

/// So many scripts run at one time, over all clients; others wait.
pub(super) const MOST_RUNS: usize = 8;

/// How long a person may think about a question while the call waits.
const PATIENCE: Duration = Duration::from_secs(300);

/// The question's name, and the answer's field.
const APPROVE: &str = "approve";

/// The tool, where a script could run.
pub(super) fn tool(tools: &Toolset) -> Option<Tool> {
    let run = tools.run()?;
    let grants = tools
        .options()
        .run
        .as_ref()
        .map(|run| run.grants.as_slice());
    let grants = grants.unwrap_or_default();
    let mut tool = described(
        RUN,
        "Run a script of a skill",
        &run.description(),
        run.schema(),
    )
    .with_raw_output_schema(std::sync::Arc::new(object(json!({
        "type": "object",
        "properties": {
            "script": { "type": "string" },
            "code": { "type": "integer" },
            "stdout": { "type": "string" },
            "stderr": { "type": "string" },
            "milliseconds": { "type": "integer" },
            "seal": { "type": "string" },
        },
        "required": ["script", "code", "stdout", "stderr"],
    }))));
    if let Some(hints) = &mut tool.annotations {
        let writes = grants.iter().any(|it| matches!(it, Grant::Write(_)));
        let reaches = grants.contains(&Grant::Net);
        *hints = hints
            .clone()
            .read_only(false)
            .idempotent(false)
            .destructive(writes || reaches)
            .open_world(reaches);
    }
    Some(tool)
}

/// What became of a question.
enum Answer {
    Yes,
    No(&'static str),
    /// The client is to ask and call again.
    Later(Box<InputRequiredResult>),
}

impl Connection {
    #[expect(
        clippy::result_large_err,
        reason = "either way it is the call's result"
    )]
    pub(super) async fn run_script(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let input = Json::Object(request.arguments.unwrap_or_default());
        let asked_for = ContentHash::of(input.to_string().as_bytes());
        let prepared = self
            .work(move |shared, view| {
                let tools = Toolset::new(view.catalog.clone(), shared.options.clone());
                awaken(&tools, &input);
                let tool: Option<RunTool> = tools.run();
                Ok(tool.map(|tool| tool.prepare(&input)))
            })
            .await?;
        let call = match prepared {
            Some(Ok(call)) => call,
            Some(Err(refused)) => return Ok(answer(refused).into()),
            None => return Err(ErrorData::invalid_params("no script can be run now", None)),
        };
        let call = if call.needs_approval() {
            // A yes belongs to this call with these files, so it comes back with their hashes.
            let state = format!("{}-{asked_for}", call.seal());
            let given = (request.request_state.as_deref() == Some(&state))
                .then_some(request.input_responses)
                .flatten();
            match ask(&call, state, given, &context).await {
                Answer::Yes => call.approve(),
                Answer::No(reason) => return Ok(answer(call.refuse(reason)).into()),
                Answer::Later(question) => return Ok((*question).into()),
            }
        } else {
            call
        };
        let ended = self.run_to_end(call);
        tokio::select! {
            result = ended => Ok(answer(result?).into()),
            // The run is dropped, which kills the script with all it started.
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
        }
    }

    async fn run_to_end(&self, call: ScriptCall) -> Result<ToolResult, ErrorData> {
        let failed = |_| ErrorData::internal_error("the script could not be started", None);
        let runs = &self.shared().runs;
        let _turn = runs.acquire().await.map_err(failed)?;
        let started: Result<ToolRun, ToolResult> = self.work(move |_, _| Ok(call.start())).await?;
        Ok(match started {
            Ok(run) => run.await,
            Err(refused) => refused,
        })
    }
}

/// Asks the user of the client, in the way that the client knows.
async fn ask(
    call: &ScriptCall,
    state: String,
    given: Option<InputResponses>,
    context: &RequestContext<RoleServer>,
) -> Answer {
    let capabilities = context.client_capabilities();
    let forms = capabilities.and_then(|it| it.elicitation);
    // A client that names no mode has forms: they came first.
    if !forms.is_some_and(|it| it.form.is_some() || it.url.is_none()) {
        return Answer::No(
            "it needs the user's yes, and this client cannot ask its user (it has no elicitation)",
        );
    }
    let params = question(call);
    if is_modern(context) {
        let given = given.and_then(|mut given| given.remove(APPROVE));
        return match given.and_then(|it| serde_json::from_value(it).ok()) {
            Some(result) => verdict(&result),
            None => {
                let request = InputRequest::Elicitation(ElicitRequest::new(params));
                let requests = BTreeMap::from([(APPROVE.to_owned(), request)]);
                let result = InputRequiredResult::new(Some(requests), Some(state));
                Answer::Later(Box::new(result))
            }
        };
    }
    let asked = context
        .peer
        .create_elicitation_with_timeout(params, Some(PATIENCE));
    tokio::select! {
        asked = asked => match asked {
            Ok(result) => verdict(&result),
            Err(error) => {
                tracing::warn!(%error, "the client's user could not be asked about a script");
                Answer::No("it needs the user's yes, and the client gave no answer")
            }
        },
        () = context.ct.cancelled() => Answer::No("the call was cancelled"),
    }
}

fn question(call: &ScriptCall) -> ElicitRequestParams {
    // Accepting the form is not enough: a client that accepts every form unread says nothing.
    let schema = ElicitationSchema::builder()
        .required_bool_with(APPROVE, |it| it.title("Run it"))
        .build_unchecked();
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: call.question(),
        requested_schema: schema,
    }
}

fn verdict(result: &ElicitResult) -> Answer {
    let content = result.content.as_ref();
    let approved = content.and_then(|it| it.get(APPROVE)) == Some(&Json::Bool(true));
    match result.action {
        ElicitationAction::Accept if approved => Answer::Yes,
        _ => Answer::No("the user said no; go on without it and say so"),
    }
}

fn answer(result: ToolResult) -> CallToolResult {
    let content = vec![ContentBlock::text(result.text)];
    if !result.record.success {
        return CallToolResult::error(content);
    }
    let mut answer = CallToolResult::success(content);
    answer.structured_content = result.record.data;
    answer
}
