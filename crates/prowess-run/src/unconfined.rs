//! A run without a sandbox, for those who say so each time.

use std::{
    ffi::OsString,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use crate::{
    Answer, Request, Run, RunError, Runner, Search, Stop,
    answer::denials,
    capture, interpreter_of,
    sandbox::{Work, resolve},
};

/// Runs scripts with all the rights of the user. Only time and output are bounded.
#[derive(Debug, Clone, Default)]
pub struct Unconfined {
    path: Option<OsString>,
}

/// How often a run is looked at.
const LOOK: Duration = Duration::from_millis(10);

impl Unconfined {
    /// Finds interpreters by this `PATH`.
    pub fn new(path: Option<OsString>) -> Self {
        Unconfined { path }
    }
}

impl Runner for Unconfined {
    fn start(&self, request: Request) -> Result<Run, RunError> {
        let (folder, script) = resolve(&request)?;
        let interpreter = interpreter_of(&script, &Search::new(self.path.as_deref()))?;
        let work = Work::open(&request.work)?;
        let mut command = Command::new(&interpreter.program);
        command
            .args(&interpreter.args)
            .arg(&script)
            .args(&request.args)
            .envs(&request.env)
            .env("SKILL_DIR", folder)
            .current_dir(&work.path);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let started = Instant::now();
        let (mut child, stdout, stderr) =
            capture::spawn(&mut command, &request).map_err(|source| RunError::Start {
                program: interpreter.program.clone(),
                source,
            })?;
        Ok(Run::spawn(move |cancel| {
            // Named whole, so that the closure keeps the folder and not only two of its fields.
            let work = &work;
            let failed = |source| RunError::Start {
                program: interpreter.program.clone(),
                source,
            };
            let stop = loop {
                if let Some(status) = child.try_wait().map_err(failed)? {
                    break stop_of(status);
                }
                if cancel.is_cancelled() {
                    break Stop::Cancelled;
                }
                if started.elapsed() >= request.limits.time {
                    break Stop::TimedOut;
                }
                thread::sleep(LOOK);
            };
            #[cfg(unix)]
            {
                use rustix::process::{Pid, Signal, kill_process_group};
                let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
            }
            let _ = child.kill();
            let _ = child.wait();
            let patience = Duration::from_millis(200);
            let (stdout, out_dropped) = stdout.end(patience);
            let (stderr, err_dropped) = stderr.end(patience);
            Ok(Answer {
                denied: denials(&stderr, |_| false),
                stop,
                stdout,
                stderr,
                dropped: (out_dropped, err_dropped),
                time: started.elapsed(),
                work: work.stays.then(|| work.path.clone()),
                confinement: vec!["none".to_owned()],
            })
        }))
    }

    fn describe(&self, request: &Request) -> Result<Vec<String>, RunError> {
        let (_, script) = resolve(request)?;
        let interpreter = interpreter_of(&script, &Search::new(self.path.as_deref()))?;
        Ok(vec![
            format!(
                "program: {} {}",
                interpreter.program.display(),
                script.display()
            ),
            "no sandbox: it can do whatever you can".to_owned(),
            format!("limits: {} s", request.limits.time.as_secs()),
        ])
    }
}

fn stop_of(status: std::process::ExitStatus) -> Stop {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Stop::Signal { signal };
    }
    Stop::Exit {
        code: status.code().unwrap_or(1),
    }
}
