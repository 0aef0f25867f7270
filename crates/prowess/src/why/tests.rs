use std::fmt::Write as _;

use expect_test::{Expect, expect};
use prowess_format::{Profile, parse};
use std::path::PathBuf;

use super::*;
use crate::{
    Catalog, DiskSource, Environment, LoadOptions, Scope, Source, source::clients::Located,
    user_paths,
};

mod found;
mod named;
mod text;

/// A skill no client could mind.
fn plain() -> Seen<'static> {
    Seen {
        file_name: "SKILL.md",
        folder_name: Some("pdf-forms"),
        depth: Some(1),
        name: Some("pdf-forms"),
        description: Some("Fills PDF forms. Use when a PDF has fields."),
        fields: vec!["name", "description"],
        ..Seen::default()
    }
}

/// Asks every main client and shows the deciding line of each.
fn check(seen: &Seen<'_>, expected: &Expect) {
    let mut shown = String::new();
    for verdict in verdicts(&Clients::builtin(), seen) {
        let Some(first) = verdict.findings.first() else {
            writeln!(shown, "{}: loads", verdict.client).unwrap();
            continue;
        };
        let outcome = format!("{:?}", verdict.outcome).to_lowercase();
        let (client, rule) = (&verdict.client, first.rule);
        writeln!(shown, "{client}: {outcome} [{rule}] {}", first.message).unwrap();
    }
    expected.assert_eq(&shown);
}

/// Shows everything one client has to say.
fn check_one(client: &str, seen: &Seen<'_>, expected: &Expect) {
    let verdict = judge(Clients::builtin().find(client).unwrap(), seen);
    expected.assert_eq(&serde_json::to_string_pretty(&verdict).unwrap());
}

#[test]
fn a_plain_skill_loads_everywhere() {
    check(
        &plain(),
        &expect![[r#"
        claude-code: loads
        codex: loads
        gemini-cli: loads
        github-copilot: loads
        goose: loads
        opencode: loads
        agent-plugins: loads
    "#]],
    );
}

#[test]
fn everything_known_is_told_as_data() {
    let projects = [PathBuf::from("/repo")];
    let seen = Seen {
        place: Some(Located {
            tier: Tier::Project,
            folder: "/repo/.claude/skills".into(),
            depth: 1,
        }),
        projects: &projects,
        name: Some("forms"),
        fields: vec!["name", "description", "allowed-tools"],
        ..plain()
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
              "rule": "name-differs",
              "outcome": "changed",
              "message": "Claude Code calls it `pdf-forms` after its folder, and not `forms`",
              "help": "give both the same name, such as `pdf-forms`"
            }
          ],
          "call": "/pdf-forms",
          "notes": [
            "what is known of Claude Code is second-hand",
            "trust: project skills load once the workspace is trusted",
            "the list of skills gets 1 % of the context; beyond that a description is shown whole or not at all, the most used skills first",
            "Claude Code approves the tools in `allowed-tools` beforehand"
          ]
        }"#]],
    );
}

#[test]
fn a_client_without_rules_is_not_guessed() {
    check_one(
        "zed",
        &plain(),
        &expect![[r#"
        {
          "client": "zed",
          "title": "zed",
          "outcome": "unknown",
          "findings": [
            {
              "rule": "rules",
              "outcome": "unknown",
              "message": "only the folders of zed are known, not its rules"
            }
          ],
          "notes": []
        }"#]],
    );
}

#[test]
fn what_was_read_tells_what_clients_care_about() {
    let seen = |text: &str| {
        let parsed = parse(text.as_bytes(), Profile::Lenient);
        let seen = Seen::of(&parsed.document, &parsed.diagnostics, "SKILL.md");
        (seen.frontmatter, seen.byte_order_mark, seen.fence_in_value)
    };
    let fine = "---\nname: a\ndescription: b\n---\n";
    assert_eq!(seen(fine), (Frontmatter::Yaml, false, false));
    let marked = "\u{feff}---\nname: a\ndescription: b\n---\n";
    assert_eq!(seen(marked), (Frontmatter::Yaml, true, false));
    let dashes = "---\nname: a\ndescription: b --- c\n---\n";
    assert_eq!(seen(dashes), (Frontmatter::Yaml, false, true));
    let toml = "+++\nname = \"a\"\ndescription = \"b\"\n+++\n";
    assert_eq!(seen(toml), (Frontmatter::Toml, false, false));
    let colon = "---\nname: a\ndescription: Use when: always\n---\n";
    assert_eq!(seen(colon).0, Frontmatter::Quoted);
    let start = "---\nname: a\ndescription: **bold** words\n---\n";
    assert_eq!(seen(start).0, Frontmatter::Quoted);
    let tab = "---\nname: a\ndescription:\n\t- b: c: d\n---\n";
    assert_eq!(seen(tab).0, Frontmatter::Mended);
    assert_eq!(seen("no fences\n").0, Frontmatter::Missing);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the skills must lie on a disk")]
fn a_catalog_tells_where_its_skills_lie() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join(".claude/skills");
    for (folder, name) in [("pdf", "pdf"), ("nested/forms", "Forms")] {
        let folder = root.join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!("---\nname: {name}\ndescription: Fills forms.\n---\n# Steps\n");
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
    }
    let source = DiskSource::new(&root)
        .scope(Scope::User)
        .label("claude-code");
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let catalog = Catalog::load(&sources, &LoadOptions::default()).unwrap();
    let environment = Environment {
        home: Some(home.path().to_path_buf()),
        ..Environment::default()
    };
    let seen =
        |name: &str| Seen::in_catalog(catalog.get(name).unwrap(), &catalog, &[], &environment);
    let clients = Clients::builtin();
    let told = |client: &str, name: &str| {
        let verdict = judge(clients.find(client).unwrap(), &seen(name));
        let rules: Vec<&str> = verdict.findings.iter().map(|it| it.rule).collect();
        (verdict.outcome, rules.join(" "))
    };
    assert_eq!(told("claude", "pdf"), (Outcome::Loads, String::new()));
    assert_eq!(
        told("codex", "pdf"),
        (Outcome::Dropped, "folders".to_owned())
    );
    assert_eq!(
        told("claude", "Forms"),
        (Outcome::Changed, "depth name-differs".to_owned())
    );
    assert_eq!(seen("Forms").place.unwrap().depth, 2);
    assert_eq!(
        seen("pdf").listed,
        [(root.clone(), "pdfFormsFills forms.Fills forms.".len())]
    );
    assert!(seen("Forms").fault.unwrap().contains("Forms"));
}
