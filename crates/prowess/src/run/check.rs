//! What `check` learns from running: a script that nothing could run is a finding.

use std::path::Path;

use prowess_format::{Diagnostic, Position, Profile, Span, rules};
use prowess_run::{InterpreterError, Search, interpreter_for, is_script_name};

use crate::{
    display::display_text,
    limits::Limits,
    resource::{Content, Resource, Resources},
    skill::Skill,
};

/// What `check` has to say about a skill's scripts: those the instructions name and no known
/// program runs, and those whose program is not found by `search`.
pub fn check_scripts(
    skill: &Skill,
    profile: Profile,
    limits: &Limits,
    search: &Search,
) -> Vec<Diagnostic> {
    // A check fetches nothing.
    if skill.remote().is_some() {
        return Vec::new();
    }
    let Ok(Resources { files, .. }) = skill.resources(limits) else {
        return Vec::new();
    };
    let document = skill.document();
    let named = files.iter().filter_map(|file| {
        let at = document.instructions().find(&file.path)?;
        Some((file, document.instructions_span().start + at))
    });
    let mut found = Vec::new();
    for (file, start) in named {
        let path = Path::new(&file.path);
        let bare = path.extension().is_none() && file.executable == Some(true);
        let Some(text) = head_of(skill, file, limits) else {
            continue;
        };
        if !(is_script_name(path) || bare || text.starts_with("#!")) {
            continue;
        }
        let (rule, message, help) = match interpreter_for(path, text.as_bytes(), search) {
            Err(InterpreterError::Missing { name, hint }) => (
                &rules::missing_interpreter::RULE,
                format!(
                    "`{}` needs `{name}`, which is not installed here",
                    display_text(&file.path)
                ),
                hint,
            ),
            Err(
                error @ (InterpreterError::Unknown { .. } | InterpreterError::NotListed { .. }),
            ) => (
                &rules::unknown_interpreter::RULE,
                display_text(&error.to_string()),
                "name one of these in its first line, or say in the instructions how it is run",
            ),
            _ => continue,
        };
        let Some(severity) = rule.levels.severity(profile) else {
            continue;
        };
        found.push(Diagnostic {
            code: rule.code,
            severity,
            span: Span::new(start, start + file.path.len()),
            position: Position::of(document.text().as_bytes(), start),
            message,
            help: Some(help.to_owned()),
            fix: None,
        });
    }
    found
}

/// The start of a file that is text.
fn head_of(skill: &Skill, file: &Resource, limits: &Limits) -> Option<String> {
    let limits = Limits {
        page_bytes: limits.page_bytes.min(8 << 10),
        ..limits.clone()
    };
    match skill.read_resource(&file.path, 0, &limits).ok()?.content {
        Content::Text(text) => Some(text),
        Content::Base64(_) => None,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use expect_test::expect;

    use super::*;
    use crate::{Catalog, testing::Tree};

    const SKILL: &str = "---\nname: a\ndescription: Counts words. Use when asked.\n---\n# A\n";

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test makes its own program")]
    fn check_says_what_no_program_here_runs() {
        let text = format!("{SKILL}Run `a.zsh`, `b.py`, `c.sh`, `d.rb` and see `notes.txt`.\n");
        let tree = Tree::new()
            .file("skills/a/SKILL.md", &text)
            .file("skills/a/a.zsh", "#!/usr/bin/env zsh\necho\n")
            .file("skills/a/b.py", "#!/usr/bin/env python3\n")
            .file("skills/a/c.sh", "echo\n")
            .file("skills/a/d.rb", "puts 1\n")
            .file("skills/a/unnamed.zsh", "#!/bin/zsh\n")
            .file("skills/a/notes.txt", "none\n");
        let catalog = Catalog::from_dirs([tree.at("skills")]);
        // A machine that has a shell and nothing else.
        let folder = tempfile::tempdir().unwrap();
        let bash = folder.path().join("bash");
        fs::write(&bash, "program").unwrap();
        fs::set_permissions(&bash, fs::Permissions::from_mode(0o755)).unwrap();
        let search = Search::only([folder.path()]);
        let skill = catalog.get("a").unwrap();
        let found = check_scripts(skill, Profile::Standard, &Limits::default(), &search);
        let told: Vec<String> = found
            .iter()
            .map(|it| {
                let at = it.position;
                let severity = it.severity.as_str();
                format!(
                    "{}:{} {severity}[{}] {}\n",
                    at.line, at.column, it.code, it.message
                )
            })
            .collect();
        expect![[r#"
            6:6 warning[unknown-interpreter] `a.zsh` asks for `zsh`, which is none of bash, sh, python3, node, deno, ruby, perl, uv
            6:15 hint[missing-interpreter] `b.py` needs `python3`, which is not installed here
            6:31 hint[missing-interpreter] `d.rb` needs `ruby`, which is not installed here
        "#]]
        .assert_eq(&told.concat());
        let quiet = check_scripts(skill, Profile::Lenient, &Limits::default(), &search);
        assert_eq!(quiet, []);
    }
}
