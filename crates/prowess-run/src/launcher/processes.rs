//! The two processes of a launcher: one that waits outside, one that runs the script inside.

#![expect(
    clippy::disallowed_methods,
    reason = "the launcher reads what its host handed it, by descriptor"
)]

use std::{
    env,
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, Write},
    os::unix::process::ExitStatusExt,
    process::{Child, Command, ExitStatus, exit},
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
    process::{
        Pid, PidfdFlags, Signal, WaitOptions, getegid, geteuid, kill_process, pidfd_open,
        set_child_subreaper, set_parent_process_death_signal, setsid, wait,
    },
    thread::{
        CapabilitySet, CapabilitySets, UnshareFlags, capabilities,
        configure_capability_in_ambient_set, set_capabilities,
    },
};

use super::{ARGUMENT, confine, mounts, syscalls};
use crate::spec::{Report, Spec};

/// Which of the two processes this is, as the third argument says it.
const OUTER: &str = "outer";
/// In namespaces of its own.
const INNER: &str = "inner";
/// Without: the kernel or the host's own sandbox did not allow them.
const INNER_BARE: &str = "inner-bare";

/// Descriptors that the host handed down, by number.
struct Handed {
    spec: String,
    report: String,
    lifeline: String,
}

pub(super) fn enter() {
    let mut args = env::args().skip(1);
    if args.next().as_deref() != Some(ARGUMENT) {
        return;
    }
    let (Some(stage), Some(spec), Some(report), Some(lifeline)) =
        (args.next(), args.next(), args.next(), args.next())
    else {
        exit(2)
    };
    let handed = Handed {
        spec,
        report,
        lifeline,
    };
    let Ok(report) = OpenOptions::new()
        .append(true)
        .open(descriptor(&handed.report))
    else {
        exit(2)
    };
    let mut reporter = Reporter(report);
    let result = read_spec(&handed).and_then(|spec| match stage.as_str() {
        OUTER => outer(&spec, &handed, &mut reporter),
        _ => inner(&spec, stage == INNER, &mut reporter),
    });
    if let Err(failure) = result {
        reporter.say(&match failure {
            Failure::Step(reason) => Report::Failed(reason),
            Failure::Unsupported(reason) => Report::Unsupported(reason),
        });
        exit(1);
    }
    exit(0);
}

/// Why the script did not run.
pub(super) enum Failure {
    /// A step failed.
    Step(String),
    /// This machine lacks what the step needs.
    Unsupported(String),
}

/// Names the step that an error belongs to.
pub(super) trait Step<T> {
    fn step(self, what: impl std::fmt::Display) -> Result<T, Failure>;
}

impl<T, E: std::fmt::Display> Step<T> for Result<T, E> {
    fn step(self, what: impl std::fmt::Display) -> Result<T, Failure> {
        self.map_err(|error| Failure::Step(format!("{what}: {error}")))
    }
}

/// Writes reports into the file that the host reads at the end.
pub(super) struct Reporter(File);

impl Reporter {
    pub(super) fn say(&mut self, report: &Report) {
        let mut line = serde_json::to_vec(report).unwrap_or_default();
        line.push(b'\n');
        // Nobody is left to hear that nobody can be told.
        let _ = self.0.write_all(&line);
    }
}

/// Opens a descriptor anew by its number: taking over a bare number would need `unsafe`.
fn descriptor(number: &str) -> String {
    format!("/proc/self/fd/{number}")
}

fn read_spec(handed: &Handed) -> Result<Spec, Failure> {
    let mut line = String::new();
    let file = File::open(descriptor(&handed.spec)).step("read what to run")?;
    BufReader::new(file)
        .read_line(&mut line)
        .step("read what to run")?;
    serde_json::from_str(&line).step("read what to run")
}

fn outer(spec: &Spec, handed: &Handed, reporter: &mut Reporter) -> Result<(), Failure> {
    let lifeline = File::open(descriptor(&handed.lifeline)).step("hold on to the host")?;
    let myself = env::current_exe().step("find the launcher")?;
    let entered = if spec.namespaces {
        namespaces(spec.net)
    } else {
        Err(io::Error::other("switched off"))
    };
    let stage = match entered {
        Ok(()) => INNER,
        Err(error) => {
            reporter.say(&Report::Layer(format!(
                "no namespaces ({error}): Landlock and seccomp hold alone"
            )));
            INNER_BARE
        }
    };
    // What loses its parent comes to this process, and not to the machine's first one.
    set_child_subreaper(Some(rustix::process::getpid())).step("become the subreaper")?;
    let mut child = Command::new(myself)
        .args([
            ARGUMENT,
            stage,
            &handed.spec,
            &handed.report,
            &handed.lifeline,
        ])
        .spawn()
        .step("start the inner process")?;
    await_end(&mut child, &lifeline).step("wait for the inner process")?;
    end_orphans();
    Ok(())
}

