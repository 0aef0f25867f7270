//! Which skills can be served over the Skills extension, and why others cannot.
//!
//! A skill that is refused here can still be searched for, loaded by tool and called as a prompt;
//! it only has no entry, because no host that follows the extension could verify it.

use prowess::{
    Skill,
    format::{Syntax, rules},
};
use serde_json::{Map, Value as Json};

use super::{frontmatter::frontmatter, portable::disagreement};
use crate::uri::is_plain_name;

/// Files of one skill that every host accepts.
pub const MAX_FILES: usize = 512;

/// Bytes of one skill that every host accepts.
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Characters of a description, and of a compatibility note, that the standard allows.
const MAX_DESCRIPTION: usize = 1_024;
const MAX_COMPATIBILITY: usize = 500;

/// Why a skill has no entry in `skills/list`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no frontmatter, or it does not start the file.
    #[error("its file does not begin with YAML frontmatter; begin it with `---`")]
    NoFrontmatter,
    /// The frontmatter is TOML.
    #[error("its frontmatter is TOML, and hosts read YAML; write it between `---` lines")]
    Toml,
    /// Other readers of YAML stumble over the frontmatter.
    #[error("its frontmatter is not clean YAML (`{code}`); `prowess check --fix` fixes it")]
    Mended {
        /// The rule that noticed.
        code: &'static str,
    },
    /// Common readers of YAML read the frontmatter differently, or not at all.
    #[error("its frontmatter has {what}, which hosts read differently or refuse; write it plainly")]
    Unportable {
        /// What they part over.
        what: &'static str,
    },
    /// A field is not what hosts take; they refuse the whole list for one such entry.
    #[error("hosts take {must}; {step}")]
    Field {
        /// The field, and what it has to be.
        must: &'static str,
        /// What to do about it.
        step: &'static str,
    },
    /// The frontmatter holds what YAML does not let through.
    #[error("its frontmatter holds a control character, which readers of YAML refuse; take it out")]
    Control,
    /// A field that every entry has is missing, or means something else than text.
    #[error(
        "its frontmatter has no text in `{field}`; add it, in quotes if it looks like a number"
    )]
    NoText {
        /// The field.
        field: &'static str,
    },
    /// The name cannot be the last part of an address.
    #[error(
        "its name is not made of lower-case letters a to z, digits and single hyphens; rename it"
    )]
    Name,
    /// It has too many files.
    #[error("it has {count} files, and hosts accept at most {MAX_FILES}; move some out")]
    TooManyFiles {
        /// How many were counted.
        count: usize,
    },
    /// Its files are too large.
    #[error("its files have {bytes} bytes, and hosts accept at most {MAX_BYTES}; move some out")]
    TooLarge {
        /// How many were counted.
        bytes: u64,
    },
    /// It is deeper or larger than is looked at.
    #[error("its folder is too deep or has more files than are listed; move some out")]
    Unlisted,
    /// It is of another server, and who published it has to stay visible.
    #[error("it is of the MCP server `{server}` and is not passed on; connect the client to that")]
    Remote {
        /// The label of that server.
        server: String,
    },
    /// It is hidden, shadowed, broken or not trusted.
    #[error("it is not in use here")]
    NotInUse,
    /// Its folder or one of its files cannot be read.
    #[error("its files cannot be read: {reason}")]
    Unreadable {
        /// What went wrong.
        reason: String,
    },
}

