//! Files that are skills by their name alone: `AGENTS.md`, `CLAUDE.md` and their kin.

use crate::{
    diagnostic::Span,
    document::Document,
    parse::{Parsed, decode, read},
    profile::Profile,
    value::{Field, Node, Value},
};

/// The files that count anywhere in a tree.
pub const ANYWHERE: [&str; 6] = [
    "AGENTS.md",
    "AGENT.md",
    "CLAUDE.md",
    "GEMINI.md",
    "COPILOT.md",
    "SKILLS.md",
];

/// The file that counts only at the root.
pub const AT_ROOT: &str = "SOUL.md";

/// Whether a file of this name is a skill by convention.
pub fn is_convention_file(file_name: &str, at_root: bool) -> bool {
    ANYWHERE.contains(&file_name) || (at_root && file_name == AT_ROOT)
}

/// Reads a convention file. Frontmatter is used where it reads well; what it leaves out is
/// taken from the file's name and its first lines.
pub fn parse_convention(bytes: impl Into<Vec<u8>>, file_name: &str, profile: Profile) -> Parsed {
    let bytes = bytes.into();
    let fenced = read(bytes.clone(), profile);
    let mut parsed = if fenced.document.fields().is_empty() {
        match decode(bytes, profile) {
            Ok(text) => Parsed {
                document: plain(text),
                diagnostics: Vec::new(),
            },
            Err(diagnostics) => {
                return Parsed {
                    document: Document::default(),
                    diagnostics,
                };
            }
        }
    } else {
        fenced
    };
    let stem = file_name
        .split('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let document = &mut parsed.document;
    if document.name().is_none() {
        set(document, "name", Value::text(stem.as_str()));
    }
    if document.description().is_none() {
        let description = describe(document.instructions())
            .unwrap_or_else(|| format!("Instructions from {file_name}."));
        set(document, "description", Value::text(description));
    }
    let mut tags: Vec<String> = document.tags().into_iter().map(str::to_owned).collect();
    for tag in ["convention".to_owned(), format!("{stem}-md")] {
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    let tags = tags.into_iter().map(|tag| Node {
        value: Value::text(tag),
        span: Span::default(),
    });
    set(document, "tags", Value::List(tags.collect()));
    parsed
}

/// The whole text as instructions.
fn plain(text: Box<str>) -> Document {
    let body = text.trim_start_matches('\u{feff}');
    let start = text.len() - body.len();
    let instructions = crate::frontmatter::trimmed(&text, start, text.len());
    Document {
        text,
        instructions,
        ..Document::default()
    }
}

/// The first heading, else the first line with something on it.
fn describe(instructions: &str) -> Option<String> {
    let lines = || {
        instructions
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
    };
    let heading = lines().find_map(|line| {
        let rest = line.trim_start_matches('#');
        (rest.len() < line.len() && rest.starts_with(' ')).then(|| rest.trim_matches([' ', '#']))
    });
    heading
        .filter(|text| !text.is_empty())
        .or_else(|| lines().next())
        .map(str::to_owned)
}

/// Puts a field in place of the one of the same key, or behind the others.
fn set(document: &mut Document, key: &str, value: Value) {
    let node = Node {
        value,
        span: Span::default(),
    };
    match document.fields.iter_mut().find(|field| &*field.key == key) {
        Some(field) => field.node = node,
        None => document.fields.push(Field {
            key: key.into(),
            key_span: Span::default(),
            node,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(file_name: &str, text: &str) -> String {
        let document = parse_convention(text, file_name, Profile::Lenient).document;
        format!(
            "{} | {} | {} | {}",
            document.name().unwrap(),
            document.description().unwrap(),
            document.tags().join(" "),
            document.instructions()
        )
    }

    #[test]
    fn name_and_tags_come_from_the_file_and_the_description_from_its_start() {
        assert_eq!(
            seen("AGENTS.md", "intro\n\n## House rules ##\nBe kind.\n"),
            "agents | House rules | convention agents-md | intro\n\n## House rules ##\nBe kind."
        );
        assert_eq!(
            seen("CLAUDE.md", "\n#hashtag\n"),
            "claude | #hashtag | convention claude-md | #hashtag"
        );
        assert_eq!(
            seen("SOUL.md", " \n"),
            "soul | Instructions from SOUL.md. | convention soul-md | "
        );
    }

    #[test]
    fn frontmatter_is_used_where_it_reads_well() {
        assert_eq!(
            seen(
                "GEMINI.md",
                "---\nname: house\ntags: [team]\n---\n# Rules\n"
            ),
            "house | Rules | team convention gemini-md | # Rules"
        );
        let open = "---\nname: never closed\n";
        assert_eq!(
            seen("AGENT.md", open),
            "agent | --- | convention agent-md | ---\nname: never closed"
        );
    }

    #[test]
    fn soul_counts_at_the_root_only() {
        assert!(is_convention_file("SOUL.md", true));
        assert!(!is_convention_file("SOUL.md", false));
        assert!(is_convention_file("AGENTS.md", false));
        assert!(!is_convention_file("agents.md", false));
    }
}
