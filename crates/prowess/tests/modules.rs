//! The modules of each crate import each other one way: their graph has no cycle, so a stage can
//! be read without the later ones.
#![expect(clippy::disallowed_methods, reason = "the test reads the sources")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

#[test]
fn the_modules_of_every_crate_form_a_graph_without_cycles() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let cycles = cycles(&graph(&folder.join("src")));
        found.extend(cycles.iter().map(|cycle| format!("{name}: {cycle}")));
    }
    assert_eq!(
        found,
        Vec::<String>::new(),
        "modules that import each other"
    );
}

type Graph = BTreeMap<String, BTreeSet<String>>;

/// Which top-level module imports which, without what only tests see.
fn graph(src: &Path) -> Graph {
    let mut root = Module::default();
    for name in ["lib.rs", "main.rs"] {
        if let Ok(text) = fs::read_to_string(src.join(name)) {
            root.read(text.parse().unwrap(), 0);
        }
    }
    // A name that the crate's root hands on stands for the module it comes from.
    let of = |name: &String| root.exports.get(name).unwrap_or(name).clone();
    let mut graph = Graph::new();
    for module in &root.children {
        let mut read = Module::default();
        read.files(src, &[module], 1);
        let imports = read.imports.iter().map(of);
        let imports = imports.filter(|it| it != module && root.children.contains(it));
        graph.insert(module.clone(), imports.collect());
    }
    graph
}

/// What is said in one module and those below it.
#[derive(Default)]
struct Module {
    /// Modules declared outside of tests.
    children: BTreeSet<String>,
    /// Names found in the crate's root.
    imports: BTreeSet<String>,
    /// Names that are handed on, with the module each comes from.
    exports: BTreeMap<String, String>,
}

impl Module {
    /// Reads a module's file and those of the modules in it, `depth` below the root.
    fn files(&mut self, src: &Path, path: &[&str], depth: usize) {
        let mut file = path
            .iter()
            .fold(src.to_path_buf(), |to, part| to.join(part));
        let folder = file.clone();
        file.set_extension("rs");
        let file = if file.is_file() {
            file
        } else {
            folder.join("mod.rs")
        };
        let Ok(text) = fs::read_to_string(&file) else {
            return;
        };
        let mut own = Self::default();
        own.read(text.parse().unwrap(), depth);
        self.imports.append(&mut own.imports);
        for child in &own.children {
            let path: Vec<&str> = path.iter().copied().chain([child.as_str()]).collect();
            self.files(src, &path, depth + 1);
        }
    }

    /// Reads tokens: comments and texts are no paths, and what follows `#[cfg(test)]` is skipped.
    fn read(&mut self, tokens: TokenStream, depth: usize) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let word = |at: usize| match tokens.get(at) {
            Some(TokenTree::Ident(word)) => word.to_string(),
            Some(TokenTree::Punct(mark)) => mark.as_char().to_string(),
            _ => String::new(),
        };
        let mut at = 0;
        while at < tokens.len() {
            if word(at) == "#" && is_test(tokens.get(at + 1)) {
                at += 2;
                while at < tokens.len() && word(at) != ";" && !is_braces(&tokens[at]) {
                    at += 1;
                }
                at += 1;
                continue;
            } else if word(at) == "mod" && word(at + 2) == ";" {
                self.children.insert(word(at + 1));
            } else if word(at) == "use" && depth == 0 {
                let (from, names) = (word(at + 1), &tokens[at + 2..]);
                let end = names.iter().position(|it| it.to_string() == ";");
                self.export(&from, names[..end.unwrap_or(0)].iter().cloned().collect());
            } else if let Some(next) = root_path(&word, at, depth) {
                match tokens.get(next) {
                    Some(TokenTree::Group(group)) => self.imports.extend(firsts(group.stream())),
                    Some(TokenTree::Ident(name)) => {
                        self.imports.insert(name.to_string());
                    }
                    _ => {}
                }
            }
            if let Some(TokenTree::Group(group)) = tokens.get(at) {
                self.read(group.stream(), depth);
            }
            at += 1;
        }
    }

    fn export(&mut self, from: &str, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.export(from, group.stream()),
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    self.exports.entry(name).or_insert_with(|| from.to_owned());
                }
                _ => {}
            }
        }
    }
}

