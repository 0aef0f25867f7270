//! ADK's own ways to give skills to agents, over a catalog of prowess.

use std::{collections::HashMap, fs, sync::Arc};

use adk_agent::{LlmAgentBuilder, SequentialAgent};
use adk_core::{Agent, Content, SessionId, UserId};
use adk_runner::Runner;
use adk_session::{CreateRequest, InMemorySessionService, SessionService};
use adk_skill::{SelectionPolicy, SkillInjector, SkillInjectorConfig};
use futures::StreamExt;
use prowess::Catalog;
use prowess_adk_skill::{from_index, to_index};
use prowess_example_adk::{
    catalog,
    script::{Script, Step},
};

fn model() -> Arc<Script> {
    Arc::new(Script::new([Step::Say("Yes.")]))
}

/// Runs one question and gives the words the model read last.
async fn heard(agent: Arc<dyn Agent>, model: &Script, question: &str) -> String {
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
        .agent(agent)
        .session_service(sessions)
        .build()
        .unwrap();
    let content = Content::new("user").with_text(question);
    let (user, session) = (UserId::new("ann").unwrap(), SessionId::new("one").unwrap());
    let mut events = runner.run(user, session, content).await.unwrap();
    while let Some(event) = events.next().await {
        event.unwrap();
    }
    model.heard().pop().unwrap_or_default()
}

const QUESTION: &str = "book a visit of a plumber";
const BOOKING: &str = "[skill:booking]\nAsk `calendar`";

#[tokio::test(flavor = "current_thread")]
async fn an_agent_takes_skills_a_policy_and_a_budget() {
    let build = |model: &Arc<Script>| {
        LlmAgentBuilder::new("helper")
            .model(model.clone())
            .with_skills(to_index(&catalog().unwrap()))
    };
    let (one, two, three) = (model(), model(), model());
    let plain = build(&one).build().unwrap();
    assert!(
        heard(Arc::new(plain), &one, QUESTION)
            .await
            .starts_with(BOOKING)
    );
    let policy = SelectionPolicy {
        include_tags: vec!["garden".into()],
        ..SelectionPolicy::default()
    };
    let filtered = build(&two).with_skill_policy(policy).build().unwrap();
    assert_eq!(heard(Arc::new(filtered), &two, QUESTION).await, QUESTION);
    let short = build(&three).with_skill_budget(3).build().unwrap();
    let read = heard(Arc::new(short), &three, QUESTION).await;
    assert!(read.starts_with("[skill:booking]\nAsk\n"), "{read}");
}

#[tokio::test(flavor = "current_thread")]
async fn a_workflow_takes_skills() {
    let model = model();
    let step = LlmAgentBuilder::new("step")
        .model(model.clone())
        .build()
        .unwrap();
    let workflow = SequentialAgent::new("flow", vec![Arc::new(step)])
        .with_skills(to_index(&catalog().unwrap()));
    let read = heard(Arc::new(workflow), &model, QUESTION).await;
    assert!(read.starts_with(BOOKING), "{read}");
}

#[test]
fn the_runners_injector_takes_skills_from_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("tea")).unwrap();
    let text = "---\nname: tea\ndescription: Brews tea.\n---\nSteep it.\n";
    fs::write(folder.path().join("tea/SKILL.md"), text).unwrap();
    let catalog = Catalog::from_dirs([folder.path()]);
    let index = to_index(&catalog);
    let injector = SkillInjector::from_index(index, SkillInjectorConfig::default());
    assert_eq!(injector.index().skills()[0].body, "Steep it.");
}

#[test]
fn a_catalog_survives_the_way_there_and_back() {
    let there = to_index(&catalog().unwrap());
    let back = from_index(&there);
    let again = to_index(&back);
    for (one, two) in there.skills().iter().zip(again.skills()) {
        assert_eq!((&one.name, &one.description), (&two.name, &two.description));
        assert_eq!(
            (&one.body, &one.allowed_tools),
            (&two.body, &two.allowed_tools)
        );
    }
    // The same bytes have the same id, whoever reads them.
    let own = adk_skill::parse_skill_markdown(
        std::path::Path::new(".skills/a.md"),
        "---\nname: a\ndescription: Adds.\n---\nAdd.",
    );
    assert!(own.is_ok());
}
