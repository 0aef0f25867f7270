//! A server that is started as a program, with all that it starts itself.

use std::{ffi::OsString, io, process::Stdio};

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use super::config::Transport;

/// What a program gets of our environment, beside `LC_…` and `XDG_…`: where it finds programs and
/// its user's folders, how it speaks to people, how it gets through a proxy. Keys of other services
/// stay here; what a server needs of them stands in its `env`.
const INHERITED: [&str; 23] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TEMP",
    "TMP",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    // Without these few programs start on Windows.
    "SYSTEMROOT",
    "COMSPEC",
    "PATHEXT",
    "APPDATA",
    "LOCALAPPDATA",
    "USERPROFILE",
];

/// The program and its process group: whatever it starts ends with it.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    #[cfg(unix)]
    group: Option<nix::unistd::Pid>,
}

/// Where a program is spoken to.
pub(super) struct Pipes {
    pub(super) input: ChildStdin,
    pub(super) output: ChildStdout,
    pub(super) errors: ChildStderr,
}

impl Process {
    /// Starts the command of a server.
    pub(super) fn start(transport: &Transport) -> io::Result<(Self, Pipes)> {
        let Transport::Command {
            command,
            args,
            env,
            directory,
        } = transport
        else {
            return Err(io::Error::other("it has no command"));
        };
        let mut program = Command::new(command);
        program
            .args(args)
            .env_clear()
            .envs(inherited())
            .envs(env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        program.process_group(0);
        if let Some(directory) = directory {
            program.current_dir(directory);
        }
        let mut child = program.spawn()?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = Self {
            #[cfg(unix)]
            group: child
                .id()
                .and_then(|id| i32::try_from(id).ok())
                .map(nix::unistd::Pid::from_raw),
            child,
        };
        let (Some(input), Some(output), Some(errors)) = streams else {
            return Err(io::Error::other("it has no standard streams"));
        };
        let pipes = Pipes {
            input,
            output,
            errors,
        };
        Ok((process, pipes))
    }

    /// Waits until the program has ended. What it started may go on, until this is dropped.
    pub(super) async fn wait(&mut self) {
        // Whether it ended well is nobody's concern any more.
        let _ = self.child.wait().await;
    }
}

#[cfg(unix)]
impl Drop for Process {
    fn drop(&mut self) {
        // The number of a group is not given again while a process of it lives. Where none is left
        // the call fails, and there is nobody to end.
        if let Some(group) = self.group {
            use nix::sys::signal::{Signal, killpg};
            let _ = killpg(group, Signal::SIGKILL);
        }
    }
}

fn inherited() -> impl Iterator<Item = (OsString, OsString)> {
    let wanted = |name: &str| {
        INHERITED.iter().any(|it| it.eq_ignore_ascii_case(name))
            || name.starts_with("LC_")
            || name.starts_with("XDG_")
    };
    std::env::vars_os().filter(move |(name, _)| name.to_str().is_some_and(wanted))
}
