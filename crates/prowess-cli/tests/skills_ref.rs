//! `prowess skills-ref` against what the reference itself answered.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use expect_test::{Expect, expect};
use serde_json::Value;

/// What one run gave.
struct Outcome {
    code: i32,
    stdout: String,
    stderr: String,
}

fn skills_ref<'a>(directory: &Path, args: impl IntoIterator<Item = &'a str>) -> Outcome {
    let output = Command::new(env!("CARGO_BIN_EXE_prowess"))
        .arg("skills-ref")
        .args(args)
        .current_dir(directory)
        .output()
        .expect("the binary runs");
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// The vectors of the reference; `None`, with a note, where they are not at hand.
#[expect(clippy::disallowed_methods, reason = "a test reads its own data")]
fn vectors(file: &str) -> Option<Vec<Value>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared =
        env::var_os("PROWESS_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let path = shared.join("vectors/skills-ref").join(file);
    let Ok(text) = fs::read_to_string(&path) else {
        eprintln!("skipped: no {}", path.display());
        return None;
    };
    let values = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    Some(values.collect())
}

/// Lays the cases out below `root`.
#[expect(clippy::disallowed_methods, reason = "a test writes its own data")]
fn lay_out(root: &Path, cases: &[Value]) {
    for case in cases {
        let directory = root.join(text(case, "id")).join(text(case, "dir"));
        let entries = case["tree"].as_array().expect("a tree");
        fs::create_dir_all(directory.parent().expect("a parent")).expect("a directory");
        let is_file = entries.iter().any(|entry| entry["path"] == "");
        if case["exists"] == true && !is_file {
            fs::create_dir_all(&directory).expect("a directory");
        }
        for entry in entries {
            let path = match text(entry, "path") {
                "" => directory.clone(),
                path => directory.join(path),
            };
            if let Some(file) = entry["file"].as_str() {
                fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
                fs::write(path, STANDARD.decode(file).expect("base64")).expect("a file");
            } else if let Some(target) = entry["link"].as_str() {
                link(target, &path);
            } else {
                fs::create_dir_all(path).expect("a directory");
            }
        }
    }
}

#[cfg(unix)]
fn link(target: &str, path: &Path) {
    std::os::unix::fs::symlink(target, path).expect("a link");
}

#[cfg(not(unix))]
fn link(_: &str, _: &Path) {}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Behind this the words are ours.
fn comparable(message: &str) -> &str {
    const OURS: &str = "Invalid YAML in frontmatter:";
    match message.find(OURS) {
        Some(at) => &message[..at + OURS.len()],
        None => message,
    }
}

/// A directory whose place has no links in it, as the reference prints places resolved.
#[expect(clippy::disallowed_methods, reason = "a test looks at its own data")]
fn workplace() -> (tempfile::TempDir, PathBuf) {
    let temporary = tempfile::tempdir().expect("a directory");
    let root = fs::canonicalize(temporary.path()).expect("a place");
    (temporary, root)
}

#[test]
fn every_case_of_the_reference_gets_its_verdict() {
    let Some(cases) = vectors("cases.jsonl") else {
        return;
    };
    let (_temporary, root) = workplace();
    lay_out(&root, &cases);
    for case in &cases {
        check_case(&root, case);
    }
}

fn check_case(root: &Path, case: &Value) {
    let place = root.display().to_string();
    let id = text(case, "id");
    let path = format!("{place}/{id}/{}", text(case, "dir"));
    let run = |verb| skills_ref(root, [verb, path.as_str()]);
    let validate = run("validate");
    if case["exists"] == false {
        // The reference's library would judge a missing path; its command refuses it.
        assert_eq!(validate.code, 2, "{id}");
        return;
    }
    let properties = run("read-properties");
    if case["crash"].is_string() {
        assert_eq!((validate.code, properties.code), (1, 1), "{id}");
        assert!(validate.stderr.lines().count() < 3, "{id}");
        return;
    }
    let errors = case["errors"].as_array().expect("errors");
    let mut expected = Vec::new();
    if !errors.is_empty() {
        expected.push(format!("Validation failed for {path}:\n"));
    }
    for error in errors.iter().filter_map(Value::as_str) {
        expected.push(format!("  - {}\n", error.replace("$ROOT", &place)));
    }
    let expected = expected.concat();
    assert_eq!(comparable(&validate.stderr), comparable(&expected), "{id}");
    assert_eq!(validate.code, i32::from(!errors.is_empty()), "{id}");

    let prompt = run("to-prompt");
    if let Some(error) = case["properties_error"].as_str() {
        let error = error.split_once(": ").expect("a kind").1;
        let expected = format!("Error: {}\n", error.replace("$ROOT", &place));
        for outcome in [properties, prompt] {
            assert_eq!(comparable(&outcome.stderr), comparable(&expected), "{id}");
            assert_eq!(outcome.code, 1, "{id}");
        }
    } else {
        let printed: Value = serde_json::from_str(&properties.stdout).expect("JSON");
        assert_eq!(printed, case["properties"], "{id}");
        let expected = text(case, "prompt").replace("$ROOT", &place) + "\n";
        assert_eq!(prompt.stdout, expected, "{id}");
    }
}

#[test]
fn every_command_line_of_the_reference_is_answered_alike() {
    let (Some(cases), Some(lines)) = (vectors("cases.jsonl"), vectors("cli.jsonl")) else {
        return;
    };
    let (_temporary, root) = workplace();
    lay_out(&root, &cases);
    for line in lines {
        let args = line["argv"].as_array().expect("arguments");
        let args: Vec<_> = args.iter().filter_map(Value::as_str).collect();
        let outcome = skills_ref(&root, args.iter().copied());
        let expected = |key| text(&line, key).replace("$ROOT", &root.display().to_string());
        assert_eq!(outcome.stdout, expected("stdout"), "{args:?}");
        assert_eq!(outcome.stderr, expected("stderr"), "{args:?}");
        assert_eq!(
            Some(i64::from(outcome.code)),
            line["exit"].as_i64(),
            "{args:?}"
        );
    }
}

/// Runs in a directory that holds the skill `pdf` and two broken ones.
#[expect(clippy::needless_pass_by_value, reason = "`expect!` makes a value")]
fn check<const N: usize>(args: [&str; N], expected: Expect) {
    let (_temporary, root) = workplace();
    let cases = [
        (
            "pdf",
            "---\nname: pdf\ndescription: Fills <forms> & more\n---\n",
        ),
        ("broken", "---\nname: [broken]\n---\n"),
        ("bytes", "---\nname: \0\n---\n"),
    ]
    .map(|(directory, file)| {
        serde_json::json!({
            "id": "", "dir": directory, "exists": true,
            "tree": [{"path": "SKILL.md", "file": STANDARD.encode(file)}],
        })
    });
    lay_out(&root, &cases);
    let Outcome {
        stdout,
        stderr,
        code,
    } = skills_ref(&root, args);
    let shown = format!("{stdout}{stderr}exit {code}\n");
    expected.assert_eq(&shown.replace(&root.display().to_string(), "$ROOT"));
}

#[test]
fn a_valid_skill_may_be_named_by_its_file() {
    check(
        ["validate", "./pdf/SKILL.md"],
        expect![[r"
            Valid skill: pdf
            exit 0
        "]],
    );
}

#[test]
fn a_broken_skill_is_told_with_its_place() {
    check(
        ["validate", "broken/"],
        expect![[r"
            Validation failed for broken:
              - Invalid YAML in frontmatter: flow style such as `[a, b]` or `{a: b}` is not read here (line 2, column 7)
            exit 1
        "]],
    );
}

#[test]
fn what_makes_the_reference_crash_is_an_error() {
    check(
        ["read-properties", "bytes"],
        expect![[r"
            Error: Invalid YAML in frontmatter: the character U+0000 is not allowed (line 2, column 7)
            exit 1
        "]],
    );
}

#[test]
fn the_prompt_escapes_texts_and_resolves_places() {
    check(
        ["to-prompt", "broken/../pdf"],
        expect![[r"
            <available_skills>
            <skill>
            <name>
            pdf
            </name>
            <description>
            Fills &lt;forms&gt; &amp; more
            </description>
            <location>
            $ROOT/pdf/SKILL.md
            </location>
            </skill>
            </available_skills>
            exit 0
        "]],
    );
}

#[test]
fn a_path_is_checked_before_surplus_arguments() {
    check(
        ["validate", "nope", "more"],
        expect![[r"
            Usage: skills-ref validate [OPTIONS] SKILL_PATH
            Try 'skills-ref validate --help' for help.

            Error: Invalid value for 'SKILL_PATH': Path 'nope' does not exist.
            exit 2
        "]],
    );
    check(
        ["validate", "pdf", "more", "still"],
        expect![[r"
            Usage: skills-ref validate [OPTIONS] SKILL_PATH
            Try 'skills-ref validate --help' for help.

            Error: Got unexpected extra arguments (more still)
            exit 2
        "]],
    );
}

#[test]
fn misspelt_commands_and_options_get_a_suggestion() {
    check(
        ["validat"],
        expect![[r"
            Usage: skills-ref [OPTIONS] COMMAND [ARGS]...
            Try 'skills-ref --help' for help.

            Error: No such command 'validat'. Did you mean 'validate'?
            exit 2
        "]],
    );
    check(
        ["validate", "--hepl"],
        expect![[r"
            Usage: skills-ref validate [OPTIONS] SKILL_PATH
            Try 'skills-ref validate --help' for help.

            Error: No such option '--hepl'. Did you mean '--help'?
            exit 2
        "]],
    );
}

#[test]
fn help_lists_the_commands() {
    check(
        ["--help"],
        expect![[r"
            Usage: skills-ref [OPTIONS] COMMAND [ARGS]...

              Reference library for Agent Skills.

            Options:
              --version  Show the version and exit.
              --help     Show this message and exit.

            Commands:
              read-properties  Read and print skill properties as JSON.
              to-prompt        Generate <available_skills> XML for agent prompts.
              validate         Validate a skill directory.
            exit 0
        "]],
    );
}
