//! A model runs a script of a skill, once somebody said yes.

use std::{fs, sync::Arc};

use prowess::{
    Catalog, Skill, ToolOptions,
    run::{Staged, Unconfined},
    tool::{Approver, RunOptions, ScriptCall},
};
use prowess_rig::{HostTools, Skills};
use rig_agent::prelude::AgentBuilder;
use rig_core::test_utils::{MockCompletionModel, MockTurn};
use serde_json::json;

/// A person who gives one answer to every question.
struct Person(bool);

impl Approver for Person {
    fn is_approved(&self, _: &Skill, _: &Staged) -> bool {
        false
    }

    fn ask(&self, call: &ScriptCall) -> Option<bool> {
        assert!(
            call.question()
                .starts_with("Run the script `count.sh` of the skill `count`")
        );
        Some(self.0)
    }
}

/// What the model was offered, and the whole conversation as it stands in its last request.
async fn conversation(script: Option<&str>, yes: bool) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("count");
    fs::create_dir_all(&skill).unwrap();
    let text = "---\nname: count\ndescription: Counts words.\n---\nRun `count.sh`.\n";
    fs::write(skill.join("SKILL.md"), text).unwrap();
    if let Some(script) = script {
        fs::write(skill.join("count.sh"), script).unwrap();
    }
    let mut options = ToolOptions::default();
    // A host that is its own launcher uses `Sandbox::this_program`.
    let mut run = RunOptions::new(Unconfined::default());
    run.approver = Some(Arc::new(Person(yes)));
    options.run = Some(run);
    let catalog = Catalog::from_dirs([folder.path()]);
    let skills = Skills::with_options(catalog, HostTools::new(), options);
    let input = json!({ "skill_name": "count", "script": "count.sh", "arguments": "a b" });
    let model = MockCompletionModel::from_turns([
        MockTurn::tool_call("1", "skill", json!({ "skill_name": "count" })),
        MockTurn::tool_call("2", "run_skill_script", input),
        MockTurn::text("Done."),
    ]);
    let agent = AgentBuilder::new(model.clone())
        .tool_server_handle(skills.server())
        .build();
    let _ = agent.prompt("Count these words.").max_turns(8).await;
    let requests = model.requests();
    let mut offered: Vec<String> = requests[0]
        .tools
        .iter()
        .map(|tool| tool.name.as_str().to_owned())
        .collect();
    offered.sort();
    (offered, format!("{:?}", requests.last().unwrap()))
}

#[tokio::test(flavor = "current_thread")]
async fn a_script_runs_when_somebody_says_yes() {
    let (offered, yes) = conversation(Some("echo $# words\n"), true).await;
    assert!(offered.contains(&"run_skill_script".to_owned()));
    assert!(yes.contains("2 words"), "{yes}");
    let (_, no) = conversation(Some("echo $# words\n"), false).await;
    assert!(!no.contains("2 words"), "{no}");
    assert!(no.contains("the user said no"), "{no}");
}

#[tokio::test(flavor = "current_thread")]
async fn without_a_script_the_tool_is_not_offered() {
    let (offered, _) = conversation(None, true).await;
    assert_eq!(offered, ["read_skill_resource", "search_skills", "skill"]);
}
