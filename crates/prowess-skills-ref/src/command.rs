//! The reference's own command line, byte for byte.
//!
//! It answers with the reference's words, streams and exit codes, so that a script that
//! calls `skills-ref` can call this instead. Where the reference dies with a traceback,
//! this prints one line on standard error and ends with the same code, 1.

mod close;
mod usage;

use std::{
    ffi::OsString,
    fmt::Write as _,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use crate::{Finding, Properties};
use usage::{Command, Request};

/// Files beyond this are not read; the largest real one has 294 KB.
const LARGEST_FILE: u64 = 16 << 20;

/// Runs the command line after `skills-ref` and gives the exit code.
pub fn run(args: &[OsString], stdout: &mut dyn Write, stderr: &mut dyn Write) -> io::Result<u8> {
    let answer = match usage::parse(args) {
        Request::Print(text) => Answer::good(text),
        Request::Refuse(text) => Answer {
            stderr: text,
            code: 2,
            ..Answer::default()
        },
        Request::Run(Command::Validate, paths) => validate(&paths[0]),
        Request::Run(Command::ReadProperties, paths) => read_properties(&paths[0]),
        Request::Run(Command::ToPrompt, paths) => to_prompt(&paths),
    };
    stdout.write_all(answer.stdout.as_bytes())?;
    stderr.write_all(answer.stderr.as_bytes())?;
    stdout.flush()?;
    Ok(answer.code)
}

/// What one run prints, and how it ends.
#[derive(Default)]
struct Answer {
    stdout: String,
    stderr: String,
    code: u8,
}

impl Answer {
    fn good(stdout: String) -> Self {
        Self {
            stdout,
            ..Self::default()
        }
    }

    fn error(message: &str) -> Self {
        Self {
            stderr: format!("Error: {message}\n"),
            code: 1,
            ..Self::default()
        }
    }
}

fn validate(argument: &Path) -> Answer {
    let path = skill_directory(argument);
    let shown = shown(&path);
    match findings(&path) {
        Ok(findings) if findings.is_empty() => Answer::good(format!("Valid skill: {shown}\n")),
        Ok(findings) => {
            let mut stderr = format!("Validation failed for {shown}:\n");
            for finding in findings {
                stderr.push_str("  - ");
                stderr.push_str(&finding.message);
                stderr.push('\n');
            }
            Answer {
                stderr,
                code: 1,
                ..Answer::default()
            }
        }
        Err(message) => Answer::error(&message),
    }
}

/// Judges a directory as the reference does; an error where it could not be read.
fn findings(directory: &Path) -> Result<Vec<Finding>, String> {
    let whole = |message: String| {
        Ok(vec![Finding {
            message,
            span: prowess_format::Span::default(),
        }])
    };
    if !directory.exists() {
        return whole(format!("Path does not exist: {}", shown(directory)));
    }
    if !directory.is_dir() {
        return whole(format!("Not a directory: {}", shown(directory)));
    }
    let Some(file) = skill_file(directory) else {
        return whole("Missing required file: SKILL.md".to_owned());
    };
    let bytes = read(&file)?;
    Ok(crate::validate(&bytes, &last_part(directory)))
}

fn read_properties(argument: &Path) -> Answer {
    let directory = skill_directory(argument);
    let json = properties(&directory).and_then(|(_, properties)| {
        properties.to_json().ok_or_else(|| {
            "an unquoted `=` or `<<` is no text to the reference; put it in quotes".to_owned()
        })
    });
    match json {
        Ok(json) => Answer::good(json + "\n"),
        Err(message) => Answer::error(&message),
    }
}

fn to_prompt(arguments: &[PathBuf]) -> Answer {
    let mut skills = Vec::with_capacity(arguments.len());
    for argument in arguments {
        let directory = skill_directory(argument);
        match properties(&resolve(&directory)) {
            Ok((file, properties)) => skills.push((properties, shown(&file))),
            Err(message) => return Answer::error(&message),
        }
    }
    let prompt = crate::to_prompt(
        skills
            .iter()
            .map(|(properties, location)| (properties, location.as_str())),
    );
    Answer::good(prompt + "\n")
}

fn properties(directory: &Path) -> Result<(PathBuf, Properties), String> {
    let file = skill_file(directory)
        .ok_or_else(|| format!("SKILL.md not found in {}", shown(directory)))?;
    let bytes = read(&file)?;
    match crate::read_properties(&bytes) {
        Ok(properties) => Ok((file, properties)),
        Err(finding) => Err(finding.message),
    }
}

/// A skill may be named by its file too.
fn skill_directory(argument: &Path) -> PathBuf {
    let path = tidy(argument);
    let names_the_file = last_part(&path).to_lowercase() == "skill.md" && path.is_file();
    match path.parent() {
        Some(parent) if names_the_file && parent.as_os_str().is_empty() => PathBuf::from("."),
        Some(parent) if names_the_file => parent.to_owned(),
        _ => path,
    }
}

/// The path without empty and `.` parts, as Python's `Path` keeps it.
fn tidy(path: &Path) -> PathBuf {
    let text = path.as_os_str().as_encoded_bytes();
    let mut tidied: PathBuf = path.components().collect();
    // `components` drops a leading `.` only when nothing stands before it.
    if let Ok(rest) = tidied.strip_prefix(".") {
        tidied = rest.to_owned();
    }
    // POSIX leaves the meaning of exactly two leading slashes open, so Python keeps them.
    if cfg!(unix) && text.starts_with(b"//") && !text.starts_with(b"///") {
        let mut doubled = OsString::from("/");
        doubled.push(&tidied);
        tidied = doubled.into();
    }
    if tidied.as_os_str().is_empty() {
        tidied.push(".");
    }
    tidied
}

/// The last part of a path; empty for `.` and `/`, and `..` stands for itself.
fn last_part(path: &Path) -> String {
    match path.components().next_back() {
        Some(std::path::Component::Normal(name)) => shown(Path::new(name)),
        Some(std::path::Component::ParentDir) => "..".to_owned(),
        _ => String::new(),
    }
}

/// The path as text; a byte that is no UTF-8 is spelt the way Python spells it.
fn shown(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "\\udc{byte:02x}");
        }
    }
    text
}

