//! The options that every verb understands.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use prowess::format::Profile;

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

/// Reads the name of a profile, and lists them in `--help`.
pub(crate) fn profile() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::ALL.map(Profile::as_str))
        .try_map(|word| word.parse::<Profile>())
}
