//! The verbs, one file each: its arguments, what it does, and how it is shown.

use std::{ffi::OsString, fmt::Write as _};

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::{
    exit::{Exit, Failure},
    options::Options,
    render::wrap,
    session::Session,
};

pub(crate) mod activate;
pub(crate) mod add;
pub(crate) mod approve;
pub(crate) mod budget;
pub(crate) mod bundle;
pub(crate) mod check;
pub(crate) mod clients;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod drift;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod inject;
pub(crate) mod list;
mod list_client;
mod list_installed;
pub(crate) mod man;
pub(crate) mod new;
pub(crate) mod outdated;
pub(crate) mod prompt;
pub(crate) mod publish;
pub(crate) mod rank;
pub(crate) mod read;
pub(crate) mod remove;
pub(crate) mod resources;
pub(crate) mod rivals;
pub(crate) mod run;
pub(crate) mod select;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod sync;
pub(crate) mod tool;
pub(crate) mod trust;
pub(crate) mod ui;
pub(crate) mod update;
pub(crate) mod verify;
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

impl Cli {
    /// Reads the command line.
    pub(crate) fn read(arguments: Vec<OsString>) -> Result<Self, clap::Error> {
        let command = Self::command();
        // What a name completes to stays as clap knows it; only the list of verbs is ours.
        let template = format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{{all-args}}{{after-help}}",
            groups(&command)
        );
        let mut command = command
            .help_template(template)
            .override_usage("prowess [OPTIONS] <COMMAND>");
        let verbs = command.get_subcommands().map(|it| it.get_name().to_owned());
        for verb in verbs.collect::<Vec<_>>() {
            command = command.mut_subcommand(verb, |verb| verb.hide(true));
        }
        let mut matches = command.try_get_matches_from(arguments)?;
        Self::from_arg_matches_mut(&mut matches)
    }
}

/// The verbs by what one wants, for `--help`: clap lists them in one row.
const GROUPS: [(&str, &[&str]); 7] = [
    (
        "Look at skills",
        &[
            "ui",
            "list",
            "show",
            "resources",
            "read",
            "clients",
            "config",
        ],
    ),
    (
        "Get skills from elsewhere",
        &[
            "add", "sync", "update", "outdated", "verify", "remove", "import", "bundle", "publish",
        ],
    ),
    (
        "Write and check",
        &["new", "check", "explain", "skills-ref"],
    ),
    (
        "Choose, and measure the choice",
        &["select", "why", "rank", "rivals", "eval", "drift"],
    ),
    (
        "Hand to a model",
        &[
            "prompt", "budget", "activate", "context", "inject", "tool", "run", "serve", "export",
        ],
    ),
    ("Decide what may be used", &["trust", "approve"]),
    (
        "Follow, and set up a shell",
        &["watch", "completions", "man"],
    ),
];

/// The columns of the list of verbs.
const HELP_COLUMNS: usize = 80;

/// The list of verbs, group by group; one that is in no group stands at the end.
fn groups(command: &clap::Command) -> String {
    let mut text = String::new();
    let mut group = |title: &str, verbs: &[&clap::Command]| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{title}:");
        for verb in verbs {
            let about = verb.get_about().map(ToString::to_string);
            let lines = wrap(&about.unwrap_or_default(), HELP_COLUMNS - 15);
            for (at, line) in lines.iter().enumerate() {
                let name = if at == 0 { verb.get_name() } else { "" };
                let _ = writeln!(text, "  {name:<12} {line}");
            }
        }
        text.push('\n');
    };
    let of = |name: &&str| command.find_subcommand(name);
    for (title, names) in GROUPS {
        group(title, &names.iter().filter_map(of).collect::<Vec<_>>());
    }
    let known = |it: &&clap::Command| GROUPS.iter().any(|(_, all)| all.contains(&it.get_name()));
    let others: Vec<_> = command.get_subcommands().filter(|it| !known(it)).collect();
    if !others.is_empty() {
        group("More", &others);
    }
    text
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Select(select::Arguments),
    Add(add::Arguments),
    Sync(sync::Arguments),
    Update(update::Arguments),
    Outdated(outdated::Arguments),
    Verify(verify::Arguments),
    Publish(publish::Arguments),
    Remove(remove::Arguments),
    Import(import::Arguments),
    Bundle(bundle::Arguments),
    List(list::Arguments),
    Show(show::Arguments),
    Check(check::Arguments),
    Explain(explain::Arguments),
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
    Run(run::Arguments),
    Serve(serve::Arguments),
    New(new::Arguments),
    Export(export::Arguments),
    Watch(watch::Arguments),
    Ui(ui::Arguments),
    Clients(clients::Arguments),
    Trust(trust::Arguments),
    Approve(approve::Arguments),
    Config(config::Arguments),
    /// Answer as the reference command does: its verdicts, not the words of its YAML errors
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
        Verb::Add(arguments) => add::run(&arguments, session),
        Verb::Sync(arguments) => sync::run(&arguments, session),
        Verb::Update(arguments) => update::run(&arguments, session),
        Verb::Outdated(arguments) => outdated::run(&arguments, session),
        Verb::Publish(arguments) => publish::run(&arguments, session),
        Verb::Verify(arguments) => verify::run(&arguments, session),
        Verb::Remove(arguments) => remove::run(&arguments, session),
        Verb::Import(arguments) => import::run(&arguments, session),
        Verb::Bundle(arguments) => bundle::run(&arguments, session),
        Verb::List(arguments) => list::run(&arguments, session),
        Verb::Show(arguments) => show::run(&arguments, session),
        Verb::Check(arguments) => check::run(&arguments, session),
        Verb::Explain(arguments) => explain::run(&arguments, session),
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
        Verb::Run(arguments) => run::run(&arguments, session),
        Verb::Serve(arguments) => serve::run(&arguments, session),
        Verb::New(arguments) => new::run(&arguments, session),
        Verb::Export(arguments) => export::run(&arguments, session),
        Verb::Watch(arguments) => watch::run(&arguments, session),
        Verb::Ui(arguments) => ui::run(&arguments, session),
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

    #[test]
    fn the_command_line_makes_sense() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_verb_stands_in_one_group() {
        let shown = groups(&Cli::command());
        for verb in Cli::command().get_subcommands() {
            let line = format!("\n  {:<12} ", verb.get_name());
            assert_eq!(shown.matches(&line).count(), 1, "{line}");
        }
    }
}
