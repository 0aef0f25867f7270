//! The reference's dialect, quirk by quirk. Each answer was seen by running it.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use expect_test::{Expect, expect};
use proptest::prelude::*;
use prowess_skills_ref::{read_properties, validate};

/// Shows what the reference reads behind `metadata:`, or says instead.
#[expect(clippy::needless_pass_by_value, reason = "`expect!` makes a value")]
fn check(metadata: &str, expected: Expect) {
    let file = format!("---\nname: a\ndescription: b\nmetadata:{metadata}\n---\n");
    let shown = match read_properties(file.as_bytes()) {
        Err(finding) => finding.message,
        Ok(properties) => {
            let json = properties.to_json().unwrap_or("unprintable".into());
            let value: serde_json::Value = serde_json::from_str(&json).unwrap_or_default();
            value["metadata"].to_string()
        }
    };
    expected.assert_eq(&shown);
}

#[test]
fn scalars_are_text() {
    check(
        "\n  a: 1.10\n  b: no\n  c: ~\n  d:",
        expect![[r#"{"a":"1.10","b":"no","c":"~","d":""}"#]],
    );
    check(
        "\n  a: it's 50% @home # comment\n  b: 'it''s'\n  c: \"\\u00e9\\x41\\n\"",
        expect![[r#"{"a":"it's 50% @home","b":"it's","c":"éA\n"}"#]],
    );
}

#[test]
fn lines_fold_into_one() {
    check(" one\n  two\n\n  three", expect![[r#""one two\nthree""#]]);
    check(" 'one\n\n\ttwo\n three'", expect![[r#""one\ntwo three""#]]);
    check(" \"one \\\n   two\"", expect![[r#""one two""#]]);
    check(
        " >\n  one\n  two\n\n  three\n   four\n  five\n\n",
        expect![[r#""one two\nthree\n four\nfive\n""#]],
    );
    check(" |+2\n   one\n  two\n\n", expect![[r#"" one\ntwo\n\n\n""#]]);
    check(
        " >-\n  one # no comment\n # comment",
        expect![[r#""one # no comment""#]],
    );
}

#[test]
fn rare_line_ends_fold_too() {
    check(" a\u{85}b", expect![[r#""a b""#]]);
    check(" a\u{2028}b", expect![["\"a\u{2028}b\""]]);
}

#[test]
fn nested_values_are_printed_as_python_would() {
    check(
        "\n  a:\n  - b\n  - c: \"it's\"",
        expect![[r#"{"a":"['b', {'c': \"it's\"}]"}"#]],
    );
}

#[test]
fn merged_maps_come_last() {
    check(
        "\n  <<:\n    a: 1\n    b: 2\n  b: 3",
        expect![[r#"{"b":"3","a":"1"}"#]],
    );
    check(
        "\n  <<: a",
        expect![[r"Invalid YAML in frontmatter: the key `<<` takes maps only (line 5, column 7)"]],
    );
}

#[test]
fn signs_are_no_text() {
    check(" =", expect!["null"]);
    check(" '='", expect![[r#""=""#]]);
}

#[test]
fn what_yaml_allows_and_the_reference_does_not() {
    check(
        " {}",
        expect![[
            r"Invalid YAML in frontmatter: flow style such as `[a, b]` or `{a: b}` is not read here (line 4, column 11)"
        ]],
    );
    check(
        " &a b",
        expect![[
            r"Invalid YAML in frontmatter: anchors and aliases are not read here (line 4, column 11)"
        ]],
    );
    check(
        " !!str b",
        expect![[r"Invalid YAML in frontmatter: tags are not read here (line 4, column 11)"]],
    );
    check(
        "\n  a: 1\n  a: 2",
        expect![[r"Invalid YAML in frontmatter: the key `a` stands twice (line 6, column 3)"]],
    );
    check(
        "\n  a:\n    b: 1\n  c:\n     d: 2",
        expect![[
            r"Invalid YAML in frontmatter: this map is indented differently from the one before it (line 8, column 6)"
        ]],
    );
    check(
        "\n  ? - a\n  : b",
        expect![[r"Invalid YAML in frontmatter: a key has to be text (line 5, column 5)"]],
    );
}

#[test]
fn a_tab_indents_only_behind_an_empty_line() {
    check(
        "\n\ta: b",
        expect![[
            r"Invalid YAML in frontmatter: a tab can not stand before a value (line 5, column 1)"
        ]],
    );
    check("\n\n\ta: b", expect![[r#"{"a":"b"}"#]]);
}

#[test]
fn comments_pass_until_two_meet() {
    check(
        "\n  # one\n  a: b # two\n\n  # three\n  c: d",
        expect![[r#"{"a":"b","c":"d"}"#]],
    );
    check("\n# one\n- a # two\n- b", expect![[r#"["a","b"]"#]]);
    check(
        "\n# one\n- # two\n  a",
        expect![[
            r"Invalid YAML in frontmatter: the reference can not hold two comments or empty lines around this; remove one of them (line 7, column 3)"
        ]],
    );
    check(
        " # one\n  a\n\n",
        expect![[
            r"Invalid YAML in frontmatter: the reference can not hold two comments or empty lines around this; remove one of them (line 5, column 3)"
        ]],
    );
}

#[test]
fn half_a_surrogate_pair_is_kept() {
    let file = b"---\nname: a\ndescription: \"\\ud83e\\udde0 \\ud83e\"\n---\n";
    let properties = read_properties(file).unwrap();
    assert!(
        properties
            .to_json()
            .unwrap()
            .contains(r#""\ud83e\udde0 \ud83e""#)
    );
    assert_eq!(properties.description(), "🧠 \u{fffd}");
}

#[test]
fn findings_point_at_what_they_are_about() {
    let file = "---\r\nname: My_Skill\r\nzeta: 1\r\nalpha: 2\r\ncompatibility:\r\n- x\r\n---\r\n";
    let mut shown = String::new();
    for finding in validate(file.as_bytes(), "my-skill") {
        let _ = writeln!(shown, "{:?}: {}", finding.span.of(file), finding.message);
    }
    expect![[r#"
        "zeta": Unexpected fields in frontmatter: alpha, zeta. Only ['allowed-tools', 'compatibility', 'description', 'license', 'metadata', 'name'] are allowed.
        "My_Skill\r": Skill name 'My_Skill' must be lowercase
        "My_Skill\r": Skill name 'My_Skill' contains invalid characters. Only letters, digits, and hyphens are allowed.
        "My_Skill\r": Directory name 'my-skill' must match skill name 'My_Skill'
        "---": Missing required field in frontmatter: description
        "- x\r": Field 'compatibility' must be a string
    "#]]
    .assert_eq(&shown);
}

#[test]
fn hostile_files_are_answered_quickly() {
    let many: Vec<String> = (0..50_000).map(|key| format!("k{key}: v")).collect();
    let deep: String = (0..5000).map(|depth| " ".repeat(depth) + "a:\n").collect();
    let files = [
        "[".repeat(100_000),
        "- ".repeat(50_000),
        "? ".repeat(50_000),
        deep[..1 << 20].to_owned(),
        "\n".repeat(200_000),
        "a: |\n".to_owned() + &" \n".repeat(100_000),
        "'".repeat(100_001),
        many.join("\n"),
        "x".repeat(1 << 20),
        "x".repeat(2 << 20),
    ];
    for inside in files {
        let file = format!("---\n{inside}\n---\n");
        let start = Instant::now();
        assert!(!validate(file.as_bytes(), "a").is_empty());
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "{:?}…",
            &inside[..10]
        );
    }
}

proptest! {
    #[test]
    fn any_bytes_get_an_answer_with_spans_inside(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        text in "(---)?[a-c:'\"|>#?\\-\\\\.=< \n\té\u{85}\u{feff}]{0,120}---",
    ) {
        for file in [&bytes[..], text.as_bytes()] {
            for finding in validate(file, "a") {
                prop_assert!(finding.span.start <= finding.span.end);
                prop_assert!(finding.span.end <= file.len());
            }
        }
    }
}
