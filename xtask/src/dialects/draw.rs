//! Cases drawn by a seed: what nobody thought of when the rules were written.
//!
//! Each is one skill with one to three oddities, in its fences, its fields, their values or its
//! place, and some come in pairs that want the same name. Its description says `mk-` and the case,
//! so that it is found in lists that name no file.

use std::{fmt::Write as _, fs, path::Path};

use anyhow::Result;

use super::layout::{Case, Text};
use crate::generate::Random;

/// Draws the cases of a seed, and puts them into a file in place of those it holds of that seed.
pub(crate) fn store(path: &Path, seed: u64, count: usize) -> Result<Vec<Case>> {
    let drawn = cases(seed, count);
    let before = fs::read_to_string(path).unwrap_or_default();
    let own = format!("{{\"tree\":\"s{seed}\"");
    let others = before.lines().filter(|line| !line.starts_with(&own));
    let mut lines: Vec<String> = others.map(str::to_owned).collect();
    for case in &drawn {
        lines.push(serde_json::to_string(case)?);
    }
    fs::write(path, lines.join("\n") + "\n")?;
    Ok(drawn)
}

/// Draws `count` cases of a seed.
fn cases(seed: u64, count: usize) -> Vec<Case> {
    let mut random = Random::new(seed);
    let mut cases = Vec::new();
    while cases.len() < count {
        let id = format!("s{seed}-{}", cases.len());
        match random.below(100) {
            0..8 => pair(&mut cases, &id, &mut random),
            8..14 => link(&mut cases, &id, &mut random),
            _ => {
                let draft = Draft::draw(&id, &mut random);
                let file = place(&id, &draft.folder, &mut random);
                cases.push(case(&id, file, draft.text()));
            }
        }
    }
    cases.truncate(count);
    cases
}

fn case(id: &str, file: String, text: Text) -> Case {
    Case {
        tree: id.split('-').next().unwrap_or(id).to_owned(),
        id: id.to_owned(),
        file: Some(file),
        text,
        link: None,
        subject: None,
    }
}

/// Where a skill lies; mostly where it belongs.
fn place(id: &str, folder: &str, random: &mut Random) -> String {
    let root = random.pick(&["P0", "P0", "P0", "P0", "P1", "P2", "U0", "U1", "U2"]);
    if random.chance(80) {
        return format!("{root}/{folder}/SKILL.md");
    }
    match random.below(14) {
        0 => format!("{root}/.{folder}/SKILL.md"),
        1 => format!("{root}/group {id}/{folder}/SKILL.md"),
        2 => format!("{root}/g-{id}/a/b/{folder}/SKILL.md"),
        3 => format!("{root}/g-{id}/a/b/c/{folder}/SKILL.md"),
        4 => format!("{root}/g-{id}/1/2/3/4/{folder}/SKILL.md"),
        5 => format!("{root}/g-{id}/1/2/3/4/5/{folder}/SKILL.md"),
        6 => format!("{root}/node_modules/{folder}/SKILL.md"),
        7 => format!(
            "{root}/{}/{folder}/SKILL.md",
            random.pick(&["dist", "build", "target", "vendor", ".cache", "__pycache__"])
        ),
        8 => format!(
            "{root}/{folder}/{}",
            random.pick(&[
                "skill.md",
                "SKILL.MD",
                "Skill.md",
                "SKILL.md.txt",
                "README.md"
            ])
        ),
        9 => format!("{root}/{folder}.md"),
        10 => format!("SUB/P0/{folder}/SKILL.md"),
        11 => format!("UP/P0/{folder}/SKILL.md"),
        12 => format!("docs/{folder}/SKILL.md"),
        _ => format!("{root}/{folder}/skills/{folder}/SKILL.md"),
    }
}

