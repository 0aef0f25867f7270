//! The page itself, compiled in: nothing is fetched from anywhere else.

/// The page; its scripts and its style are files of their own, so that nothing inline may run.
pub const INDEX: &str = include_str!("../assets/index.html");

/// The files the page asks for: name, kind, contents. Scripts come in the order they build on each
/// other, and share one scope: modules are not loaded from a folder that no server hands out.
pub const FILES: &[(&str, &str, &str)] = &[
    ("style.css", CSS, include_str!("../assets/style.css")),
    ("icon.svg", SVG, include_str!("../assets/icon.svg")),
    ("dom.js", JS, include_str!("../assets/dom.js")),
    ("api.js", JS, include_str!("../assets/api.js")),
    ("table.js", JS, include_str!("../assets/table.js")),
    ("catalog.js", JS, include_str!("../assets/catalog.js")),
    ("skill.js", JS, include_str!("../assets/skill.js")),
    ("try.js", JS, include_str!("../assets/try.js")),
    ("rivals.js", JS, include_str!("../assets/rivals.js")),
    ("evaluate.js", JS, include_str!("../assets/evaluate.js")),
    ("budget.js", JS, include_str!("../assets/budget.js")),
    ("tune.js", JS, include_str!("../assets/tune.js")),
    ("main.js", JS, include_str!("../assets/main.js")),
];

/// The script of an export: it answers in place of the program.
pub const EXPORT_SCRIPT: &str = include_str!("../assets/export.js");

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// What a browser may do with the page: run and draw what comes from here, and nothing else. No
/// text can become markup or script, whoever wrote it: the sinks that would do that are closed.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// The same for an export, which loads the pages of its skills as scripts and asks nobody. What a
/// `meta` element cannot say is left out.
pub const EXPORT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self'; base-uri 'none'; form-action 'none'; \
    require-trusted-types-for 'script'; trusted-types prowess-export";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_weighs_little_and_names_every_file() {
        let bytes: usize = FILES.iter().map(|(_, _, text)| text.len()).sum();
        assert!(
            bytes + INDEX.len() + EXPORT_SCRIPT.len() <= 300_000,
            "{bytes}"
        );
        for (name, ..) in FILES {
            assert!(INDEX.contains(&format!("\"{name}\"")), "{name}");
        }
    }

    #[test]
    fn nothing_stands_inline_and_nothing_comes_from_elsewhere() {
        let more = [("index.html", "", INDEX), ("export.js", "", EXPORT_SCRIPT)];
        for (name, _, text) in FILES.iter().chain(&more) {
            let told = text.replace("http://www.w3.org/2000/svg", "");
            for word in [
                "http://",
                "https://",
                "innerHTML",
                "eval(",
                " style=",
                " onclick=",
            ] {
                assert!(!told.contains(word), "{name} has `{word}`");
            }
        }
    }
}
