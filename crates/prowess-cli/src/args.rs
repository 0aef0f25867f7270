//! The command line: verbs, and the options they share.

use std::{ffi::OsString, num::NonZeroUsize, path::PathBuf};

use clap::{
    Args, Parser, Subcommand, ValueEnum, builder::PossibleValuesParser,
    builder::TypedValueParser as _,
};
use prowess::format::Profile;

use crate::commands;

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

/// Options every verb understands.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Where to look")]
pub(crate) struct Options {
    /// Look into this folder too; repeat it to name more, the later one wins a name
    #[arg(long, short = 'd', global = true, value_name = "DIR")]
    pub(crate) dir: Vec<PathBuf>,
    /// Look for the project's skills from here instead of the working directory
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Read skills from a catalog that `prowess export` wrote; can be repeated
    #[arg(long, global = true, value_name = "FILE.jsonl")]
    pub(crate) catalog: Vec<PathBuf>,
    /// Look only where this client looks (`why` asks only this client)
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) client: Option<String>,
    /// Leave out the user's and the machine's folders
    #[arg(long, global = true)]
    pub(crate) local: bool,
    /// Leave out the project's folders
    #[arg(long, global = true)]
    pub(crate) no_project: bool,
    /// Read `AGENTS.md` and its like as skills (on by itself with `--root`)
    #[arg(long, global = true)]
    pub(crate) conventions: bool,
    /// Follow links that lead into this folder; can be repeated
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) allow_link: Vec<PathBuf>,
    /// Trust the project's skills for this run
    #[arg(long, global = true)]
    pub(crate) trust: bool,
    /// Use the skills of this MCP server too: a URL, `LABEL=URL` or `'LABEL=COMMAND ARGS'`
    #[arg(
        long,
        global = true,
        value_name = "SERVER",
        conflicts_with = "no_servers"
    )]
    pub(crate) server: Vec<String>,
    /// Leave out the MCP servers of the config (`--local` does so too)
    #[arg(long, global = true)]
    pub(crate) no_servers: bool,
    /// Use no skills at all
    #[arg(long, global = true)]
    pub(crate) no_skills: bool,
    /// Read this config and no other
    #[arg(long, global = true, value_name = "FILE", help_heading = "How to run")]
    pub(crate) config: Option<PathBuf>,
    /// Read with this many threads
    #[arg(long, global = true, value_name = "N", help_heading = "How to run")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Read every skill from its own file, and keep nothing for the next run
    #[arg(long, global = true, help_heading = "How to run")]
    pub(crate) no_cache: bool,
    /// Colour the output
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        help_heading = "How to run"
    )]
    pub(crate) color: Color,
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal.
    #[default]
    Auto,
    /// Even in a pipe.
    Always,
    /// Not at all.
    Never,
}

/// What to do; each verb is one file in `commands`.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Select(commands::select::Arguments),
    List(commands::list::Arguments),
    Show(commands::show::Arguments),
    Check(commands::check::Arguments),
    Why(commands::why::Arguments),
    Rank(commands::rank::Arguments),
    Eval(commands::eval::Arguments),
    Drift(commands::drift::Arguments),
    Rivals(commands::rivals::Arguments),
    Activate(commands::activate::Arguments),
    Context(commands::context::Arguments),
    Inject(commands::inject::Arguments),
    Tool(commands::tool::Arguments),
    Prompt(commands::prompt::Arguments),
    Budget(commands::budget::Arguments),
    Read(commands::read::Arguments),
    Resources(commands::resources::Arguments),
    Serve(commands::serve::Arguments),
    New(commands::new::Arguments),
    Export(commands::export::Arguments),
    Watch(commands::watch::Arguments),
    Clients(commands::clients::Arguments),
    Trust(commands::trust::Arguments),
    Approve(commands::approve::Arguments),
    Config(commands::config::Arguments),
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
    Completions(commands::completions::Arguments),
    Man(commands::man::Arguments),
}

/// Reads the name of a profile, and lists them in `--help`.
pub(crate) fn profile() -> impl clap::builder::TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::ALL.map(Profile::as_str))
        .try_map(|word| word.parse::<Profile>())
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