/// Two skills that want one name, or names that differ in little.
fn pair(cases: &mut Vec<Case>, id: &str, random: &mut Random) {
    let other = format!(
        "s{}-{}",
        &id[1..].split('-').next().unwrap_or_default(),
        cases.len() + 1
    );
    let (first, second) = random.pick(&[
        ("P0", "U0"),
        ("P0", "P1"),
        ("U0", "U1"),
        ("P1", "U1"),
        ("P0", "P0"),
        ("P0", "U1"),
        ("P1", "P2"),
        ("U1", "U2"),
    ]);
    let name = format!("{id}-twin");
    let same_folder = first != second && random.chance(50);
    let folders = if same_folder {
        [name.clone(), name.clone()]
    } else {
        [format!("{id}-left"), format!("{id}-right")]
    };
    let names = match random.below(5) {
        0 => [name.clone(), name.to_uppercase()],
        1 => [name.clone(), format!("\"{name}\"")],
        _ => [name.clone(), name.clone()],
    };
    // Sometimes the second is one that some clients do not take.
    let fault = if random.chance(30) {
        random.pick(&["license: [a\n", "description: again\n", "metadata: text\n"])
    } else {
        ""
    };
    let text = |id: &str, name: &str, more: &str| {
        Text::Plain(format!(
            "---\nname: {name}\ndescription: mk-{id} Handles the thing.\n{more}---\n# Steps\n"
        ))
    };
    cases.push(case(
        id,
        format!("{first}/{}/SKILL.md", folders[0]),
        text(id, &names[0], ""),
    ));
    cases.push(case(
        &other,
        format!("{second}/{}/SKILL.md", folders[1]),
        text(&other, &names[1], fault),
    ));
}

/// A skill that is reached through a link.
fn link(cases: &mut Vec<Case>, id: &str, random: &mut Random) {
    let text = Text::Plain(format!(
        "---\nname: {id}\ndescription: mk-{id} Handles the thing.\n---\n# Steps\n"
    ));
    let root = random.pick(&["P0", "P1", "U0"]);
    let (file, link, subject) = match random.below(6) {
        0 => (
            format!("OUT/{id}/SKILL.md"),
            (format!("{root}/{id}"), format!("OUT/{id}")),
            format!("{root}/{id}/SKILL.md"),
        ),
        1 => (
            format!("OUT/{id}/notes.md"),
            (
                format!("{root}/{id}/SKILL.md"),
                format!("OUT/{id}/notes.md"),
            ),
            format!("{root}/{id}/SKILL.md"),
        ),
        2 => (
            format!("P0/{id}/SKILL.md"),
            (format!("P1/{id}"), format!("P0/{id}")),
            format!("P1/{id}/SKILL.md"),
        ),
        3 => (
            format!("U0/{id}/SKILL.md"),
            (format!("P0/{id}"), format!("U0/{id}")),
            format!("P0/{id}/SKILL.md"),
        ),
        4 => (
            format!("P0/{id}/SKILL.md"),
            (format!("P0/{id}-again"), format!("P0/{id}")),
            format!("P0/{id}-again/SKILL.md"),
        ),
        _ => (
            format!("OUT/{id}-all/{id}/SKILL.md"),
            (format!("{root}/{id}-group"), format!("OUT/{id}-all")),
            format!("{root}/{id}-group/{id}/SKILL.md"),
        ),
    };
    cases.push(Case {
        link: Some(link),
        subject: Some(subject),
        ..case(id, file, text)
    });
}

/// A skill in the making.
struct Draft {
    before: String,
    open: String,
    name: Option<String>,
    description: Option<String>,
    more: Vec<String>,
    close: String,
    body: String,
    newline: &'static str,
    folder: String,
    name_last: bool,
}

