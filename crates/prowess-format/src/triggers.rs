//! What wakes a skill by itself: globs on touched files, and keywords in a message.

use crate::{
    diagnostic::Span,
    document::Document,
    value::{Node, Value},
};

/// One glob or keyword, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trigger<'a> {
    /// The glob or keyword.
    pub text: &'a str,
    /// Where it stands, or the field where that cannot be told.
    pub span: Span,
}

impl Document {
    /// The globs that wake the skill: `triggers.globs`, `triggers` as a list, and `paths`.
    pub fn trigger_globs(&self) -> Vec<Trigger<'_>> {
        let triggers = self.get("triggers");
        let globs = match triggers.map(|node| &node.value) {
            Some(Value::Map(_)) => member(triggers, "globs"),
            _ => triggers,
        };
        let mut found = Vec::new();
        for node in [globs, self.get("paths")].into_iter().flatten() {
            texts(node, &mut found);
        }
        found
    }

    /// The words that wake the skill: `triggers.keywords`.
    pub fn trigger_keywords(&self) -> Vec<Trigger<'_>> {
        let mut found = Vec::new();
        if let Some(node) = member(self.get("triggers"), "keywords") {
            texts(node, &mut found);
        }
        found
    }
}

fn member<'a>(node: Option<&'a Node>, key: &str) -> Option<&'a Node> {
    let fields = node?.value.as_map()?;
    let field = fields.iter().find(|field| &*field.key == key)?;
    Some(&field.node)
}

/// The texts of a list, or of one text parted by commas.
fn texts<'a>(node: &'a Node, found: &mut Vec<Trigger<'a>>) {
    match &node.value {
        Value::List(nodes) => {
            for node in nodes {
                if let Some(text) = node.value.as_str() {
                    push(text, node.span, found);
                }
            }
        }
        Value::Scalar(text, _) => {
            let mut depth = 0_usize;
            // The commas in `*.{js,ts}` belong to the glob.
            let parts = text.split(move |c| {
                match c {
                    '{' => depth += 1,
                    '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                c == ',' && depth == 0
            });
            for part in parts {
                push(part, node.span, found);
            }
        }
        Value::Map(_) => {}
    }
}

fn push<'a>(text: &'a str, span: Span, found: &mut Vec<Trigger<'a>>) {
    let text = text.trim();
    if !text.is_empty() {
        found.push(Trigger { text, span });
    }
}

#[cfg(test)]
mod tests {
    use crate::{Profile, parse};

    fn globs(frontmatter: &str) -> Vec<String> {
        let text = format!("---\ndescription: d\n{frontmatter}\n---\n");
        let document = parse(text.as_bytes(), Profile::Lenient).document;
        let globs = document.trigger_globs();
        globs.iter().map(|glob| glob.text.to_owned()).collect()
    }

    #[test]
    fn every_shape_gives_globs() {
        assert_eq!(globs("triggers: ['*.rs', src/**]"), ["*.rs", "src/**"]);
        assert_eq!(
            globs("triggers:\n  globs:\n    - '*.rs'\n  keywords: [a]"),
            ["*.rs"]
        );
        assert_eq!(
            globs("paths: src/*.{js,ts}, docs/**"),
            ["src/*.{js,ts}", "docs/**"]
        );
        assert_eq!(globs("triggers:\n  keywords: [a, b]"), [""; 0]);
    }

    #[test]
    fn keywords_come_from_the_map() {
        let text = b"---\ndescription: d\ntriggers:\n  keywords: [tax form, invoice]\n---\n";
        let document = parse(text, Profile::Lenient).document;
        let keywords = document.trigger_keywords();
        let words: Vec<_> = keywords.iter().map(|keyword| keyword.text).collect();
        assert_eq!(words, ["tax form", "invoice"]);
    }
}
