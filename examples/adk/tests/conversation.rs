//! The whole conversation, word for word.

use std::sync::Arc;

use adk_core::{
    BaseEventsSummarizer, Content, Event, EventCompaction, EventsCompactionConfig, Result,
};
use expect_test::expect;
use prowess::Injection;
use prowess_example_adk::{
    Setup, converse,
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
    let conversation = converse(&questions, model.clone(), Setup::default())
        .await
        .unwrap();
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
    let injecting = Setup {
        injection: Injection::above(0.0),
        ..Setup::default()
    };
    let conversation = converse(&questions, model.clone(), injecting).await;
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

#[tokio::test(flavor = "current_thread")]
async fn a_skill_called_by_name_comes_with_its_tool_or_says_why_not() {
    let model = Arc::new(Script::new([
        Step::Call("calendar", json!({ "day": "Friday" })),
        Step::Say("Friday at ten."),
        Step::Say("I cannot telephone from here."),
    ]));
    let questions = ["@booking for Friday", "@emergency now"];
    converse(&questions, model.clone(), Setup::default())
        .await
        .unwrap();
    let booking = "[skill:booking]\nAsk `calendar` for a free hour and offer it.\n[/skill]\n\n\
                   @booking for Friday";
    let refused = "the skill `emergency` was not loaded: it needs `telephone`, and this agent \
                   does not offer it; go on without the skill and tell the user\n\n@emergency now";
    assert_eq!(model.heard(), [booking, booking, refused]);
    let four = "calendar read_skill_resource search_skills skill";
    let shown: Vec<_> = model.shown().iter().map(|names| names.join(" ")).collect();
    assert_eq!(shown, [four; 3]);
}

/// Says of everything only that it was.
struct Short;

#[async_trait::async_trait]
impl BaseEventsSummarizer for Short {
    async fn summarize_events(&self, events: &[Event]) -> Result<Option<Event>> {
        let (Some(first), Some(last)) = (events.first(), events.last()) else {
            return Ok(None);
        };
        let mut event = Event::new("compaction");
        event.actions.compaction = Some(EventCompaction {
            start_timestamp: first.timestamp,
            end_timestamp: last.timestamp,
            compacted_content: Content::new("user").with_text("A visit was booked."),
        });
        Ok(Some(event))
    }
}

#[tokio::test(flavor = "current_thread")]
async fn an_active_skill_outlives_a_compaction() {
    let model = Arc::new(Script::new([
        Step::Say("Friday at ten."),
        Step::Say("You are welcome."),
    ]));
    let compacting = Setup {
        compaction: Some(EventsCompactionConfig {
            compaction_interval: 1,
            overlap_size: 0,
            summarizer: Arc::new(Short),
        }),
        ..Setup::default()
    };
    let questions = ["@booking for Friday", "Thanks!"];
    converse(&questions, model.clone(), compacting)
        .await
        .unwrap();
    expect![[r#"
        You help the customers of a plumber.
        ---
        [skill:booking]
        Ask `calendar` for a free hour and offer it.
        [/skill]

        @booking for Friday
        ===
        You help the customers of a plumber.
        ---
        A visit was booked.
        ---
        These skills are active in this conversation:

        [skill:booking]
        Ask `calendar` for a free hour and offer it.
        [/skill]
        ---
        Thanks!"#]]
    .assert_eq(&model.read().join("\n===\n"));
    let four = "calendar read_skill_resource search_skills skill";
    let shown: Vec<_> = model.shown().iter().map(|names| names.join(" ")).collect();
    assert_eq!(shown, [four; 2]);
}