impl Draft {
    fn draw(id: &str, random: &mut Random) -> Self {
        let mut draft = Self {
            before: String::new(),
            open: "---".into(),
            name: Some(format!("name: {id}")),
            description: Some(format!("description: mk-{id} Handles the thing.")),
            more: Vec::new(),
            close: "---".into(),
            body: "# Steps\n\nDo it.\n".into(),
            newline: "\n",
            folder: id.to_owned(),
            name_last: false,
        };
        for _ in 0..=random.below(3) {
            match random.below(20) {
                0 | 1 => draft.fence(random),
                2..6 => draft.name(id, random),
                6..12 => draft.description(id, random),
                12 => draft.body(id, random),
                13 => draft.newline = random.pick(&["\r\n", "\r\n", "\r"]),
                14 => draft.name_last = true,
                _ => draft.field(random),
            }
        }
        draft
    }

    fn fence(&mut self, random: &mut Random) {
        match random.below(8) {
            0 => {
                self.before = random
                    .pick(&[
                        "\u{feff}",
                        "\n",
                        " ",
                        "<!-- licence -->\n",
                        "# Title\n\n",
                        "\u{feff}\n",
                        "\t",
                    ])
                    .into();
            }
            1 => {
                self.open = random
                    .pick(&[
                        "--- ",
                        "---\t",
                        "----",
                        "-- -",
                        "--- yaml",
                        "---yaml",
                        "--- # skill",
                        " ---",
                        "+++",
                        "```yaml\n---",
                    ])
                    .into();
            }
            2..7 => {
                self.close = random
                    .pick(&[
                        "--- ",
                        "----",
                        "...",
                        " ---",
                        "--- # end",
                        "---\t",
                        "-----",
                        "--",
                        "--- \t ",
                        "---x",
                        "\n---",
                        "---\n---",
                    ])
                    .into();
            }
            _ => self.close = String::new(),
        }
    }

    fn name(&mut self, id: &str, random: &mut Random) {
        let long = "n".repeat(random.pick(&[63, 64, 65, 66, 128]) - id.len());
        let value = random.pick(&[
            "~",
            "",
            "\"\"",
            "' '",
            "null",
            "Null",
            "yes",
            "On",
            "0x1F",
            "1e3",
            "1_000",
            "12:30",
            ".5",
            "2026-11-18",
            "[ID]",
            "{a: ID}",
            "\"ID\"",
            "'ID'",
            "ID # note",
            "ID#x",
            "ID ",
            "  ID",
            "\tID",
            "ID: x",
            "ID:x",
            "ID/x",
            "ID\\\\x",
            "@ID",
            "-ID",
            "ID-",
            "ID--x",
            "ID.x",
            "ID_x",
            "ID x",
            "ID  x",
            "ÏD",
            "ID-é",
            "ID🦀",
            "\"ID\\u0041\"",
            "'ID''s'",
            "\"ID\\tx\"",
            "|\n  ID",
            ">-\n  ID\n  x",
            "\n  ID",
            "ID\n  x",
            "!!str ID",
            "&a ID",
            "*ID",
            "ID*",
            "<ID>",
            "ID|x",
            "ID?",
            "(ID)",
            "ID+x",
            "anthropic-ID",
            "ID\u{200b}",
            "ID\u{a0}x",
            "LONG",
            "LONG",
            "\"ID",
            "ID\"",
            "'ID",
        ]);
        let value = value
            .replace("ÏD", &id.to_uppercase())
            .replace("LONG", &format!("{id}{long}"))
            .replace("ID", id);
        match random.below(12) {
            0 => self.name = None,
            1 => {
                self.name = Some(format!(
                    "{}: {id}",
                    random.pick(&[
                        "Name", "NAME", " name", "name ", "\"name\"", "'name'", "title", "- name",
                        "? name\n"
                    ])
                ));
            }
            2 => self.name = Some(format!("name: {id}\nname: {id}-second")),
            3 => {
                self.folder = random
                    .pick(&[
                        "UP",
                        "with space ID",
                        "ID.d",
                        "ID_x",
                        "é-ID",
                        "ID-copy",
                        "ID:x",
                    ])
                    .replace("UP", &id.to_uppercase())
                    .replace("ID", id);
            }
            _ => self.name = Some(format!("name: {value}")),
        }
    }