/// The place of the name after `crate::`, or after as many `super::` as lead to the root.
fn root_path(word: &dyn Fn(usize) -> String, at: usize, depth: usize) -> Option<usize> {
    let colons = |at: usize| word(at) == ":" && word(at + 1) == ":";
    if word(at) == "crate" && colons(at + 1) {
        return Some(at + 3);
    }
    if at > 0 && word(at - 1) == ":" {
        return None;
    }
    let supers =
        (0..).take_while(|step| word(at + 3 * step) == "super" && colons(at + 3 * step + 1));
    let count = supers.count();
    (count > 0 && count == depth).then_some(at + 3 * count)
}

/// The first names of the parts of `{a, b::c, d::{e, f}}`.
fn firsts(group: TokenStream) -> Vec<String> {
    let mut names = Vec::new();
    let mut first = true;
    for token in group {
        match token {
            TokenTree::Ident(name) if first => {
                names.push(name.to_string());
                first = false;
            }
            TokenTree::Punct(mark) if mark.as_char() == ',' => first = true,
            _ => {}
        }
    }
    names
}

/// Whether these are the brackets of `#[cfg(test)]` or `#[cfg(all(test, …))]`.
fn is_test(token: Option<&TokenTree>) -> bool {
    let text = token.map(|token| token.to_string().replace(' ', ""));
    text.is_some_and(|it| it.starts_with("[cfg(test") || it.starts_with("[cfg(all(test"))
        || token.is_some_and(|it| it.to_string().replace(' ', "") == "[cfg(doctest)]")
}

fn is_braces(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// The strongly connected components with more than one module, each as a line.
fn cycles(graph: &Graph) -> Vec<String> {
    let mut cycles = BTreeSet::new();
    for module in graph.keys() {
        let reach = reachable(graph, module);
        let together = reach
            .iter()
            .filter(|it| reachable(graph, it).contains(module));
        let together: Vec<&str> = together.map(String::as_str).collect();
        if together.len() > 1 {
            cycles.insert(together.join(" "));
        }
    }
    cycles.into_iter().collect()
}

fn reachable(graph: &Graph, from: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut next: Vec<&str> = vec![from];
    while let Some(module) = next.pop() {
        for other in graph.get(module).into_iter().flatten() {
            if seen.insert(other.clone()) {
                next.push(other);
            }
        }
    }
    seen
}

#[test]
fn a_cycle_is_found_and_tests_do_not_count() {
    let home = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path: PathBuf = home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "lib.rs",
        "pub use c::Name; mod a; mod b; mod c; #[cfg(test)] mod t;",
    );
    write(
        "a.rs",
        "use crate::{b::{self, X}}; // crate::c\nmod deep; #[cfg(test)] mod tests { use crate::t; }",
    );
    write(
        "a/deep.rs",
        "fn f() { super::super::c::g(); super::here(); }",
    );
    write(
        "b.rs",
        "const TEXT: &str = \"crate::a\"; fn f() -> crate::Name { panic!() }",
    );
    write("c.rs", "#[cfg(test)] mod tests { use crate::a; }");
    let shown = |graph: &Graph| {
        let line = |(name, imports): (&String, &BTreeSet<String>)| format!("{name}: {imports:?}");
        graph.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    let graph_now = graph(home.path());
    assert_eq!(shown(&graph_now), "a: {\"b\", \"c\"}\nb: {\"c\"}\nc: {}");
    assert_eq!(cycles(&graph_now), Vec::<String>::new());
    write("c.rs", "use super::a;");
    assert_eq!(cycles(&graph(home.path())), ["a b c"]);
}
