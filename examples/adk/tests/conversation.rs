//! The whole conversation, word for word.

use std::sync::Arc;

use expect_test::expect;
use prowess::Injection;
use prowess_example_adk::{
    converse,
    script::{Script, Step},
};
use serde_json::json;

#[tokio::test(flavor = "current_thread")]
async fn a_skill_brings_its_tool_and_a_skill_without_one_is_refused() {
    let model = Arc::new(Script::new([
        Step::Call("skill", json!({ "skill_name": "booking" })),
        Step::Call("calendar", json!({ "day": "Monday" })),
        Step::Say("We can come on Monday at ten."),
        Step::Call("skill", json!({ "skill_name": "emergency" })),
        Step::Say("Please ring the duty officer."),
    ]));
    let questions = ["Can a plumber come on Monday?", "It smells of gas!"];
    let conversation = converse(&questions, model.clone(), Injection::default())
        .await
        .unwrap();
    expect![[r#"
        user: Can a plumber come on Monday?
        ---
        model calls skill {"skill_name":"booking"}
        ---
        skill: # Skill: booking

        ## Instructions

        Ask `calendar` for a free hour and offer it.

        Tools of this skill: `calendar`.
        ---
        model calls calendar {"day":"Monday"}
        ---
        calendar: {"free":"Monday at ten"}
        ---
        model: We can come on Monday at ten.
        ---
        user: It smells of gas!
        ---
        model calls skill {"skill_name":"emergency"}
        ---
        skill: {"error":"the skill `emergency` was not loaded: it needs `telephone`, and this agent does not offer it; go on without the skill and tell the user"}
        ---
        model: Please ring the duty officer."#]]
    .assert_eq(&conversation.join("\n---\n"));

    // The calendar is there once its skill is, in this run and in the next; the telephone never.
    let three = "read_skill_resource search_skills skill";
    let four = "calendar read_skill_resource search_skills skill";
    let shown: Vec<_> = model.shown().iter().map(|names| names.join(" ")).collect();
    assert_eq!(shown, [three, four, four, four, four]);
}

#[tokio::test(flavor = "current_thread")]
async fn an_injected_skill_brings_its_tool_too() {
    let model = Arc::new(Script::new([
        Step::Call("calendar", json!({ "day": "Monday" })),
        Step::Say("We can come on Monday at ten."),
        Step::Say("You are welcome."),
        Step::Say("Please ring the duty officer."),
    ]));
    let questions = [
        "I want to book a visit of a plumber",
        "Thanks!",
        "Is there a gas leak?",
    ];
    let conversation = converse(&questions, model.clone(), Injection::above(0.0)).await;
    expect![[r#"
        user: I want to book a visit of a plumber
        ---
        model calls calendar {"day":"Monday"}
        ---
        calendar: {"free":"Monday at ten"}
        ---
        model: We can come on Monday at ten.
        ---
        user: Thanks!
        ---
        model: You are welcome.
        ---
        user: Is there a gas leak?
        ---
        model: Please ring the duty officer."#]]
    .assert_eq(&conversation.unwrap().join("\n---\n"));

    let booking = "[skill:booking]\nAsk `calendar` for a free hour and offer it.\n[/skill]\n\n\
                   I want to book a visit of a plumber";
    // The emergency lacks its telephone, so that message came as it was.
    assert_eq!(
        model.heard(),
        [booking, booking, "Thanks!", "Is there a gas leak?"]
    );
    let four = "calendar read_skill_resource search_skills skill";
    let shown: Vec<_> = model.shown().iter().map(|names| names.join(" ")).collect();
    assert_eq!(shown, [four; 4]);
}
