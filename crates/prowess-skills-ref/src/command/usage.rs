//! The reference's command line: what it accepts, and how it says no.
//!
//! The reference leaves this to a library, `click`, whose order of checks and words are
//! kept here: options are refused where they stand, `--help` comes before missing and
//! surplus arguments, and a path has to exist before the surplus is counted.

use std::{
    ffi::{OsStr, OsString},
    fmt::Write as _,
    fs::{self, File},
    path::PathBuf,
};

use super::close::close_matches;
use crate::quoted;

/// What the command line asks for.
pub(super) enum Request {
    /// A text for standard output; all is well.
    Print(String),
    /// A text for standard error; exit code 2.
    Refuse(String),
    /// A command with paths that exist: one, or at least one for `to-prompt`.
    Run(Command, Vec<PathBuf>),
}

/// The reference's commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    ReadProperties,
    ToPrompt,
    Validate,
}

impl Command {
    const ALL: [Self; 3] = [Self::ReadProperties, Self::ToPrompt, Self::Validate];

    fn name(self) -> &'static str {
        match self {
            Self::ReadProperties => "read-properties",
            Self::ToPrompt => "to-prompt",
            Self::Validate => "validate",
        }
    }

    fn argument(self) -> &'static str {
        match self {
            Self::ToPrompt => "SKILL_PATHS...",
            Self::ReadProperties | Self::Validate => "SKILL_PATH",
        }
    }

    fn summary(self) -> &'static str {
        match self {
            Self::ReadProperties => "Read and print skill properties as JSON.",
            Self::ToPrompt => "Generate <available_skills> XML for agent prompts.",
            Self::Validate => "Validate a skill directory.",
        }
    }

    /// The paragraphs of its help, wrapped at 80 columns.
    fn details(self) -> &'static str {
        match self {
            Self::ReadProperties => {
                "  Parses the YAML frontmatter from SKILL.md and outputs the properties as\n  \
                 JSON.\n\n  \
                 Exit codes:     0: Success     1: Parse error\n"
            }
            Self::ToPrompt => {
                "  Accepts one or more skill directories.\n\n  \
                 Exit codes:     0: Success     1: Error\n"
            }
            Self::Validate => {
                "  Checks that the skill has a valid SKILL.md with proper frontmatter, correct\n  \
                 naming conventions, and required fields.\n\n  \
                 Exit codes:     0: Valid skill     1: Validation errors found\n"
            }
        }
    }
}

/// Reads the arguments after the program's name.
pub(super) fn parse(args: &[OsString]) -> Request {
    if args.is_empty() {
        return Request::Refuse(help(None));
    }
    match parse_group(args, true) {
        Ok(request) | Err(request) => request,
    }
}

/// Options before the command. Each step that ends the run early does so with `Err`.
fn parse_group(args: &[OsString], dashes_end_options: bool) -> Result<Request, Request> {
    let mut first = None;
    let mut rest = args.iter();
    let mut ended = false;
    let name = loop {
        let Some(arg) = rest.next() else {
            break None;
        };
        if !ended && dashes_end_options && arg == "--" {
            ended = true;
        } else if !ended && is_option(arg) {
            let option = take_option(None, arg, &["--help", "--version"])?;
            first.get_or_insert(option);
        } else {
            break Some(arg);
        }
    };
    match first {
        Some("--help") => return Ok(Request::Print(help(None))),
        Some(_) => return Ok(Request::Print("skills-ref, version 0.1.0\n".to_owned())),
        None => {}
    }
    let Some(name) = name else {
        return Err(refuse(None, "Missing command."));
    };
    let text = name.to_string_lossy();
    let known = Command::ALL
        .into_iter()
        .find(|command| command.name() == text);
    match known {
        Some(command) => parse_command(command, rest.as_slice()),
        // What looks like an option behind `--` is tried as one before it is given up.
        None if ended && is_option(name) && text != "--" => {
            parse_group(std::slice::from_ref(name), false)
        }
        None => {
            let names = Command::ALL.map(Command::name);
            let message = format!("No such command {}.{}", quoted(&text), hint(&text, &names));
            Err(refuse(None, &message))
        }
    }
}

