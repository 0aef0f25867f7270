//! Runs one script so that it touches only what it was given.
//!
//! ```no_run
//! use prowess_run::{Request, Runner, Sandbox};
//!
//! let sandbox = Sandbox::with_launcher("/usr/libexec/prowess-sandbox");
//! let request = Request::new("/skills/pdf", "scripts/fill.py").arg("form.pdf");
//! let answer = sandbox.start(request)?.wait()?;
//! assert!(answer.success());
//! # Ok::<(), prowess_run::RunError>(())
//! ```
//!
//! A run sees the folder it belongs to (read-only), a work folder (writable, not executable),
//! interpreters and libraries (read-only), and nothing else: no home, no network, no other
//! process. Grants widen that by name.
//!
//! The crate has no `unsafe` code, so nothing happens between `fork` and `exec` in the host.
//! Instead the host starts a *launcher*: a program that calls [`launcher::enter`] first thing in
//! `main`, restricts itself, and then starts the script.

// What is asked, and what comes back.
pub use answer::{Answer, Denial, Stop};
pub use grant::{Grant, GrantError};
pub use interpreter::{
    Interpreter, InterpreterError, Search, interpreter_for, interpreter_of, is_script_name,
};
pub use request::{Input, Limits, Request, Stream, WorkFolder};

// Who runs it.
pub use run::{Cancel, Run, RunError, Runner};
pub use sandbox::{Confinement, Sandbox};
pub use unconfined::Unconfined;

mod answer;
mod capture;
mod grant;
mod interpreter;
mod request;
mod run;
mod sandbox;
mod unconfined;

// The other side: inside the launcher.
pub mod launcher;
mod spec;
