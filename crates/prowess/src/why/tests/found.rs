//! Whether a client finds a skill.

use expect_test::expect;

use super::*;

#[test]
fn lower_case_file_name() {
    let seen = Seen {
        file_name: "skill.md",
        ..plain()
    };
    check(
        &seen,
        &expect![[r#"
        claude-code: unknown [file] whether Claude Code takes `skill.md` for `SKILL.md` is not known
        codex: dropped [file] Codex reads exactly `SKILL.md`, and this is `skill.md`
        gemini-cli: unknown [file] whether Gemini CLI takes `skill.md` for `SKILL.md` is not known
        github-copilot: unknown [file] whether VS Code Copilot takes `skill.md` for `SKILL.md` is not known
        goose: unknown [file] whether goose takes `skill.md` for `SKILL.md` is not known
        opencode: loads
        agent-plugins: dropped [file] Agent Plugins 1.0 reads exactly `SKILL.md`, and this is `skill.md`
    "#]],
    );
}

#[test]
fn a_flat_file() {
    let seen = Seen {
        file_name: "pdf-forms.md",
        folder_name: None,
        depth: Some(0),
        ..plain()
    };
    check(
        &seen,
        &expect![[r#"
        claude-code: dropped [file] Claude Code reads `SKILL.md`, and this is `pdf-forms.md`
        codex: dropped [file] Codex reads exactly `SKILL.md`, and this is `pdf-forms.md`
        gemini-cli: dropped [file] Gemini CLI reads `SKILL.md`, and this is `pdf-forms.md`
        github-copilot: dropped [file] VS Code Copilot reads `SKILL.md`, and this is `pdf-forms.md`
        goose: dropped [file] goose reads `SKILL.md`, and this is `pdf-forms.md`
        opencode: loads
        agent-plugins: dropped [file] Agent Plugins 1.0 reads exactly `SKILL.md`, and this is `pdf-forms.md`
    "#]],
    );
}

#[test]
fn a_nested_skill() {
    let seen = Seen {
        depth: Some(2),
        ..plain()
    };
    check(
        &seen,
        &expect![[r#"
        claude-code: changed [depth] it lies 2 folders below the skills folder, where Claude Code picks skills up on demand and not at the start
        codex: loads
        gemini-cli: dropped [depth] it lies 2 folders below the skills folder, and Gemini CLI looks only 1 folder down
        github-copilot: unknown [depth] it lies 2 folders below the skills folder, and how deep VS Code Copilot looks is not known
        goose: loads
        opencode: loads
        agent-plugins: dropped [depth] it lies 2 folders below the skills folder, and Agent Plugins 1.0 reads immediate children of that folder only
    "#]],
    );
    let seen = Seen {
        depth: Some(7),
        ..plain()
    };
    check_one(
        "codex",
        &seen,
        &expect![[r#"
        {
          "client": "codex",
          "title": "Codex",
          "outcome": "dropped",
          "findings": [
            {
              "rule": "depth",
              "outcome": "dropped",
              "message": "it lies 7 folders below the skills folder, and Codex looks only 6 folders down",
              "help": "keep each skill in a folder of its own, directly in the skills folder"
            }
          ],
          "notes": []
        }"#]],
    );
}

#[test]
fn a_huge_folder() {
    let seen = Seen {
        scanned: Some((2_500, 9_000)),
        ..plain()
    };
    check_one(
        "codex",
        &seen,
        &expect![[r#"
        {
          "client": "codex",
          "title": "Codex",
          "outcome": "unknown",
          "findings": [
            {
              "rule": "scan",
              "outcome": "unknown",
              "message": "Codex stops after 2000 folders or 20000 entries, and here are 2500 and 9000: whether it gets this far is not known",
              "help": "spread the skills over several skills folders"
            }
          ],
          "call": "$pdf-forms",
          "notes": []
        }"#]],
    );
}

#[test]
fn links_in_and_out() {
    let linked = |file, inside| Seen {
        link: Some(Link { file, inside }),
        ..plain()
    };
    check(
        &linked(false, false),
        &expect![[r#"
        claude-code: unknown [links] its folder is a link, and whether Claude Code follows it is not known
        codex: loads
        gemini-cli: unknown [links] its folder is a link, and whether Gemini CLI follows it is not known
        github-copilot: unknown [links] its folder is a link, and whether VS Code Copilot follows it is not known
        goose: dropped [links] its folder is a link that leads out, and goose follows only links that stay inside
        opencode: loads
        agent-plugins: dropped [links] its folder is a link that leads out, and Agent Plugins 1.0 follows only links that stay inside
    "#]],
    );
    check(
        &linked(true, true),
        &expect![[r#"
        claude-code: unknown [links] its file is a link, and whether Claude Code follows it is not known
        codex: unknown [links] its file is a link, and whether Codex follows it is not known
        gemini-cli: unknown [links] its file is a link, and whether Gemini CLI follows it is not known
        github-copilot: unknown [links] its file is a link, and whether VS Code Copilot follows it is not known
        goose: loads
        opencode: loads
        agent-plugins: dropped [file] Agent Plugins 1.0 wants a regular file, and `SKILL.md` is a link
    "#]],
    );
}

#[test]
fn a_folder_only_some_look_into() {
    let projects = [PathBuf::from("/repo")];
    let seen = Seen {
        place: Some(Located {
            tier: Tier::Project,
            folder: "/repo/.claude/skills".into(),
            depth: 1,
        }),
        projects: &projects,
        ..plain()
    };
    check(
        &seen,
        &expect![[r#"
        claude-code: loads
        codex: dropped [folders] Codex does not look into `/repo/.claude/skills`
        gemini-cli: dropped [folders] Gemini CLI does not look into `/repo/.claude/skills`
        github-copilot: loads
        goose: loads
        opencode: loads
        agent-plugins: loads
    "#]],
    );
}
