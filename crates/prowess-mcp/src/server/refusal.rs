//! Which skills can be served over the Skills extension, and why others cannot.
//!
//! A skill that is refused here can still be searched for, loaded by tool and called as a prompt;
//! it only has no entry, because no host that follows the extension could verify it.

use prowess::{
    Skill,
    format::{Syntax, rules},
};
use serde_json::Value as Json;

use super::frontmatter::frontmatter;
use crate::uri::is_plain_name;

/// Files of one skill that every host accepts.
pub const MAX_FILES: usize = 512;

/// Bytes of one skill that every host accepts.
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;

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
    #[error("its frontmatter is not clean YAML (`{code}`); `prowess check --fix` mends it")]
    Mended {
        /// The rule that noticed.
        code: &'static str,
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
    let written = document.text().get(span.start..span.end);
    let unfit = |char: char| char.is_control() && !"\t\n\r\u{85}".contains(char);
    if written.is_some_and(|written| written.contains(unfit)) {
        return Err(Refusal::Control);
    }
    let fields = frontmatter(document);
    for field in ["name", "description"] {
        if !matches!(fields.get(field), Some(Json::String(text)) if !text.trim().is_empty()) {
            return Err(Refusal::NoText { field });
        }
    }
    match fields.get("name") {
        Some(Json::String(name)) if is_plain_name(name) => Ok(()),
        _ => Err(Refusal::Name),
    }
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
                "its frontmatter is not clean YAML (`repaired-yaml`); `prowess check --fix` mends it"
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
}
