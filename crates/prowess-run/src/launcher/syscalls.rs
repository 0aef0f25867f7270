//! What a script may not ask the kernel for, whatever the paths: a seccomp filter.
//!
//! Landlock speaks of files, TCP and signals. This closes what it does not cover: other sockets,
//! other processes' memory, mounts, kernel interfaces with a history of holes, and, where no
//! mount namespace makes the rest read-only, modes, owners and times.
//!
//! It lists what is refused. A list of what is allowed would be tighter, and would break a script
//! with each new version of an interpreter.

use std::collections::BTreeMap;

use libc::{
    AF_INET, AF_INET6, AF_NETLINK, AF_UNIX, CLONE_NEWCGROUP, CLONE_NEWIPC, CLONE_NEWNET,
    CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWUSER, CLONE_NEWUTS, ENOSYS, EPERM, SOCK_DGRAM, SOCK_RAW,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter,
};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Refused with "not permitted", whatever the arguments.
#[rustfmt::skip]
const REFUSED: &[libc::c_long] = &[
    // Other processes.
    libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev, libc::SYS_kcmp,
    libc::SYS_pidfd_getfd, libc::SYS_process_madvise,
    // Mounts and namespaces.
    libc::SYS_mount, libc::SYS_umount2, libc::SYS_pivot_root, libc::SYS_chroot, libc::SYS_move_mount,
    libc::SYS_fsopen, libc::SYS_fsconfig, libc::SYS_fsmount, libc::SYS_fspick, libc::SYS_open_tree,
    libc::SYS_mount_setattr, libc::SYS_unshare, libc::SYS_setns,
    // Files by handle go around every path.
    libc::SYS_name_to_handle_at, libc::SYS_open_by_handle_at, libc::SYS_fanotify_init,
    // The kernel itself.
    libc::SYS_bpf, libc::SYS_perf_event_open, libc::SYS_userfaultfd, libc::SYS_kexec_load,
    libc::SYS_init_module, libc::SYS_finit_module, libc::SYS_delete_module, libc::SYS_reboot,
    libc::SYS_swapon, libc::SYS_swapoff, libc::SYS_acct, libc::SYS_quotactl, libc::SYS_syslog,
    libc::SYS_sethostname, libc::SYS_setdomainname, libc::SYS_settimeofday, libc::SYS_clock_settime,
    libc::SYS_clock_adjtime, libc::SYS_adjtimex, libc::SYS_personality, libc::SYS_vhangup,
    libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl,
];

/// Answered as if this kernel did not have them, so that programs fall back to what can be
/// filtered: `clone3` hides its flags behind a pointer, `io_uring` does other calls' work unseen,
/// and a file in memory has no path that Landlock could withhold execution from.
const ABSENT: &[libc::c_long] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
];

/// Modes, owners, attributes and times: no path stands in their arguments that a filter could
/// read, so without a mount namespace they are refused everywhere.
#[rustfmt::skip]
const METADATA: &[libc::c_long] = &[
    libc::SYS_fchmod, libc::SYS_fchmodat, 452 /* fchmodat2 */, libc::SYS_fchown, libc::SYS_fchownat,
    libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr, libc::SYS_removexattr,
    libc::SYS_lremovexattr, libc::SYS_fremovexattr, libc::SYS_utimensat,
    #[cfg(target_arch = "x86_64")] libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")] libc::SYS_chown,
    #[cfg(target_arch = "x86_64")] libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")] libc::SYS_utime,
    #[cfg(target_arch = "x86_64")] libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")] libc::SYS_futimesat,
];

/// Namespaces by `clone`, a bit each.
const NAMESPACES: [i32; 7] = [
    CLONE_NEWUSER,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWNET,
    CLONE_NEWIPC,
    CLONE_NEWUTS,
    CLONE_NEWCGROUP,
];

/// The type of a socket without the flags that may stand beside it.
const SOCKET_TYPE: u64 = 0xf;

/// Puts the filter in place for this process and all its children.
pub(super) fn filter(net: bool, own_mounts: bool) -> Result<(), seccompiler::Error> {
    let mut refused: Rules = REFUSED.iter().map(|&call| (call, Vec::new())).collect();
    if !own_mounts {
        refused.extend(METADATA.iter().map(|&call| (call, Vec::new())));
    }
    let clone = NAMESPACES
        .iter()
        .map(|&flag| {
            rule(&[(
                0,
                SeccompCmpOp::MaskedEq(flag.cast_unsigned().into()),
                flag.cast_unsigned().into(),
            )])
        })
        .collect::<Result<_, _>>()?;
    refused.insert(libc::SYS_clone, clone);
    refused.insert(libc::SYS_socket, sockets(net)?);
    if !net {
        // A socket of a service (a container engine, a message bus) is a way out that Landlock
        // does not see. Pairs of sockets between a script's own processes stay.
        refused.insert(libc::SYS_connect, Vec::new());
    }
    apply(with_x32(refused), EPERM)?;
    apply(
        with_x32(ABSENT.iter().map(|&call| (call, Vec::new())).collect()),
        ENOSYS,
    )
}

/// Which sockets are refused. Each rule is one way to be refused.
fn sockets(net: bool) -> Result<Vec<SeccompRule>, seccompiler::Error> {
    let not = |family: i32| (0, SeccompCmpOp::Ne, family.cast_unsigned().into());
    let kind = |kind: i32| {
        (
            1,
            SeccompCmpOp::MaskedEq(SOCKET_TYPE),
            kind.cast_unsigned().into(),
        )
    };
    let families = if net {
        rule(&[not(AF_UNIX), not(AF_INET), not(AF_INET6), not(AF_NETLINK)])?
    } else {
        rule(&[not(AF_UNIX)])?
    };
    let mut rules = vec![families];
    if net {
        // Netlink is always raw: resolvers ask it for the machine's addresses.
        rules.push(rule(&[kind(SOCK_RAW), not(AF_NETLINK)])?);
    } else {
        // One that needs no connection can write to any socket by its path.
        rules.push(rule(&[kind(SOCK_DGRAM)])?);
    }
    Ok(rules)
}

fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, seccompiler::Error> {
    let conditions = conditions
        .iter()
        .map(|(argument, operator, value)| {
            SeccompCondition::new(*argument, Dword, operator.clone(), *value)
        })
        .collect::<Result<_, _>>()?;
    Ok(SeccompRule::new(conditions)?)
}

/// Adds the second number that each call has on x86-64, for programs with 32-bit pointers (x32):
/// a filter that knows only the first lets the second through.
fn with_x32(mut rules: Rules) -> Rules {
    const X32_BIT: i64 = 0x4000_0000;
    if cfg!(target_arch = "x86_64") {
        let second: Vec<_> = rules
            .iter()
            .map(|(call, rules)| (call | X32_BIT, rules.clone()))
            .collect();
        rules.extend(second);
    }
    rules
}

fn apply(rules: Rules, errno: i32) -> Result<(), seccompiler::Error> {
    let arch = if cfg!(target_arch = "aarch64") {
        TargetArch::aarch64
    } else {
        TargetArch::x86_64
    };
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(errno.cast_unsigned()),
        arch,
    )?;
    let program: BpfProgram = filter.try_into()?;
    apply_filter(&program)
}
