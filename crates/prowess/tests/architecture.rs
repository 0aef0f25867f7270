//! The page on architecture names files; they are there.

use std::path::Path;

#[test]
#[expect(clippy::disallowed_methods, reason = "a test reads its own page")]
fn every_file_the_page_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/ARCHITECTURE.md")).unwrap();
    let mut source = None;
    let mut missing = Vec::new();
    let mut named = 0;
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            // `crates/prowess`: a heading in backticks says whose files follow.
            let folder = heading
                .split('`')
                .nth(1)
                .filter(|it| it.starts_with("crates/"));
            source = folder.map(|it| root.join(it).join("src"));
        }
        let Some(source) = source.as_ref().filter(|_| line.starts_with("    ")) else {
            continue;
        };
        for word in line.split(|it: char| it.is_whitespace() || it == ';' || it == '(') {
            if Path::new(word).extension().is_some_and(|it| it == "rs") {
                named += 1;
                if !source.join(word).is_file() {
                    missing.push(word.to_owned());
                }
            }
        }
    }
    assert!(named > 30, "the page lists {named} files");
    assert!(missing.is_empty(), "not there: {missing:?}");
}
