//! The verbs, one file each: its arguments, what it does, and how it is shown.

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use crate::{
    exit::{Exit, Failure},
    options::Options,
    session::Session,
};

pub(crate) mod activate;
pub(crate) mod approve;
pub(crate) mod budget;
pub(crate) mod check;
pub(crate) mod clients;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod drift;
pub(crate) mod eval;
pub(crate) mod export;
pub(crate) mod inject;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod new;
pub(crate) mod prompt;
pub(crate) mod rank;
pub(crate) mod read;
pub(crate) mod resources;
pub(crate) mod rivals;
pub(crate) mod select;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod tool;
pub(crate) mod trust;
pub(crate) mod watch;
pub(crate) mod why;

/// Finds Agent Skills, says exactly what is wrong with them, and hands them to a model.
#[derive(Debug, Parser)]
#[command(name = "prowess", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 fine, 1 findings or no match, 2 usage, 3 could not run.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Select(select::Arguments),
    List(list::Arguments),
    Show(show::Arguments),
    Check(check::Arguments),
    Why(why::Arguments),
    Rank(rank::Arguments),
    Eval(eval::Arguments),
    Drift(drift::Arguments),
    Rivals(rivals::Arguments),
    Activate(activate::Arguments),
    Context(context::Arguments),
    Inject(inject::Arguments),
    Tool(tool::Arguments),
    Prompt(prompt::Arguments),
    Budget(budget::Arguments),
    Read(read::Arguments),
    Resources(resources::Arguments),
    Serve(serve::Arguments),
    New(new::Arguments),
    Export(export::Arguments),
    Watch(watch::Arguments),
    Clients(clients::Arguments),
    Trust(trust::Arguments),
    Approve(approve::Arguments),
    Config(config::Arguments),
    /// Stand in for the reference command: validate, read-properties, to-prompt
    #[command(disable_help_flag = true)]
    SkillsRef {
        /// What the reference command takes
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "ARGS"
        )]
        arguments: Vec<OsString>,
    },
    Completions(completions::Arguments),
    Man(man::Arguments),
}

/// Does what was asked.
pub(crate) fn run(verb: Verb, session: &mut Session) -> Result<Exit, Failure> {
    match verb {
        Verb::Select(arguments) => select::run(&arguments, session),
        Verb::List(arguments) => list::run(&arguments, session),
        Verb::Show(arguments) => show::run(&arguments, session),
        Verb::Check(arguments) => check::run(&arguments, session),
        Verb::Why(arguments) => why::run(&arguments, session),
        Verb::Rank(arguments) => rank::run(&arguments, session),
        Verb::Eval(arguments) => eval::run(&arguments, session),
        Verb::Drift(arguments) => drift::run(&arguments, session),
        Verb::Rivals(arguments) => rivals::run(&arguments, session),
        Verb::Activate(arguments) => activate::run(&arguments, session),
        Verb::Context(arguments) => context::run(&arguments, session),
        Verb::Inject(arguments) => inject::run(&arguments, session),
        Verb::Tool(arguments) => tool::run(&arguments, session),
        Verb::Prompt(arguments) => prompt::run(&arguments, session),
        Verb::Budget(arguments) => budget::run(&arguments, session),
        Verb::Read(arguments) => read::run(&arguments, session),
        Verb::Resources(arguments) => resources::run(&arguments, session),
        Verb::Serve(arguments) => serve::run(&arguments, session),
        Verb::New(arguments) => new::run(&arguments, session),
        Verb::Export(arguments) => export::run(&arguments, session),
        Verb::Watch(arguments) => watch::run(&arguments, session),
        Verb::Clients(arguments) => clients::run(&arguments, session),
        Verb::Trust(arguments) => trust::run(&arguments, session),
        Verb::Approve(arguments) => approve::run(&arguments, session),
        Verb::Config(arguments) => config::run(&arguments, session),
        Verb::SkillsRef { arguments } => {
            let (out, messages) = session.output.streams();
            let code = prowess_skills_ref::run(&arguments, out, messages)?;
            Ok(Exit::from_code(code))
        }
        Verb::Completions(arguments) => completions::run(&arguments, session),
        Verb::Man(arguments) => man::run(&arguments, session),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_makes_sense() {
        Cli::command().debug_assert();
    }
}
