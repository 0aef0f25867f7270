//! The skills that other programs look at: enough for several pages, with everything a folder can
//! hold, and a tree of skills that are difficult to agree on.

use std::{fs, path::Path};

use anyhow::Result;

/// More than stand on one page of `skills/list`.
const PLAIN: usize = 120;

/// Writes the skills anew.
pub(crate) fn write(home: &Path) -> Result<()> {
    if home.exists() {
        fs::remove_dir_all(home)?;
    }
    // The suite takes the first skill for its directory checks.
    let rich = home.join("a-rich-skill");
    for folder in ["references/deep", "scripts", "empty"] {
        fs::create_dir_all(rich.join(folder))?;
    }
    fs::write(
        rich.join("SKILL.md"),
        "---\nname: a-rich-skill\ndescription: >-\n  Holds one of everything: text, bytes,\n  folders. Use it to test.\n\
         license: MIT\nversion: 1.10\nx-quoted: '1.10'\nx-yes: yes\nx-true: true\nx-nothing: ~\n\
         argument-hint: '[file]'\nmetadata:\n  author: \"Ada \\u2603\"\nx-tags: [a, 2, {b: c}]\n---\n\n# Everything\n\nRead `references/guide.md`.\n",
    )?;
    fs::write(rich.join("references/guide.md"), "# Guide\n")?;
    fs::write(rich.join("references/deep/größe 100%.txt"), "groß\n")?;
    fs::write(rich.join("scripts/run.py"), "print('hello')\n")?;
    fs::write(rich.join("logo.png"), [0x89, b'P', b'N', b'G', 0, 0xff])?;
    for number in 0..PLAIN {
        let folder = home.join(format!("plain-{number:03}"));
        fs::create_dir_all(&folder)?;
        let text = format!(
            "---\nname: plain-{number:03}\ndescription: Does the plain thing number {number}.\n---\n\nDo it.\n"
        );
        fs::write(folder.join("SKILL.md"), text)?;
    }
    Ok(())
}

/// Fields behind name and description that readers of YAML, or hosts, do not all take alike.
const FIELDS: &[(&str, &str)] = &[
    ("plain", ""),
    (
        "comment",
        "license: MIT # the licence\nmetadata:\n  a: b#c\n",
    ),
    ("folded", "compatibility: >-\n  Needs\n  nothing.\n"),
    ("literal", "compatibility: |\n  One.\n\n  Two.\n"),
    ("kept", "x-a: |+\n  x\n\nx-b: >+\n  y\n  z\n\n"),
    ("indented", "x-a: |2\n    ind\n"),
    (
        "quoted",
        "metadata:\n  a: \"1\"\n  b: '2'\n  c: \"\\u00e9\\t\"\n",
    ),
    ("quoted-lines", "x-a: \"one\n  two\"\n"),
    ("plain-lines", "x-a: one\n  two\n\n  three\n"),
    (
        "flow",
        "x-a: {a: 1, b: [x, y], c: {d: e}}\ntags: [a, 'b']\n",
    ),
    ("flow-lines", "tags: [a,\n  b]\n"),
    ("flow-empty", "x-a: {a: , b: c}\n"),
    (
        "numbers",
        "x-a: 1.10\nx-b: 0x1F\nx-c: 0o17\nx-d: 1e3\nx-e: -0.5\nx-f: +5\n",
    ),
    ("old-numbers", "x-a: 017\nx-b: 1_000\nx-c: 190:20:30\n"),
    (
        "words",
        "x-a: yes\nx-b: on\nx-c: true\nx-d: ~\nx-e:\nx-f: Null\n",
    ),
    ("days", "x-a: 2024-01-01\nx-b: 2024-01-01T00:00:00Z\n"),
    ("no-numbers", "x-a: .inf\nx-b: .nan\n"),
    ("anchors", "x-a: &m\n  a: x\nx-b: *m\n"),
    ("merged", "x-a: &m\n  a: x\nx-b:\n  <<: *m\n  b: y\n"),
    ("tags", "x-a: !!str 1\nx-b: !custom x\n"),
    ("keys", "x-a:\n  1: one\n  true: yes\n"),
    ("question", "x-a:\n  ? key\n  : value\n"),
    ("unicode", "metadata:\n  na\u{ef}ve: \u{2603}\n"),
    ("metadata-number", "metadata:\n  version: 1.0\n"),
    ("metadata-list", "metadata:\n  tags: [a, b]\n"),
    ("metadata-text", "metadata: text\n"),
    ("metadata-empty", "metadata: {}\n"),
    ("tools-text", "allowed-tools: Read Grep\n"),
    ("tools-list", "allowed-tools: [Read, Grep]\n"),
    ("license-number", "license: 2\n"),
    (
        "triggers",
        "triggers:\n  globs: ['**/*.rs']\n  keywords:\n  - one\n  -   two\n",
    ),
    ("own", "x-own:\n- a: 1\n  b:\n  - c\n- - d\n"),
];