/// Looks at what the skill's own file says; its other files are not opened.
pub(super) fn judge(skill: &Skill) -> Result<(), Refusal> {
    if let Some(remote) = skill.remote() {
        let server = remote.server.clone();
        return Err(Refusal::Remote { server });
    }
    let document = skill.document();
    match document.syntax() {
        None => return Err(Refusal::NoFrontmatter),
        Some(Syntax::Toml) => return Err(Refusal::Toml),
        Some(Syntax::Yaml) => {}
    }
    let blank = rules::blank_before_frontmatter::RULE.code;
    let unclean = [
        rules::repaired_yaml::RULE.code,
        rules::loose_quotes::RULE.code,
        rules::duplicate_field::RULE.code,
        rules::multiple_documents::RULE.code,
        rules::unknown_alias::RULE.code,
    ];
    for diagnostic in skill.diagnostics() {
        if diagnostic.code == blank {
            return Err(Refusal::NoFrontmatter);
        }
        if unclean.contains(&diagnostic.code) {
            return Err(Refusal::Mended {
                code: diagnostic.code,
            });
        }
    }
    let span = document.frontmatter_span();
    let text = document.text();
    let written = text.get(span.start..span.end).unwrap_or_default();
    // Older readers of YAML end a line at the last two as well.
    let unfit = |char: char| {
        char.is_control() && !"\t\n\r".contains(char) || "\u{2028}\u{2029}".contains(char)
    };
    if written.contains(unfit) {
        return Err(Refusal::Control);
    }
    let opening = text.get(..span.start).unwrap_or_default();
    let closing = text.get(span.end..).unwrap_or_default();
    let closing = closing.trim_start_matches(['\r', '\n']).lines().next();
    let opening = opening.trim_start_matches('\u{feff}');
    if !matches!(opening, "---\n" | "---\r\n") || closing != Some("---") {
        let what = "a line around it that is not just `---`";
        return Err(Refusal::Unportable { what });
    }
    if let Some(what) = disagreement(written) {
        return Err(Refusal::Unportable { what });
    }
    let fields = frontmatter(document);
    for field in ["name", "description"] {
        if !matches!(fields.get(field), Some(Json::String(text)) if !text.trim().is_empty()) {
            return Err(Refusal::NoText { field });
        }
    }
    match fields.get("name") {
        Some(Json::String(name)) if is_plain_name(name) => {}
        _ => return Err(Refusal::Name),
    }
    match unfit_field(&fields) {
        Some((must, step)) => Err(Refusal::Field { must, step }),
        None => Ok(()),
    }
}