/// Waits until the child has ended, and ends it when the host has gone.
fn await_end(child: &mut Child, lifeline: &File) -> io::Result<ExitStatus> {
    let pid = Pid::from_child(child);
    let pidfd = pidfd_open(pid, PidfdFlags::empty())?;
    loop {
        let mut polled = [
            PollFd::new(&pidfd, PollFlags::IN),
            PollFd::new(lifeline, PollFlags::IN),
        ];
        match poll(&mut polled, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if !polled[0].revents().is_empty() {
            break;
        }
        // The host says nothing on this pipe: whatever comes is its end.
        if !polled[1].revents().is_empty() {
            let _ = kill_process(pid, Signal::KILL);
            break;
        }
    }
    child.wait()
}

/// Ends everything that came to this process by losing its parent. In a process namespace of its
/// own nothing is left by then.
///
/// Killing one after the other loses against a program that forks all the time. A process that is
/// stopped cannot fork and still counts against the limit on processes, so everything is stopped
/// first, until a look finds nothing new.
fn end_orphans() {
    // Without a child there is no orphan: this process is the one that orphans come to.
    while !matches!(wait(WaitOptions::NOHANG), Err(Errno::CHILD)) {
        let mut stopped: Vec<Pid> = Vec::new();
        loop {
            let new: Vec<Pid> = descendants()
                .into_iter()
                .filter(|pid| !stopped.contains(pid))
                .collect();
            if new.is_empty() {
                break;
            }
            for &pid in &new {
                let _ = kill_process(pid, Signal::STOP);
            }
            stopped.extend(new);
        }
        for &pid in &stopped {
            let _ = kill_process(pid, Signal::KILL);
        }
        // Children of children come here when their parents have gone.
        while let Ok(_) | Err(Errno::INTR) = wait(WaitOptions::empty()) {}
    }
}

/// Every process that descends from this one.
fn descendants() -> Vec<Pid> {
    let mut parents: Vec<(i32, i32)> = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        // The name in brackets may hold anything; the state and the parent follow the last one.
        let parent = stat
            .rsplit(')')
            .next()
            .and_then(|rest| rest.split_whitespace().nth(1)?.parse().ok());
        parents.extend(parent.map(|parent| (pid, parent)));
    }
    let mut found = vec![rustix::process::getpid().as_raw_nonzero().get()];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(
            parents
                .iter()
                .filter(|pair| pair.1 == parent)
                .map(|pair| pair.0),
        );
        next += 1;
    }
    found
        .into_iter()
        .skip(1)
        .filter_map(Pid::from_raw)
        .collect()
}

/// Moves this process into namespaces of its own; its children will be in a process namespace too.
fn namespaces(net: bool) -> io::Result<()> {
    let (user, group) = (geteuid(), getegid());
    let mut flags = UnshareFlags::NEWUSER
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS;
    if !net {
        flags |= UnshareFlags::NEWNET;
    }
    #[expect(
        deprecated,
        reason = "unsafe only with `FILES`, which takes descriptors away from other threads"
    )]
    rustix::thread::unshare(flags)?;
    // One user is mapped, to itself: files keep their owner, and no other user can be taken on.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{0} {0} 1", user.as_raw()))?;
    fs::write("/proc/self/gid_map", format!("{0} {0} 1", group.as_raw()))?;
    // A user other than the superuser loses every capability when it starts a program, unless it
    // is in the ambient set. The inner process needs these two, over this namespace only.
    let kept = CapabilitySet::SYS_ADMIN | CapabilitySet::SETPCAP;
    let held = capabilities(None)?;
    set_capabilities(
        None,
        CapabilitySets {
            inheritable: kept,
            ..held
        },
    )?;
    for capability in kept.iter() {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

fn inner(spec: &Spec, in_namespaces: bool, reporter: &mut Reporter) -> Result<(), Failure> {
    // The outer process has one thread, so this cannot come too early.
    set_parent_process_death_signal(Some(Signal::KILL)).step("end with the launcher")?;
    setsid().step("start a session")?;
    if in_namespaces {
        mounts::lay_out(spec).step("lay out the file system")?;
        // A bound on processes that also holds for the superuser, whom `RLIMIT_NPROC` does not
        // bind. Since Linux 6.14 it is the namespace's own; before, the write is refused.
        let most = spec.limits.processes.max(301);
        let bounded = fs::write("/proc/sys/kernel/pid_max", most.to_string()).is_ok();
        mounts::seal_proc().step("seal /proc")?;
        let bound = if bounded {
            "with a bound on processes"
        } else {
            "processes bounded by user"
        };
        reporter.say(&Report::Layer(format!(
            "namespaces: user, mount, process ({bound}), ipc{}",
            if spec.net { "" } else { ", network" }
        )));
    }
    confine::limits(&spec.limits).step("set the limits")?;
    confine::drop_privileges().step("drop privileges")?;
    // Whatever the host had open stays with the host.
    close_fds::set_fds_cloexec(3, &[]);
    reporter.say(&Report::Layer(confine::landlock(spec, in_namespaces)?));
    syscalls::filter(spec.net, in_namespaces).step("filter system calls")?;
    reporter.say(&Report::Layer("seccomp".to_owned()));

    let mut child = Command::new(&spec.program)
        .args(&spec.args)
        .env_clear()
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&spec.work)
        .spawn()
        .step(format_args!("start `{}`", spec.program.display()))?;
    reporter.say(&Report::Started);
    let status = reap(&mut child).step("wait for the script")?;
    reporter.say(&match (status.code(), status.signal()) {
        (Some(code), _) => Report::Exit(code),
        (None, signal) => Report::Signal(signal.unwrap_or_default()),
    });
    Ok(())
}

/// Waits for the script, and for every orphan that ends meanwhile.
fn reap(child: &mut Child) -> io::Result<ExitStatus> {
    let pid = Pid::from_child(child);
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((ended, status))) if ended == pid => {
                return Ok(ExitStatus::from_raw(status.as_raw()));
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
