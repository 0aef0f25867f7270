//! Which program runs a script: its first line, else its ending.

#![expect(
    clippy::disallowed_methods,
    reason = "programs are looked for on the machine itself"
)]

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

/// A program that runs scripts, found on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Interpreter {
    /// What people call it: `python3`, `bash`.
    pub name: String,
    /// Where it lies, links resolved.
    pub program: PathBuf,
    /// Arguments before the script's path.
    pub args: Vec<String>,
    /// A folder it needs beside the system's own, for one that is installed elsewhere.
    pub prefix: Option<PathBuf>,
}

/// Why no program can run a script.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InterpreterError {
    /// The script cannot be read.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// The script.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// Neither its first line nor its ending says what it is.
    #[error("`{}` does not say what runs it: start it with a line such as `#!/usr/bin/env python3`", path.display())]
    Unknown {
        /// The script.
        path: PathBuf,
    },
    /// Its first line names a program that is not on the list.
    #[error("`{}` asks for `{name}`, which is none of {}", path.display(), known())]
    NotListed {
        /// The script.
        path: PathBuf,
        /// What its first line names.
        name: String,
    },
    /// The program is not installed.
    #[error("`{name}` is not installed: {hint}")]
    Missing {
        /// What is missing.
        name: String,
        /// What to install.
        hint: &'static str,
    },
}

/// A program that is known to run scripts.
struct Known {
    /// Its names, the one that is looked for first in front.
    names: &'static [&'static str],
    endings: &'static [&'static str],
    /// Arguments before the script's path.
    args: &'static [&'static str],
    hint: &'static str,
}

/// A short list on purpose: each of these takes a script's path and reads nothing else by itself.
const KNOWN: [Known; 8] = [
    Known {
        names: &["bash"],
        endings: &["sh", "bash"],
        args: &[],
        hint: "install the package `bash`",
    },
    Known {
        names: &["sh", "dash"],
        endings: &[],
        args: &[],
        hint: "install the package `dash`",
    },
    Known {
        names: &["python3", "python"],
        endings: &["py"],
        args: &[],
        hint: "install Python 3",
    },
    Known {
        names: &["node", "nodejs"],
        endings: &["js", "mjs", "cjs"],
        args: &[],
        hint: "install Node.js",
    },
    Known {
        names: &["deno"],
        endings: &["ts", "mts"],
        args: &["run", "--no-prompt"],
        hint: "install Deno",
    },
    Known {
        names: &["ruby"],
        endings: &["rb"],
        args: &[],
        hint: "install Ruby",
    },
    Known {
        names: &["perl"],
        endings: &["pl"],
        args: &[],
        hint: "install Perl",
    },
    Known {
        names: &["uv"],
        endings: &[],
        args: &["run", "--offline", "--script"],
        hint: "install uv",
    },
];

fn known() -> String {
    let names: Vec<&str> = KNOWN.iter().map(|known| known.names[0]).collect();
    names.join(", ")
}

/// Where programs are looked for.
#[derive(Debug, Clone)]
pub struct Search {
    folders: Vec<PathBuf>,
}

impl Search {
    /// Looks into the folders of a `PATH`-like list, then into the system's own.
    pub fn new(path: Option<&std::ffi::OsStr>) -> Self {
        let mut folders: Vec<PathBuf> = path
            .map(|path| std::env::split_paths(path).collect())
            .unwrap_or_default();
        folders.retain(|folder| folder.is_absolute());
        for system in ["/usr/local/bin", "/usr/bin", "/bin"] {
            if !folders.iter().any(|folder| folder == Path::new(system)) {
                folders.push(system.into());
            }
        }
        Search { folders }
    }

    /// Looks into these folders and no others.
    pub fn only(folders: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Search {
            folders: folders.into_iter().map(Into::into).collect(),
        }
    }

    /// Finds a program. Version managers put shell scripts in front of the real one, which look
    /// around in the home folder; a real program further down the list is taken before those.
    fn find(&self, name: &str) -> Option<PathBuf> {
        let mut candidates = self
            .folders
            .iter()
            .map(|folder| folder.join(name))
            .filter(|path| is_program(path));
        let first = candidates.next()?;
        if is_native(&first) {
            return first.canonicalize().ok();
        }
        candidates
            .find(|path| is_native(path))
            .unwrap_or(first)
            .canonicalize()
            .ok()
    }
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path)
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    path.is_file()
}

fn is_native(path: &Path) -> bool {
    let mut start = [0; 2];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut start))
        .is_ok()
        && &start != b"#!"
}

/// Folders of a system whose programs and libraries every run can read.
pub(crate) const SYSTEM_FOLDERS: [&str; 7] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/opt"];

/// How much of a script is read to see what runs it.
const HEAD_BYTES: u64 = 8 << 10;

/// Finds the program that runs the script at `path`.
pub fn interpreter_of(path: &Path, search: &Search) -> Result<Interpreter, InterpreterError> {
    let unreadable = |source| InterpreterError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let mut head = Vec::new();
    File::open(path)
        .and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head))
        .map_err(unreadable)?;
    interpreter_for(path, &head, search)
}

