//! The host's side of a confined run: what the script will see, and waiting for it.

#![expect(
    clippy::disallowed_methods,
    reason = "work folders are made and measured, scripts looked at in their place"
)]

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs,
    path::{Component, Path, PathBuf},
};

use crate::{
    Grant, Interpreter, Limits, Request, Run, RunError, Runner, Search, WorkFolder,
    interpreter::SYSTEM_FOLDERS, interpreter_of, launcher, spec::Spec,
};

/// Runs scripts on this machine, confined. Linux only; elsewhere it refuses.
#[derive(Debug, Clone)]
pub struct Sandbox {
    launcher: PathBuf,
    confinement: Confinement,
    namespaces: bool,
    environment: BTreeMap<OsString, OsString>,
}

/// How much of the confinement has to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Confinement {
    /// Landlock of version 4 or newer and seccomp, or the run is refused.
    #[default]
    Required,
    /// What this kernel has; [`crate::Answer::confinement`] says what that was.
    BestEffort,
}

/// Files below `/etc` that libraries and interpreters ask for. Not `/etc` as a whole: as the
/// superuser a run could read every secret in it.
#[rustfmt::skip]
const CONFIGURATION: [&str; 17] = [
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime", "/etc/timezone",
    "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/pki/tls/certs", "/etc/alternatives",
    "/etc/nsswitch.conf", "/etc/mime.types", "/etc/magic", "/etc/passwd", "/etc/group", "/etc/terminfo",
    "/etc/fonts",
];

/// What a run that has the network also needs.
const NET_CONFIGURATION: [&str; 5] = [
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/services",
];

impl Sandbox {
    /// Uses the program at `launcher`, which calls [`launcher::enter`].
    pub fn with_launcher(launcher: impl Into<PathBuf>) -> Self {
        Sandbox {
            launcher: launcher.into(),
            confinement: Confinement::default(),
            namespaces: true,
            environment: std::env::vars_os().collect(),
        }
    }

    /// Uses this very program, if it called [`launcher::enter`] when it started.
    pub fn this_program() -> Result<Self, RunError> {
        if !launcher::is_entered() {
            return Err(RunError::NoSandbox {
                reason: "this program does not call `prowess_run::launcher::enter` when it starts"
                    .to_owned(),
            });
        }
        let program = std::env::current_exe().map_err(|source| RunError::Start {
            program: "this program".into(),
            source,
        })?;
        Ok(Sandbox::with_launcher(program))
    }

    /// Says how much has to hold.
    #[must_use]
    pub fn confinement(mut self, confinement: Confinement) -> Self {
        self.confinement = confinement;
        self
    }

    /// Leaves namespaces out, as on a machine that does not allow them: Landlock and seccomp hold
    /// alone, and changing modes, owners and times is refused everywhere.
    #[must_use]
    pub fn without_namespaces(mut self) -> Self {
        self.namespaces = false;
        self
    }

    /// Sets the environment that `env:NAME` grants take values from, and `PATH` for finding
    /// interpreters; this process's own otherwise.
    #[must_use]
    pub fn environment(
        mut self,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        self.environment = environment.into_iter().collect();
        self
    }

    fn search(&self) -> Search {
        Search::new(
            self.environment
                .get(OsStr::new("PATH"))
                .map(OsString::as_os_str),
        )
    }

    /// Works out what a run of `request` in `work` is allowed.
    fn spec(&self, request: &Request, work: PathBuf) -> Result<Spec, RunError> {
        let (folder, script) = resolve(request)?;
        let interpreter = interpreter_of(&script, &self.search())?;
        let existing = |paths: &[&str]| -> Vec<PathBuf> {
            paths
                .iter()
                .map(PathBuf::from)
                .filter(|path| path.exists())
                .collect()
        };
        let mut programs = existing(&SYSTEM_FOLDERS);
        programs.extend(interpreter.prefix.clone());
        // What was trusted with the script may call itself by path.
        programs.push(folder.clone());
        let mut readable = existing(&CONFIGURATION);
        if request.has_net() {
            readable.extend(existing(&NET_CONFIGURATION));
        }
        let granted = |write: bool| -> Result<Vec<PathBuf>, RunError> {
            request
                .granted_paths(write)
                .map(|path| granted(path, write))
                .collect()
        };
        readable.extend(granted(false)?);
        let writable = granted(true)?;
        let mut args: Vec<OsString> = interpreter.args.iter().map(OsString::from).collect();
        args.push(script.into_os_string());
        args.extend(request.args.iter().cloned());
        Ok(Spec {
            env: self.variables(request, &interpreter, &folder, &work)?,
            program: interpreter.program,
            args,
            work,
            programs,
            readable,
            writable,
            net: request.has_net(),
            namespaces: self.namespaces,
            best_effort: self.confinement == Confinement::BestEffort,
            limits: request.limits.clone(),
        })
    }

