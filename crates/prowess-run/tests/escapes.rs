//! Scripts that try to get out, each with what must not have happened.
//!
//! Every case runs with namespaces and without, as whoever runs the tests and, for the superuser,
//! as a user without rights.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests lay out files of their own"
)]

mod common;

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use common::{World, run_with, sandbox, text};
use prowess_run::{Answer, Runner as _, Stop};

/// What every case starts with: `attempt` prints `ESCAPED` if its function comes back.
const PREAMBLE: &str = r#"
import ctypes, os, socket, sys, struct, time, signal, stat, resource
outside, host = sys.argv[1], int(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
def syscall(*args):
    result = libc.syscall(*args)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result
def read(path):
    with open(path, "rb") as file:
        return file.read(100)
def write(path, mode="w"):
    with open(path, mode) as file:
        file.write("x")
def attempt(function):
    try:
        result = function()
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    else:
        print("ESCAPED", repr(result)[:80])
"#;

/// One way out: its name and what `attempt` is given.
#[rustfmt::skip]
const CASES: &[(&str, &str)] = &[
    // Reading what is not its own.
    ("shadow", "attempt(lambda: read('/etc/shadow'))"),
    ("sudoers", "attempt(lambda: read('/etc/sudoers') if os.path.exists('/etc/sudoers') else read('/etc/gshadow'))"),
    ("root's home", "attempt(lambda: os.listdir('/root'))"),
    ("a folder of the host", "attempt(lambda: read(outside + '/secret.txt'))"),
    ("through a link of its own", "os.symlink(outside + '/secret.txt', 'link'); attempt(lambda: read('link'))"),
    ("through a link to a folder", "os.symlink(outside, 'dir'); attempt(lambda: os.listdir('dir/.'))"),
    ("dot dot", "attempt(lambda: read(os.environ['SKILL_DIR'] + '/../outside/secret.txt'))"),
    ("the folder above", "attempt(lambda: os.listdir(os.environ['SKILL_DIR'] + '/..'))"),
    ("a hard link out of it", "attempt(lambda: (os.link(outside + '/secret.txt', 'hard'), read('hard')))"),
    ("environment of the host", "attempt(lambda: read(f'/proc/{host}/environ'))"),
    ("environment of the parent", "attempt(lambda: read(f'/proc/{os.getppid()}/environ'))"),
    ("memory of the host", "attempt(lambda: open(f'/proc/{host}/mem', 'rb').read(1))"),
    ("root of the host by proc", "attempt(lambda: os.listdir(f'/proc/{host}/root/'))"),
    ("root of the parent by proc", "attempt(lambda: read('/proc/1/root' + outside + '/secret.txt'))"),
    ("descriptors of the host", "attempt(lambda: os.listdir(f'/proc/{host}/fd'))"),
    ("kernel log", "attempt(lambda: read('/dev/kmsg'))"),
    ("disks", "attempt(lambda: [read('/dev/' + d) for d in ('vda', 'sda', 'nvme0n1') if os.path.exists('/dev/' + d)] or 1/0)"),
    ("a file by handle", "attempt(lambda: syscall(304, -100, b'', 0))"),
    // Writing.
    ("a file outside", "attempt(lambda: write(outside + '/new.txt'))"),
    ("over a file outside", "attempt(lambda: write(outside + '/secret.txt'))"),
    ("a file of the skill", "attempt(lambda: write(os.environ['SKILL_DIR'] + '/a.py', 'a'))"),
    ("a new file in the skill", "attempt(lambda: write(os.environ['SKILL_DIR'] + '/new.py'))"),
    ("the temporary folder", "attempt(lambda: write('/tmp/prowess-escape'))"),
    ("the other temporary folder", "attempt(lambda: write('/var/tmp/prowess-escape'))"),
    ("a system folder", "attempt(lambda: write('/usr/local/bin/prowess-escape'))"),
    ("a mail spool", "attempt(lambda: write('/var/spool/prowess-escape'))"),
    ("rename outwards", "write('mine'); attempt(lambda: os.rename('mine', outside + '/moved'))"),
    ("remove outside", "attempt(lambda: os.unlink(outside + '/secret.txt'))"),
    ("a folder outside", "attempt(lambda: os.mkdir(outside + '/folder'))"),
    ("truncate outside", "attempt(lambda: os.truncate(outside + '/secret.txt', 0))"),
    ("a kernel setting", "attempt(lambda: write('/proc/sys/kernel/hostname'))"),
    ("core pattern", "attempt(lambda: write('/proc/sys/kernel/core_pattern'))"),
    ("sysrq", "attempt(lambda: write('/proc/sysrq-trigger'))"),
    ("control groups", "attempt(lambda: os.mkdir('/sys/fs/cgroup/prowess-escape'))"),
    // Modes, owners, times of what is outside.
    ("mode outside", "attempt(lambda: os.chmod(outside + '/secret.txt', 0o777))"),
    ("mode of the skill", "attempt(lambda: os.chmod(os.environ['SKILL_DIR'] + '/a.py', 0o777))"),
    ("mode by descriptor", "fd = os.open(os.environ['SKILL_DIR'] + '/a.py', os.O_RDONLY); attempt(lambda: os.fchmod(fd, 0o777))"),
    ("mode of a device", "attempt(lambda: os.chmod('/dev/null', 0o600))"),
    ("owner outside", "attempt(lambda: os.chown(outside + '/secret.txt', os.getuid(), os.getgid()))"),
    ("owner of the skill", "attempt(lambda: os.chown(os.environ['SKILL_DIR'], os.getuid(), os.getgid()))"),
    ("times outside", "attempt(lambda: os.utime(outside + '/secret.txt', (1, 1)))"),
    ("times of the skill", "attempt(lambda: os.utime(os.environ['SKILL_DIR'] + '/a.py', (1, 1)))"),
    ("attributes of the skill", "attempt(lambda: os.setxattr(os.environ['SKILL_DIR'] + '/a.py', 'user.x', b'1'))"),
    // Networks.
    ("tcp", "attempt(lambda: socket.create_connection(('127.0.0.1', int(sys.argv[3])), 2))"),
    ("listening", "s = lambda: socket.socket(); attempt(lambda: (lambda s: (s.bind(('127.0.0.1', 0)), s.listen()))(s()))"),
    ("udp", "attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9)))"),
    ("tcp over IPv6", "attempt(lambda: socket.socket(socket.AF_INET6))"),
    ("raw", "attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))"),
    ("packets", "attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))"),
    ("netlink", "attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0))"),
    ("vsock", "attempt(lambda: socket.socket(40, socket.SOCK_STREAM))"),
    ("dns", "attempt(lambda: socket.getaddrinfo('example.com', 80))"),
    ("a service's socket", "attempt(lambda: socket.socket(socket.AF_UNIX).connect(outside + '/service.sock'))"),
    ("an abstract socket", "attempt(lambda: socket.socket(socket.AF_UNIX).connect('\\0prowess-escape-' + str(host)))"),
    ("a datagram to a service", "attempt(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', outside + '/service.sock'))"),
    // Other processes and the kernel.
    ("signal the host", "attempt(lambda: os.kill(host, 0))"),
    ("signal everybody", "attempt(lambda: os.kill(-1, 0) or [p for p in os.listdir('/proc') if p == str(host)][0])"),
    ("trace the parent", "attempt(lambda: syscall(101, 16, os.getppid(), 0, 0))"),
    ("memory of the parent", "attempt(lambda: syscall(310, os.getppid(), 0, 0, 0, 0, 0))"),
    ("io_uring", "attempt(lambda: syscall(425, 8, ctypes.create_string_buffer(120)))"),
    ("io_uring by its second number", "attempt(lambda: syscall(425 | 0x40000000, 8, ctypes.create_string_buffer(120)))"),
    ("keys", "attempt(lambda: syscall(250, 0, -5, 0))"),
    ("bpf", "attempt(lambda: syscall(321, 0, ctypes.create_string_buffer(128), 128))"),
    ("userfaultfd", "attempt(lambda: syscall(323, 1))"),
    ("perf", "attempt(lambda: syscall(298, ctypes.create_string_buffer(128), 0, -1, -1, 0))"),
    ("mount", "attempt(lambda: syscall(165, b'none', b'.', b'tmpfs', 0, 0))"),
    ("a user namespace", "attempt(lambda: syscall(272, 0x10000000))"),
    ("a user namespace by clone", "attempt(lambda: syscall(56, 0x10000000 | 17, 0, 0, 0, 0) or os._exit(0))"),
    ("a namespace of the host", "attempt(lambda: syscall(308, os.open('/proc/1/ns/mnt', os.O_RDONLY), 0))"),
    ("chroot", "os.mkdir('root'); attempt(lambda: os.chroot('root'))"),
    ("superuser", "attempt(lambda: (os.getuid() == 0 and 1/0, os.setuid(0)))"),
    ("another user", "attempt(lambda: os.setuid(12345))"),
    ("clock", "attempt(lambda: time.clock_settime(time.CLOCK_REALTIME, 0))"),
    ("host name", "attempt(lambda: socket.sethostname('x'))"),
    ("higher limits", "attempt(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (99999, 99999)))"),
    ("a device", "attempt(lambda: os.mknod('disk', stat.S_IFBLK | 0o600, os.makedev(8, 0)))"),
    // Running what it should not.
    ("a program it wrote", "open('tool', 'w').write('#!/bin/sh\\necho hi\\n'); \
        (lambda: os.chmod('tool', 0o755))() if os.environ.get('X') else None; \
        attempt(lambda: os.posix_spawn('tool', ['tool'], {}))"),
    ("a copied program", "import shutil; shutil.copyfile('/bin/true', 'true'); attempt(lambda: os.posix_spawn('./true', ['true'], {}))"),
    ("a program in memory", "attempt(lambda: os.memfd_create('tool'))"),
    ("a secret of the environment", "attempt(lambda: os.environ['PROWESS_TEST_SECRET'])"),
    ("an inherited descriptor", "attempt(lambda: [os.read(fd, 1) for fd in range(3, 64)])"),
];

#[test]
fn no_script_gets_out() {
    let world = World::with("a.py", "");
    let outside = world.outside();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let _service = std::os::unix::net::UnixListener::bind(outside.join("service.sock")).unwrap();
    let host = std::process::id().to_string();
    let mut escaped = Vec::new();
    for (name, attempt) in CASES {
        for namespaces in [true, false] {
            fs::write(outside.join("secret.txt"), "hunter2").unwrap();
            fs::set_permissions(
                outside.join("secret.txt"),
                fs::Permissions::from_mode(0o640),
            )
            .unwrap();
            world.file("a.py", &format!("{PREAMBLE}{attempt}\n"));
            let mut request = world
                .request("a.py")
                .args([outside.as_os_str()])
                .args([&host, &port]);
            request.limits.time = Duration::from_secs(30);
            let before = state(&outside);
            let answer = run_with(namespaces, request);
            let case = if namespaces {
                (*name).to_owned()
            } else {
                format!("{name}, without namespaces")
            };
            let said = format!("{} {}", text(&answer.stdout), text(&answer.stderr));
            if text(&answer.stdout).contains("ESCAPED") || state(&outside) != before {
                escaped.push(format!("{case}: {said}"));
            } else if !attempted(&answer) {
                escaped.push(format!("{case} was not tried: {:?} {said}", answer.stop));
            }
        }
    }
    assert!(!Path::new("/tmp/prowess-escape").exists());
    assert!(
        escaped.is_empty(),
        "{} of {}:\n{}",
        escaped.len(),
        CASES.len() * 2,
        escaped.join("\n")
    );
}

/// Whether the script came as far as its attempt, and its error was seen.
fn attempted(answer: &Answer) -> bool {
    answer.stop == Stop::Exit { code: 0 } && text(&answer.stderr).to_lowercase().contains("error")
}

/// What is outside, with modes, times and texts.
fn state(folder: &Path) -> Vec<(String, u32, Option<String>)> {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let meta = entry.metadata().unwrap();
            let changed = format!(
                "{} {:?}",
                entry.file_name().display(),
                meta.modified().unwrap()
            );
            (
                changed,
                meta.permissions().mode(),
                fs::read_to_string(entry.path()).ok(),
            )
        })
        .collect();
    entries.sort();
    entries
}