/// Finds the program for a script that is at hand: its path says the ending, its bytes the first
/// line.
pub fn interpreter_for(
    path: &Path,
    bytes: &[u8],
    search: &Search,
) -> Result<Interpreter, InterpreterError> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES as usize)];
    let head = String::from_utf8_lossy(head);
    let (known, args) = match shebang(&head) {
        Some((name, args)) => {
            let known = by_name(&name).ok_or_else(|| InterpreterError::NotListed {
                path: path.to_owned(),
                name: name.clone(),
            })?;
            (known, args)
        }
        None => {
            let known = by_ending(path).ok_or_else(|| InterpreterError::Unknown {
                path: path.to_owned(),
            })?;
            (known, Vec::new())
        }
    };
    // A script that lists its packages runs with `uv`, if that is here; with plain Python it
    // works as far as its packages are installed.
    if known.names[0] == "python3"
        && lists_packages(&head)
        && let Some(uv) = by_name("uv")
        && let Ok(uv) = found(uv, Vec::new(), search)
    {
        return Ok(uv);
    }
    found(known, args, search)
}

fn found(
    known: &Known,
    args: Vec<String>,
    search: &Search,
) -> Result<Interpreter, InterpreterError> {
    let (name, program) = known
        .names
        .iter()
        .find_map(|name| Some((*name, search.find(name)?)))
        .ok_or(InterpreterError::Missing {
            name: known.names[0].to_owned(),
            hint: known.hint,
        })?;
    // `uv run --script` on a first line says the same as our own arguments.
    let args = if known.args.is_empty() {
        args
    } else {
        known.args.iter().map(|&arg| arg.to_owned()).collect()
    };
    Ok(Interpreter {
        name: name.to_owned(),
        prefix: prefix_of(&program),
        program,
        args,
    })
}

/// Whether a file's ending alone says that a known program runs it.
pub fn is_script_name(path: &Path) -> bool {
    by_ending(path).is_some()
}

fn by_ending(path: &Path) -> Option<&'static Known> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    let runs = |known: &&Known| known.endings.contains(&ending.as_str());
    KNOWN.iter().find(runs)
}

fn by_name(name: &str) -> Option<&'static Known> {
    // `python3.11`, `perl5`: the version is the machine's business.
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    KNOWN.iter().find(|known| {
        known
            .names
            .iter()
            .any(|known| *known == name || *known == plain)
    })
}

/// The program and the arguments of a `#!` line; `env` and its options are looked through.
fn shebang(head: &str) -> Option<(String, Vec<String>)> {
    let line = head.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().peekable();
    let base = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let mut name = base(words.next()?);
    if name == "env" {
        name = base(words.find(|word| !word.starts_with('-') && !word.contains('='))?);
    }
    Some((name, words.map(str::to_owned).collect()))
}

/// Whether a Python script has a block of inline metadata (PEP 723) that names packages.
fn lists_packages(head: &str) -> bool {
    let mut block = head
        .lines()
        .skip_while(|line| line.trim_end() != "# /// script")
        .skip(1);
    block
        .by_ref()
        .take_while(|line| line.trim_end() != "# ///")
        .any(|line| {
            let line = line.trim_start_matches('#').trim();
            line.strip_prefix("dependencies").is_some_and(|rest| {
                rest.trim_start().starts_with('=') && !rest.replace(' ', "").starts_with("=[]")
            })
        })
}

/// The folder that an interpreter outside the system's folders lives in: `PREFIX/bin/python3`.
fn prefix_of(program: &Path) -> Option<PathBuf> {
    if SYSTEM_FOLDERS
        .iter()
        .any(|folder| program.starts_with(folder))
    {
        return None;
    }
    let folder = program.parent()?;
    let prefix = if folder.ends_with("bin") {
        folder.parent()?
    } else {
        folder
    };
    // `/bin/python3` of a root that has no `/usr`, or a program right in a home folder: never
    // more than the folder that it lies in.
    Some(
        if prefix.components().count() > 3 {
            prefix
        } else {
            folder
        }
        .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::{Search, interpreter_of};

    fn check(name: &str, text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        match interpreter_of(&path, &Search::new(None)) {
            Ok(found) => format!("{} {:?}", found.name, found.args),
            Err(error) => error
                .to_string()
                .replace(&folder.path().display().to_string(), ""),
        }
    }

    #[test]
    fn the_first_line_decides_and_the_ending_helps_out() {
        assert_eq!(check("a", "#!/bin/bash -eu\n"), "bash [\"-eu\"]");
        assert_eq!(check("a", "#! /usr/bin/env python3\n"), "python3 []");
        assert_eq!(
            check("a", "#!/usr/bin/env -S PYTHONUTF8=1 python3.11 -u\n"),
            "python3 [\"-u\"]"
        );
        assert_eq!(check("a.PY", "print()\n"), "python3 []");
        assert_eq!(check("a.sh", "echo\n"), "bash []");
    }

    #[test]
    fn what_nothing_runs_is_said_with_a_step() {
        assert_eq!(
            check("data.bin", "\u{0}"),
            "`/data.bin` does not say what runs it: start it with a line such as `#!/usr/bin/env python3`"
        );
        assert_eq!(
            check("a.sh", "#!/usr/sbin/nologin\n"),
            "`/a.sh` asks for `nologin`, which is none of bash, sh, python3, node, deno, ruby, perl, uv"
        );
        assert_eq!(check("a.sh", "#!\n"), "bash []");
    }

    #[test]
    fn inline_metadata_is_read_as_pep_723_has_it() {
        let with = "# /// script\n# requires-python = \">=3.11\"\n# dependencies = [\n#   \"rich\",\n# ]\n# ///\n";
        assert!(super::lists_packages(with));
        assert!(!super::lists_packages(
            "# /// script\n# dependencies = []\n# ///\n"
        ));
        assert!(!super::lists_packages("# dependencies = [\"rich\"]\n"));
    }
}