fn skill_file(directory: &Path) -> Option<PathBuf> {
    ["SKILL.md", "skill.md"]
        .map(|name| directory.join(name))
        .into_iter()
        .find(|file| file.exists())
        .map(|file| tidy(&file))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the reference reads the one file its caller names, wherever it lies"
)]
fn read(file: &Path) -> Result<Vec<u8>, String> {
    let cannot = |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", shown(file));
    let metadata = fs::metadata(file).map_err(|error| cannot(&error))?;
    // Opening a pipe would wait for a writer.
    if !metadata.is_file() {
        return Err(cannot(&"it is not a regular file"));
    }
    if metadata.len() > LARGEST_FILE {
        return Err(cannot(&"it is larger than 16 MiB"));
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    File::open(file)
        .and_then(|file| file.take(LARGEST_FILE).read_to_end(&mut bytes))
        .map_err(|error| cannot(&error))?;
    Ok(bytes)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the reference prints the place behind links"
)]
fn resolve(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_kept_as_python_keeps_them() {
        let tidied = |path: &str| tidy(Path::new(path)).display().to_string();
        assert_eq!(tidied("a//b/./c/"), "a/b/c");
        assert_eq!(tidied("./a"), "a");
        assert_eq!(tidied("."), ".");
        assert_eq!(tidied("./"), ".");
        assert_eq!(tidied("a/../b"), "a/../b");
        assert_eq!(tidied("/"), "/");
        #[cfg(unix)]
        {
            assert_eq!(tidied("//a"), "//a");
            assert_eq!(tidied("///a"), "/a");
        }
    }

    #[test]
    fn the_last_part_of_a_path_is_its_name() {
        let name = |path: &str| last_part(Path::new(path));
        assert_eq!(name("a/b"), "b");
        assert_eq!(name("."), "");
        assert_eq!(name("/"), "");
        assert_eq!(name("a/.."), "..");
    }
}