    /// The environment of a run: a few variables that say where it is, and what was granted.
    fn variables(
        &self,
        request: &Request,
        interpreter: &Interpreter,
        folder: &Path,
        work: &Path,
    ) -> Result<Vec<(OsString, OsString)>, RunError> {
        let mut path = OsString::from("/usr/local/bin:/usr/bin:/bin");
        if let (Some(_), Some(bin)) = (&interpreter.prefix, interpreter.program.parent()) {
            let own = std::mem::replace(&mut path, bin.as_os_str().to_owned());
            path.push(":");
            path.push(own);
        }
        let mut variables: BTreeMap<OsString, OsString> = [
            ("PATH", path),
            ("HOME", work.into()),
            ("TMPDIR", work.into()),
            ("SKILL_DIR", folder.into()),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "dumb".into()),
        ]
        .map(|(name, value)| (name.into(), value))
        .into();
        for grant in &request.grants {
            if let Grant::Env(name) = grant {
                let value =
                    self.environment
                        .get(OsStr::new(name))
                        .ok_or_else(|| RunError::Grant {
                            grant: grant.to_string(),
                            reason: "it is not set here".to_owned(),
                        })?;
                variables.insert(name.into(), value.clone());
            }
        }
        variables.extend(
            request
                .env
                .iter()
                .map(|(name, value)| (name.into(), value.into())),
        );
        Ok(variables.into_iter().collect())
    }
}

impl Runner for Sandbox {
    fn start(&self, request: Request) -> Result<Run, RunError> {
        #[cfg(target_os = "linux")]
        {
            let work = Work::open(&request.work)?;
            let spec = self.spec(&request, work.path.clone())?;
            linux::start(&self.launcher, &spec, request, work)
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = request;
            Err(RunError::NoSandbox {
                reason: "it needs Linux (Landlock and seccomp)".to_owned(),
            })
        }
    }

    fn describe(&self, request: &Request) -> Result<Vec<String>, RunError> {
        let spec = self.spec(request, "a new work folder".into())?;
        let list = |paths: &[PathBuf]| {
            paths
                .iter()
                .map(|path| path.display().to_string())
                .collect::<Vec<_>>()
                .join(" ")
        };
        let args: Vec<_> = spec.args.iter().map(|arg| arg.to_string_lossy()).collect();
        let variables: Vec<_> = spec
            .env
            .iter()
            .map(|(name, _)| name.to_string_lossy())
            .collect();
        let Limits {
            time,
            cpu_seconds,
            data_bytes,
            processes,
            file_bytes,
            work_bytes,
            open_files,
            ..
        } = &spec.limits;
        Ok(vec![
            format!("program: {} {}", spec.program.display(), args.join(" ")),
            format!("read and execute: {}", list(&spec.programs)),
            format!("read: {}", list(&spec.readable)),
            format!(
                "read and write, never execute: {} {}",
                spec.work.display(),
                list(&spec.writable)
            )
            .trim()
            .to_owned(),
            format!("network: {}", if spec.net { "granted" } else { "none" }),
            format!("environment: {}", variables.join(" ")),
            format!(
                "limits: {} s, {cpu_seconds} s of CPU, {} MiB a process, {processes} processes, \
                 {} MiB a file, {} MiB in all, {open_files} open files",
                time.as_secs(),
                data_bytes >> 20,
                file_bytes >> 20,
                work_bytes >> 20,
            ),
            format!(
                "confined by: Landlock, seccomp, namespaces where allowed{}",
                if spec.best_effort {
                    ", as far as this kernel has them"
                } else {
                    ""
                }
            ),
        ])
    }
}

