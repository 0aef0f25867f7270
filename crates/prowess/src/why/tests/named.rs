//! What a client calls a skill, and which of two it keeps.

use expect_test::expect;

use super::*;

#[test]
fn no_name() {
    let seen = Seen {
        name: None,
        fields: vec!["description"],
        ..plain()
    };
    check(
        &seen,
        &expect![[r#"
        claude-code: changed [missing-name] it has no name, and Claude Code calls it `pdf-forms` after its folder
        codex: changed [missing-name] it has no name, and Codex calls it `pdf-forms` after its folder
        gemini-cli: unknown [missing-name] what Gemini CLI does with a skill without a name is not known
        github-copilot: dropped [missing-name] it has no name, and VS Code Copilot drops such skills without a word
        goose: unknown [missing-name] what goose does with a skill without a name is not known
        opencode: dropped [missing-name] it has no name, and OpenCode refuses such skills
        agent-plugins: dropped [missing-name] it has no name, and Agent Plugins 1.0 refuses such skills
    "#]],
    );
}

#[test]
fn odd_names() {
    let odd = "PDF:  forms";
    let seen = Seen {
        name: Some(odd),
        folder_name: Some(odd),
        ..plain()
    };
    check(
        &seen,
        &expect![[r#"
        claude-code: loads
        codex: changed [name-shape] Codex calls it `PDF: forms`, with the spaces made one
        gemini-cli: changed [name-shape] Gemini CLI calls it `PDF-  forms`, with `-` for what it does not allow
        github-copilot: dropped [name-shape] the name `PDF:  forms` breaks the standard, and VS Code Copilot drops such skills without a word
        goose: unknown [name-shape] the name `PDF:  forms` breaks the standard, and what goose does with such names is not known
        opencode: loads
        agent-plugins: dropped [name-shape] the name `PDF:  forms` breaks the standard, and Agent Plugins 1.0 skips such skills
    "#]],
    );
    let long = "a".repeat(65);
    let seen = Seen {
        name: Some(&long),
        folder_name: Some(&long),
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
              "rule": "name-shape",
              "outcome": "dropped",
              "message": "its name has 65 characters, and Codex takes at most 64",
              "help": "use at most 64 lower-case letters, digits and single hyphens"
            }
          ],
          "notes": []
        }"#]],
    );
}

#[test]
fn a_name_unlike_the_folder() {
    let seen = Seen {
        folder_name: Some("forms"),
        ..plain()
    };
    check(
        &seen,
        &expect![[r#"
        claude-code: changed [name-differs] Claude Code calls it `forms` after its folder, and not `pdf-forms`
        codex: loads
        gemini-cli: unknown [name-differs] its name is `pdf-forms` and its folder's `forms`: what Gemini CLI makes of that is not known
        github-copilot: unknown [name-differs] its name is `pdf-forms` and its folder's `forms`: what VS Code Copilot makes of that is not known
        goose: unknown [name-differs] its name is `pdf-forms` and its folder's `forms`: what goose makes of that is not known
        opencode: unknown [name-differs] its name is `pdf-forms` and its folder's `forms`: what OpenCode makes of that is not known
        agent-plugins: dropped [name-differs] its name is `pdf-forms` and its folder's `forms`, and Agent Plugins 1.0 refuses such skills
    "#]],
    );
}

#[test]
fn the_same_name_twice() {
    let clients = Clients::builtin();
    let environment = Environment {
        home: Some("/home/ada".into()),
        ..Environment::default()
    };
    let projects = [PathBuf::from("/repo/web"), PathBuf::from("/repo")];
    let told = |client: &str, own, rival| {
        let client = clients.find(client).unwrap();
        let at = |tier, project: &PathBuf| Located {
            tier,
            folder: match tier {
                Tier::Project => project.join(&client.project[0].path),
                _ => user_paths(&client.user[0].path, &environment).remove(0),
            },
            depth: 1,
        };
        let seen = Seen {
            place: Some(at(own, &projects[0])),
            rivals: vec![at(rival, &projects[1])],
            projects: &projects,
            environment: environment.clone(),
            ..plain()
        };
        let verdict = judge(client, &seen);
        let same = verdict.findings.iter().find(|it| it.rule == "same-name");
        same.map_or("no word".to_owned(), |it| it.message.clone())
    };
    let mut shown = String::new();
    for client in [
        "codex",
        "claude-code",
        "gemini-cli",
        "opencode",
        "copilot",
        "goose",
    ] {
        for (own, rival) in [
            (Tier::User, Tier::Project),
            (Tier::Project, Tier::User),
            (Tier::Project, Tier::Project),
        ] {
            let (a, b) = (own.as_str(), rival.as_str());
            writeln!(
                shown,
                "{client}, {a} beside {b}: {}",
                told(client, own, rival)
            )
            .unwrap();
        }
    }
    expect![[r#"
        codex, user beside project: another skill has its name; Codex keeps both, and `$pdf-forms` is ambiguous
        codex, project beside user: another skill has its name; Codex keeps both, and `$pdf-forms` is ambiguous
        codex, project beside project: another skill has its name; Codex keeps both, and `$pdf-forms` is ambiguous
        claude-code, user beside project: no word
        claude-code, project beside user: a user skill has its name, and Claude Code prefers that one
        claude-code, project beside project: another skill has its name, and which of the two Claude Code keeps is not known
        gemini-cli, user beside project: a project skill has its name, and Gemini CLI prefers that one
        gemini-cli, project beside user: no word
        gemini-cli, project beside project: another skill has its name, and which of the two Gemini CLI keeps is not known
        opencode, user beside project: another skill has its name; OpenCode keeps the one it reads last, and its order is not known
        opencode, project beside user: another skill has its name; OpenCode keeps the one it reads last, and its order is not known
        opencode, project beside project: another skill has its name; OpenCode keeps the one it reads last, and its order is not known
        copilot, user beside project: another skill has its name, and which one VS Code Copilot keeps is not known
        copilot, project beside user: another skill has its name, and which one VS Code Copilot keeps is not known
        copilot, project beside project: another skill has its name, and which one VS Code Copilot keeps is not known
        goose, user beside project: another skill has its name; goose keeps the one it reads first, and its order is not known
        goose, project beside user: another skill has its name; goose keeps the one it reads first, and its order is not known
        goose, project beside project: another skill has its name; goose keeps the one it reads first, and its order is not known
    "#]].assert_eq(&shown);
}

#[test]
fn a_rival_the_client_does_not_see_is_none() {
    let projects = [PathBuf::from("/repo")];
    let seen = Seen {
        rivals: vec![Located {
            tier: Tier::Project,
            folder: "/repo/.claude/skills".into(),
            depth: 1,
        }],
        projects: &projects,
        ..plain()
    };
    let clients = Clients::builtin();
    let outcome = |client: &str| judge(clients.find(client).unwrap(), &seen).outcome;
    assert_eq!(outcome("codex"), Outcome::Loads);
    assert_eq!(outcome("claude"), Outcome::Unknown);
}
