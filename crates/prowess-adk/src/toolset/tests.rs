use expect_test::expect;
use prowess::{
    run::{RunPolicy, Unconfined},
    tool::RunOptions,
};
use serde_json::json;

use super::*;
use crate::{
    registry::HostTools,
    sample::{Named, Session, catalog, run},
};

fn skills(mode: Mode) -> SkillToolset {
    let mut options = ToolsetOptions::default();
    options.context.mode = mode;
    with(options)
}

fn with(options: ToolsetOptions) -> SkillToolset {
    let host = HostTools::default().tool(Named::tool("lookup"));
    SkillToolset::new(catalog(), Arc::new(host), options)
}

fn tools(skills: &SkillToolset, session: &Arc<Session>) -> Vec<Arc<dyn Tool>> {
    run(skills.tools(session.clone())).unwrap()
}

fn names(skills: &SkillToolset, session: &Arc<Session>) -> Vec<String> {
    let tools = tools(skills, session);
    tools.iter().map(|tool| tool.name().to_owned()).collect()
}

fn call(skills: &SkillToolset, session: &Arc<Session>, name: &str, input: Value) -> Value {
    let tools = tools(skills, session);
    let tool = tools.iter().find(|tool| tool.name() == name).unwrap();
    run(tool.execute(session.clone(), input)).unwrap()
}

fn load(skills: &SkillToolset, session: &Arc<Session>, name: &str) -> String {
    let result = call(skills, session, "skill", json!({ "skill_name": name }));
    let text = result["output"].as_str().or(result["error"].as_str());
    text.unwrap().to_owned()
}

