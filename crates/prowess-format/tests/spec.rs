//! Runs the pages of `docs/spec/`: prose around files, and what is said about them.
//!
//! A fenced block whose info string has a path is a file; several make a skill. A `text` block
//! lists what is said about it, for the standard profile or the one it names. The next file after
//! it starts another skill. In a file, `+x` after the path sets the run bit, and `escaped` turns
//! `\u{feff}`, `\r`, `\xff` and the like into the bytes they stand for. `⟨word ×300⟩` stands for
//! so many copies, with `\n` in it for a line's end.
//!
//! `UPDATE_EXPECT=1 cargo test -p prowess-format --test spec` writes what is said into the pages.

use std::{fmt::Write as _, fs, ops::Range, path::PathBuf};

use expect_test::expect_file;
use prowess_format::{
    Diagnostic, Folder, FolderFile, Profile, Rule, Script, Severity, Subject, is_invisible, read,
    rules,
};

/// Rules about many files, or about files as a disk has them. A page cannot lay those out, so
/// theirs are prose; the tests of the catalog and of the command line hold their promises.
const OF_THE_CATALOG: &[&str] = &[
    "broken-link",
    "changed-skill",
    "confusable-name",
    "duplicate",
    "file-name",
    "file-too-large",
    "hard-link",
    "ignored-folder",
    "invalid-line",
    "plugin-manifest",
    "plugin-mismatch",
    "large-file",
    "link-loop",
    "loose-file",
    "missing-folder",
    "nested-skill",
    "not-regular-file",
    "scan-limit",
    "shadowed",
    "stale",
    "missing-interpreter",
    "unknown-interpreter",
    "symlink-outside",
    "unreadable-file",
    "untrusted",
];

fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[expect(clippy::disallowed_methods, reason = "a test reads its own pages")]
fn page(code: &str) -> String {
    let path = docs().join(format!("spec/{code}.md"));
    fs::read_to_string(&path).unwrap_or_else(|_| panic!("no page docs/spec/{code}.md"))
}

/// A fenced block of a page.
struct Block<'a> {
    info: Vec<&'a str>,
    text: &'a str,
    range: Range<usize>,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, &str, usize)> = None;
    let mut at = 0;
    for line in page.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let fence = &line[..line.len() - line.trim_start_matches('`').len()];
        match open {
            None if fence.len() >= 3 => open = Some((fence, line[fence.len()..].trim(), at)),
            Some((opened, info, from)) if line.trim_end() == opened => {
                blocks.push(Block {
                    info: info.split_whitespace().collect(),
                    text: &page[from..start],
                    range: from..start,
                });
                open = None;
            }
            _ => {}
        }
    }
    assert!(open.is_none(), "a block is left open");
    blocks
}

/// The text with every `⟨word ×300⟩` written out.
fn expanded(text: &str) -> String {
    let mut long = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('⟨') {
        let (inner, after) = after.split_once('⟩').unwrap();
        let (copy, times) = inner.rsplit_once('×').unwrap();
        long += before;
        long += &copy.replace("\\n", "\n").repeat(times.parse().unwrap());
        rest = after;
    }
    long + rest
}

/// The bytes a block's text stands for.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        if let Some(hex) = rest.strip_prefix("u{") {
            let (hex, after) = hex.split_once('}').unwrap();
            let code = u32::from_str_radix(hex, 16).unwrap();
            bytes.extend(char::from_u32(code).unwrap().to_string().bytes());
            rest = after;
        } else if let Some(hex) = rest.strip_prefix('x') {
            bytes.push(u8::from_str_radix(&hex[..2], 16).unwrap());
            rest = &hex[2..];
        } else if let Some(after) = rest.strip_prefix('r') {
            bytes.push(b'\r');
            rest = after;
        } else {
            bytes.push(b'\\');
        }
    }
    bytes.extend(rest.as_bytes());
    bytes
}

/// One skill as a page lays it out.
#[derive(Default)]
struct Example {
    folder: Folder,
    skill: Option<(String, Vec<u8>)>,
}

impl Example {
    fn add(&mut self, path: &str, attributes: &[&str], text: &str) {
        let (folder, path) = path
            .split_once('/')
            .expect("a path starts with the skill's folder");
        let bytes = if attributes.contains(&"escaped") {
            unescaped(text)
        } else {
            expanded(text).into_bytes()
        };
        folder.clone_into(&mut self.folder.name);
        let mut file = FolderFile {
            path: path.to_owned(),
            executable: Some(attributes.contains(&"+x")),
            size: bytes.len() as u64,
            script: None,
        };
        file.script = file.is_script().then(|| Script::read(&bytes));
        self.folder.files.push(file);
        if path.eq_ignore_ascii_case("SKILL.md") {
            self.skill = Some((path.to_owned(), bytes));
        }
    }

    fn findings(&self, profile: Profile) -> Vec<Diagnostic> {
        let (file_name, bytes) = self.skill.as_ref().expect("an example has a SKILL.md");
        let parsed = read(bytes.as_slice(), profile);
        let subject = Subject {
            document: &parsed.document,
            file_name,
            folder: Some(&self.folder),
        };
        let mut findings = parsed.diagnostics;
        findings.extend(rules::check(&subject, profile));
        findings.sort_by_key(|it| (it.position, it.code));
        findings
    }

