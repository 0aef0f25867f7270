//! One file per verb.

use crate::{
    args::Verb,
    exit::{Exit, Failure},
    load::Session,
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
