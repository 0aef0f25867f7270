//! A small machine of its own for each test: a home, a project, and the command.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use expect_test::Expect;
use tempfile::TempDir;

/// A skill whose description says what and when.
pub(crate) fn skill(name: &str, what: &str) -> String {
    described(name, &format!("{what}. Use when asked."))
}

/// A skill with this description.
pub(crate) fn described(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n# Steps\n\n1. Go.\n")
}

/// A home and a project in a folder that goes away with the test.
pub(crate) struct World {
    folder: TempDir,
}

impl World {
    /// Creates an empty home and an empty repository.
    pub(crate) fn new() -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(world.path("home")).unwrap();
        fs::create_dir_all(world.path("work/.git")).unwrap();
        world
    }

    /// Creates a project with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let world = Self::new();
        for (path, text) in files {
            world.file(&format!("work/{path}"), text);
        }
        world
    }

    /// A path in this world, without links.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(path)
    }

    /// Writes a file and the folders above it.
    pub(crate) fn file(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Whole or not at all: who watches must not see it half written.
        let written = self.path("written");
        fs::write(&written, text).unwrap();
        fs::rename(written, path).unwrap();
    }

    /// Writes a skill into this folder, which gives it its name.
    pub(crate) fn skill(&self, folder: &str, what: &str) {
        self.described(folder, &format!("{what}. Use when asked."));
    }

    /// Writes a skill with this description.
    pub(crate) fn described(&self, folder: &str, description: &str) {
        let name = folder.rsplit('/').next().unwrap();
        self.file(&format!("{folder}/SKILL.md"), described(name, description));
    }

    /// Reads a file back.
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// The command, in the project and with this home.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_prowess"));
        command
            .args(words(line))
            .current_dir(self.path("work"))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("COLUMNS", "80")
            .stdin(Stdio::null());
        command
    }

    /// Runs the command.
    pub(crate) fn output(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Everything a run shows, with the places of this machine left out.
    pub(crate) fn run(&self, line: &str) -> String {
        let output = self.output(line);
        let mut shown = self.plain(&output.stdout);
        let messages = self.plain(&output.stderr);
        if !messages.is_empty() {
            shown += "-- stderr\n";
            shown += &messages;
        }
        shown + &format!("-- exit {}\n", output.status.code().unwrap())
    }

    /// Runs the lines `$ prowess …` of a transcript, one after the other, and compares what each
    /// shows. An exit code stands there unless it is 0.
    pub(crate) fn session(&self, expected: &Expect) {
        let mut shown = String::new();
        for line in expected.data().lines() {
            if let Some(line) = line.trim_start().strip_prefix("$ prowess ") {
                let run = self.run(line);
                let run = run.strip_suffix("-- exit 0\n").unwrap_or(&run);
                shown.extend(["$ prowess ", line, "\n", run]);
            }
        }
        assert!(!shown.is_empty(), "a transcript without a command");
        expected.assert_eq(&shown);
    }

    /// Runs the command and reads its output as JSON.
    pub(crate) fn json(&self, line: &str) -> serde_json::Value {
        let output = self.output(line);
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.plain(&output.stderr)))
    }

    fn plain(&self, bytes: &[u8]) -> String {
        // A snapshot can not hold a carriage return.
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let text = text.replace('\r', "\\r");
        text.replace(
            self.path("").to_str().unwrap().trim_end_matches('/'),
            "[..]",
        )
    }
}

/// The words of a command line; `'…'` holds words together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('\'').enumerate() {
        if at % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// The root of the repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