/// The folder and the script, links resolved, the script inside the folder.
pub(crate) fn resolve(request: &Request) -> Result<(PathBuf, PathBuf), RunError> {
    let not_inside = || RunError::NotInside {
        script: request.script.clone(),
        folder: request.folder.clone(),
    };
    let plain = request
        .script
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let folder = fs::canonicalize(&request.folder).map_err(|_| not_inside())?;
    let script = fs::canonicalize(folder.join(&request.script)).map_err(|_| not_inside())?;
    if plain && script.starts_with(&folder) && script.is_file() {
        Ok((folder, script))
    } else {
        Err(not_inside())
    }
}

fn granted(path: &Path, write: bool) -> Result<PathBuf, RunError> {
    let kind = if write { "write" } else { "read" };
    let refused = |reason: String| RunError::Grant {
        grant: format!("{kind}:{}", path.display()),
        reason,
    };
    let real = fs::canonicalize(path).map_err(|error| refused(error.to_string()))?;
    if write && real == Path::new("/") {
        return Err(refused("that is everything".to_owned()));
    }
    Ok(real)
}

/// A run's work folder, removed at its end unless it stays.
pub(crate) struct Work {
    pub(crate) path: PathBuf,
    pub(crate) stays: bool,
    _folder: Option<tempfile::TempDir>,
}

impl Work {
    pub(crate) fn open(work: &WorkFolder) -> Result<Work, RunError> {
        let unusable = |path: &Path| {
            let path = path.to_owned();
            move |source| RunError::Work { path, source }
        };
        if let WorkFolder::At(path) = work {
            let real = fs::canonicalize(path).map_err(unusable(path))?;
            return Ok(Work {
                path: real,
                stays: true,
                _folder: None,
            });
        }
        let base = std::env::temp_dir();
        let folder = tempfile::Builder::new()
            .prefix("prowess-run-")
            .tempdir_in(&base)
            .map_err(unusable(&base))?;
        let path = fs::canonicalize(folder.path()).map_err(unusable(&base))?;
        Ok(match work {
            WorkFolder::Kept => Work {
                path: folder.keep(),
                stays: true,
                _folder: None,
            },
            _ => Work {
                path,
                stays: false,
                _folder: Some(folder),
            },
        })
    }

    /// The size of everything in it, links not followed, as soon as it is over `most`.
    pub(crate) fn exceeds(&self, most: u64) -> bool {
        let (mut folders, mut total, mut seen) = (vec![self.path.clone()], 0u64, 0u32);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let Ok(meta) = entry.metadata() else { continue };
                if meta.is_dir() {
                    folders.push(entry.path());
                }
                total += meta.len();
                seen += 1;
                if total > most || seen > MOST_WORK_FILES {
                    return true;
                }
            }
        }
        false
    }
}

/// Files and folders in a work folder; a million empty ones fill a disk too.
const MOST_WORK_FILES: u32 = 100_000;

#[cfg(target_os = "linux")]
mod linux {
    //! Starting a launcher and waiting for its end.

    use std::{
        fs::File,
        io::{self, Read, Seek, SeekFrom, Write},
        os::fd::{AsFd, AsRawFd, OwnedFd},
        path::Path,
        process::{Child, Command},
        time::{Duration, Instant},
    };

    use rustix::{
        event::{PollFd, PollFlags, Timespec, poll},
        fs::{MemfdFlags, memfd_create},
        io::{Errno, FdFlags, fcntl_setfd},
        pipe::{PipeFlags, pipe_with},
        process::{Pid, PidfdFlags, pidfd_open},
    };

    use super::Work;
    use crate::{
        Answer, Cancel, Request, Run, RunError, Stop,
        answer::denials,
        capture::{self, Capture},
        launcher,
        spec::{Report, Spec},
    };

    /// How often a run is looked at: whether it was cancelled, how large its work folder is.
    const LOOK: Duration = Duration::from_millis(25);
    /// Looks between two measurements of the work folder.
    const LOOKS_PER_MEASUREMENT: u32 = 8;

    /// A launcher that was started, and what is shared with it.
    struct Launched {
        child: Child,
        report: File,
        /// Held open as long as the run is wanted; the launcher ends when it closes.
        lifeline: Option<OwnedFd>,
        stdout: Capture,
        stderr: Capture,
        started: Instant,
    }

    pub(super) fn start(
        launcher: &Path,
        spec: &Spec,
        request: Request,
        work: Work,
    ) -> Result<Run, RunError> {
        let started = launch(launcher, spec, &request).map_err(|source| RunError::Start {
            program: launcher.to_owned(),
            source,
        })?;
        Ok(Run::spawn(move |cancel| {
            finish(started, &request, &work, cancel)
        }))
    }

