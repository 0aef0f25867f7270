//! A report as one HTML file: nothing in it runs, and nothing is loaded.
//!
//! What a skill says goes through [`text`], so that it never becomes markup. Should one be missed,
//! the Content-Security-Policy allows no script, no picture and no style but the one named by its
//! hash.

use std::fmt::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use prowess::ContentHash;

use super::safe_lines;

/// The style of the page of `prowess ui`, and what a report has more.
const MORE_STYLE: &str =
    "html, body { height: auto } main { display: block } .pre { white-space: pre-wrap }\n";

/// Text as it is shown: no character of it is markup, and none that cannot be seen comes as itself.
pub(crate) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in safe_lines(text).chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            char => out.push(char),
        }
    }
    out
}

/// A word in a coloured frame.
pub(crate) fn badge(word: &str, tone: &str) -> String {
    format!("<span class=\"badge {tone}\">{}</span>", text(word))
}

/// A figure with its name and what it means.
pub(crate) fn tile(label: &str, value: &str, meaning: &str) -> String {
    format!(
        "<div class=\"tile\"><p class=\"value\">{}</p><p class=\"strong\">{}</p><p class=\"faint small\">{}</p></div>\n",
        text(value),
        text(label),
        text(meaning)
    )
}

/// A table; its cells are markup already.
pub(crate) fn table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut out = String::from(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table class=\"words\"><thead><tr>",
    );
    for head in heads {
        let _ = write!(out, "<th scope=\"col\">{}</th>", text(head));
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            let _ = write!(out, "<td>{cell}</td>");
        }
        out.push_str("</tr>\n");
    }
    out + "</tbody></table></div>\n"
}

/// A whole page; `body` is markup already.
pub(crate) fn page(title: &str, body: &str) -> String {
    let files = prowess_ui::assets::FILES.iter();
    let style = files.filter(|(name, ..)| *name == "style.css");
    let style: String = style
        .map(|(_, _, text)| *text)
        .chain([MORE_STYLE])
        .collect();
    let hash = STANDARD.encode(ContentHash::of(style.as_bytes()).as_bytes());
    let title = text(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
        <meta name=\"color-scheme\" content=\"light dark\">\n\
        <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\">\n\
        <title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n<main class=\"view evaluate\">\n<h1>{title}</h1>\n\
        {body}<p class=\"faint small\">Made by prowess {}.</p>\n</main>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_never_markup() {
        let hostile = "<script>'&\"</script>\u{202e}x\u{1b}[2J";
        let shown = text(hostile);
        assert!(shown.starts_with("&lt;script&gt;&#39;&amp;&quot;&lt;/script&gt;"));
        assert!(!shown.contains(['<', '>', '\u{202e}', '\u{1b}']), "{shown}");
        let page = page(
            hostile,
            &table(&[hostile], [vec![badge(hostile, "bad")]].into_iter()),
        );
        assert!(!page.contains("<script") && !page.contains('\u{202e}'));
        assert!(page.contains("default-src 'none'; style-src 'sha256-"));
        // The style ends where it should: nothing in it closes the element.
        assert_eq!(page.matches("</style>").count(), 1);
    }
}
