//! Markdown as a tree of plain values: a page builds elements from it, and never parses markup.
//!
//! What a skill writes as HTML is text here, like everything else it writes. A link is its text and
//! its address, to be read and not to be followed; an image is not loaded.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag};
use serde::Serialize;

/// One piece of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Block {
    /// Text as it stands.
    Text(String),
    /// An element with what is in it; `markdown.js` knows each kind.
    Node {
        /// What it is.
        kind: &'static str,
        /// Where a link leads, what an image is called, which language code is in.
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        /// What is in it.
        inside: Vec<Block>,
    },
}

/// A text with more pieces than this is shown raw: nobody reads it, and a browser would stall.
const MOST_PIECES: usize = 50_000;

/// Deeper pieces than this stand beside each other: a tree is walked by calls within calls.
const DEEPEST: usize = 60;

/// Reads Markdown; `None` where it is too much to be drawn.
pub fn blocks(text: &str) -> Option<Vec<Block>> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    // One list of pieces for each element that is open, the outermost first.
    let mut open: Vec<(&'static str, Option<String>, Vec<Block>)> = vec![("", None, Vec::new())];
    let mut too_deep = 0_usize;
    let mut pieces = 0;
    for event in Parser::new_ext(text, options) {
        pieces += 1;
        if pieces > MOST_PIECES {
            return None;
        }
        let piece = match event {
            Event::Start(tag) => {
                if open.len() > DEEPEST {
                    too_deep += 1;
                } else {
                    let (kind, note) = node(&tag);
                    open.push((kind, note, Vec::new()));
                }
                continue;
            }
            Event::End(_) => {
                if too_deep > 0 {
                    too_deep -= 1;
                } else if let Some((kind, note, inside)) = open.pop() {
                    let node = Block::Node { kind, note, inside };
                    // The outermost is never closed by a text.
                    open.last_mut()?.2.push(node);
                }
                continue;
            }
            Event::Text(text) => Block::Text(text.into_string()),
            Event::Code(text) => leaf("code", text.into_string()),
            Event::Html(text) | Event::InlineHtml(text) => leaf("html", text.into_string()),
            Event::SoftBreak => Block::Text("\n".to_owned()),
            Event::HardBreak => empty("br"),
            Event::Rule => empty("hr"),
            Event::TaskListMarker(done) => Block::Text(if done { "☑ " } else { "☐ " }.to_owned()),
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                Block::Text(text.into_string())
            }
        };
        push(&mut open.last_mut()?.2, piece);
    }
    open.pop().map(|(_, _, blocks)| blocks)
}

/// Texts that follow each other are one.
fn push(blocks: &mut Vec<Block>, piece: Block) {
    match (blocks.last_mut(), piece) {
        (Some(Block::Text(before)), Block::Text(more)) => before.push_str(&more),
        (_, piece) => blocks.push(piece),
    }
}

fn leaf(kind: &'static str, text: String) -> Block {
    let inside = vec![Block::Text(text)];
    Block::Node {
        kind,
        note: None,
        inside,
    }
}

fn empty(kind: &'static str) -> Block {
    Block::Node {
        kind,
        note: None,
        inside: Vec::new(),
    }
}

/// The kind of an element, and its note.
fn node(tag: &Tag<'_>) -> (&'static str, Option<String>) {
    let kind = match tag {
        Tag::Heading { level, .. } => match level {
            HeadingLevel::H1 => "h1",
            HeadingLevel::H2 => "h2",
            HeadingLevel::H3 => "h3",
            HeadingLevel::H4 => "h4",
            HeadingLevel::H5 => "h5",
            HeadingLevel::H6 => "h6",
        },
        Tag::BlockQuote(_) => "blockquote",
        Tag::CodeBlock(kind) => {
            let language = match kind {
                CodeBlockKind::Fenced(language) if !language.is_empty() => {
                    Some(language.to_string())
                }
                _ => None,
            };
            return ("pre", language);
        }
        Tag::List(Some(start)) => return ("ol", (*start != 1).then(|| start.to_string())),
        Tag::List(None) => "ul",
        Tag::Item => "li",
        Tag::Emphasis => "em",
        Tag::Strong => "strong",
        Tag::Strikethrough => "del",
        Tag::Link { dest_url, .. } => return ("link", Some(dest_url.to_string())),
        Tag::Image { dest_url, .. } => return ("image", Some(dest_url.to_string())),
        Tag::Table(_) => "table",
        Tag::TableHead => "thead",
        Tag::TableRow => "tr",
        Tag::TableCell => "td",
        _ => "p",
    };
    (kind, None)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expect: &Expect) {
        expect.assert_eq(&serde_json::to_string(&blocks(text)).unwrap());
    }

    #[test]
    fn a_text_is_a_tree() {
        check(
            "# Steps\n\n1. Run `a`\n2. *Look*\n",
            &expect![[
                r#"[{"kind":"h1","inside":["Steps"]},{"kind":"ol","inside":[{"kind":"li","inside":["Run ",{"kind":"code","inside":["a"]}]},{"kind":"li","inside":[{"kind":"em","inside":["Look"]}]}]}]"#
            ]],
        );
    }

    #[test]
    fn what_looks_like_markup_is_text() {
        check(
            "<script>alert(1)</script>\n\nSee <b onclick=x>this</b> [a](javascript:alert(1)) ![i](http://e.example/x.png)",
            &expect![[
                r#"[{"kind":"p","inside":[{"kind":"html","inside":["<script>alert(1)</script>\n"]}]},{"kind":"p","inside":["See ",{"kind":"html","inside":["<b onclick=x>"]},"this",{"kind":"html","inside":["</b>"]}," ",{"kind":"link","note":"javascript:alert(1)","inside":["a"]}," ",{"kind":"image","note":"http://e.example/x.png","inside":["i"]}]}]"#
            ]],
        );
    }

    #[test]
    fn nesting_without_end_stays_shallow() {
        let text = format!("{} deep", ">".repeat(5_000));
        let tree = serde_json::to_string(&blocks(&text)).unwrap();
        assert!(tree.matches("blockquote").count() <= DEEPEST);
        assert!(tree.contains("deep"));
    }

    #[test]
    fn too_many_pieces_are_not_drawn() {
        assert_eq!(blocks(&"*a* ".repeat(MOST_PIECES)), None);
        assert!(blocks(&"a".repeat(1_000_000)).is_some());
    }
}