#[test]
fn a_loaded_skill_brings_its_tool() {
    let skills = skills(Mode::Strict);
    let start = Session::context();
    let three = ["skill", "search_skills", "read_skill_resource"];
    assert_eq!(names(&skills, &start), three);
    expect![[r"
        # Skill: weather

        Tools of this skill: `lookup`.

        ## Instructions

        Look the town up."]]
    .assert_eq(&load(&skills, &start, "weather"));
    let next = start.next();
    let mut four = three.to_vec();
    four.push("lookup");
    assert_eq!(names(&skills, &next), four);
    assert_eq!(
        call(&skills, &next, "lookup", json!({ "town": "Ulm" })),
        json!({ "lookup": { "town": "Ulm" } })
    );
    expect!["The skill `weather` is already active: its instructions are in this conversation. Go on with the task and follow them."]
        .assert_eq(&load(&skills, &next, "weather"));
    // The second skill does not push the first out.
    assert!(load(&skills, &next, "@tea").contains("Steep it."));
    assert_eq!(names(&skills, &next.next()), four);
    // Another session knows nothing of all this.
    assert_eq!(names(&skills, &Session::context()), three);
}

#[test]
fn a_skill_whose_tool_is_missing_is_refused() {
    let skills = skills(Mode::Strict);
    let start = Session::context();
    expect!["the skill `alarm` was not loaded: it needs `siren`, and this agent does not offer it; go on without the skill and tell the user"]
        .assert_eq(&load(&skills, &start, "alarm"));
    assert_eq!(
        load(&skills, &start, " @alarm"),
        load(&skills, &start, "alarm")
    );
    assert_eq!(names(&skills, &start.next()).len(), 3);
}

#[test]
fn permissive_says_what_is_not_there() {
    let skills = skills(Mode::Permissive);
    let text = load(&skills, &Session::context(), "alarm");
    assert!(
        text.contains("\nNot there, so do not call: `siren`.\n\n"),
        "{text}"
    );
}

#[test]
fn without_a_state_a_skill_with_tools_is_refused() {
    let skills = skills(Mode::Fallback);
    let session = Session::stateless();
    assert!(load(&skills, &session, "tea").contains("Steep it."));
    expect!["the skill `weather` was not loaded: its tools need a session with state"]
        .assert_eq(&load(&skills, &session, "weather"));
}

#[test]
fn a_wrong_name_is_answered_by_the_engine() {
    let skills = skills(Mode::Strict);
    expect!["no skill named `wether`; did you mean `weather`? available: alarm, tea, weather"]
        .assert_eq(&load(&skills, &Session::context(), "wether"));
    expect![[r#"{"error":"`skill_name` is required: the name of the skill to load"}"#]]
        .assert_eq(&call(&skills, &Session::context(), "skill", json!({})).to_string());
}

#[test]
fn the_model_can_search_and_sees_a_schema() {
    let skills = skills(Mode::Strict);
    let start = Session::context();
    let found = call(&skills, &start, "search_skills", json!({ "query": "tea" }));
    assert!(found["output"].as_str().unwrap().contains("tea"));
    let tools = tools(&skills, &start);
    let schema = tools[0].parameters_schema().unwrap();
    assert_eq!(
        schema["properties"]["skill_name"]["enum"],
        json!(["alarm", "tea", "weather"])
    );
    assert!(tools[0].description().contains("Brews tea."));
}

#[test]
fn a_tool_the_agent_owns_is_not_given_twice() {
    let skills = with(ToolsetOptions {
        owned: vec!["lookup".into()],
        ..ToolsetOptions::default()
    });
    let start = Session::context();
    assert!(load(&skills, &start, "weather").contains("Tools of this skill: `lookup`."));
    assert_eq!(names(&skills, &start.next()).len(), 3);
}

#[test]
fn skills_that_are_switched_off_bring_nothing() {
    let start = Session::context();
    load(&skills(Mode::Strict), &start, "weather");
    let mut options = ToolsetOptions::default();
    options.tools.enabled = false;
    let off = with(options);
    assert_eq!(names(&off, &start.next()).len(), 3);
    expect!["skills are switched off, so `tea` was not loaded"]
        .assert_eq(&load(&off, &start, "tea"));
}

#[test]
fn a_skill_that_left_the_catalog_leaves_its_tool_behind() {
    let skills = skills(Mode::Strict);
    let start = Session::context();
    load(&skills, &start, "weather");
    skills.replace(crate::sample::empty());
    assert_eq!(names(&skills, &start.next()).len(), 3);
}

#[test]
fn what_cannot_be_read_counts_as_nothing() {
    assert_eq!(restore(&Value::Null), Ledger::default());
    assert_eq!(restore(&json!({ "version": 99 })), Ledger::default());
}

fn texts(request: &LlmRequest) -> Vec<String> {
    let parts = request.contents.iter().flat_map(|content| &content.parts);
    parts
        .map(|part| match part.text() {
            Some(text) => text.to_owned(),
            None => "result of a call".to_owned(),
        })
        .collect()
}

/// What a model reads when the conversation holds these texts and the question of the session.
fn read(skills: &SkillToolset, session: &Arc<Session>, texts_before: &[&str]) -> Vec<String> {
    let mut contents: Vec<_> = texts_before
        .iter()
        .map(|text| adk_core::Content::new("user").with_text(*text))
        .collect();
    contents.push(session.user_content().clone());
    let mut request = LlmRequest::new("model", contents);
    run(skills.process_llm_request(session.clone(), &mut request)).unwrap();
    texts(&request)
}

#[test]
fn what_a_compaction_took_out_is_put_back() {
    let skills = skills(Mode::Strict);
    let start = Session::context();
    assert_eq!(read(&skills, &start, &["summary"]), ["summary", "hello"]);
    load(&skills, &start, "tea");
    let next = start.next();
    let tea = "[skill:tea]\nSteep it.\n[/skill]";
    assert_eq!(
        read(&skills, &next, &["summary"]),
        [
            "summary".to_owned(),
            format!("These skills are active in this conversation:\n\n{tea}"),
            "hello".to_owned()
        ]
    );
    // What the request holds is not said twice.
    assert_eq!(read(&skills, &next, &[tea]), [tea, "hello"]);
}

#[test]
fn what_does_not_fit_can_be_loaded_again() {
    let skills = with(ToolsetOptions {
        put_back: Some(Budget::characters(20)),
        ..ToolsetOptions::default()
    });
    let start = Session::context();
    load(&skills, &start, "tea");
    let next = start.next();
    assert!(load(&skills, &next, "tea").contains("already active"));
    assert_eq!(read(&skills, &next, &["summary"]), ["summary", "hello"]);
    assert!(load(&skills, &next, "tea").contains("Steep it."));
}

/// Says yes or no, and notes what it was asked.
#[derive(Debug)]
struct Person(bool, std::sync::Mutex<Vec<Value>>);

#[async_trait]
impl ToolConfirmationHandler for Person {
    async fn decide(
        &self,
        request: &adk_core::ToolConfirmationRequest,
    ) -> Result<adk_core::ToolConfirmationDecision> {
        self.1.lock().unwrap().push(request.args.clone());
        Ok(if self.0 {
            adk_core::ToolConfirmationDecision::Approve
        } else {
            adk_core::ToolConfirmationDecision::Deny
        })
    }
}

/// A skill with a script, and one that has none.
#[expect(clippy::disallowed_methods, reason = "a test lays out its own files")]
fn scripted(confirm: Option<Arc<Person>>, policy: RunPolicy) -> (tempfile::TempDir, SkillToolset) {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("count");
    std::fs::create_dir_all(skill.join("scripts")).unwrap();
    let text = "---\nname: count\ndescription: Counts words.\n---\nRun it.\n";
    std::fs::write(skill.join("SKILL.md"), text).unwrap();
    std::fs::write(skill.join("scripts/count.sh"), "echo $# words\n").unwrap();
    let mut options = ToolsetOptions::default();
    let mut run = RunOptions::new(Unconfined::default());
    run.policy = policy;
    options.tools.run = Some(run);
    options.confirm = confirm.map(|it| it as _);
    let catalog = Arc::new(Catalog::from_dirs([folder.path()]));
    let skills = SkillToolset::new(catalog, Arc::new(HostTools::default()), options);
    (folder, skills)
}

#[test]
fn a_script_runs_when_whom_the_host_names_says_yes() {
    let input = json!({ "skill_name": "count", "script": "scripts/count.sh", "arguments": "a b" });
    let ran = |confirm: Option<Arc<Person>>| {
        let (_folder, skills) = scripted(confirm, RunPolicy::Ask);
        call(
            &skills,
            &Session::context(),
            "run_skill_script",
            input.clone(),
        )
    };
    let person = Arc::new(Person(true, std::sync::Mutex::default()));
    assert_eq!(
        ran(Some(person.clone())),
        json!({ "output": "Exit status: 0\n\nStandard output:\n2 words\n" })
    );
    let asked = person.1.lock().unwrap();
    let question = asked[0]["question"].as_str().unwrap();
    assert!(
        question
            .starts_with("Run the script `scripts/count.sh` of the skill `count` with `a` `b`?")
    );
    assert_eq!(
        ran(Some(Arc::new(Person(false, std::sync::Mutex::default())))),
        json!({ "error": "`scripts/count.sh` was not run: the user said no; go on without it and say so" })
    );
    assert_eq!(
        ran(None),
        json!({ "error": "`scripts/count.sh` was not run: it needs the user's yes, and nobody can be asked here; go on without it and say so" })
    );
}

#[test]
fn scripts_are_offered_only_where_one_could_run() {
    let four = [
        "skill",
        "search_skills",
        "read_skill_resource",
        "run_skill_script",
    ];
    let (_folder, skills) = scripted(None, RunPolicy::Ask);
    assert_eq!(names(&skills, &Session::context()), four);
    // Not where the policy forbids it, and not where no skill has one.
    let (_folder, never) = scripted(None, RunPolicy::Never);
    assert_eq!(names(&never, &Session::context()), four[..3]);
    skills.replace(catalog());
    assert_eq!(names(&skills, &Session::context()), four[..3]);
}
