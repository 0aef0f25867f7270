//! `prowess completions`: what a shell needs to complete the command line.

use clap::{Args, CommandFactory as _};
use clap_complete::{Shell, generate};

use super::Cli;
use crate::{
    exit::{Exit, Failure},
    session::Session,
};

/// Print a completion script for a shell
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    // The generator panics where it can not write, so it writes to memory.
    let mut script = Vec::new();
    generate(arguments.shell, &mut Cli::command(), "prowess", &mut script);
    session.output.bytes(&script)?;
    Ok(Exit::Fine)
}
