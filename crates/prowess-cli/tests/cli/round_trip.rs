//! Skills from real servers and real programs, on two locales and with line endings that git would
//! like to change: the same bytes, modes and lock, with and without a network.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Output},
};

use crate::{
    install::{commit, git},
    interrupted::state,
    server::Server,
    world::{World, skill},
};

/// `me:hush`
const LOGIN: &str = "Basic bWU6aHVzaA==";

/// A repository with a script and a file whose line endings must stay, served with encryption.
fn served() -> (World, Server) {
    let world = World::new();
    world.file("upstream/skills/pdf/SKILL.md", skill("pdf", "Fills forms"));
    world.file("upstream/skills/pdf/notes.md", "one\r\ntwo\n");
    world.file("upstream/skills/pdf/scripts/go.sh", "#!/bin/sh\necho\n");
    let script = world.path("upstream/skills/pdf/scripts/go.sh");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
    world.file("upstream/skills/sql/SKILL.md", skill("sql", "Asks tables"));
    git(&world, "init -q -b main");
    git(&world, "config core.autocrlf false");
    commit(&world);
    fs::create_dir_all(world.path("served/git/private")).unwrap();
    for name in ["skills", "private/skills"] {
        let place = world.path("served/git").join(format!("{name}.git"));
        let place = place.to_str().unwrap();
        git(&world, &format!("clone -q --bare . {place}"));
        git(
            &world,
            &format!("--git-dir {place} config uploadpack.allowFilter true"),
        );
        git(
            &world,
            &format!("--git-dir {place} config uploadpack.allowAnySHA1InWant true"),
        );
    }
    let server = Server::new(world.path("served"), &world.path("authority.pem"), LOGIN);
    (world, server)
}

/// Runs a line as on a machine with this locale and a git that changes line endings.
fn run(world: &World, line: &str, locale: &str) -> Output {
    world.file(
        "home/.gitconfig",
        "[core]\n\tautocrlf = true\n\teol = crlf\n",
    );
    world
        .command(line)
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("SSL_CERT_FILE", world.path("authority.pem"))
        .env("GIT_SSH_COMMAND", "false")
        .env("LC_ALL", locale)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&text).into_owned()
}

/// Added, deleted, put back without a network and without the store: the same bytes, modes, lock.
fn comes_back(world: &World, source: &str, options: &str, locale: &str) {
    let output = run(world, &format!("add {source} {options} --yes"), locale);
    assert!(output.status.success(), "{}", said(&output));
    let work = world.path("work");
    let before = state(&work);
    assert!(before.len() > 3, "{before:?}");
    for line in ["sync --frozen --offline", "sync --frozen"] {
        fs::remove_dir_all(work.join(".agents")).unwrap();
        if line == "sync --frozen" {
            fs::remove_dir_all(world.path("home/.local/share/prowess/store")).unwrap();
        }
        let output = run(world, line, locale);
        assert!(output.status.success(), "{line}: {}", said(&output));
        assert_eq!(state(&work), before, "{line}");
        assert!(run(world, "verify --full", locale).status.success());
    }
}

/// The same on one machine, which then is as new; gives the lock.
fn lock_of(world: &World, source: &str, options: &str, locale: &str) -> String {
    comes_back(world, source, options, locale);
    let notes = fs::read(world.path("work/.agents/skills/pdf/notes.md")).unwrap();
    assert_eq!(notes, b"one\r\ntwo\n");
    let lock = world.read("work/prowess.lock");
    for name in ["work/.agents", "home"] {
        fs::remove_dir_all(world.path(name)).unwrap();
    }
    for name in ["work/prowess.lock", "work/prowess.toml"] {
        fs::remove_file(world.path(name)).unwrap();
    }
    lock
}

#[test]
fn a_repository_over_https_with_its_own_authority() {
    let (world, server) = served();
    let source = format!("{}/git/skills.git", server.address);
    let locks = ["C", "tr_TR.UTF-8"].map(|locale| lock_of(&world, &source, "--all", locale));
    assert_eq!(locks[0], locks[1]);
    let unknown = world
        .command(&format!("add {source} --all --yes"))
        .env("PATH", std::env::var_os("PATH").unwrap())
        .output()
        .unwrap();
    assert_eq!(unknown.status.code(), Some(3), "{}", said(&unknown));
    assert!(!world.path("work/prowess.lock").exists());
}