    fn told(&self, profile: Profile) -> String {
        let mut told = String::new();
        for it in self.findings(profile) {
            let (line, column) = (it.position.line, it.position.column);
            let severity = it.severity.as_str();
            writeln!(
                told,
                "{line}:{column} {severity}[{}]: {}",
                it.code, it.message
            )
            .unwrap();
            if let Some(help) = &it.help {
                writeln!(told, "  help: {help}").unwrap();
            }
            if let (Some(fix), Some((_, bytes))) = (&it.fix, &self.skill) {
                let text = std::str::from_utf8(bytes).unwrap();
                told += &change(text, &fix.apply(text).unwrap());
            }
        }
        if told.is_empty() {
            told += "nothing to say\n";
        }
        told
    }
}

/// The lines that differ, with what hides in them written out.
fn change(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.split('\n').collect(), new.split('\n').collect());
    let same =
        |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let head = same(&mut old.iter().zip(&new));
    let tail = same(&mut old[head..].iter().rev().zip(new[head..].iter().rev()));
    let mut told = String::new();
    for (mark, lines) in [
        ('-', &old[head..old.len() - tail]),
        ('+', &new[head..new.len() - tail]),
    ] {
        for line in lines {
            write!(told, "  {mark} ").unwrap();
            for c in line.chars() {
                if c.is_control() || is_invisible(c) {
                    write!(told, "{}", c.escape_default()).unwrap();
                } else {
                    told.push(c);
                }
            }
            told.push('\n');
        }
    }
    told
}

/// Runs a page; gives it back with what is really said, and every code that was.
fn run(page: &str) -> (String, Vec<&'static str>) {
    let mut actual = String::new();
    let mut copied = 0;
    let mut said = Vec::new();
    let mut example = Example::default();
    let mut told = false;
    for block in blocks(page) {
        match block.info.as_slice() {
            [_, path, attributes @ ..] if path.contains('/') => {
                if told {
                    example = Example::default();
                    told = false;
                }
                example.add(path, attributes, block.text);
            }
            ["text", profile @ ..] => {
                let profile = profile
                    .first()
                    .map_or(Profile::Standard, |it| it.parse().unwrap());
                actual += &page[copied..block.range.start];
                actual += &example.told(profile);
                copied = block.range.end;
                said.extend(example.findings(profile).iter().map(|it| it.code));
                told = true;
            }
            _ => {}
        }
    }
    actual += &page[copied..];
    (actual, said)
}

fn level(severity: Option<Severity>) -> &'static str {
    severity.map_or("off", Severity::as_str)
}

fn levels(rule: &Rule) -> String {
    let levels = rule.levels;
    format!(
        "lenient: {} · standard: {} · strict: {}",
        level(levels.lenient),
        level(levels.standard),
        level(levels.strict)
    )
}

#[test]
fn every_page_tells_what_is_said() {
    for rule in rules::ALL.iter() {
        let text = page(rule.code);
        let title = format!("# {}\n\n", rule.code);
        assert!(
            text.starts_with(&title),
            "docs/spec/{}.md has another title",
            rule.code
        );
        let levels = levels(rule);
        assert!(
            text.contains(&levels),
            "docs/spec/{}.md lacks the line\n{levels}",
            rule.code
        );
        if OF_THE_CATALOG.contains(&rule.code) {
            continue;
        }
        let (actual, said) = run(&text);
        expect_file![docs().join(format!("spec/{}.md", rule.code))].assert_eq(&actual);
        assert!(
            said.contains(&rule.code),
            "docs/spec/{}.md never shows it",
            rule.code
        );
    }
}

#[test]
fn every_page_has_a_rule() {
    #[expect(clippy::disallowed_methods, reason = "a test reads its own pages")]
    let entries = fs::read_dir(docs().join("spec")).unwrap();
    for entry in entries {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let code = name.strip_suffix(".md").unwrap_or(&name);
        assert!(
            rules::ALL.iter().any(|rule| rule.code == code),
            "no rule `{code}` for {name}"
        );
    }
    for code in OF_THE_CATALOG {
        let rule = rules::ALL.iter().find(|rule| rule.code == *code);
        let rule = rule.unwrap_or_else(|| panic!("no rule `{code}`"));
        assert!(
            rule.check.is_none(),
            "`{code}` looks at one skill, so its page can run"
        );
    }
}

#[test]
fn the_index_of_messages_is_complete() {
    let mut index = String::from(
        "# Messages\n\n\
         Everything Prowess says about a skill, by its code. `cargo test -p prowess-format` keeps\n\
         this table and the pages true; `UPDATE_EXPECT=1` before it writes them anew.\n\n\
         | code | asks that | lenient | standard | strict |\n|---|---|---|---|---|\n",
    );
    for rule in rules::ALL.iter() {
        writeln!(
            index,
            "| [{0}](spec/{0}.md) | {1} | {2} | {3} | {4} |",
            rule.code,
            rule.summary,
            level(rule.levels.lenient),
            level(rule.levels.standard),
            level(rule.levels.strict)
        )
        .unwrap();
    }
    expect_file![docs().join("messages.md")].assert_eq(&index);
}