/// Options and paths of one command, in any order.
fn parse_command(command: Command, args: &[OsString]) -> Result<Request, Request> {
    let mut paths = Vec::new();
    let mut wants_help = false;
    let mut ended = false;
    for arg in args {
        if !ended && arg == "--" {
            ended = true;
        } else if !ended && is_option(arg) {
            take_option(Some(command), arg, &["--help"])?;
            wants_help = true;
        } else {
            paths.push(PathBuf::from(arg));
        }
    }
    if wants_help {
        return Ok(Request::Print(help(Some(command))));
    }
    let refuse = |message: &str| refuse(Some(command), message);
    let argument = command.argument();
    if paths.is_empty() {
        return Err(refuse(&format!("Missing argument '{argument}'.")));
    }
    let taken = match command {
        Command::ToPrompt => paths.len(),
        Command::ReadProperties | Command::Validate => 1,
    };
    for path in &paths[..taken] {
        if let Some(problem) = problem_with(path) {
            return Err(refuse(&format!(
                "Invalid value for '{argument}': Path {} {problem}.",
                quoted(&path.to_string_lossy())
            )));
        }
    }
    let surplus: Vec<_> = paths[taken..]
        .iter()
        .map(|path| path.to_string_lossy())
        .collect();
    if surplus.is_empty() {
        return Ok(Request::Run(command, paths));
    }
    let ending = if surplus.len() == 1 { "" } else { "s" };
    let surplus = surplus.join(" ");
    Err(refuse(&format!(
        "Got unexpected extra argument{ending} ({surplus})"
    )))
}

fn is_option(arg: &OsStr) -> bool {
    let bytes = arg.as_encoded_bytes();
    bytes.len() > 1 && bytes[0] == b'-'
}

/// Matches an option against those that exist; all of them are switches.
fn take_option(
    command: Option<Command>,
    arg: &OsStr,
    known: &[&'static str],
) -> Result<&'static str, Request> {
    let text = arg.to_string_lossy();
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (&*text, None),
    };
    match known.iter().find(|known| **known == name) {
        Some(_) if value.is_some() => Err(Request::Refuse(format!(
            "Error: Option '{name}' does not take a value.\n"
        ))),
        Some(known) => Ok(known),
        None if name.starts_with("--") => {
            let message = format!("No such option {}.{}", quoted(name), hint(name, known));
            Err(refuse(command, &message))
        }
        // A single dash starts a run of letters, and the first one is already unknown.
        None => {
            let letter: String = text.chars().take(2).collect();
            let message = format!("No such option {}.", quoted(&letter));
            Err(refuse(command, &message))
        }
    }
}

/// A suggestion to stand behind a refused word, with the space before it.
fn hint(word: &str, known: &[&str]) -> String {
    let mut close = close_matches(word, known);
    close.sort_unstable();
    let quoted: Vec<_> = close.iter().map(|word| format!("'{word}'")).collect();
    match &quoted[..] {
        [] => String::new(),
        [one] => format!(" Did you mean {one}?"),
        several => format!(" (Did you mean one of: {}?)", several.join(", ")),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the reference looks at the path its caller names before it reads anything"
)]
fn problem_with(path: &std::path::Path) -> Option<&'static str> {
    let Ok(metadata) = fs::metadata(path) else {
        return Some("does not exist");
    };
    let readable = if metadata.is_dir() {
        fs::read_dir(path).is_ok()
    } else {
        !metadata.is_file() || File::open(path).is_ok()
    };
    (!readable).then_some("is not readable")
}

fn usage(command: Option<Command>) -> String {
    match command {
        None => "Usage: skills-ref [OPTIONS] COMMAND [ARGS]...\n".to_owned(),
        Some(command) => format!(
            "Usage: skills-ref {} [OPTIONS] {}\n",
            command.name(),
            command.argument()
        ),
    }
}

fn refuse(command: Option<Command>, message: &str) -> Request {
    let called = command.map_or(String::new(), |command| format!(" {}", command.name()));
    Request::Refuse(format!(
        "{}Try 'skills-ref{called} --help' for help.\n\nError: {message}\n",
        usage(command)
    ))
}

fn help(command: Option<Command>) -> String {
    let mut text = usage(command);
    if let Some(command) = command {
        let _ = write!(
            text,
            "\n  {}\n\n{}\nOptions:\n  --help  Show this message and exit.\n",
            command.summary(),
            command.details()
        );
        return text;
    }
    text.push_str(
        "\n  Reference library for Agent Skills.\n\nOptions:\n  \
         --version  Show the version and exit.\n  \
         --help     Show this message and exit.\n\nCommands:\n",
    );
    for command in Command::ALL {
        let _ = writeln!(text, "  {:<15}  {}", command.name(), command.summary());
    }
    text
}
