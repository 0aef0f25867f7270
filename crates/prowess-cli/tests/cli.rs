//! The command as a person or a script meets it: standard output, standard error, exit code.
#![expect(
    clippy::disallowed_methods,
    reason = "tests make and read files of their own"
)]

#[path = "cli/world.rs"]
mod world;

#[path = "cli/agent.rs"]
mod agent;
#[path = "cli/check.rs"]
mod check;
#[path = "cli/coming_from.rs"]
mod coming_from;
#[path = "cli/config.rs"]
mod config;
#[path = "cli/docs.rs"]
mod docs;
#[path = "cli/examples.rs"]
mod examples;
#[path = "cli/faults.rs"]
mod faults;
#[path = "cli/files.rs"]
mod files;
#[path = "cli/list.rs"]
mod list;
#[path = "cli/measure.rs"]
mod measure;
#[path = "cli/reference.rs"]
mod reference;
#[path = "cli/rules.rs"]
mod rules;
#[cfg(target_os = "linux")]
#[path = "cli/run.rs"]
mod run;
#[path = "cli/schema.rs"]
mod schema;
#[path = "cli/select.rs"]
mod select;
#[path = "cli/serve.rs"]
mod serve;
#[cfg(unix)]
#[path = "cli/servers.rs"]
mod servers;
#[path = "cli/trust.rs"]
mod trust;
#[path = "cli/watch.rs"]
mod watch;
#[path = "cli/why.rs"]
mod why;
