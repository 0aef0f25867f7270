//! `prowess completions`: what a shell needs to complete the command line.
//!
//! The script asks the command itself, so that names of skills and clients complete too.

use std::{ffi::OsString, io};

use clap::{Args, Command, CommandFactory as _, Id, ValueEnum};
use clap_complete::{
    CompleteEnv,
    engine::{ArgValueCandidates, CompletionCandidate},
    env::Shells,
};
use prowess::{Skill, display_text, format::rules};

use super::Cli;
use crate::{
    config::Config,
    environment::Environment,
    exit::{Exit, Failure},
    options::Options,
    places::Request,
    render::Terminal,
    session::Session,
};

/// Print a completion script for a shell
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

/// Set by the scripts to the shell that asks.
const VARIABLE: &str = "PROWESS_COMPLETE";

/// The arguments that take the name of a skill, by verb.
const SKILLS: [(&str, &str); 16] = [
    ("show", "name"),
    ("why", "name"),
    ("resources", "name"),
    ("read", "name"),
    ("activate", "name"),
    ("context", "name"),
    ("context", "generalist"),
    ("prompt", "names"),
    ("prompt", "pin"),
    ("budget", "pin"),
    ("budget", "names_only"),
    ("trust", "what"),
    ("run", "name"),
    ("update", "names"),
    ("verify", "names"),
    ("remove", "names"),
];

/// The arguments that take the code of a rule.
const CODES: [(&str, &str); 2] = [("check", "rule"), ("explain", "code")];

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let shell = arguments.shell.to_possible_value();
    let shell = shell.as_ref().map_or("", |it| it.get_name());
    let mut script = Vec::new();
    if let Some(completer) = Shells::builtins().completer(shell) {
        completer.write_registration(VARIABLE, "prowess", "prowess", "prowess", &mut script)?;
    }
    session.output.bytes(&script)?;
    Ok(Exit::Fine)
}

/// Answers a shell that asks what an argument could be; `false` where none asks.
pub(crate) fn answer(arguments: &[OsString]) -> io::Result<bool> {
    let here = Environment::read().map(|it| it.working_directory);
    CompleteEnv::with_factory(completing)
        .var(VARIABLE)
        .try_complete(arguments.iter().cloned(), here.ok().as_deref())
        .map_err(io::Error::other)
}

/// The command line with what its arguments could be.
fn completing() -> Command {
    let candidates = |verb: &str, argument: &Id| {
        let is = |(of, name): &(&str, &str)| *of == verb && argument == name;
        if argument == "client" {
            Some(ArgValueCandidates::new(clients))
        } else if SKILLS.iter().any(is) {
            Some(ArgValueCandidates::new(skills))
        } else if CODES.iter().any(is) {
            Some(ArgValueCandidates::new(codes))
        } else {
            None
        }
    };
    let with = |command: Command| {
        let verb = command.get_name().to_owned();
        command.mut_args(|it| match candidates(&verb, it.get_id()) {
            Some(candidates) => it.add(candidates),
            None => it,
        })
    };
    with(Cli::command()).mut_subcommands(with)
}

/// A run without options and without a word, to look things up in.
fn quiet_session() -> Option<Session> {
    let environment = Environment::read().ok()?;
    let options = Options::default();
    let mut output = Terminal::new(&environment, options.color).quiet();
    let config = Config::read(&options, &environment, &mut output).unwrap_or_default();
    Some(Session {
        options,
        config,
        environment,
        output,
        host: None,
    })
}

fn skills() -> Vec<CompletionCandidate> {
    let request = Request {
        local: true,
        ..Request::default()
    };
    let catalog = quiet_session().and_then(|mut session| session.load(&request).ok());
    let skills = catalog.iter().flat_map(prowess::Catalog::skills);
    let mut names: Vec<String> = skills.map(Skill::name).map(display_text).collect();
    names.dedup();
    names.into_iter().map(CompletionCandidate::new).collect()
}

fn clients() -> Vec<CompletionCandidate> {
    let Some(session) = quiet_session() else {
        return Vec::new();
    };
    let clients = session.config.clients.iter();
    clients
        .map(|it| CompletionCandidate::new(&it.name))
        .collect()
}

fn codes() -> Vec<CompletionCandidate> {
    let codes = rules::ALL.iter().map(|rule| rule.code);
    codes.map(CompletionCandidate::new).collect()
}
