//! The rules against real files: no panic, no stray span, and every fix fixes what it names.
//!
//! The corpus is not part of the repository; without it this test says so and passes. Run it
//! with `--nocapture` to see how often each rule speaks, and `PROWESS_SHOW=code` for samples.

use std::{collections::BTreeMap, fs, path::PathBuf};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use prowess_format::{Diagnostic, Folder, FolderFile, Profile, Subject, read, rules};
use serde_json::Value;

#[expect(clippy::disallowed_methods, reason = "a test reads its own data")]
fn corpus() -> Option<String> {
    let root = std::env::var_os("PROWESS_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    fs::read_to_string(root.join("corpus/real-skills.jsonl")).ok()
}

/// Everything that is said about a file, while reading and by the rules.
fn findings(bytes: &[u8], folder: &Folder, file: &str, profile: Profile) -> Vec<Diagnostic> {
    let parsed = read(bytes, profile);
    let mut findings = parsed.diagnostics;
    findings.extend(rules::check(
        &Subject {
            document: &parsed.document,
            file_name: file,
            folder: Some(folder),
        },
        profile,
    ));
    findings
}

fn count(findings: &[Diagnostic], code: &str) -> usize {
    findings.iter().filter(|it| it.code == code).count()
}

#[test]
fn every_finding_lies_in_its_file_and_every_fix_removes_it() {
    let Some(corpus) = corpus() else {
        println!("no shared corpus here; nothing was checked");
        return;
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "a switch for a person at the keyboard"
    )]
    let show = std::env::var("PROWESS_SHOW").ok();
    let mut skills: BTreeMap<&str, usize> = BTreeMap::new();
    // Without optimization the whole corpus takes half a minute; `--release` looks at all of it.
    let step = if cfg!(debug_assertions) { 8 } else { 1 };
    for line in corpus.lines().step_by(step) {
        let case: Value = serde_json::from_str(line).unwrap();
        let bytes = match case["text"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => STANDARD.decode(case["base64"].as_str().unwrap()).unwrap(),
        };
        let file = case["file"].as_str().unwrap();
        let folder = Folder {
            name: case["dir"].as_str().unwrap().to_owned(),
            files: vec![FolderFile {
                path: file.to_owned(),
                executable: Some(false),
                size: bytes.len() as u64,
                script: None,
            }],
        };
        let profile = Profile::Standard;
        let found = findings(&bytes, &folder, file, profile);
        let mut seen = Vec::new();
        for it in &found {
            assert!(it.span.end <= bytes.len(), "{}: {it:?}", case["id"]);
            if show.as_deref() == Some(it.code) {
                let help = it.help.as_deref().unwrap_or_default();
                println!(
                    "{}:{} {} | {help}",
                    case["from"], it.position.line, it.message
                );
            }
            if seen.contains(&it.code) {
                continue;
            }
            seen.push(it.code);
            *skills.entry(it.code).or_default() += 1;
            if let Some(fix) = &it.fix {
                let text = std::str::from_utf8(&bytes).unwrap();
                let fixed = fix.apply(text);
                let fixed = fixed.unwrap_or_else(|| panic!("{}: {it:?}", case["id"]));
                let left = findings(fixed.as_bytes(), &folder, file, profile);
                assert!(
                    count(&left, it.code) < count(&found, it.code),
                    "{}: still there after the fix: {it:?}\n{left:#?}",
                    case["id"]
                );
            }
        }
    }
    for (code, count) in skills {
        println!("{count:>5} {code}");
    }
}

/// Pieces that bring a rule to speak, or to stumble.
const PIECES: &[&str] = &[
    "---\n",
    "+++\n",
    "name: ",
    "description: ",
    "allowed-tools: ",
    "triggers:\n  - ",
    "paths: ",
    "metadata: ",
    "desciption: ",
    "[",
    "]",
    "](",
    ")",
    "(",
    "`",
    "```\n",
    "!`",
    "<!--",
    "-->",
    "../",
    "scripts/a.sh",
    "references/",
    "a.md",
    "\n",
    "\r\n",
    "\r",
    " ",
    ": ",
    "\"",
    "'",
    "é",
    "数",
    "👩‍💻",
    "\u{200b}",
    "\u{e0041}",
    "\u{1f3f4}",
    "\u{feff}",
    "*",
    "Bash(",
    "{a,",
    "}",
    "[/skill]",
    "use ",
    "$ARGUMENTS",
    "%",
    "%41",
    "<",
    ">",
    "#",
    "\\",
    "1.0",
    "no",
    "~",
];

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config {
        cases: 64,
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn any_text_is_judged_without_a_panic(pieces in proptest::collection::vec(0..PIECES.len(), 0..60)) {
        let text: String = pieces.iter().map(|at| PIECES[*at]).collect();
        let folder = Folder { name: "a".to_owned(), files: Vec::new() };
        for profile in Profile::ALL {
            for text in [&text, &format!("---\n{text}"), &format!("---\nname: x\n---\n{text}")] {
                for it in findings(text.as_bytes(), &folder, "SKILL.md", profile) {
                    assert!(text.get(it.span.start..it.span.end).is_some(), "{it:?} in {text:?}");
                    if let Some(fix) = &it.fix {
                        assert!(fix.apply(text).is_some(), "{it:?} in {text:?}");
                    }
                }
            }
        }
    }
}