/// Files whose names or bytes are not like others.
const FILES: &[(&str, &[u8])] = &[
    ("scripts/run me.py", b"print('x')\n"),
    ("references/deep/er/\u{fc}-\u{540d}.md", b"deep\n"),
    ("bin.dat", &[0, 159, 146, 150, 255]),
    ("empty.txt", b""),
    ("100%.txt", b"pct"),
    ("a#b?c.txt", b"hash"),
    (".hidden", b"h"),
    ("crlf.txt", b"a\r\nb\r\n"),
    ("bom.txt", b"\xef\xbb\xbfx"),
    ("latin.txt", b"pr\xfcf"),
    ("a+b&c=d;e.txt", b"x"),
    ("[br](x)~.md", b"x"),
    ("back\\slash.txt", b"x"),
];

/// Writes skills that servers and clients find difficult.
pub(crate) fn write_difficult(home: &Path) -> Result<()> {
    if home.exists() {
        fs::remove_dir_all(home)?;
    }
    let add = |name: &str, text: String| -> Result<()> {
        let folder = home.join(name);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("SKILL.md"), text)?;
        Ok(())
    };
    let skill = |name: &str, fields: &str| {
        format!("---\nname: {name}\ndescription: Is about {name}.\n{fields}---\n\n# Do it\n")
    };
    for (name, fields) in FIELDS {
        add(name, skill(name, fields))?;
    }
    add(
        "crlf",
        skill("crlf", "license: MIT\n").replace('\n', "\r\n"),
    )?;
    add("cr", skill("cr", "license: MIT\n").replace('\n', "\r"))?;
    add("bom", format!("\u{feff}{}", skill("bom", "")))?;
    add("space", skill("space", "").replacen("---\n", "--- \n", 1))?;
    add("blank", format!("\n{}", skill("blank", "")))?;
    add(
        "no-body",
        "---\nname: no-body\ndescription: Ends early.\n---".to_owned(),
    )?;
    add(
        "long",
        skill("long", &format!("compatibility: {}\n", "a".repeat(501))),
    )?;
    let long = format!("description: {}\n", "word ".repeat(300));
    add(
        "longer",
        skill("longer", "").replace("description: Is about longer.\n", &long),
    )?;
    add(
        "large",
        skill("large", "") + &"text \u{2603} and more\n".repeat(10_000),
    )?;
    add(
        "toml",
        "+++\nname = \"toml\"\ndescription = \"Other fences.\"\n+++\n".to_owned(),
    )?;
    add("Upper", skill("Upper", ""))?;
    add("files", skill("files", ""))?;
    for (path, bytes) in FILES {
        let path = home.join("files").join(path);
        fs::create_dir_all(path.parent().unwrap_or(home))?;
        fs::write(path, bytes)?;
    }
    Ok(())
}
