//! The `prowess` command.

use std::{env, ffi::OsString, io, panic, process::ExitCode};

use crate::{
    commands::Cli,
    config::Config,
    environment::Environment,
    exit::{Exit, Failure},
    render::Terminal,
    session::Session,
};

// What was asked.
mod config;
mod environment;
mod options;

// How it is done.
mod commands;
mod files;
mod find;
mod install;
mod nearest;
mod places;
mod servers;
mod session;
mod trust;
mod write;

// How it is answered.
mod exit;
mod progress;
mod render;

fn main() -> ExitCode {
    // Started as the launcher of `prowess run`, this does not come back.
    prowess::run::launcher::enter();
    exit::report_panics_plainly();
    panic::catch_unwind(run).unwrap_or(Exit::Failed).into()
}

fn run() -> Exit {
    let arguments: Vec<OsString> = env::args_os().collect();
    // A shell that asks is answered and nothing else; what goes wrong then has no reader.
    if commands::completions::answer(&arguments).unwrap_or(true) {
        return Exit::Fine;
    }
    // The reference command has its own options and its own `--help`.
    if arguments.get(1).is_some_and(|verb| verb == "skills-ref") {
        let (mut out, mut messages) = (io::stdout().lock(), io::stderr().lock());
        let done = prowess_skills_ref::run(&arguments[2..], &mut out, &mut messages);
        // Without a reader there is no one left to tell.
        return done.map_or(Exit::Failed, Exit::from_code);
    }
    let cli = match Cli::read(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help that nobody reads is no fault.
            let _ = error.print();
            return if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Fine
            };
        }
    };
    let environment = match Environment::read() {
        Ok(environment) => environment,
        Err(error) => {
            let failure = Failure::new("cannot tell the working directory").because(&error);
            eprint!("{}", failure.render(render::Paint::new(false)));
            return failure.exit();
        }
    };
    let mut output = Terminal::new(&environment, cli.options.color);
    let config = match Config::read(&cli.options, &environment, &mut output) {
        Ok(config) => config,
        Err(failure) => return end(&failure, &mut output),
    };
    let mut session = Session {
        options: cli.options,
        config,
        environment,
        output,
        host: None,
    };
    let done = commands::run(cli.verb, &mut session)
        .and_then(|exit| Ok(session.output.finish().map(|()| exit)?));
    done.unwrap_or_else(|failure| end(&failure, &mut session.output))
}

fn end(failure: &Failure, output: &mut Terminal) -> Exit {
    // What was already said comes first, if anyone still reads it.
    let _ = output.finish();
    failure.report(output);
    failure.exit()
}
