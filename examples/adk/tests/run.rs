//! A model runs a script of a skill, once whom the host names said yes.

use std::{collections::HashMap, fs, sync::Arc};

use adk_agent::LlmAgentBuilder;
use adk_core::{
    Content, Part, Result, SessionId, ToolConfirmationDecision, ToolConfirmationHandler,
    ToolConfirmationRequest, UserId,
};
use adk_runner::Runner;
use adk_session::{CreateRequest, InMemorySessionService, SessionService};
use async_trait::async_trait;
use futures::StreamExt;
use prowess::{Catalog, run::Unconfined, tool::RunOptions};
use prowess_adk::{HostTools, SkillToolset, ToolsetOptions};
use prowess_example_adk::script::{Script, Step};
use serde_json::json;

#[derive(Debug)]
struct Person(ToolConfirmationDecision);

#[async_trait]
impl ToolConfirmationHandler for Person {
    async fn decide(&self, request: &ToolConfirmationRequest) -> Result<ToolConfirmationDecision> {
        let question = request.args["question"].as_str().unwrap();
        assert!(question.starts_with("Run the script `count.sh` of the skill `count`"));
        Ok(self.0)
    }
}

/// What the tools answered in a conversation whose model runs the script.
async fn answers(decision: ToolConfirmationDecision) -> String {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("count");
    fs::create_dir_all(&skill).unwrap();
    let text = "---\nname: count\ndescription: Counts words.\n---\nRun `count.sh`.\n";
    fs::write(skill.join("SKILL.md"), text).unwrap();
    fs::write(skill.join("count.sh"), "echo $# words\n").unwrap();
    let mut options = ToolsetOptions::default();
    // A host that is its own launcher uses `Sandbox::this_program`.
    options.tools.run = Some(RunOptions::new(Unconfined::default()));
    options.confirm = Some(Arc::new(Person(decision)));
    let catalog = Arc::new(Catalog::from_dirs([folder.path()]));
    let skills = SkillToolset::new(catalog, Arc::new(HostTools::default()), options);
    let input = json!({ "skill_name": "count", "script": "count.sh", "arguments": "a b" });
    let model = Arc::new(Script::new([
        Step::Call("run_skill_script", input),
        Step::Say("Done."),
    ]));
    let agent = LlmAgentBuilder::new("helper")
        .model(model.clone())
        .toolset(Arc::new(skills))
        .build()
        .unwrap();
    let sessions = Arc::new(InMemorySessionService::new());
    let session = CreateRequest {
        app_name: "app".into(),
        user_id: "ann".into(),
        session_id: Some("one".into()),
        state: HashMap::new(),
    };
    sessions.create(session).await.unwrap();
    let runner = Runner::builder()
        .app_name("app")
        .agent(Arc::new(agent))
        .session_service(sessions)
        .build()
        .unwrap();
    let content = Content::new("user").with_text("Count these words.");
    let (user, session) = (UserId::new("ann").unwrap(), SessionId::new("one").unwrap());
    let mut events = runner.run(user, session, content).await.unwrap();
    let mut answers = Vec::new();
    while let Some(event) = events.next().await {
        let content = event.unwrap().llm_response.content;
        for part in content.iter().flat_map(|content| &content.parts) {
            if let Part::FunctionResponse {
                function_response, ..
            } = part
            {
                answers.push(function_response.response.to_string());
            }
        }
    }
    assert!(model.shown()[0].contains(&"run_skill_script".to_owned()));
    answers.join("\n")
}

#[tokio::test(flavor = "current_thread")]
async fn a_script_runs_when_somebody_says_yes() {
    let yes = answers(ToolConfirmationDecision::Approve).await;
    assert!(yes.contains("2 words"), "{yes}");
    let no = answers(ToolConfirmationDecision::Deny).await;
    assert!(!no.contains("2 words"), "{no}");
    assert!(no.contains("the user said no"), "{no}");
}