    #[expect(
        clippy::too_many_lines,
        reason = "a table of values, one after the other"
    )]
    fn description(&mut self, id: &str, random: &mut Random) {
        // A repeat is written short, and laid out in full.
        let value = match random.below(9) {
            0 => {
                let length = random.pick(&[
                    1000, 1023, 1024, 1025, 1030, 1535, 1536, 1537, 1540, 2000, 4000,
                ]);
                let rest = length - id.len() - 4;
                format!("mk-{id} {{{{word *{}}}}}{{{{x*{}}}}}", rest / 5, rest % 5)
            }
            1 => {
                let length = random.pick(&[1023, 1024, 1025, 1536, 1537]);
                format!("mk-{id} {{{{ü*{}}}}}", length - id.len() - 4)
            }
            2 => random
                .pick(&[
                    "~",
                    "",
                    "\"\"",
                    "null",
                    "true",
                    "3.14",
                    "1e400",
                    "-0",
                    "0o17",
                    "017",
                    "2026-11-18",
                    "2026-11-18 10:00:00",
                    "[a, b]",
                    "{a: b}",
                    "- a",
                    "<<",
                    "=",
                    "'",
                    "\"",
                    ".nan",
                    "!!int 3",
                    "!!null x",
                    "\"  \"",
                    "|\n",
                    "\"\\n\"",
                ])
                .to_owned(),
            _ => random
                .pick(&[
                    "\"MK a: b\"",
                    "'MK a: b'",
                    "MK Use when: asked",
                    "MK a:b c",
                    "MK ends:",
                    "MK # note",
                    "MK #note",
                    "MK C# and more",
                    "MK it's",
                    "MK \"q\" x",
                    "\"MK\" tail",
                    "'MK' tail",
                    "\"MK \\\"q\\\" x\"",
                    "\"MK \\x41 \\u00e9 \\U0001F980\"",
                    "\"MK \\q\"",
                    "\"MK \\/ x\"",
                    "\"MK \\\n  next\"",
                    "'MK ''q'' x'",
                    "'MK it's'",
                    "\"MK",
                    "'MK",
                    "MK'",
                    "**MK** bold",
                    "*MK",
                    "&MK x",
                    "!MK x",
                    "!tag MK",
                    "@MK x",
                    "`MK` x",
                    "%MK",
                    "[MK] x",
                    "[MK]: x",
                    "{MK} x",
                    "{{MK}}",
                    "> MK x",
                    "| MK x",
                    "- MK x",
                    "? MK x",
                    ": MK",
                    ", MK",
                    "|\n  MK one\n  two",
                    "|-\n  MK one\n\n  two",
                    ">\n  MK one\n  two",
                    ">-\n  MK one\n\n   two\n  x: y",
                    ">+\n  MK one\n",
                    "|2\n    MK one\n  two",
                    ">1-\n MK one",
                    "|\nMK one",
                    "|\n\tMK one",
                    ">-\n\tMK one\n\ttwo",
                    ">- MK",
                    "|  # note\n  MK one",
                    "> \n  MK # one",
                    "\n  MK one\n  two",
                    "\n  MK one: x",
                    "MK one\n  two\n  three",
                    "MK one\n  two: x",
                    "MK one\n two",
                    "MK one\ntwo",
                    "MK one\n\n  two",
                    "\"MK one\n  two\"",
                    "\"MK one\n\n  two\"",
                    "'MK one\ntwo'",
                    "\"MK one\ntwo: x\"",
                    "MK <b>x</b> y",
                    "MK a < b > c",
                    "MK <tag attr=1>",
                    "MK &amp; x",
                    "MK 1 --- 2",
                    "--- MK",
                    "MK ---",
                    "MK ... x",
                    "MK\ttab\tx",
                    "\tMK x",
                    "MK x\t",
                    "MK  two  spaces",
                    "MK \u{a0}x",
                    "MK \u{200b}x",
                    "MK \u{feff}x",
                    "MK \u{2028}x",
                    "MK \u{85}x",
                    "MK \u{7}x",
                    "MK \u{1f980} x",
                    "MK \u{202e}x",
                    "MK a|b | c",
                    "MK https://x.example/a#b?c=d",
                    "MK C:\\dir\\x",
                    "\"MK C:\\dir\"",
                    "MK $1 $ARGUMENTS",
                    "MK ${X} {0}",
                    "MK, x",
                    "MK; x",
                    "MK = x",
                    "MK (x)",
                    "MK [x]",
                    "MK {x}",
                    "(MK) x",
                    "~ MK",
                    "\"MK\" # note",
                    "'MK' #note",
                    "MK \\\n  x",
                    "MK <<: x",
                    "!!str MK",
                    "!!binary MK",
                    "&a MK",
                    "! MK",
                    "\u{201c}MK\u{201d}",
                    "MK \"a: b\" c: d",
                    "MK - a\n  - b",
                ])
                .replace("MK", &format!("mk-{id}")),
        };
        match random.below(16) {
            0 => self.description = None,
            1 => {
                self.description = Some(format!(
                    "{}: mk-{id} x",
                    random.pick(&[
                        "Description",
                        "DESCRIPTION",
                        "descripton",
                        "description ",
                        "\"description\"",
                        "'description'",
                        " description",
                        "desc"
                    ])
                ));
            }
            2 => {
                self.description = Some(format!(
                    "description: mk-{id} one\ndescription: mk-{id} two"
                ));
            }
            3 => self.description = Some(format!("description:mk-{id} x")),
            _ => self.description = Some(format!("description: {value}")),
        }
    }

    fn body(&mut self, id: &str, random: &mut Random) {
        self.body = random
            .pick(&[
                "",
                "\n",
                "mk-ID in the body\n",
                "# mk-ID Title\n\nText.\n",
                "\n\n## Two\n",
                "---\n\nrule\n",
                "text\n---\nmore\n---\n",
                "- item mk-ID\n",
                "> quote mk-ID\n",
                "```\ncode\n```\n",
                "<!-- c -->\n\nmk-ID after\n",
                "   indented mk-ID\n",
                "\u{feff}mk-ID\n",
                "**mk-ID** bold\n",
                "![x](y) mk-ID\n",
                "# \n\nmk-ID\n",
                "mk-ID\u{0}x\n",
            ])
            .replace("ID", id);
    }

    fn field(&mut self, random: &mut Random) {
        let field = random.pick(&[
            "license: MIT",
            "license: [MIT",
            "license: {a: b}",
            "license: \"MIT",
            "license: 2",
            "license: x: y",
            "license: @x",
            "license: *x",
            "license:\n  - MIT\n   - b",
            "license: 'it's'",
            "compatibility: x",
            "compatibility: [a]",
            "compatibility: \"\"",
            "compatibility: 3",
            "compatibility:\n  a: b",
            "compatibility: ~",
            "metadata: x",
            "metadata: []",
            "metadata: [a]",
            "metadata: {}",
            "metadata: ~",
            "metadata:",
            "metadata:\n  version: 1.0",
            "metadata:\n  a: [b, c]\n  d: {e: f}",
            "metadata:\n  a: b\n  a: c",
            "metadata:\n  short-description: x",
            "metadata:\n  short-description: 3",
            "metadata:\n  short-description: [x]",
            "metadata:\n\ta: b",
            "metadata: {a: b",
            "metadata:\n  - a",
            "metadata: 3",
            "metadata:\n  a: x: y",
            "metadata:\n  name: other\n  description: other",
            "allowed-tools: Read, Write",
            "allowed-tools: [Read, Bash(git:*)]",
            "allowed-tools: Bash(git add:*)",
            "allowed-tools:\n  - Read\n  - Bash",
            "allowed-tools: ~",
            "allowed-tools: 3",
            "allowed-tools: {a: b}",
            "allowed-tools: *",
            "allowed-tools: \"*\"",
            "allowed-tools: []",
            "allowed-tools:",
            "allowed-tools: true",
            "disable-model-invocation: true",
            "disable-model-invocation: false",
            "disable-model-invocation: \"true\"",
            "disable-model-invocation: yes",
            "disable-model-invocation: 1",
            "disable-model-invocation: TRUE",
            "disable-model-invocation:",
            "disable-model-invocation: [true]",
            "disable-model-invocation: on",
            "disable-model-invocation: 'false'",
            "user-invocable: true",
            "user-invocable: false",
            "user-invocable: \"false\"",
            "user-invocable: no",
            "user-invocable: 0",
            "user-invocable:",
            "user-invocable: False",
            "user-invocable: [a]",
            "user-invokable: false",
            "paths: src/**",
            "paths: ['a/*', b]",
            "paths: []",
            "paths: \"\"",
            "paths:\n  - x",
            "paths: {a: b}",
            "paths: 3",
            "paths: '**'",
            "paths:",
            "when_to_use: Later, too.",
            "when_to_use: [a, b]",
            "when_to_use:",
            "when_to_use: 3",
            "when-to-use: x",
            "when_to_use: x: y",
            "argument-hint: [file]",
            "argument-hint: [file] [x]",
            "argument-hint: x: y",
            "argument-hint: 3",
            "argument-hint:",
            "arguments: [a, b]",
            "arguments: a b",
            "model: opus",
            "model: [a]",
            "model: inherit",
            "model:",
            "context: fork",
            "context: forked",
            "context: 3",
            "agent: Explore",
            "agent: [a]",
            "agent: 3",
            "effort: high",
            "effort: 3",
            "hooks: {}",
            "hooks: x",
            "hooks:\n  PreToolUse: []",
            "version: 1.10",
            "version: v1",
            "version: [1]",
            "tags: [a, b]",
            "tags: a, b",
            "tags:\n- a\n- b",
            "tags:\n- a\n b",
            "keywords: a: b",
            "# a comment",
            "",
            "   ",
            "\t",
            "unknown",
            "unknown:",
            "unknown: [",
            "unknown: }",
            "a: b: c",
            "? x\n: y",
            "- x",
            "x: &a y\nz: *a",
            "z: *none",
            "<<: {license: x}",
            "<<: x",
            "x: !tag y",
            "x: !!map {}",
            "%YAML 1.2",
            "x: |\n  text\n  ---\n  more",
            "x: |\n text\n---text",
            "x: \"a\n\nb\"",
            "x: 'a\n  b'",
            "\"x: y\": z",
            "[a]: b",
            "3: x",
            "~: x",
            "true: x",
            "x:y",
            "x :y",
            "x : y",
            "\tx: y",
            "  x: y",
            "x: y\n  z: w",
            "é: x",
            "x: \u{0}",
            "x: \u{1b}",
            "x: \u{2028}y",
            "x: a\u{85}b",
            "name-space: x",
            "nam: x",
            "triggers:\n  keywords: [x]",
            "always: true",
            "trigger: true",
            "shell: bash",
            "disallowed-tools: Bash",
            "fallback-to: x",
            "mode: true",
            "enabled: false",
            "hidden: true",
            "priority: high",
            "priority: 5",
            "type: x",
            "allowedTools: [a]",
            "extensions: {}",
            "source: x",
            "auto-invoke: false",
        ]);
        self.more.push(field.to_owned());
    }

    fn text(&self) -> Text {
        let mut fields: Vec<&str> = Vec::new();
        fields.extend(self.name.as_deref());
        fields.extend(self.description.as_deref());
        fields.extend(self.more.iter().map(String::as_str));
        if self.name_last {
            fields.reverse();
        }
        let mut text = format!("{}{}\n", self.before, self.open);
        for field in fields {
            let _ = writeln!(text, "{field}");
        }
        if !self.close.is_empty() {
            let _ = writeln!(text, "{}", self.close);
        }
        text.push_str(&self.body);
        Text::Plain(text.replace('\n', self.newline))
    }
}
