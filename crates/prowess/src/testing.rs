//! What tests share: a tree of files from a few lines, and a catalog as a reader sees it.
#![expect(
    clippy::disallowed_methods,
    reason = "tests lay out the files they read"
)]

use std::{
    fmt::Write as _,
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Duration,
};

use tempfile::TempDir;

use crate::{
    Catalog, DiskSource, Limits, LoadOptions, MemorySource, Skill, Source, display::display_path,
    source::Finding, trust::TrustAll,
};

/// A folder that is removed with the value.
pub(crate) struct Tree {
    dir: TempDir,
}

impl Tree {
    /// Lays out an empty folder.
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    /// The folder's real path.
    pub(crate) fn root(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap()
    }

    /// A path below the folder.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// Writes a file and the folders above it.
    pub(crate) fn file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Writes a good skill whose name is that of its folder.
    pub(crate) fn skill(self, folder: &str) -> Self {
        let name = Path::new(folder).file_name().unwrap().to_string_lossy();
        let text = skill_text(&name);
        self.file(&format!("{folder}/SKILL.md"), text)
    }

    /// Makes a folder.
    pub(crate) fn folder(self, path: &str) -> Self {
        fs::create_dir_all(self.at(path)).unwrap();
        self
    }

    /// Makes a link, to a path below the folder or to anything else.
    #[cfg(unix)]
    pub(crate) fn link(self, path: &str, target: impl AsRef<Path>) -> Self {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
        self
    }

    /// Loads a folder below this one in every way there is, and tells what a reader sees.
    pub(crate) fn load(&self, path: &str) -> String {
        self.load_source(&DiskSource::new(self.at(path)))
    }

    /// Loads a source by both kinds of handles and by one and four threads; all must agree.
    pub(crate) fn load_source(&self, source: &DiskSource) -> String {
        let mut seen: Option<String> = None;
        for (portable, threads) in [(false, 1), (false, 4), (true, 1)] {
            let sources: Vec<Box<dyn Source>> = vec![Box::new(source.clone().portable(portable))];
            let options = LoadOptions {
                trust: &TrustAll,
                threads: NonZeroUsize::new(threads),
                limits: quick_limits(),
                ..LoadOptions::default()
            };
            let told = self.tell(&Catalog::load(&sources, &options).unwrap());
            if let Some(seen) = &seen {
                assert_eq!(*seen, told, "portable: {portable}, threads: {threads}");
            }
            seen = Some(told);
        }
        seen.unwrap()
    }

    /// A catalog as a reader sees it: one line for a skill, one below for each finding.
    pub(crate) fn tell(&self, catalog: &Catalog) -> String {
        let mut text = String::new();
        for skill in catalog.skills() {
            tell_skill(&mut text, skill);
        }
        for Finding { path, diagnostic } in catalog.findings() {
            writeln!(text, "{}", display_path(path)).unwrap();
            tell_diagnostic(&mut text, diagnostic);
        }
        if catalog.is_partial() {
            text.push_str("partial\n");
        }
        text.replace(&format!("{}/", self.root().display()), "")
            .replace(&self.root().display().to_string(), ".")
    }
}

fn tell_skill(text: &mut String, skill: &Skill) {
    let state = skill.state().as_str();
    let name = skill.name().escape_default();
    writeln!(text, "{state} {name} {}", display_path(skill.path())).unwrap();
    for path in skill.also_at() {
        writeln!(text, "  also at {}", display_path(path)).unwrap();
    }
    for diagnostic in skill.diagnostics() {
        tell_diagnostic(text, diagnostic);
    }
}

fn tell_diagnostic(text: &mut String, diagnostic: &prowess_format::Diagnostic) {
    let severity = diagnostic.severity.as_str();
    writeln!(
        text,
        "  {severity}[{}] {}",
        diagnostic.code, diagnostic.message
    )
    .unwrap();
}

/// Limits with which a test sees several threads at small trees, and does not wait long for what
/// it wrote to settle: the file systems that tests run on count time in small steps.
pub(crate) fn quick_limits() -> Limits {
    Limits {
        thread_folders: 32,
        settle: Duration::from_millis(50),
        ..Limits::default()
    }
}

/// The text of a good skill.
pub(crate) fn skill_text(name: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: Does {name}. Use when {name} is asked for.\n---\nDo it.\n"
    )
}

/// The folder of shared data, where it is at hand.
pub(crate) fn shared() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let path = std::env::var_os("PROWESS_SHARED").map_or_else(beside, PathBuf::from);
    path.is_dir().then_some(path)
}

/// A catalog of skills that have a name and a description.
pub(crate) fn memory_catalog(skills: &[(&str, &str)]) -> Catalog {
    let mut source = MemorySource::new("test");
    for (name, description) in skills {
        let text = format!("---\nname: {name}\ndescription: {description:?}\n---\n");
        source = source.skill(format!("{name}/SKILL.md"), text);
    }
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    Catalog::load(&sources, &LoadOptions::default()).unwrap()
}
