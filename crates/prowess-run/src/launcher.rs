//! Inside the launcher: a process that restricts itself, starts the script, and ends with it.
//!
//! Two processes do this. The *outer* one makes namespaces and then only waits: for the script's
//! end, or for the host's (a pipe that the host holds open reaches its end when the host goes,
//! however it goes). The *inner* one is the first process of the new process namespace: it lays
//! out the file system, gives up every privilege, starts the script and reaps its children. When
//! it ends, the kernel ends everything in the namespace, so no child can outlive a run, whether
//! it forked twice or started a session of its own.
//!
//! Where namespaces are not allowed, Landlock and seccomp hold alone, and the outer process hunts
//! down what is left as their subreaper.

#[cfg(target_os = "linux")]
mod confine;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod processes;
#[cfg(target_os = "linux")]
mod syscalls;

use std::sync::atomic::{AtomicBool, Ordering};

/// The first argument of a launcher. Nobody types it.
pub(crate) const ARGUMENT: &str = "__prowess-sandbox";

/// Whether this program can be its own launcher.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// Becomes the launcher if this program was started as one, and comes back otherwise.
///
/// Call it first thing in `main`, before a thread is started: a process with threads cannot enter
/// a user namespace.
pub fn enter() {
    ENTERED.store(true, Ordering::Relaxed);
    #[cfg(target_os = "linux")]
    processes::enter();
}

/// Whether [`enter`] was called, so that starting this program again gives a launcher and not a
/// second host.
pub(crate) fn is_entered() -> bool {
    ENTERED.load(Ordering::Relaxed)
}
