//! Any bytes parse. The frontmatter and the body lie inside the text, in this order, between two
//! equal fences that stand alone on their lines; a file that is never closed gives no body.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess_format::{Profile, Syntax, parse};

fuzz_target!(|bytes: &[u8]| {
    let parsed = parse(bytes, Profile::Lenient);
    let document = &parsed.document;
    let text = document.text();
    let (head, body) = (document.frontmatter_span(), document.instructions_span());
    for span in [head, body] {
        assert!(span.start <= span.end && span.end <= text.len());
        assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
    }
    let unclosed = parsed
        .diagnostics
        .iter()
        .any(|it| it.code == "unclosed-frontmatter");
    if unclosed {
        assert!(document.fields().is_empty() && document.instructions().is_empty());
    } else if let Some(syntax) = document.syntax() {
        let fence = match syntax {
            Syntax::Yaml => "---",
            Syntax::Toml => "+++",
        };
        assert!(head.end <= body.start);
        assert!(text[..head.start].trim_end().ends_with(fence));
        assert!(text[head.end..].starts_with(fence));
        // The first line that is a fence closes; none of them is swallowed.
        let inside = text[head.start..head.end].split(['\n', '\r']);
        assert!(!inside.into_iter().any(|line| line.trim_end() == fence));
        assert_eq!(document.instructions(), document.instructions().trim());
    }
    for it in &parsed.diagnostics {
        assert!(it.span.start <= it.span.end && it.span.end <= bytes.len());
        assert!(it.position.line >= 1 && it.position.column >= 1);
    }
});