#[test]
fn the_answer_says_what_was_denied() {
    let world = World::with(
        "a.sh",
        "#!/bin/sh\ncat /etc/shadow\ntouch /usr/x\necho done\n",
    );
    let answer = run_with(true, world.request("a.sh"));
    let denied: Vec<_> = answer
        .denied
        .iter()
        .map(|denial| denial.path.clone().unwrap())
        .collect();
    assert_eq!(
        denied,
        ["/etc/shadow", "/usr/x"].map(std::path::PathBuf::from),
        "{}",
        text(&answer.stderr)
    );
    assert_eq!(text(&answer.stdout), "done\n");
}

/// Scripts that want too much of something, and how each ends.
#[test]
fn bombs_end_within_their_limits() {
    #[rustfmt::skip]
    let bombs = [
        ("forks", "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass\n"),
        ("memory", "import os\nx = []\nwhile True: x.append(bytearray(os.urandom(1 << 20)) * 16)\n"),
        ("output", "import sys\nwhile True: sys.stdout.write('x' * 65536)\n"),
        ("a deaf process", "import signal, time\nfor s in range(1, 65):\n  try: signal.signal(s, signal.SIG_IGN)\n  except (OSError, ValueError): pass\nwhile True: time.sleep(1)\n"),
        ("one large file", "with open('f', 'wb') as f:\n  while True: f.write(b'x' * (1 << 20))\n"),
        ("many files", "n = 0\nwhile True:\n  open(str(n), 'wb').write(b'x' * (1 << 20)); n += 1\n"),
        ("a processor", "while True: pass\n"),
        ("descriptors", "x = []\nwhile True: x.append(open('/dev/null'))\n"),
    ];
    for (name, script) in bombs {
        for namespaces in [true, false] {
            // Without a process namespace nothing bounds the superuser's processes but time.
            if name == "forks" && !namespaces && is_superuser() {
                continue;
            }
            let world = World::with("a.py", script);
            let mut request = world.request("a.py");
            request.limits.time = Duration::from_secs(2);
            request.limits.data_bytes = 256 << 20;
            request.limits.work_bytes = 32 << 20;
            request.limits.file_bytes = 8 << 20;
            request.limits.processes = 64;
            let started = Instant::now();
            let answer = run_with(namespaces, request);
            assert_ne!(answer.stop, Stop::Exit { code: 0 }, "{name}");
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "{name}: {:?}",
                started.elapsed()
            );
            assert!(answer.stdout.len() < 100 << 10, "{name}");
        }
    }
    assert_eq!(leftovers(), Vec::<String>::new());
}

