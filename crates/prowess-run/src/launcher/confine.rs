//! Limits, privileges, and what Landlock lets through.

use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::{
    process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit},
    thread::{
        CapabilitySet, CapabilitySets, clear_ambient_capability_set,
        remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
    },
};

use super::processes::{Failure, Step};
use crate::{Limits, spec::Spec};

/// The oldest Landlock that is taken without `best-effort`: it is the first to know the network.
const OLDEST: ABI = ABI::V4;
/// The newest that is asked for; a kernel that lacks part of it does what it can.
const NEWEST: ABI = ABI::V7;

/// Devices that every program may use.
pub(super) const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

pub(super) fn limits(limits: &Limits) -> rustix::io::Result<()> {
    let all = |most| Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    // The soft limit sends a signal that a program may catch; one second later it is killed.
    let cpu = Rlimit {
        current: Some(limits.cpu_seconds),
        maximum: Some(limits.cpu_seconds + 1),
    };
    setrlimit(Resource::Cpu, cpu)?;
    setrlimit(Resource::As, all(limits.address_bytes))?;
    setrlimit(Resource::Data, all(limits.data_bytes))?;
    setrlimit(Resource::Nproc, all(limits.processes))?;
    setrlimit(Resource::Fsize, all(limits.file_bytes))?;
    setrlimit(Resource::Nofile, all(limits.open_files))?;
    setrlimit(Resource::Core, all(0))
}

pub(super) fn drop_privileges() -> rustix::io::Result<()> {
    set_no_new_privs(true)?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    clear_ambient_capability_set()?;
    // In a user namespace of its own this process holds every capability over that namespace.
    for capability in CapabilitySet::all().iter() {
        // Capabilities that this kernel does not know cannot be held either.
        let _ = remove_capability_from_bounding_set(capability);
    }
    let none = CapabilitySet::empty();
    set_capabilities(
        None,
        CapabilitySets {
            effective: none,
            permitted: none,
            inheritable: none,
        },
    )
}

/// Restricts this process and its children to the paths of `spec`; says what holds.
pub(super) fn landlock(spec: &Spec, own_proc: bool) -> Result<String, Failure> {
    let ruleset = || -> Result<_, landlock::RulesetError> {
        let required = if spec.best_effort {
            CompatLevel::BestEffort
        } else {
            CompatLevel::HardRequirement
        };
        let mut ruleset = Ruleset::default()
            .set_compatibility(required)
            .handle_access(AccessFs::from_all(OLDEST))?;
        if !spec.net {
            ruleset = ruleset.handle_access(AccessNet::from_all(OLDEST))?;
        }
        ruleset
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(NEWEST))?
            .scope(Scope::from_all(NEWEST))?
            .create()
    };
    let mut ruleset = ruleset().map_err(|error| {
        Failure::Unsupported(format!(
            "Landlock of version 4 or newer (Linux 6.7) is needed: {error}"
        ))
    })?;
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let write = AccessFs::from_all(NEWEST)
        & !(AccessFs::Execute | AccessFs::MakeChar | AccessFs::MakeBlock);
    let device = AccessFs::ReadFile | AccessFs::WriteFile;
    let mut rules: Vec<(PathBuf, BitFlags<AccessFs>)> = Vec::new();
    rules.extend(
        spec.programs
            .iter()
            .map(|path| (path.clone(), read | AccessFs::Execute)),
    );
    rules.extend(spec.readable.iter().map(|path| (path.clone(), read)));
    rules.extend(spec.writable.iter().map(|path| (path.clone(), write)));
    rules.push((spec.work.clone(), write));
    rules.extend(DEVICES.iter().map(|path| (path.into(), device)));
    if own_proc {
        rules.push(("/proc".into(), read));
        rules.push(("/dev/shm".into(), write));
    }
    for (path, access) in rules {
        let Ok(file) = PathFd::new(&path) else {
            continue;
        };
        let access = if path.is_dir() {
            access
        } else {
            access & AccessFs::from_file(NEWEST)
        };
        ruleset = ruleset
            .add_rule(PathBeneath::new(file, access))
            .step(format_args!("allow `{}`", path.display()))?;
    }
    let status = ruleset.restrict_self().step("restrict the file system")?;
    match status.ruleset {
        RulesetStatus::FullyEnforced => Ok("landlock".to_owned()),
        RulesetStatus::PartiallyEnforced => Ok("landlock, as far as this kernel goes".to_owned()),
        RulesetStatus::NotEnforced if spec.best_effort => {
            Ok("no landlock in this kernel".to_owned())
        }
        RulesetStatus::NotEnforced => Err(Failure::Unsupported(
            "Landlock is not enabled in this kernel".to_owned(),
        )),
    }
}
