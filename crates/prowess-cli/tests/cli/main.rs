//! The command as a person or a script meets it: standard output, standard error, exit code.
#![expect(
    clippy::disallowed_methods,
    reason = "tests make and read files of their own"
)]

mod world;

mod agent;
mod archive;
mod check;
mod coming_from;
mod config;
mod docs;
mod examples;
mod faults;
mod files;
mod import;
mod install;
#[cfg(target_os = "linux")]
mod interrupted;
mod list;
mod measure;
mod plugins;
mod reference;
#[cfg(target_os = "linux")]
mod round_trip;
mod rules;
#[cfg(target_os = "linux")]
mod run;
mod schema;
mod select;
mod serve;
#[cfg(target_os = "linux")]
mod server;
#[cfg(unix)]
mod servers;
mod trust;
mod ui;
mod watch;
mod web;
mod why;
