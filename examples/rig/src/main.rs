//! Prints a conversation of a rig agent that uses skills.

use prowess_example_rig::converse;
use rig_core::test_utils::{MockCompletionModel, MockTurn};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = MockCompletionModel::from_turns([
        MockTurn::tool_call("1", "skill", json!({ "skill_name": "booking" })),
        MockTurn::tool_call("2", "calendar", json!({ "day": "Monday" })),
        MockTurn::text("We can come on Monday at ten."),
        MockTurn::tool_call("3", "skill", json!({ "skill_name": "emergency" })),
        MockTurn::text("I can not call anybody from here: please ring the duty officer."),
    ]);
    let questions = [
        "Can a plumber come on Monday?",
        "Help, it smells of gas! Is there a gas leak?",
    ];
    for line in converse(&questions, model).await? {
        println!("{line}\n");
    }
    Ok(())
}