/// A password comes from the user's file, goes to its host, and stands in no argument, no
/// environment of a child, no message and no file that is left.
#[test]
fn a_password_for_a_repository_is_seen_by_nobody_else() {
    let (world, server) = served();
    let source = format!("{}/git/private/skills.git", server.address);
    let refused = run(&world, &format!("add {source} --all --yes"), "C");
    assert_eq!(refused.status.code(), Some(3), "{}", said(&refused));
    assert!(
        said(&refused).contains("credential helper"),
        "{}",
        said(&refused)
    );
    world.file("home/.netrc", "machine localhost login me password hush\n");
    let netrc = world.path("home/.netrc");
    fs::set_permissions(&netrc, fs::Permissions::from_mode(0o600)).unwrap();
    server.asked();
    comes_back(&world, &source, "--all", "C");
    let asked = server.asked();
    assert!(
        asked.iter().any(|it| it.ends_with("with the password")),
        "{asked:?}"
    );
    for (path, text) in state(&world.path("work"))
        .into_iter()
        .chain(state(&world.path("home")))
    {
        assert!(
            path.ends_with(".netrc") || !text.contains("hush"),
            "{path:?}"
        );
    }
    fs::remove_dir_all(world.path("work/.agents")).unwrap();
    fs::remove_dir_all(world.path("home/.local/share/prowess/store")).unwrap();
    let plain = world.command("sync --frozen");
    let mut traced = Command::new("strace");
    traced.args(["-f", "-v", "-s", "4096", "-e", "trace=execve", "-o"]);
    traced.arg(world.path("trace")).arg(plain.get_program());
    traced
        .args(plain.get_args())
        .current_dir(world.path("work"));
    traced.env("HOME", world.path("home"));
    traced.env("SSL_CERT_FILE", world.path("authority.pem"));
    match traced.output() {
        Ok(output) if output.status.success() => {
            let trace = world.read("trace");
            assert!(
                trace.contains("ls-remote") || trace.contains("fetch"),
                "{trace}"
            );
            assert!(!trace.contains("hush"), "{trace}");
            assert!(!said(&output).contains("hush"));
        }
        _ => eprintln!("strace can not run here, so arguments were not looked at"),
    }
}

/// Without a server for ssh: a program in its place that starts what the host is asked to start.
/// It shows that the address, the command and the answers are right; not the encryption.
#[test]
fn a_repository_over_ssh() {
    let (world, _server) = served();
    let ssh = format!(
        "#!/bin/sh\n[ \"$1\" = -oBatchMode=yes ] || exit 9\nfor last; do :; done\nprintf '%s\\n' \"$*\" >> '{}'\nexec sh -c \"$last\"\n",
        world.path("asked").display()
    );
    world.file("bin/ssh", ssh);
    fs::set_permissions(world.path("bin/ssh"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", world.path("bin").display());
    let source = format!(
        "ssh://git@example.org{}",
        world.path("served/git/skills.git").display()
    );
    let run = |line: &str| world.command(line).env("PATH", &path).output().unwrap();
    let output = run(&format!("add {source} --skill pdf --yes"));
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        world
            .read("asked")
            .contains("git@example.org git-upload-pack")
    );
    let before = state(&world.path("work"));
    fs::remove_dir_all(world.path("work/.agents")).unwrap();
    fs::remove_dir_all(world.path("home/.local/share/prowess/store")).unwrap();
    let output = run("sync --frozen");
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(state(&world.path("work")), before);
}

/// Packs the skill with one program; `false` where that is not installed.
fn packed(folder: &Path, program: &str, arguments: &[&str]) -> bool {
    let run = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output();
    run.is_ok_and(|it| it.status.success())
}

#[test]
fn archives_of_other_programs_come_back() {
    let (world, server) = served();
    let folder = world.path("upstream/skills");
    let python = "import sys, zipfile, tarfile, os\n\
        z = zipfile.ZipFile('../../served/python.zip', 'w', zipfile.ZIP_DEFLATED)\n\
        [z.write(os.path.join(d, f)) for d, _, fs in os.walk('pdf') for f in fs]\nz.close()\n\
        t = tarfile.open('../../served/python.tar.gz', 'w:gz'); t.add('pdf'); t.close()\n";
    let made = [
        (
            "gnu.tar.gz",
            packed(&folder, "tar", &["czf", "../../served/gnu.tar.gz", "pdf"]),
        ),
        (
            "gnu.tar",
            packed(
                &folder,
                "tar",
                &["cf", "../../served/gnu.tar", "--format=gnu", "./pdf"],
            ),
        ),
        (
            "zip.zip",
            packed(&folder, "zip", &["-qr", "../../served/zip.zip", "pdf"]),
        ),
        (
            "zip.skill",
            packed(&folder, "zip", &["-qr", "../../served/zip.skill", "pdf"]),
        ),
        ("python.zip", packed(&folder, "python3", &["-c", python])),
        ("python.tar.gz", world.path("served/python.tar.gz").exists()),
    ];
    let mut digests: Vec<String> = Vec::new();
    for (at, (name, _)) in made.iter().filter(|it| it.1).enumerate() {
        let source = format!("{}/{name}", server.address);
        let locale = ["C", "tr_TR.UTF-8"][at % 2];
        let lock = lock_of(&world, &source, "", locale);
        let digest = lock.lines().find(|it| it.starts_with("digest"));
        digests.push(digest.unwrap().to_owned());
    }
    assert!(digests.len() >= 2, "neither tar nor python here: {made:?}");
    digests.dedup();
    assert_eq!(digests.len(), 1, "one skill, one digest: {made:?}");
}
