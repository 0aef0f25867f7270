//! The log on standard error: for people or for machines, and how much of it.

use std::io;

use clap::ValueEnum;
use tracing::{Level, level_filters::LevelFilter};
use tracing_subscriber::{filter::Targets, fmt, prelude::*};

use super::Arguments;
use crate::session::Session;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Log {
    /// For people
    #[default]
    Text,
    /// One object per line
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
}

/// Starts the log on standard error.
pub(super) fn start(arguments: &Arguments, session: &mut Session) {
    let usual = if arguments.http.is_some() {
        LogLevel::Info
    } else {
        LogLevel::Warn
    };
    let level = match arguments.log_level.unwrap_or(usual) {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => Level::ERROR.into(),
        LogLevel::Warn => Level::WARN.into(),
        LogLevel::Info => Level::INFO.into(),
        LogLevel::Debug => Level::DEBUG.into(),
    };
    // What the libraries below say on their own is for those who look for faults there.
    let others = if level == Level::DEBUG {
        LevelFilter::WARN
    } else {
        LevelFilter::OFF
    };
    let wanted = Targets::new()
        .with_default(others)
        // It calls it an error that a client leaves before its answer.
        .with_target("rmcp::service", LevelFilter::OFF)
        .with_target("prowess", level)
        .with_target("prowess_mcp", level);
    let registry = tracing_subscriber::registry().with(wanted);
    let colored = session.environment.stderr_terminal && !session.environment.plain;
    // A log that is already there keeps running.
    let _ = match arguments.log {
        Log::Text => registry
            .with(fmt::layer().with_writer(io::stderr).with_ansi(colored))
            .try_init(),
        Log::Json => registry
            .with(
                fmt::layer()
                    .json()
                    .flatten_event(true)
                    .with_writer(io::stderr),
            )
            .try_init(),
    };
    if session.environment.stdin_terminal && arguments.http.is_none() {
        session.output.hint(
            "a client starts this command and talks to it; `--print-config CLIENT` tells how to set one up",
        );
    }
}