#[test]
fn nothing_outlives_a_run() {
    let marker = format!("prowess-test-{}", std::process::id());
    let script = format!(
        "import os, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    \
         os.execvp('sleep', ['{marker}', '1000'])\n  os._exit(0)\ntime.sleep(0.3)\n"
    );
    for namespaces in [true, false] {
        let world = World::with("a.py", &script);
        assert!(run_with(namespaces, world.request("a.py")).success());
        let left: Vec<_> = leftovers()
            .into_iter()
            .filter(|line| line.contains(&marker))
            .collect();
        assert_eq!(left, Vec::<String>::new(), "namespaces: {namespaces}");
    }
}

#[test]
fn nothing_outlives_a_run_that_is_dropped() {
    let marker = format!("prowess-drop-{}", std::process::id());
    let script = format!(
        "import os, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    \
         os.execvp('sleep', ['{marker}', '1000'])\n  os._exit(0)\ntime.sleep(1000)\n"
    );
    for namespaces in [true, false] {
        let world = World::with("a.py", &script);
        let sandbox = if namespaces {
            sandbox()
        } else {
            sandbox().without_namespaces()
        };
        let run = sandbox.start(world.request("a.py")).unwrap();
        assert!(becomes(&marker, true), "it started");
        drop(run);
        assert!(becomes(&marker, false), "namespaces: {namespaces}");
    }
}