    fn launch(launcher: &Path, spec: &Spec, request: &Request) -> io::Result<Launched> {
        let handed = |name: &str| -> io::Result<File> {
            Ok(memfd_create(name, MemfdFlags::CLOEXEC)?.into())
        };
        let (mut spec_file, report) = (handed("spec")?, handed("report")?);
        spec_file.write_all(&serde_json::to_vec(spec)?)?;
        let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
        let mut command = Command::new(launcher);
        command.args([launcher::ARGUMENT, "outer"]);
        for file in [spec_file.as_fd(), report.as_fd(), theirs.as_fd()] {
            // The launcher finds these by number. A child that another thread of the host starts
            // at this very moment gets them too; it can do no harm with them, since the end of
            // the pipe that counts stays close-on-exec.
            fcntl_setfd(file, FdFlags::empty())?;
            command.arg(file.as_raw_fd().to_string());
        }
        command.env_clear();
        let started = Instant::now();
        let (child, stdout, stderr) = capture::spawn(&mut command, request)?;
        Ok(Launched {
            child,
            report,
            lifeline: Some(ours),
            stdout,
            stderr,
            started,
        })
    }

    fn finish(
        mut launched: Launched,
        request: &Request,
        work: &Work,
        cancel: &Cancel,
    ) -> Result<Answer, RunError> {
        let stopped = watch(&mut launched, request, work, cancel);
        // The end of the lifeline is the end of everything that runs.
        launched.lifeline = None;
        let failed = |source| RunError::Start {
            program: "the launcher".into(),
            source,
        };
        launched.child.wait().map_err(failed)?;
        let time = launched.started.elapsed();
        let (mut confinement, mut stop, mut failure) = (Vec::new(), None, None);
        for report in read_reports(&mut launched.report).map_err(failed)? {
            match report {
                Report::Layer(layer) => confinement.push(layer),
                Report::Started => {}
                Report::Exit(code) => stop = Some(Stop::Exit { code }),
                Report::Signal(signal) => stop = Some(Stop::Signal { signal }),
                Report::Failed(reason) => failure = Some(RunError::SetUp { reason }),
                Report::Unsupported(reason) => failure = Some(RunError::NoSandbox { reason }),
            }
        }
        let patience = Duration::from_secs(2);
        let (stdout, out_dropped) = launched.stdout.end(patience);
        let (stderr, err_dropped) = launched.stderr.end(patience);
        if let (Some(failure), None) = (failure, &stopped) {
            return Err(failure);
        }
        let stop = stopped.or(stop).ok_or_else(|| RunError::SetUp {
            reason: format!(
                "the launcher ended without a word: {}",
                String::from_utf8_lossy(&stderr).trim()
            ),
        })?;
        Ok(Answer {
            denied: denials(&stderr, Path::exists),
            stop,
            stdout,
            stderr,
            dropped: (out_dropped, err_dropped),
            time,
            work: work.stays.then(|| work.path.clone()),
            confinement,
        })
    }

    /// Waits for the launcher's end, or for a reason to end it.
    fn watch(
        launched: &mut Launched,
        request: &Request,
        work: &Work,
        cancel: &Cancel,
    ) -> Option<Stop> {
        let pidfd = pidfd_open(Pid::from_child(&launched.child), PidfdFlags::empty()).ok()?;
        let look = Timespec {
            tv_sec: 0,
            tv_nsec: LOOK.as_nanos() as i64,
        };
        for turn in 1u32.. {
            let mut polled = [PollFd::new(&pidfd, PollFlags::IN)];
            match poll(&mut polled, Some(&look)) {
                Ok(0) | Err(Errno::INTR) => {}
                _ => return None,
            }
            if cancel.is_cancelled() {
                return Some(Stop::Cancelled);
            }
            if launched.started.elapsed() >= request.limits.time {
                return Some(Stop::TimedOut);
            }
            if turn % LOOKS_PER_MEASUREMENT == 0 && work.exceeds(request.limits.work_bytes) {
                return Some(Stop::WorkFolderFull);
            }
        }
        None
    }

    fn read_reports(file: &mut File) -> io::Result<Vec<Report>> {
        file.seek(SeekFrom::Start(0))?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        Ok(text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect())
    }
}
