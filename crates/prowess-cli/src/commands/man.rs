//! `prowess man`: the manual page, every verb and option included.

use std::io::Write as _;

use clap::{Arg, Args, Command, CommandFactory as _, Id};

use super::Cli;
use crate::{
    exit::{Exit, Failure},
    session::Session,
};

/// Print the manual page (`prowess man | man -l -`)
#[derive(Debug, Args)]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(command.clone());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    writeln!(page, ".SH VERBS")?;
    for verb in command
        .get_subcommands()
        .filter(|verb| verb.get_name() != "help")
    {
        self::verb(&command, verb, &mut page)?;
    }
    man.render_options_section(&mut page)?;
    man.render_extra_section(&mut page)?;
    man.render_version_section(&mut page)?;
    session.output.bytes(&page)?;
    Ok(Exit::Fine)
}

fn verb(whole: &Command, verb: &Command, page: &mut Vec<u8>) -> Result<(), Failure> {
    let usage = verb.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    writeln!(page, ".SS {}", escaped(usage))?;
    let about = verb
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    writeln!(page, "{}", escaped(&about))?;
    // Options that every verb has are described once, below.
    let shared = |id: &Id| whole.get_arguments().any(|it| it.get_id() == id);
    let own = |argument: &&Arg| !shared(argument.get_id()) && argument.get_id() != "help";
    for argument in verb.get_arguments().filter(own) {
        let help = argument
            .get_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        writeln!(page, ".TP\n\\fB{}\\fR", escaped(&argument.to_string()))?;
        writeln!(page, "{}", escaped(&help))?;
    }
    Ok(())
}

/// Text that starts no request and keeps its hyphens.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('-', "\\-");
    match text.chars().next() {
        Some('.' | '\'') => format!("\\&{text}"),
        _ => text,
    }
}
