//! What a reader sees of a file: its fields, its instructions, and each finding with its place.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use proptest::prelude::*;
use prowess_format::{Profile, Value, read};

fn check(text: impl AsRef<[u8]>, expected: &Expect) {
    expected.assert_eq(&seen(text.as_ref(), Profile::Lenient));
}

fn seen(bytes: &[u8], profile: Profile) -> String {
    let parsed = read(bytes, profile);
    let document = &parsed.document;
    let fields = serde_json::to_string(&Value::Map(document.fields().to_vec())).unwrap();
    let mut out = format!("{fields} {:?}\n", document.instructions());
    for it in &parsed.diagnostics {
        let (line, column) = (it.position.line, it.position.column);
        let severity = it.severity.as_str();
        writeln!(
            out,
            "{line}:{column} {severity}[{}]: {}",
            it.code, it.message
        )
        .unwrap();
        if let Some(help) = &it.help {
            writeln!(out, "  {help}").unwrap();
        }
    }
    out
}

#[test]
fn a_good_file_says_nothing() {
    check(
        "---\nname: pdf\ndescription: Fills forms.\n---\n\n# Steps\n\n1. Look.\n",
        &expect![[r##"
            {"name":"pdf","description":"Fills forms."} "# Steps\n\n1. Look."
        "##]],
    );
}

#[test]
fn toml_is_read_between_plus_fences() {
    check(
        "+++\nname = \"pdf\"\nversion = 1.10\n+++\nx\n",
        &expect![[r#"
            {"name":"pdf","version":"1.10"} "x"
        "#]],
    );
    check(
        "+++\nname = pdf\n+++\nx\n",
        &expect![[r#"
            {} "x"
            2:8 error[invalid-toml]: the frontmatter is not valid TOML, so the skill has no fields: string values must be quoted, expected literal string
              fix this line
        "#]],
    );
}

#[test]
fn files_without_frontmatter_are_told_apart() {
    check(
        "",
        &expect![[r#"
        {} ""
        1:1 error[empty-file]: the file is empty, so there is no skill to load
          write frontmatter with `name` and `description`, then the instructions
    "#]],
    );
    check(
        "# Title\n",
        &expect![[r##"
        {} "# Title"
        1:1 error[missing-frontmatter]: the file has no frontmatter, so the skill has no name and no description
          start the file with `---`, `name:` and `description:` lines, and `---`
    "##]],
    );
    check(
        "\n---\nname: x\nbody\n",
        &expect![[r#"
            {} ""
            1:1 hint[blank-before-frontmatter]: blank lines stand before the frontmatter; Codex, Gemini CLI, OpenCode and Copilot CLI then drop the skill, Claude Code and VS Code lose its text
              remove the blank lines
            2:1 error[unclosed-frontmatter]: the frontmatter opened by this `---` is never closed, so nothing of the file is read
              add a line `---` after the last field
        "#]],
    );
    check(
        "---\n---\n",
        &expect![[r#"
        {} ""
        1:1 error[not-a-map]: the frontmatter is empty where fields are expected, so the skill has none
          write `name: …` and `description: …`, each on a line of its own
    "#]],
    );
    check(
        "---\n- a\n- b\n---\n",
        &expect![[r#"
            {} ""
            2:3 error[not-a-map]: the frontmatter is a list where fields are expected, so the skill has none
              write `name: …` and `description: …`, each on a line of its own
        "#]],
    );
}

#[test]
fn encodings_are_named() {
    check(
        b"---\nname: caf\xe9\n---\n",
        &expect![[r#"
        {} ""
        2:10 error[invalid-utf8]: byte 13 (0xE9) is not UTF-8, so the file cannot be read
          save it as UTF-8
    "#]],
    );
    check(
        b"\xff\xfe-\0-\0-\0",
        &expect![[r#"
        {} ""
        1:1 error[wrong-encoding]: the file is written in UTF-16 (little endian) and cannot be read
          save it as UTF-8
    "#]],
    );
    check(
        "\u{feff}---\r\nname: x\r\n---\r\nbody\r\n",
        &expect![[r#"
            {"name":"x"} "body"
            1:1 hint[byte-order-mark]: the file starts with a byte order mark; Codex and Gemini CLI then drop the skill, VS Code loses its text
              remove the byte order mark
            1:5 hint[line-endings]: lines end in CRLF; clients read them, but scripts copied out of the text stop working
              save the file with LF line endings
        "#]],
    );
    check(
        "---\nname: a\0b\n---\nx\n",
        &expect![[r#"
        {"name":"a b"} "x"
        2:8 warning[control-character]: the control character U+0000 stands in the text
          remove it
    "#]],
    );
}

#[test]
fn a_colon_in_a_description_is_repaired_and_costs_no_other_field() {
    check(
        "---\nname: x\ndescription: Use when: asked\nlicense: MIT\n---\n",
        &expect![[r#"
            {"name":"x","description":"Use when: asked","license":"MIT"} ""
            3:22 warning[repaired-yaml]: `description` is not valid YAML and was repaired here: a colon inside an unquoted value starts a new field; goose and Copilot CLI drop the skill
              write `description: "Use when: asked"`
        "#]],
    );
}

#[test]
fn a_field_inside_a_value_is_left_to_its_author() {
    check(
        "---\nname: x\ndescription: Fills in forms. license: MIT\n---\n",
        &expect![[r#"
            {"name":"x","description":"Fills in forms. license: MIT"} ""
            3:37 warning[repaired-yaml]: `description` is not valid YAML and was repaired here: a colon inside an unquoted value starts a new field; goose and Copilot CLI drop the skill
              put `license: …` on a line of its own if it is a field, else put the value of `description` in quotes
        "#]],
    );
}

#[test]
fn odd_starts_are_repaired() {
    for start in [
        "**bold** x",
        "@team x",
        "`code` x",
        "[draft] x",
        "%d x",
        "& y",
        "{{ x }} y",
    ] {
        let parsed = read(
            format!("---\nname: x\ndescription: {start}\n---\n"),
            Profile::Lenient,
        );
        assert_eq!(parsed.document.description(), Some(start));
        let codes: Vec<_> = parsed.diagnostics.iter().map(|it| it.code).collect();
        assert_eq!(codes, ["repaired-yaml"], "{start}");
    }
}

#[test]
fn escapes_and_commas_of_json_are_repaired() {
    check(
        "---\nmetadata: {\"emoji\": \"\\ud83e\\udde0\"}\nname: x\nmore:\n  a: \"b\",\n---\n",
        &expect![[r#"
            {"metadata":{"emoji":"🧠"},"name":"x","more":{"a":"b"}} ""
            2:21 warning[repaired-yaml]: `metadata` is not valid YAML and was repaired here: while parsing a quoted scalar, found invalid Unicode character escape code; OpenCode, goose and Copilot CLI drop the skill
              write `metadata: {"emoji": "🧠"}`
            5:9 warning[repaired-yaml]: `more` is not valid YAML and was repaired here: invalid trailing content after double-quoted scalar; OpenCode, goose and Copilot CLI drop the skill
              write `more:` and indent the lines below it
        "#]],
    );
}

#[test]
fn tabs_open_quotes_and_loose_lines_are_repaired() {
    check(
        "---\nmetadata:\n\ta: 1\n\tb: 2\nname: x\ndescription: \"open\nlicense: it's\n---\n",
        &expect![[r#"
            {"metadata":{"a":"1","b":"2"},"name":"x","description":"open","license":"it's"} ""
            3:2 warning[repaired-yaml]: `metadata` is not valid YAML and was repaired here: a tab indents a line; OpenCode, goose and Copilot CLI drop the skill
              write `metadata:` and indent the lines below it
            6:14 warning[repaired-yaml]: `description` is not valid YAML and was repaired here: the quote is not closed; goose and Copilot CLI drop the skill
              write `description: "open"`
        "#]],
    );
    check(
        "---\nname: x\ndescription: one\n**two**\n- three: 3\n---\n",
        &expect![[r#"
            {"name":"x","description":"one\n**two**\n- three: 3"} ""
            5:1 warning[repaired-yaml]: `description` is not valid YAML and was repaired here: a line is neither indented nor a field; goose and Copilot CLI drop the skill
              write `description: |-` and indent the lines below it
        "#]],
    );
    check(
        "---\nmetadata:\n  a: \"first\n second\"\nname: x\n---\n",
        &expect![[r#"
            {"metadata":{"a":"first second"},"name":"x"} ""
            3:6 hint[loose-quotes]: the quoted value of `metadata` goes on without indentation, which strict readers refuse
              write `metadata:` and indent the lines below it
        "#]],
    );
    check(
        "---\ndescription: \"first\nsecond: 2\"\nname: x\n---\n",
        &expect![[r#"
            {"description":"first second: 2","name":"x"} ""
            2:14 hint[loose-quotes]: the quoted value of `description` goes on without indentation, which strict readers refuse
              write `description: "first` and indent the lines below it
        "#]],
    );
}

#[test]
fn duplicates_name_both_places() {
    check(
        "---\nname: a\nmetadata:\n  k: 1\n  k: 2\nname: b\n---\n",
        &expect![[r#"
            {"name":"a","metadata":{"k":"1"}} ""
            5:3 warning[duplicate-field]: `k` stands twice; the first, in line 4, counts
              keep one of them
            6:1 warning[duplicate-field]: `name` stands twice; the first, in line 2, counts
              keep one of them
        "#]],
    );
}

#[test]
fn what_asks_for_too_much_is_kept_as_text() {
    let deep = format!(
        "---\nname: x\ndescription: d\nmetadata: {}\n---\n",
        "[".repeat(5_000)
    );
    let parsed = read(deep, Profile::Lenient);
    assert_eq!(parsed.document.description(), Some("d"));
    assert_eq!(parsed.diagnostics[0].code, "yaml-limit");
    let long = format!("---\nname: x\ndescription: {}\n---\n", "y".repeat(70_000));
    assert_eq!(
        read(long, Profile::Lenient).diagnostics[0].code,
        "frontmatter-too-large"
    );
}

#[test]
fn strict_refuses_what_others_repair() {
    let text = "---\nname: x\ndescription: a: b\n---\n";
    assert!(seen(text.as_bytes(), Profile::Strict).contains("error[repaired-yaml]"));
}

/// Bytes made of the pieces that break readers, so that chance finds the edges.
fn any_file() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "---\n",
            "+++\n",
            "---",
            "\n",
            "\r",
            "\r\n",
            "\u{feff}",
            "name: ",
            "description: ",
            "metadata:\n",
            "  ",
            "\t",
            "- ",
            "? ",
            ": ",
            "\"",
            "'",
            "[",
            "]",
            "{",
            "}",
            "|",
            ">-\n",
            "&a ",
            "*a",
            "!t ",
            "#",
            "\\",
            "\\ud83e",
            "...\n",
            "%YAML 1.2\n",
            "\u{e9}",
            "\u{1f9e0}",
            "\0",
            "key = ",
            "x",
            "<<: *a\n",
        ])
        .prop_map(|piece| piece.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_bytes_parse_and_spans_lie_inside(bytes in any_file(), head in any::<bool>()) {
        let bytes = if head { [b"---\n".as_slice(), &bytes, b"\n---\n"].concat() } else { bytes };
        for profile in Profile::ALL {
            let parsed = read(bytes.as_slice(), profile);
            for it in &parsed.diagnostics {
                prop_assert!(it.span.start <= it.span.end && it.span.end <= bytes.len(), "{it:?}");
                for edit in it.fix.iter().flat_map(|fix| &fix.edits) {
                    prop_assert!(edit.span.end <= bytes.len());
                }
            }
            let mut nodes: Vec<_> = parsed.document.fields().iter().collect();
            while let Some(field) = nodes.pop() {
                prop_assert!(field.key_span.end <= bytes.len() && field.node.span.end <= bytes.len());
                if let Value::Map(fields) = &field.node.value {
                    nodes.extend(fields);
                }
            }
        }
    }
}

/// What a program prints, and what it sends on, for a file that lacks what it must have.
#[test]
fn a_file_without_name_or_description_is_reported_by_parse() {
    let parsed = prowess_format::parse("---\nname: BAD NAME\n---\n", Profile::Strict);
    let lines: Vec<String> = parsed.diagnostics.iter().map(ToString::to_string).collect();
    expect![[r#"
        2:1: error[missing-description]: `BAD NAME` cannot be offered to a model without a description
        2:7: error[invalid-name]: `BAD NAME` is not a skill name: `B` is a capital letter"#]].assert_eq(&lines.join("\n"));
    let shown = serde_json::to_string_pretty(&parsed.diagnostics[0]).unwrap();
    expect![[r#"
        {
          "line": 2,
          "column": 1,
          "code": "missing-description",
          "severity": "error",
          "message": "`BAD NAME` cannot be offered to a model without a description",
          "help": "add `description:` below: what the skill does and when to use it"
        }"#]]
    .assert_eq(&shown);
    let good = "---\nname: good\ndescription: Adds two numbers.\n---\nAdd.\n";
    assert!(
        prowess_format::parse(good, Profile::Strict)
            .diagnostics
            .is_empty()
    );
}
