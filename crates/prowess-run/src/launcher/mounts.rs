//! A root of its own: only what the run may see is in it, at the paths it has outside.

#![expect(
    clippy::disallowed_methods,
    reason = "mount points are made inside the new root"
)]

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use rustix::{
    fs::{StatVfsMountFlags, statvfs},
    mount::{
        MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change,
        mount_remount, unmount,
    },
    process::{chdir, pivot_root},
};

use super::confine::DEVICES;
use crate::spec::Spec;

/// Where the new root is put together. Any folder will do: it is covered only in this namespace,
/// and what lay in it is reached below [`OLD`] meanwhile.
const BASE: &str = "/tmp";
const OLD: &str = "/old";
const NEW: &str = "/new";

/// How much a run may put into `/dev/shm`, which lives in memory.
const SHARED_MEMORY: &std::ffi::CStr = c"size=64m,mode=1777";

/// Mounts that are no bind mounts and have their flags already.
const MADE_HERE: [&str; 2] = ["/dev/shm", "/proc"];

/// Lays out the new root and moves into it.
pub(super) fn lay_out(spec: &Spec) -> io::Result<()> {
    // Nothing that is mounted from here on reaches the machine.
    mount_change(
        "/",
        MountPropagationFlags::REC | MountPropagationFlags::PRIVATE,
    )?;
    let plain = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", BASE, "tmpfs", plain, c"mode=755")?;
    chdir(BASE)?;
    fs::create_dir("old")?;
    fs::create_dir("new")?;
    pivot_root(".", "old")?;
    chdir("/")?;
    mount_bind_recursive(NEW, NEW)?;
    // What is bound from a read-only mount is read-only: one step here saves one for each path.
    mount_remount(
        OLD,
        MountFlags::BIND | MountFlags::RDONLY | locked(Path::new(OLD))?.0,
        "",
    )?;

    for path in &spec.programs {
        bind(path)?;
    }
    for path in spec
        .readable
        .iter()
        .chain(&spec.writable)
        .chain([&spec.work])
    {
        bind(path)?;
    }
    for device in DEVICES {
        bind(Path::new(device))?;
    }
    for (link, target) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "fd/0"),
        ("stdout", "fd/1"),
        ("stderr", "fd/2"),
    ] {
        std::os::unix::fs::symlink(target, inside(&Path::new("/dev").join(link)))?;
    }
    let shared = inside(Path::new("/dev/shm"));
    fs::create_dir(&shared)?;
    mount(
        "tmpfs",
        &shared,
        "tmpfs",
        plain | MountFlags::NOEXEC,
        SHARED_MEMORY,
    )?;
    // Fresh, so that it shows the processes of this namespace and no others. In a container it may
    // be refused; then there is none.
    let proc = inside(Path::new("/proc"));
    fs::create_dir(&proc)?;
    let _ = mount("proc", &proc, "proc", plain | MountFlags::NOEXEC, None);

    make_read_only(spec)?;
    unmount(OLD, UnmountFlags::DETACH)?;
    // The usual step: the old root ends on top of the new one and is taken off.
    chdir(NEW)?;
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    chdir("/").map_err(Into::into)
}

/// Makes `/proc` read-only, after the bound on processes was written there.
pub(super) fn seal_proc() -> io::Result<()> {
    let flags = MountFlags::BIND
        | MountFlags::RDONLY
        | MountFlags::NOSUID
        | MountFlags::NODEV
        | MountFlags::NOEXEC;
    match mount_remount("/proc", flags, "") {
        // Not mounted at all.
        Err(rustix::io::Errno::INVAL) => Ok(()),
        other => other.map_err(Into::into),
    }
}

fn inside(path: &Path) -> PathBuf {
    Path::new(NEW).join(path.strip_prefix("/").unwrap_or(path))
}

/// Shows one path of the old root at the same place of the new one.
fn bind(path: &Path) -> io::Result<()> {
    let old = Path::new(OLD).join(path.strip_prefix("/").unwrap_or(path));
    let new = inside(path);
    let Ok(meta) = fs::symlink_metadata(&old) else {
        return Ok(());
    };
    if let Some(parent) = new.parent() {
        fs::create_dir_all(parent)?;
    }
    if meta.is_symlink() {
        // `/bin` is a link to `usr/bin` on most systems: a link again.
        return match std::os::unix::fs::symlink(fs::read_link(&old)?, &new) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        };
    }
    // A path below another one that is there already is mounted over it, so that a work folder
    // inside a readable folder is writable.
    if !new.exists() {
        if meta.is_dir() {
            fs::create_dir(&new)?;
        } else {
            File::create(&new)?;
        }
    }
    mount_bind_recursive(&old, &new).map_err(Into::into)
}

/// Makes every mount of the new root read-only that is not to be written to, those below mounts
/// that came along included.
fn make_read_only(spec: &Spec) -> io::Result<()> {
    let writable: Vec<PathBuf> = spec
        .writable
        .iter()
        .chain([&spec.work])
        .map(|path| inside(path))
        .collect();
    let mounts = fs::read_to_string(Path::new(OLD).join("proc/self/mountinfo"))?;
    for line in mounts.lines() {
        let Some(point) = line.split(' ').nth(4).map(unescape) else {
            continue;
        };
        let point = Path::new(&point);
        if !point.starts_with(NEW)
            || MADE_HERE
                .iter()
                .any(|made| point == inside(Path::new(made)))
        {
            continue;
        }
        // Devices too: a read-only mount still lets a program write *to* a device, and keeps the
        // superuser from changing the machine's `/dev/null` itself.
        let open = writable.iter().any(|path| point.starts_with(path));
        let own = if open {
            MountFlags::NODEV | MountFlags::NOEXEC
        } else {
            MountFlags::RDONLY
        };
        // Flags that the machine set on a mount are locked: they have to be given again.
        let (set, read_only) = locked(point)?;
        if read_only && !open {
            continue;
        }
        let flags = MountFlags::BIND | own | set;
        match mount_remount(point, flags, "") {
            // Covered by another mount meanwhile: nothing reaches it.
            Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// The flags of a mount that have to be given again, and whether it is read-only.
fn locked(point: &Path) -> io::Result<(MountFlags, bool)> {
    let set = statvfs(point)?.f_flag;
    let pairs = [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ];
    let mut flags = MountFlags::NOSUID;
    for (seen, flag) in pairs {
        if set.contains(seen) {
            flags |= flag;
        }
    }
    Ok((flags, set.contains(StatVfsMountFlags::RDONLY)))
}

/// The kernel writes blanks in mount points as `\040`.
fn unescape(point: &str) -> String {
    ["\\040", "\\011", "\\012", "\\134"]
        .iter()
        .zip([" ", "\t", "\n", "\\"])
        .fold(point.to_owned(), |point, (code, letter)| {
            point.replace(code, letter)
        })
}
