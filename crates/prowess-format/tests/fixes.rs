//! Fixes that can be trusted: each keeps everything it does not name, and once is enough.

use expect_test::{Expect, expect};
use proptest::prelude::*;
use prowess_format::{Folder, Node, Profile, Severity, fix, judge};

fn folder(name: &str) -> Folder {
    Folder {
        name: name.to_owned(),
        files: Vec::new(),
    }
}

/// Shows the text after `--fix`, and what was left out.
#[expect(clippy::needless_pass_by_value, reason = "`expect!` makes a value")]
fn check(name: &str, text: &str, expected: Expect) {
    let folder = folder(name);
    let fixed = fix(text, "SKILL.md", Some(&folder), Profile::Standard, |it| {
        it.severity != Severity::Hint
    });
    let refused = fixed.refused.iter();
    let refused = refused.map(|(it, why)| format!("refused {}: {why}\n", it.code));
    expected.assert_eq(&(fixed.text + &refused.collect::<String>()));
}

#[test]
fn a_folded_description_indented_with_tabs_keeps_its_text() {
    check(
        "tabs",
        "---\nname: tabs\ndescription: >-\n\tBrainstorm ideas.\n\tUse when stuck.\n---\nGo.\n",
        expect![[r#"
            ---
            name: tabs
            description: >-
              Brainstorm ideas.
              Use when stuck.
            ---
            Go.
        "#]],
    );
}

#[test]
fn a_merge_conflict_is_left_alone() {
    let text = "---\nname: merge\n<<<<<<< HEAD\ndescription: Ours: one. Use when asked.\n=======\ndescription: Theirs: two. Use when asked.\n>>>>>>> branch\n---\nGo.\n";
    check(
        "merge",
        text,
        expect![[r#"
            ---
            name: merge
            <<<<<<< HEAD
            description: Ours: one. Use when asked.
            =======
            description: Theirs: two. Use when asked.
            >>>>>>> branch
            ---
            Go.
            refused repaired-yaml: a merge conflict is to be resolved first
            refused repaired-yaml: a merge conflict is to be resolved first
        "#]],
    );
}

#[test]
fn quotes_that_do_not_close_are_closed() {
    check(
        "open",
        "---\nname: open\ndescription: \"Test web apps. Use when asked.\n---\nGo.\n",
        expect![[r#"
            ---
            name: open
            description: "Test web apps. Use when asked."
            ---
            Go.
        "#]],
    );
    check(
        "apostrophe",
        "---\nname: apostrophe\ndescription: 'Test the user's apps. Use when asked.'\n---\nGo.\n",
        expect![[r#"
            ---
            name: apostrophe
            description: "Test the user's apps. Use when asked."
            ---
            Go.
        "#]],
    );
    check(
        "nested",
        "---\nname: nested\ndescription: \"Answers \"how do I\" questions. Use when asked.\"\n---\nGo.\n",
        expect![[r#"
            ---
            name: nested
            description: 'Answers "how do I" questions. Use when asked.'
            ---
            Go.
        "#]],
    );
    check(
        "words",
        "---\nname: words\ndescription: \"Plan\" and \"do\" things. Use when asked.\n---\nGo.\n",
        expect![[r#"
            ---
            name: words
            description: '"Plan" and "do" things. Use when asked.'
            ---
            Go.
        "#]],
    );
}

#[test]
fn a_key_in_capitals_is_renamed_and_not_doubled() {
    check(
        "caps",
        "---\nName: caps\ndescription: Does it all. Use when asked.\n---\nGo.\n",
        expect![[r#"
            ---
            name: caps
            description: Does it all. Use when asked.
            ---
            Go.
        "#]],
    );
}

#[test]
fn a_name_is_only_fixed_to_the_name_of_its_folder() {
    check(
        "capsule_crm-automation",
        "---\nname: Capsule CRM Automation\ndescription: Does it all. Use when asked.\n---\nGo.\n",
        expect![[r#"
            ---
            name: Capsule CRM Automation
            description: Does it all. Use when asked.
            ---
            Go.
        "#]],
    );
}

#[test]
fn unknown_fields_go_below_metadata() {
    check(
        "own",
        "---\nname: own\ncategory: tools\ndescription: Does it all. Use when asked.\npriority: 5\nmetadata:\n    team: a\nnotes: |\n  one\n  two\n---\nGo.\n",
        expect![[r#"
            ---
            name: own
            description: Does it all. Use when asked.
            metadata:
                team: a
                category: tools
                priority: "5"
                notes: |
                  one
                  two
            ---
            Go.
        "#]],
    );
    check(
        "own",
        "---\nname: own\ndescription: Does it all. Use when asked.\ncategory: tools # ours\nrequires:\n  - a\nauto-approve: true\n---\nGo.\n",
        expect![[r#"
            ---
            name: own
            description: Does it all. Use when asked.
            metadata:
              category: tools # ours
            requires:
              - a
            auto-approve: true
            ---
            Go.
        "#]],
    );
}

/// Pieces of frontmatter that bring a fix to be offered, or to go wrong.
const LINES: &[&str] = &[
    "name: Pdf Forms\n",
    "Name: pdf\n",
    "name: pdf\n",
    "name: 42\n",
    "description: Fills: forms. Use when asked.\n",
    "description: >-\n\tFolds lines.\n\tUse when asked.\n",
    "description: \"Open quote. Use when asked.\n",
    "description: 'The user's text. Use when asked.'\n",
    "description: C# and issue #123. Use when asked.\n",
    "desciption: Slips. Use when asked.\n",
    "Description: Shouts. Use when asked.\n",
    "category: tools\n",
    "priority: 5\n",
    "notes: |\n  one\n\n  two\n",
    "flow: {a: 1}\n",
    "list:\n  - a\n",
    "metadata:\n  team: a\n",
    "metadata: {team: a}\n",
    "metadata:\n",
    "disable-model-invocation: true\n",
    "user_invocable: false\n",
    "allowed_tools: Read\n",
    "triggers:\n  keywords: [a]\n",
    "# a comment\n",
    "\tcategory: tools\n",
    "<<<<<<< HEAD\n",
    "=======\n",
    ">>>>>>> branch\n",
    "zero\u{200b}width: a\u{200b}b\n",
    "just a line\n",
    "\n",
];

proptest! {
    #![proptest_config(proptest::test_runner::Config {
        cases: 96,
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn twice_is_once_and_all_that_is_not_named_stays(
        lines in prop::collection::vec(0..LINES.len(), 0..8),
        start in prop::sample::select(vec!["", "\u{feff}", "\n", "\r\n"]),
        crlf in any::<bool>(),
    ) {
        let lines: String = lines.iter().map(|at| LINES[*at]).collect();
        let mut text = format!("{start}---\n{lines}---\n# Steps\n\nSee [a](#steps).\n");
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        let folder = folder("pdf");
        let once = fix(&text, "SKILL.md", Some(&folder), Profile::Standard, |_| true);
        let twice = fix(&once.text, "SKILL.md", Some(&folder), Profile::Standard, |_| true);
        prop_assert_eq!(&once.text, &twice.text);
        let read = |text: &str| judge(text, "SKILL.md", Some(&folder), Profile::Standard);
        let (before, after) = (read(&text), read(&once.text));
        prop_assert_eq!(
            before.document.instructions().replace('\r', ""),
            after.document.instructions().replace('\r', "")
        );
        // A switch that keeps a skill from being called stays where clients look for it, but for
        // hidden characters in a value that went on over the lines below it.
        let seen = |node: &Node| format!("{:?}", node.value).replace("\\u{200b}", "");
        for key in ["disable-model-invocation", "user-invocable", "disallowed-tools"] {
            if let Some(node) = before.document.get(key) {
                prop_assert_eq!(after.document.get(key).map(seen), Some(seen(node)));
            }
        }
        // The description stays, except for what a finding named.
        let named = once.made.iter().any(|it| {
            matches!(it.code, "misspelt-field" | "comment-in-value" | "hidden-unicode" | "invisible-character")
        });
        if !named {
            prop_assert_eq!(before.document.description(), after.document.description());
        }
    }
}