/// Waits until a process of this name is there, or is gone.
fn becomes(marker: &str, there: bool) -> bool {
    let is_there = || {
        fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            fs::read(entry.path().join("cmdline")).is_ok_and(|line| text(&line).contains(marker))
        })
    };
    (0..150).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        is_there() == there
    })
}

/// Command lines of processes whose work folder was ours.
fn leftovers() -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let folder = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        if folder.to_string_lossy().contains("prowess-run-") {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            // Other tests of this file have runs of their own under way.
            if line.windows(12).any(|part| part == b"prowess-test") {
                found.push(text(&line));
            }
        }
    }
    found
}

fn is_superuser() -> bool {
    fs::metadata("/proc/self").is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0)
}

/// The superuser runs these tests again as a user without rights.
#[test]
fn as_a_user_without_rights_too() {
    if !is_superuser() || env::var_os("PROWESS_TEST_AGAIN").is_some() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let copy = |from: &Path, name: &str| {
        let to = folder.path().join(name);
        fs::copy(from, &to).unwrap();
        to
    };
    let tests = copy(&env::current_exe().unwrap(), "tests");
    let launcher = copy(Path::new(env!("CARGO_BIN_EXE_prowess-sandbox")), "launcher");
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(tests)
        .args(["no_script_gets_out", "bombs", "outlives"])
        .env("PROWESS_TEST_AGAIN", "1")
        .env("PROWESS_TEST_LAUNCHER", launcher)
        .output()
        .expect("setpriv of util-linux");
    assert!(
        output.status.success(),
        "{}\n{}",
        text(&output.stdout),
        text(&output.stderr)
    );
}
