//! The whole conversation, word for word.

use expect_test::expect;
use prowess_example_rig::converse;
use rig_core::test_utils::{MockCompletionModel, MockTurn};
use serde_json::json;

#[tokio::test(flavor = "current_thread")]
async fn a_skill_brings_its_tool_and_a_skill_without_one_is_refused() {
    let model = MockCompletionModel::from_turns([
        MockTurn::tool_call("1", "skill", json!({ "skill_name": "booking" })),
        MockTurn::tool_call("2", "calendar", json!({ "day": "Monday" })),
        MockTurn::text("We can come on Monday at ten."),
        MockTurn::tool_call("3", "skill", json!({ "skill_name": "@emergency" })),
        MockTurn::text("Please ring the duty officer."),
    ]);
    let questions = ["Can a plumber come on Monday?", "It smells of gas!"];
    let conversation = converse(&questions, model.clone()).await.unwrap();
    expect![[r#"
        user: Can a plumber come on Monday?
        ---
        model calls skill {"skill_name":"booking"}
        ---
        skill: # Skill: booking

        Tools of this skill: `calendar`.

        ## Instructions

        Ask `calendar` for a free hour and offer it.
        ---
        model calls calendar {"day":"Monday"}
        ---
        calendar: Monday at ten
        ---
        model: We can come on Monday at ten.
        ---
        user: It smells of gas!
        ---
        model calls skill {"skill_name":"@emergency"}
        ---
        skill failed: the skill `emergency` was not loaded: it needs `telephone`, and this agent does not offer it; go on without the skill and tell the user
        ---
        model: Please ring the duty officer."#]]
    .assert_eq(&conversation.join("\n---\n"));

    // The calendar is there once its skill is; the telephone never.
    let shown: Vec<String> = model
        .requests()
        .iter()
        .map(|request| {
            let mut names: Vec<_> = request
                .tools
                .iter()
                .map(|tool| tool.name.as_str())
                .collect();
            names.sort_unstable();
            names.join(" ")
        })
        .collect();
    let three = "read_skill_resource search_skills skill";
    let four = "calendar read_skill_resource search_skills skill";
    assert_eq!(shown, [three, four, four, four, four]);
}