/// A field that strict hosts refuse: what they take, and what to do. The rules are those of the
/// standard as the official TypeScript SDK 2.4.0 and fastmcp 4.1.2 hold them.
fn unfit_field(fields: &Map<String, Json>) -> Option<(&'static str, &'static str)> {
    let fits = |key: &str, most: usize| match fields.get(key) {
        None => true,
        Some(Json::String(text)) => (1..=most).contains(&text.chars().count()),
        Some(_) => false,
    };
    if !fits("description", MAX_DESCRIPTION) {
        let must = "a `description` of at most 1,024 characters";
        return Some((must, "shorten it"));
    }
    if !fits("compatibility", MAX_COMPATIBILITY) {
        let must = "a `compatibility` that is text of 1 to 500 characters";
        return Some((must, "write it in a sentence"));
    }
    for (key, must) in [
        ("license", "a `license` that is text"),
        ("allowed-tools", "`allowed-tools` that are one text"),
    ] {
        if !matches!(fields.get(key), None | Some(Json::String(_))) {
            let step = match key {
                "license" => "put it in quotes, or take it out",
                _ => "write them on one line with spaces between them",
            };
            return Some((must, step));
        }
    }
    let texts = match fields.get("metadata") {
        None => true,
        Some(Json::Object(map)) => map.values().all(Json::is_string),
        Some(_) => false,
    };
    let must = "`metadata` whose values are text";
    (!texts).then_some((must, "put numbers and words such as `true` in quotes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use prowess::{Catalog, LoadOptions, MemorySource, Source};

    fn check(text: &str, expect: &Expect) {
        let source = MemorySource::new("test").skill("folder/SKILL.md", text);
        let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
        let catalog = Catalog::load(&sources, &LoadOptions::default()).unwrap();
        let told = match judge(&catalog.skills()[0]) {
            Ok(()) => "served".to_owned(),
            Err(refusal) => refusal.to_string(),
        };
        expect.assert_eq(&told);
    }

    #[test]
    fn each_reason_names_one_step() {
        check(
            "---\nname: pdf\ndescription: Fills forms.\n---\n",
            &expect!["served"],
        );
        check(
            "+++\nname = \"pdf\"\ndescription = \"Fills.\"\n+++\n",
            &expect!["its frontmatter is TOML, and hosts read YAML; write it between `---` lines"],
        );
        check(
            "---\nname: pdf\ndescription: Use when: filling\n---\n",
            &expect![
                "its frontmatter is not clean YAML (`repaired-yaml`); `prowess check --fix` fixes it"
            ],
        );
        check(
            "---\ndescription: Fills forms.\n---\n",
            &expect![
                "its frontmatter has no text in `name`; add it, in quotes if it looks like a number"
            ],
        );
        check(
            "---\nname: 42\ndescription: Fills forms.\n---\n",
            &expect![
                "its frontmatter has no text in `name`; add it, in quotes if it looks like a number"
            ],
        );
        check(
            "---\nname: pdf\ndescription: Fills forms.\nicon: \u{1}f4e7\n---\n",
            &expect![
                "its frontmatter holds a control character, which readers of YAML refuse; take it out"
            ],
        );
        check(
            "---\nname: PDF Forms\ndescription: Fills forms.\n---\n",
            &expect![
                "its name is not made of lower-case letters a to z, digits and single hyphens; rename it"
            ],
        );
        check(
            "\n\n---\nname: pdf\ndescription: Fills forms.\n---\n",
            &expect!["its file does not begin with YAML frontmatter; begin it with `---`"],
        );
    }

    /// What hosts refuse a whole list for.
    #[test]
    fn a_field_that_strict_hosts_refuse_costs_the_entry() {
        let with = |fields: &str, expect: &Expect| {
            let text = format!("---\nname: pdf\ndescription: Fills forms.\n{fields}---\n");
            check(&text, expect);
        };
        with(
            "metadata:\n  version: '1.0'\nx-own: [1, 2]\n",
            &expect!["served"],
        );
        with(
            "metadata: {version: 1.0}\n",
            &expect![
                "hosts take `metadata` whose values are text; put numbers and words such as `true` in quotes"
            ],
        );
        with(
            "metadata: text\n",
            &expect![
                "hosts take `metadata` whose values are text; put numbers and words such as `true` in quotes"
            ],
        );
        with(
            "metadata:\n",
            &expect![
                "hosts take `metadata` whose values are text; put numbers and words such as `true` in quotes"
            ],
        );
        with("allowed-tools: Read Grep\n", &expect!["served"]);
        with(
            "allowed-tools: [Read, Grep]\n",
            &expect![
                "hosts take `allowed-tools` that are one text; write them on one line with spaces between them"
            ],
        );
        with(
            "license: 2\n",
            &expect!["hosts take a `license` that is text; put it in quotes, or take it out"],
        );
        with(
            &format!("compatibility: {}\n", "a".repeat(500)),
            &expect!["served"],
        );
        with(
            &format!("compatibility: {}\n", "a".repeat(501)),
            &expect![
                "hosts take a `compatibility` that is text of 1 to 500 characters; write it in a sentence"
            ],
        );
        let described =
            |count: usize| format!("---\nname: pdf\ndescription: {}\n---\n", "ä".repeat(count));
        check(&described(1_024), &expect!["served"]);
        check(
            &described(1_025),
            &expect!["hosts take a `description` of at most 1,024 characters; shorten it"],
        );
    }

    #[test]
    fn a_frontmatter_that_readers_part_over_costs_the_entry() {
        check(
            "---\nname: pdf\ndescription: \"Fills\n  forms.\"\n---\n",
            &expect![
                "its frontmatter has a quoted text over several lines, which hosts read differently or refuse; write it plainly"
            ],
        );
        check(
            "--- \nname: pdf\ndescription: Fills.\n---\n",
            &expect![
                "its frontmatter has a line around it that is not just `---`, which hosts read differently or refuse; write it plainly"
            ],
        );
        check(
            "---\nname: pdf\ndescription: Fills.\n--- \n",
            &expect![
                "its frontmatter has a line around it that is not just `---`, which hosts read differently or refuse; write it plainly"
            ],
        );
        check(
            "---\r\nname: pdf\r\ndescription: Fills.\r\n---\r\n",
            &expect!["served"],
        );
        check(
            "---\rname: pdf\rdescription: Fills.\r---\r",
            &expect![
                "its frontmatter has a line around it that is not just `---`, which hosts read differently or refuse; write it plainly"
            ],
        );
        check(
            "\u{feff}---\nname: pdf\ndescription: Fills.\n---",
            &expect!["served"],
        );
        check(
            "---\nname: pdf\ndescription: Fills\u{2028}forms.\n---\n",
            &expect![
                "its frontmatter holds a control character, which readers of YAML refuse; take it out"
            ],
        );
    }
}
