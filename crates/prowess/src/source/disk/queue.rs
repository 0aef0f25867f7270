//! Work shared between threads: whoever has too much gives to whoever waits.

use std::sync::{
    Condvar, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

/// Tasks that any thread may take. It ends when no task is left and nobody works who could
/// add one.
#[derive(Debug)]
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    waiting: AtomicUsize,
}

#[derive(Debug)]
struct State<T> {
    tasks: Vec<T>,
    working: usize,
}

impl<T> Queue<T> {
    /// Creates an empty queue.
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::new(State {
                tasks: Vec::new(),
                working: 0,
            }),
            changed: Condvar::new(),
            waiting: AtomicUsize::new(0),
        }
    }

    /// Says that this thread works, until the guard is dropped.
    pub(super) fn work(&self) -> Working<'_, T> {
        self.lock().working += 1;
        Working { queue: self }
    }

    /// Whether a thread waits for something to do.
    pub(super) fn wants_more(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Adds tasks for others.
    pub(super) fn share(&self, tasks: impl IntoIterator<Item = T>) {
        self.lock().tasks.extend(tasks);
        self.changed.notify_all();
    }

    /// Waits for a task; `None` when all work is done.
    pub(super) fn next(&self) -> Option<(T, Working<'_, T>)> {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.tasks.pop() {
                state.working += 1;
                return Some((task, Working { queue: self }));
            }
            if state.working == 0 {
                return None;
            }
            self.waiting.fetch_add(1, Ordering::Relaxed);
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Held by a thread that may still add tasks.
#[derive(Debug)]
pub(super) struct Working<'a, T> {
    queue: &'a Queue<T>,
}

impl<T> Drop for Working<'_, T> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.working -= 1;
        if state.working == 0 && state.tasks.is_empty() {
            self.queue.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn every_task_is_done_once_by_any_number_of_threads() {
        for threads in 1..=4 {
            let queue = Queue::new();
            let done = Mutex::new(Vec::new());
            // Each number below 64 adds two more: a tree of 127 tasks.
            let run = || {
                while let Some((number, _working)) = queue.next() {
                    if number < 64 {
                        queue.share([2 * number, 2 * number + 1]);
                    }
                    done.lock().unwrap().push(number);
                }
            };
            queue.share([1]);
            thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(run);
                }
            });
            let mut done = done.into_inner().unwrap();
            done.sort_unstable();
            assert_eq!(done, (1..128).collect::<Vec<u32>>());
        }
    }
}
