//! The example agent has the conversation its page promises.

#[path = "../examples/agent.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    reason = "an example has a `main` of its own"
)]
mod agent;

use expect_test::expect;

#[test]
fn the_example_loads_a_skill_and_follows_it() {
    let conversation = agent::run("How do I make tea?", agent::scripted).unwrap();
    expect![[r##"
        user: How do I make tea?
        model: skill {"skill_name":"tea"}
        skill: # Skill: tea

        ## Instructions

        Steep for three minutes.
        model: Here is how: Steep for three minutes."##]]
    .assert_eq(&conversation.join("\n"));
}
