//! The `prowess` command.

use std::{env, ffi::OsString, io, panic, process::ExitCode};

use clap::Parser as _;

use crate::{
    args::Cli,
    config::Config,
    environment::Environment,
    exit::{Exit, Failure},
    load::Session,
    render::Output,
};

// What was asked.
mod args;
mod config;
mod environment;

// How it is done.
mod commands;
mod files;
mod find;
mod load;
mod nearest;
mod servers;
mod trust;
mod write;

// How it is answered.
mod exit;
mod progress;
mod render;

fn main() -> ExitCode {
    exit::tell_panics_plainly();
    panic::catch_unwind(run).unwrap_or(Exit::Failed).into()
}

fn run() -> Exit {
    let arguments: Vec<OsString> = env::args_os().collect();
    // The reference command has its own options and its own `--help`.
    if arguments.get(1).is_some_and(|verb| verb == "skills-ref") {
        let (mut out, mut messages) = (io::stdout().lock(), io::stderr().lock());
        let done = prowess_skills_ref::run(&arguments[2..], &mut out, &mut messages);
        // Without a reader there is no one left to tell.
        return done.map_or(Exit::Failed, Exit::from_code);
    }
    let cli = match Cli::try_parse_from(arguments) {
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
        Err(failure) => {
            eprint!("{}", failure.render(render::paint::Paint::new(false)));
            return failure.exit();
        }
    };
    let mut output = Output::new(&environment, cli.options.color);
    let config = match Config::read(&cli.options, &environment, &mut output) {
        Ok(config) => config,
        Err(failure) => return tell(&failure, &mut output),
    };
    let mut session = Session {
        options: cli.options,
        config,
        environment,
        output,
        host: None,
    };
    let done = commands::run(cli.verb, &mut session)
        .and_then(|exit| session.output.finish().map(|()| exit));
    done.unwrap_or_else(|failure| tell(&failure, &mut session.output))
}

fn tell(failure: &Failure, output: &mut Output) -> Exit {
    // What was already said comes first, if anyone still reads it.
    let _ = output.finish();
    let told = failure.render(output.message_paint);
    output.message(&told);
    failure.exit()
}
