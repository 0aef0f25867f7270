//! Prints a conversation of an ADK agent that uses skills.

use std::sync::Arc;

use prowess_example_adk::{
    Setup, converse,
    script::{Script, Step},
};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> adk_core::Result<()> {
    let model = Script::new([
        Step::Call("skill", json!({ "skill_name": "booking" })),
        Step::Call("calendar", json!({ "day": "Monday" })),
        Step::Say("We can come on Monday at ten."),
        Step::Call("skill", json!({ "skill_name": "emergency" })),
        Step::Say("I can not call anybody from here: please ring the duty officer."),
    ]);
    let questions = [
        "Can a plumber come on Monday?",
        "Help, it smells of gas! Is there a gas leak?",
    ];
    for line in converse(&questions, Arc::new(model), Setup::default()).await? {
        println!("{line}\n");
    }
    Ok(())
}
