//! Rows 1 to 21: what one file says, and how it is written.

use std::fmt::Write as _;

use expect_test::expect;

use crate::bench::{GOOD, file};

#[test]
fn row_01_no_frontmatter() {
    file(
        "# Title\n",
        &expect![[r#"
        bad/SKILL.md: broken
          1:1 error[missing-frontmatter]: the file has no frontmatter, so the skill has no name and no description
    "#]],
    );
}

#[test]
fn row_02_unterminated_frontmatter() {
    file(
        "---\nname: bad\ndescription: Never closed.\n\n# Body\n",
        &expect![[r#"
            bad/SKILL.md: broken
              1:1 error[unclosed-frontmatter]: the frontmatter opened by this `---` is never closed, so nothing of the file is read
        "#]],
    );
}

#[test]
fn row_03_a_fence_inside_text_ends_nothing() {
    file(
        "---\nname: bad\ndescription: |\n  Plans. Use when planning.\n  ---\n  More.\nlicense: MIT\n---\n---foo\n",
        &expect![[r#"
            bad/SKILL.md: active
              5:3 error[fence-in-value]: `---` in a value ends the frontmatter early for Codex, and the rest is lost
        "#]],
    );
}

#[test]
fn row_04_unquoted_colon() {
    file(
        "---\nname: bad\ndescription: Use when: asked to.\n---\nDo it.\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
              3:22 error[repaired-yaml]: `description` is not valid YAML and was repaired here: a colon inside an unquoted value starts a new field; goose and Copilot CLI drop the skill
        "#]],
    );
}

#[test]
fn row_05_tab_bad_escape_unclosed_quote() {
    file(
        "---\nname: bad\ndescription: Use when asked.\nmetadata:\n\ta: b\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
              5:2 error[repaired-yaml]: `metadata` is not valid YAML and was repaired here: a tab indents a line; OpenCode, goose and Copilot CLI drop the skill
        "#]],
    );
    file(
        "---\nname: bad\ndescription: \"Use when \\d asked\"\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:14 error[repaired-yaml]: `description` is not valid YAML and was repaired here: a backslash in double quotes starts an escape that YAML does not know; goose and Copilot CLI dr…
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
        "#]],
    );
    file(
        "---\nname: bad\ndescription: \"Use when asked\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:14 error[repaired-yaml]: `description` is not valid YAML and was repaired here: the quote is not closed; goose and Copilot CLI drop the skill
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
        "#]],
    );
}

#[test]
fn row_06_07_missing_name_and_description() {
    file(
        "---\ndescription: Use when asked.\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              2:1 error[missing-name]: the skill has no name; its folder's name `bad` is used
              2:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
        "#]],
    );
    file(
        "---\nname: ''\ndescription: Use when asked.\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              2:1 error[missing-name]: the skill's name is empty; its folder's name `bad` is used
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
        "#]],
    );
    file(
        "---\nname: bad\n---\nx\n",
        &expect![[r#"
        bad/SKILL.md: broken
          2:1 error[missing-description]: `bad` cannot be offered to a model without a description
    "#]],
    );
    file(
        "---\nname: bad\ndescription: '  '\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: broken
              3:1 error[missing-description]: `bad` cannot be offered to a model while its description is empty
        "#]],
    );
}

#[test]
fn row_08_wrong_types() {
    file(
        "---\nname: [a, b]\ndescription: Use when asked.\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              2:7 error[wrong-type]: `name` is a list, where text is read
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
        "#]],
    );
    file(
        "---\nname: bad\ndescription: {a: b}\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: broken
              3:1 error[missing-description]: `bad` cannot be offered to a model while its description is not text
              3:14 error[wrong-type]: `description` is a map, where text is read
        "#]],
    );
    file(
        "---\nname: bad\ndescription: 42\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
              3:14 error[unquoted-text]: `description: 42` is text here and a number to other readers; OpenCode and Copilot CLI then drop the skill
        "#]],
    );
}

#[test]
fn row_09_10_duplicate_and_unknown_fields() {
    file(
        "---\nname: bad\nname: worse\ndescription: Use when asked.\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:1 error[duplicate-field]: `name` stands twice; the first, in line 2, counts
              4:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
        "#]],
    );
    file(
        "---\nname: bad\ndesciption: Use when asked.\nfavourite: blue\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: broken
              2:1 error[missing-description]: `bad` cannot be offered to a model without a description
              3:1 warning[misspelt-field]: `desciption` is not read; did you mean `description`?
              4:1 warning[unknown-field]: no client is known to read `favourite`, and the reference validator refuses it
        "#]],
    );
}

#[test]
fn row_11_12_13_encodings() {
    file(
        b"---\nname: bad\ndescription: Caf\xe9\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: broken
              3:17 error[invalid-utf8]: byte 30 (0xE9) is not UTF-8, so the file cannot be read
        "#]],
    );
    file(
        b"\xff\xfe-\0-\0-\0\n\0",
        &expect![[r#"
        bad/SKILL.md: broken
          1:1 error[wrong-encoding]: the file is written in UTF-16 (little endian) and cannot be read
    "#]],
    );
    file(
        b"\0\0\xfe\xff\0\0\0-",
        &expect![[r#"
        bad/SKILL.md: broken
          1:1 error[wrong-encoding]: the file is written in UTF-32 (big endian) and cannot be read
    "#]],
    );
    // Without a mark the fence tells.
    let bytes: Vec<u8> = GOOD.encode_utf16().flat_map(u16::to_be_bytes).collect();
    file(
        bytes,
        &expect![[r#"
        bad/SKILL.md: broken
          1:1 error[wrong-encoding]: the file is written in UTF-16 (big endian) and cannot be read
    "#]],
    );
    file(
        "\u{feff}---\r\nname: bad\r\ndescription: Use when asked.\r\ntags: 5: 6\r\n---\r\nx\r\n",
        &expect![[r#"
            bad/SKILL.md: active
              1:1 error[byte-order-mark]: the file starts with a byte order mark; Codex and Gemini CLI then drop the skill, VS Code loses its text
              1:5 hint[line-endings]: lines end in CRLF; clients read them, but scripts copied out of the text stop working
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
              4:1 hint[client-field]: not part of the standard: `tags` (read by several clients)
              4:8 error[repaired-yaml]: `tags` is not valid YAML and was repaired here: a colon inside an unquoted value starts a new field; OpenCode, goose and Copilot CLI drop the skill
        "#]],
    );
    file(
        "---\rname: bad\rdescription: Use when: asked.\r---\rx\r",
        &expect![[r#"
            bad/SKILL.md: active
              1:4 error[carriage-returns]: a line ends in CR alone; Codex, Gemini CLI, OpenCode and Copilot CLI then drop the skill, Claude Code loses its text
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
              3:22 error[repaired-yaml]: `description` is not valid YAML and was repaired here: a colon inside an unquoted value starts a new field; goose and Copilot CLI drop the skill
        "#]],
    );
}

#[test]
fn row_14_15_control_characters_and_emptiness() {
    file(
        "---\nname: bad\ndescription: Use \0 when asked.\n---\nx\u{1b}[31m\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
              3:18 warning[control-character]: the control character U+0000 stands in the text
        "#]],
    );
    file(
        "",
        &expect![[r#"
        bad/SKILL.md: broken
          1:1 error[empty-file]: the file is empty, so there is no skill to load
    "#]],
    );
    file(
        "---\n---\n",
        &expect![[r#"
        bad/SKILL.md: broken
          1:1 error[not-a-map]: the frontmatter is empty where fields are expected, so the skill has none
          2:4 warning[empty-instructions]: the skill has no instructions, so a model that picks it learns nothing more
    "#]],
    );
    file(
        "---\nname: bad\ndescription: Use when asked.\n---\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
              4:4 warning[empty-instructions]: the skill has no instructions, so a model that picks it learns nothing more
        "#]],
    );
}

#[test]
fn row_16_17_18_bombs_depth_and_aliases() {
    let bomb = (0..20).fold(String::from("metadata:\n  a0: &a0 x\n"), |mut text, at| {
        let _ = writeln!(
            text,
            "  a{}: &a{} [*a{at}, *a{at}, *a{at}, *a{at}, *a{at}]",
            at + 1,
            at + 1
        );
        text
    });
    file(
        format!("---\nname: bad\ndescription: Use when asked.\n{bomb}---\nx\n"),
        &expect![[r#"
            bad/SKILL.md: active
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
              5:3 error[wrong-type]: `metadata` is `a0: &a0 x a1: &a1 [*a0, *a0, *a0, *a0, *a0] a2: &a2 [*a1, *a…`, where a map is read
              18:38 error[yaml-limit]: the frontmatter is too complex, so part of it was kept as text: more than 64 aliases
        "#]],
    );
    let deep = |value: String| {
        format!("---\nname: bad\ndescription: Use when asked.\nmetadata:\n  a: {value}\n---\nx\n")
    };
    file(
        deep("[".repeat(60_000)),
        &expect![[r#"
            bad/SKILL.md: active
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
              5:3 error[wrong-type]: `metadata` is `a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[…`, where a map is read
              5:261 error[yaml-limit]: the frontmatter is too complex, so part of it was kept as text: nested deeper than 32 levels
        "#]],
    );
    file(
        deep("{a: ".repeat(12_000)),
        &expect![[r#"
            bad/SKILL.md: active
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
              5:3 error[wrong-type]: `metadata` is `a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {…`, where a map is read
              5:126 error[yaml-limit]: the frontmatter is too complex, so part of it was kept as text: nested deeper than 32 levels
        "#]],
    );
    let levels: String = (0..300).fold(String::new(), |mut text, depth| {
        let _ = writeln!(text, "{}a:", " ".repeat(depth + 3));
        text
    });
    file(
        deep(format!("\n{levels}")),
        &expect![[r#"
            bad/SKILL.md: active
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
              5:3 error[wrong-type]: `metadata` is `a: a:  a:   a:    a:     a:      a:       a:        a:      …`, where a map is read
              36:34 error[yaml-limit]: the frontmatter is too complex, so part of it was kept as text: nested deeper than 32 levels
        "#]],
    );
    file(
        "---\nname: bad\ndescription: *nowhere\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
              3:14 error[unknown-alias]: `description` is an alias of nothing and was read as text
        "#]],
    );
    file(
        "---\nname: bad\ndescription: Use when asked.\nrun: !!python/object:os.system ls\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
              4:1 warning[unknown-field]: no client is known to read `run`, and the reference validator refuses it
              4:6 warning[yaml-tag]: a YAML tag has no effect here
        "#]],
    );
    file(
        "---\nname: bad\ndescription: Use when asked.\n...\nmore: 1\n---\nx\n",
        &expect![[r#"
            bad/SKILL.md: active
              3:14 warning[thin-description]: the description is a few words long, so a model can hardly tell when the skill fits
              5:1 error[multiple-documents]: a second YAML document starts here and is not read
        "#]],
    );
}
