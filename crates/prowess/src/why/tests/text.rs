//! What a client makes of a skill's text.

use expect_test::expect;

use super::*;

#[test]
fn fields_outside_the_standard() {
    let seen = Seen {
        fields: vec!["name", "description", "triggers", "tags"],
        ..plain()
    };
    check(
        &seen,
        &expect![[r#"
            claude-code: loads
            codex: loads
            gemini-cli: loads
            github-copilot: unknown [unknown-fields] what VS Code Copilot does with fields outside the standard (`triggers`, `tags`) is not known
            goose: loads
            opencode: loads
            agent-plugins: unknown [unknown-fields] Agent Plugins 1.0 skips skills that break the standard; whether fields beside the standard's (`triggers`, `tags`) do so is not known
        "#]],
    );
}

#[test]
fn a_skill_that_breaks_the_standard() {
    let fault = "`compatibility` has 600 characters, and the standard allows 500";
    let seen = Seen {
        fault: Some(fault.to_owned()),
        ..plain()
    };
    check_one(
        "agent-plugins",
        &seen,
        &expect![[r#"
        {
          "client": "agent-plugins",
          "title": "Agent Plugins 1.0",
          "outcome": "dropped",
          "findings": [
            {
              "rule": "unknown-fields",
              "outcome": "dropped",
              "message": "Agent Plugins 1.0 skips skills that break the standard: `compatibility` has 600 characters, and the standard allows 500",
              "help": "mend what `prowess check` reports"
            }
          ],
          "notes": []
        }"#]],
    );
}

#[test]
fn broken_yaml() {
    let broken = |frontmatter| Seen {
        frontmatter,
        ..plain()
    };
    check(
        &broken(Frontmatter::Quoted),
        &expect![[r#"
        claude-code: unknown [broken-yaml] its YAML is broken, and what Claude Code does with that is not known
        codex: changed [broken-yaml] its YAML is broken, and Codex reads it with the value in quotes
        gemini-cli: changed [broken-yaml] its YAML is broken, and Gemini CLI takes only the `name:` and `description:` lines
        github-copilot: unknown [broken-yaml] its YAML is broken, and what VS Code Copilot does with that is not known
        goose: dropped [broken-yaml] its YAML is broken, and goose skips such skills
        opencode: dropped [broken-yaml] its YAML is broken, and OpenCode skips such skills
        agent-plugins: dropped [broken-yaml] its YAML is broken, and Agent Plugins 1.0 skips such skills
    "#]],
    );
    check(
        &broken(Frontmatter::Mended),
        &expect![[r#"
        claude-code: unknown [broken-yaml] its YAML is broken, and what Claude Code does with that is not known
        codex: unknown [broken-yaml] its YAML is broken; Codex puts values in quotes and tries again, and whether that helps here is not known
        gemini-cli: changed [broken-yaml] its YAML is broken, and Gemini CLI takes only the `name:` and `description:` lines
        github-copilot: unknown [broken-yaml] its YAML is broken, and what VS Code Copilot does with that is not known
        goose: dropped [broken-yaml] its YAML is broken, and goose skips such skills
        opencode: dropped [broken-yaml] its YAML is broken, and OpenCode skips such skills
        agent-plugins: dropped [broken-yaml] its YAML is broken, and Agent Plugins 1.0 skips such skills
    "#]],
    );
    check(
        &broken(Frontmatter::Loose),
        &expect![[r#"
        claude-code: unknown [broken-yaml] its quoted text is not indented, which some YAML readers refuse; whether Claude Code's does is not known
        codex: unknown [broken-yaml] its quoted text is not indented, which some YAML readers refuse; whether Codex's does is not known
        gemini-cli: unknown [broken-yaml] its quoted text is not indented, which some YAML readers refuse; whether Gemini CLI's does is not known
        github-copilot: unknown [broken-yaml] its quoted text is not indented, which some YAML readers refuse; whether VS Code Copilot's does is not known
        goose: unknown [broken-yaml] its quoted text is not indented, which some YAML readers refuse; whether goose's does is not known
        opencode: unknown [broken-yaml] its quoted text is not indented, which some YAML readers refuse; whether OpenCode's does is not known
        agent-plugins: unknown [broken-yaml] its quoted text is not indented, which some YAML readers refuse; whether Agent Plugins 1.0's does is not known
    "#]],
    );
    let unreadable = Seen {
        name: None,
        description: None,
        ..broken(Frontmatter::Unreadable)
    };
    check(
        &unreadable,
        &expect![[r#"
        claude-code: unknown [broken-yaml] its YAML is broken, and what Claude Code does with that is not known
        codex: unknown [broken-yaml] its YAML is broken; Codex puts values in quotes and tries again, and whether that helps here is not known
        gemini-cli: changed [broken-yaml] its YAML is broken, and Gemini CLI takes only the `name:` and `description:` lines
        github-copilot: unknown [broken-yaml] its YAML is broken, and what VS Code Copilot does with that is not known
        goose: dropped [broken-yaml] its YAML is broken, and goose skips such skills
        opencode: dropped [broken-yaml] its YAML is broken, and OpenCode skips such skills
        agent-plugins: dropped [broken-yaml] its YAML is broken, and Agent Plugins 1.0 skips such skills
    "#]],
    );
}

#[test]
fn toml_frontmatter() {
    let seen = Seen {
        frontmatter: Frontmatter::Toml,
        ..plain()
    };
    check(
        &seen,
        &expect![[r#"
        claude-code: unknown [frontmatter] its frontmatter is TOML, and whether Claude Code reads that is not known
        codex: unknown [frontmatter] its frontmatter is TOML, and whether Codex reads that is not known
        gemini-cli: unknown [frontmatter] its frontmatter is TOML, and whether Gemini CLI reads that is not known
        github-copilot: unknown [frontmatter] its frontmatter is TOML, and whether VS Code Copilot reads that is not known
        goose: unknown [frontmatter] its frontmatter is TOML, and whether goose reads that is not known
        opencode: unknown [frontmatter] its frontmatter is TOML, and whether OpenCode reads that is not known
        agent-plugins: dropped [frontmatter] its frontmatter is TOML; the standard says YAML, and Agent Plugins 1.0 follows it
    "#]],
    );
}

#[test]
fn a_byte_order_mark() {
    let seen = Seen {
        byte_order_mark: true,
        ..plain()
    };
    check(
        &seen,
        &expect![[r#"
        claude-code: unknown [byte-order-mark] whether Claude Code reads a file that starts with a byte order mark is not known
        codex: dropped [byte-order-mark] the file starts with a byte order mark, and Codex refuses such files
        gemini-cli: unknown [byte-order-mark] whether Gemini CLI reads a file that starts with a byte order mark is not known
        github-copilot: unknown [byte-order-mark] whether VS Code Copilot reads a file that starts with a byte order mark is not known
        goose: loads
        opencode: unknown [byte-order-mark] whether OpenCode reads a file that starts with a byte order mark is not known
        agent-plugins: unknown [byte-order-mark] whether Agent Plugins 1.0 reads a file that starts with a byte order mark is not known
    "#]],
    );
}

#[test]
fn dashes_inside_a_value() {
    let seen = Seen {
        fence_in_value: true,
        ..plain()
    };
    check(
        &seen,
        &expect![[r#"
        claude-code: unknown [fence-in-value] a value holds `---`, and whether Claude Code ends the frontmatter there is not known
        codex: loads
        gemini-cli: unknown [fence-in-value] a value holds `---`, and whether Gemini CLI ends the frontmatter there is not known
        github-copilot: unknown [fence-in-value] a value holds `---`, and whether VS Code Copilot ends the frontmatter there is not known
        goose: changed [fence-in-value] a value holds `---`, and goose ends the frontmatter there: what follows is lost as fields
        opencode: unknown [fence-in-value] a value holds `---`, and whether OpenCode ends the frontmatter there is not known
        agent-plugins: unknown [fence-in-value] a value holds `---`, and whether Agent Plugins 1.0 ends the frontmatter there is not known
    "#]],
    );
}

#[test]
fn a_list_beyond_the_budget() {
    let projects = [PathBuf::from("/repo")];
    let seen = Seen {
        listed: vec![("/repo/.agents/skills".into(), 20_000)],
        projects: &projects,
        ..plain()
    };
    check(
        &seen,
        &expect![[r#"
        claude-code: loads
        codex: unknown [budget] the list of skills needs 20000 characters, and Codex gives it 2 % of the context or 8000 characters: beyond that descriptions are trimmed in turn, then only names are listed, then skills are left out; whether this one is hit is not known
        gemini-cli: loads
        github-copilot: loads
        goose: loads
        opencode: loads
        agent-plugins: loads
    "#]],
    );
}

#[test]
fn long_descriptions() {
    let long = "a".repeat(1_400);
    let seen = Seen {
        description: Some(&long),
        ..plain()
    };
    check(
        &seen,
        &expect![[r#"
        claude-code: loads
        codex: changed [description-cap] its description has 1400 characters, and Codex lists the first 1024
        gemini-cli: loads
        github-copilot: unknown [description-cap] its description has 1400 characters, more than the standard's 1024; what VS Code Copilot does with it is not known
        goose: loads
        opencode: loads
        agent-plugins: dropped [description-cap] its description has 1400 characters, and Agent Plugins 1.0 takes at most 1024
    "#]],
    );
    let seen = Seen {
        when_to_use: Some(&long[..200]),
        ..seen
    };
    check_one(
        "claude",
        &seen,
        &expect![[r#"
            {
              "client": "claude-code",
              "title": "Claude Code",
              "outcome": "changed",
              "findings": [
                {
                  "rule": "description-cap",
                  "outcome": "changed",
                  "message": "its description with `when_to_use` has 1600 characters, and Claude Code lists the first 1536",
                  "help": "say what and when first, and shorten the rest"
                }
              ],
              "call": "/pdf-forms",
              "notes": [
                "what is known of Claude Code is second-hand",
                "the list of skills gets 1 % of the context; beyond that a description is shown whole or not at all, the most used skills first"
              ]
            }"#]],
    );
}

#[test]
fn no_description() {
    let seen = Seen {
        description: None,
        fields: vec!["name"],
        ..plain()
    };
    check(
        &seen,
        &expect![[r#"
        claude-code: unknown [description] what Claude Code does with a skill without a description is not known
        codex: unknown [description] what Codex does with a skill without a description is not known
        gemini-cli: unknown [description] what Gemini CLI does with a skill without a description is not known
        github-copilot: unknown [description] what VS Code Copilot does with a skill without a description is not known
        goose: unknown [description] what goose does with a skill without a description is not known
        opencode: unknown [description] what OpenCode does with a skill without a description is not known
        agent-plugins: dropped [description] it has no description; the standard wants one, and Agent Plugins 1.0 follows it
    "#]],
    );
}
