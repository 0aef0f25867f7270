//! Who runs a request, and a run that is under way.

use std::{
    future::Future,
    io,
    path::PathBuf,
    pin::Pin,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
    thread,
};

use crate::{Answer, InterpreterError, Request};

/// Runs scripts. Ours is [`crate::Sandbox`]; a host brings its own for a container or another
/// machine.
pub trait Runner: Send + Sync {
    /// Starts a run. What can be seen to be wrong before it starts is an error here.
    fn start(&self, request: Request) -> Result<Run, RunError>;

    /// Says in a line each what a run of this request would be allowed.
    fn describe(&self, request: &Request) -> Result<Vec<String>, RunError>;
}

/// Why a script was not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Its path leaves the folder it belongs to, or is no plain file in it.
    #[error("`{}` is not a file inside `{}`", script.display(), folder.display())]
    NotInside {
        /// What was asked for.
        script: PathBuf,
        /// The folder it has to lie in.
        folder: PathBuf,
    },
    /// Nothing here can run it.
    #[error(transparent)]
    Interpreter(#[from] InterpreterError),
    /// This machine cannot confine a run as asked.
    #[error("no sandbox on this machine: {reason}")]
    NoSandbox {
        /// What is missing.
        reason: String,
    },
    /// A path that was granted cannot be given.
    #[error("cannot grant `{grant}`: {reason}")]
    Grant {
        /// The grant.
        grant: String,
        /// Why not.
        reason: String,
    },
    /// The launcher could not be started, or ended before the script.
    #[error("cannot start `{}`", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// The sandbox could not be set up; the script did not run.
    #[error("cannot set up the sandbox: {reason}")]
    SetUp {
        /// The step and its reason.
        reason: String,
    },
    /// The work folder could not be made or used.
    #[error("cannot use the work folder `{}`", path.display())]
    Work {
        /// The folder.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
}

/// Tells a run that nobody wants it any more. Clones speak of the same run.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the run to end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether somebody asked.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// A run under way: waited for by [`Run::wait`] or by `.await`, ended by dropping it.
///
/// It needs no async runtime: a thread of its own waits for the script and wakes whoever polls.
#[derive(Debug)]
#[must_use = "a run that is dropped is killed"]
pub struct Run {
    cancel: Cancel,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    result: Option<Result<Answer, RunError>>,
    waker: Option<Waker>,
}

impl Run {
    /// Makes a run of a function that waits for its end. It looks at the [`Cancel`] it is given
    /// and comes back soon once that is cancelled, with everything it started gone.
    pub fn spawn(work: impl FnOnce(&Cancel) -> Result<Answer, RunError> + Send + 'static) -> Run {
        let cancel = Cancel::default();
        let shared = Arc::new(Shared::default());
        let (theirs, out) = (cancel.clone(), Arc::clone(&shared));
        thread::spawn(move || {
            let result = work(&theirs);
            let waker = {
                let mut state = out.state.lock().unwrap_or_else(PoisonError::into_inner);
                state.result = Some(result);
                state.waker.take()
            };
            out.ended.notify_all();
            if let Some(waker) = waker {
                waker.wake();
            }
        });
        Run { cancel, shared }
    }

    /// Waits for the end.
    pub fn wait(self) -> Result<Answer, RunError> {
        let mut state = self
            .shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(result) = state.result.take() {
                return result;
            }
            state = self
                .shared
                .ended
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A handle that ends the run from elsewhere.
    pub fn canceller(&self) -> Cancel {
        self.cancel.clone()
    }
}

impl Future for Run {
    type Output = Result<Answer, RunError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self
            .shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match state.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
