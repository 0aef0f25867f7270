//! A small runtime of the host's own, so that the library forces none on anybody.

use std::{
    io,
    sync::{Mutex, PoisonError, mpsc},
};

use tokio::runtime::{Builder, Handle, Runtime};

/// Runs futures beside the caller, whatever the caller runs on.
#[derive(Debug)]
pub(super) struct HostRuntime {
    handle: Handle,
    runtime: Mutex<Option<Runtime>>,
}

impl HostRuntime {
    pub(super) fn start() -> io::Result<Self> {
        // The work is waiting for others; one thread can do that for many servers.
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("prowess-host")
            .enable_all()
            .build()?;
        Ok(Self {
            handle: runtime.handle().clone(),
            runtime: Mutex::new(Some(runtime)),
        })
    }

    /// Where tasks are started.
    pub(super) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Blocks until the future is done. Unlike `block_on` this works inside another runtime too.
    /// `None` where the future panicked.
    pub(super) fn wait<F>(&self, future: F) -> Option<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.handle.spawn(async move {
            // Nobody waits where the caller is gone.
            let _ = sender.send(future.await);
        });
        receiver.recv().ok()
    }
}

impl Drop for HostRuntime {
    fn drop(&mut self) {
        let runtime = self.runtime.get_mut();
        if let Some(runtime) = runtime.unwrap_or_else(PoisonError::into_inner).take() {
            // Waiting here would panic inside another runtime.
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_works_inside_another_runtime() {
        let other = Builder::new_current_thread().build().unwrap();
        let answer = other.block_on(async {
            let runtime = HostRuntime::start().unwrap();
            runtime.wait(async { 42 })
        });
        assert_eq!(answer, Some(42));
    }
}
