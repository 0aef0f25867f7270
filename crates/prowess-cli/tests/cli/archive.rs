//! Skills from archives: put back to the byte, and nothing of a hostile one.

use std::{fmt::Write as _, fs, process::Command};

use expect_test::expect;

use crate::{
    install::{git, round_trip, run, upstream},
    world::{World, skill},
};

fn pack(world: &World, program: &str, line: &str) -> bool {
    let output = Command::new(program)
        .args(line.split_whitespace())
        .current_dir(world.path("upstream"))
        .output();
    output.is_ok_and(|it| it.status.success())
}

#[test]
fn an_archive_comes_back_to_the_byte() {
    let world = upstream();
    assert!(pack(&world, "tar", "-czf ../skills.tar.gz skills"));
    round_trip(&world, "../skills.tar.gz");
    if pack(&world, "zip", "-q -r ../skills.skill skills") {
        round_trip(&world, "../skills.skill");
    }
}

#[test]
fn what_is_gone_comes_back_from_the_archive_and_only_as_it_was() {
    let world = upstream();
    assert!(pack(&world, "tar", "-cf ../skills.tar skills"));
    assert_eq!(run(&world, "add ../skills.tar --all --yes").0, Some(0));
    let lock = world.read("work/prowess.lock");
    assert!(lock.contains("artifact = \"sha256:"), "{lock}");
    let lose = || {
        fs::remove_dir_all(world.path("work/.agents/skills/pdf")).unwrap();
        fs::remove_dir_all(world.path("home/.local/share/prowess/store")).unwrap();
    };
    lose();
    assert_eq!(run(&world, "sync --frozen --offline").0, Some(0));
    assert_eq!(run(&world, "verify --full").0, Some(0));
    lose();
    world.file("upstream/skills/pdf/notes.md", "other\n");
    assert!(pack(&world, "tar", "-cf ../skills.tar skills"));
    let (code, text) = run(&world, "sync --frozen --offline");
    assert_eq!(code, Some(3), "{text}");
    assert!(
        text.contains("does not have the files of `pdf` any more"),
        "{text}"
    );
    assert!(!world.path("work/.agents/skills/pdf").exists());
    assert_eq!(world.read("work/prowess.lock"), lock);
}

#[test]
fn a_hostile_archive_leaves_nothing_behind() {
    let world = upstream();
    std::os::unix::fs::symlink("/etc/passwd", world.path("upstream/skills/sql/l")).unwrap();
    assert!(pack(&world, "tar", "-czf ../skills.tar.gz skills"));
    let (code, text) = run(&world, "add ../skills.tar.gz --skill pdf --yes");
    assert_eq!(code, Some(3));
    expect![[r#"
        error: nothing is taken from `../skills.tar.gz`
          cause: the entry `skills/sql/l` is a link, and only plain files are installed
        hint: nothing was changed; ask whoever made it for one with plain files only
    "#]]
    .assert_eq(&text);
    assert_nothing_came(&world);
}

/// As the kernel sees it, where `strace` is installed: of a refused archive nothing is written,
/// anywhere; of a good one nothing outside of the project, the home and the folder for passing files.
#[test]
#[cfg(target_os = "linux")]
fn what_is_written_stays_where_it_belongs() {
    let world = upstream();
    assert!(pack(&world, "tar", "-czf ../good.tar.gz skills"));
    let arguments = "-czPf ../bad.tar.gz skills --transform s,skills/sql/SKILL.md,../../out,";
    assert!(pack(&world, "tar", arguments));
    let (_, text) = run(&world, "add ../bad.tar.gz --all --yes");
    assert!(text.contains("the path `../../out` has a part"), "{text}");
    let Some(bad) = written(&world, "add ../bad.tar.gz --all --yes") else {
        return;
    };
    assert_eq!(bad, Vec::<String>::new());
    assert_nothing_came(&world);
    let good = written(&world, "add ../good.tar.gz --all --yes").unwrap();
    assert!(
        good.iter().any(|it| it.contains("prowess.lock")),
        "{good:?}"
    );
    let (home, work) = (world.path("home"), world.path("work"));
    let temporary = std::env::temp_dir();
    for path in &good {
        // What has no `/` in front is a name below a folder that is open.
        let inside = [&home, &work]
            .iter()
            .any(|it| path.starts_with(it.to_str().unwrap()))
            || !path.starts_with('/')
            || path.starts_with(temporary.join(".tmp").to_str().unwrap());
        assert!(inside, "{path}");
    }
}

/// The paths that a run makes, changes or takes away; `None` where nothing can be traced.
#[cfg(target_os = "linux")]
fn written(world: &World, line: &str) -> Option<Vec<String>> {
    let trace = world.path("trace");
    let plain = world.command(line);
    let calls = "trace=openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,truncate,chmod,fchmodat";
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-s", "512", "-e", calls, "-o"]);
    command.arg(&trace).arg(plain.get_program());
    command.args(plain.get_args());
    for (key, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(key, value),
            None => command.env_remove(key),
        };
    }
    command
        .current_dir(plain.get_current_dir()?)
        .output()
        .ok()?;
    let text = fs::read_to_string(&trace)
        .ok()
        .filter(|it| !it.is_empty())?;
    let changes = text.lines().filter(|line| {
        let opens = line.contains("open");
        !opens
            || ["O_CREAT", "O_WRONLY", "O_RDWR", "O_TRUNC"]
                .iter()
                .any(|it| line.contains(it))
    });
    // A rename has two.
    let paths = changes.flat_map(|line| line.split('"').skip(1).step_by(2));
    Some(
        paths
            .filter(|it| *it != "/dev/null")
            .map(str::to_owned)
            .collect(),
    )
}

fn assert_nothing_came(world: &World) {
    for path in ["work/.agents", "work/prowess.lock", "work/prowess.toml"] {
        assert!(!world.path(path).exists(), "{path}");
    }
}

/// One entry of a git tree: mode, kind and name; what a checkout would never make.
const TREES: [(&str, &str, &str); 24] = [
    ("120000", "blob", "link"),
    ("120000", "blob", "scripts"),
    ("160000", "commit", "module"),
    ("100644", "blob", "NUL"),
    ("100644", "blob", "aux.md"),
    ("100644", "blob", "com1"),
    ("100644", "blob", "a\\b"),
    ("100644", "blob", "C:x"),
    ("100644", "blob", "a?b"),
    ("100644", "blob", "x."),
    ("100644", "blob", "x "),
    ("100644", "blob", "skill.md"),
    ("100644", "blob", "a\nb"),
    ("100644", "blob", "a\u{1b}[2J"),
    ("100644", "blob", "a\u{202e}b"),
    ("100644", "blob", "a\u{200b}b"),
    ("100644", "blob", "e\u{301}"),
    ("040000", "tree", ".git"),
    ("040000", "tree", ".GIT"),
    ("040000", "tree", "git~1"),
    ("100644", "blob", ".git"),
    ("040000", "tree", ".."),
    ("040000", "tree", "."),
    ("100644", "blob", "a\u{85}b"),
];

#[test]
fn a_hostile_repository_leaves_nothing_behind() {
    let world = World::new();
    world.file("upstream/pdf/SKILL.md", skill("pdf", "Fills forms"));
    git(&world, "init -q -b main");
    git(&world, "config uploadpack.allowFilter true");
    git(&world, "add -A");
    let commit = "-c user.name=a -c user.email=a@b commit -q -m one";
    git(&world, commit);
    let mut all = String::new();
    for (mode, kind, name) in TREES {
        tree(&world, mode, kind, name);
        let source = format!("file://{}", world.path("upstream").display());
        let (code, text) = run(&world, &format!("add {source} --all --yes"));
        assert_ne!(code, Some(0), "{name:?}: {text}");
        let text = text.replace(&source, "URL").replace('\u{301}', "<301>");
        let first = text.lines().take(2).collect::<Vec<_>>().join(" ");
        // What git checks by itself it says in words of its version.
        let end = first.find("git says:").map_or(first.len(), |at| at + 8);
        let first = &first[..end];
        let _ = writeln!(all, "{mode} {name:?} {first}");
        assert_nothing_came(&world);
    }
    expect![[r#"
        120000 "link" error: the skill in `pdf` cannot be taken: `pdf/link` is a link, and only plain files are installed
        120000 "scripts" error: the skill in `pdf` cannot be taken: `pdf/scripts` is a link, and only plain files are installed
        160000 "module" error: the skill in `pdf` cannot be taken: `pdf/module` is another repository, and only plain files are installed
        100644 "NUL" error: the skill in `pdf` cannot be taken   cause: the path `NUL` is the name of a device on Windows
        100644 "aux.md" error: the skill in `pdf` cannot be taken   cause: the path `aux.md` is the name of a device on Windows
        100644 "com1" error: the skill in `pdf` cannot be taken   cause: the path `com1` is the name of a device on Windows
        100644 "a\\b" error: the skill in `pdf` cannot be taken   cause: the path `a\b` has a backslash
        100644 "C:x" error: the skill in `pdf` cannot be taken   cause: the path `C:x` has a sign that Windows does not take in names
        100644 "a?b" error: the skill in `pdf` cannot be taken   cause: the path `a?b` has a sign that Windows does not take in names
        100644 "x." error: the skill in `pdf` cannot be taken   cause: the path `x.` has a name that ends in a dot or a space
        100644 "x " error: the skill in `pdf` cannot be taken   cause: the path `x ` has a name that ends in a dot or a space
        100644 "skill.md" error: the skill in `pdf` cannot be taken   cause: `SKILL.md` and `skill.md` are one file where case does not count
        100644 "a\nb" error: the skill in `pdf` cannot be taken   cause: the path `a\nb` has a control character
        100644 "a\u{1b}[2J" error: the skill in `pdf` cannot be taken   cause: the path `a\u{1b}[2J` has a control character
        100644 "a\u{202e}b" error: the skill in `pdf` cannot be taken   cause: the path `a\u{202e}b` has a character that hides or turns text
        100644 "a\u{200b}b" error: the skill in `pdf` cannot be taken   cause: the path `a\u{200b}b` has a character that hides or turns text
        100644 "e\u{301}" error: the skill in `pdf` cannot be taken   cause: the path `e<301>` is not in the normal form NFC
        040000 ".git" error: cannot fetch from `URL`   cause: git says
        040000 ".GIT" error: cannot fetch from `URL`   cause: git says
        040000 "git~1" error: cannot fetch from `URL`   cause: git says
        100644 ".git" error: cannot fetch from `URL`   cause: git says
        040000 ".." error: cannot fetch from `URL`   cause: git says
        040000 "." error: cannot fetch from `URL`   cause: git says
        100644 "a\u{85}b" error: the skill in `pdf` cannot be taken   cause: the path `a\u{85}b` has a control character
    "#]].assert_eq(&all);
}

/// Makes `main` a commit whose skill has this entry too.
fn tree(world: &World, mode: &str, kind: &str, name: &str) {
    let ask = |line: &[&str], input: &[u8]| {
        use std::io::Write as _;
        let mut child = Command::new("git")
            .args(line)
            .current_dir(world.path("upstream"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{line:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let object = |kind: &str, bytes: &[u8]| {
        let line = ["hash-object", "--literally", "-w", "--stdin", "-t", kind];
        ask(&line, bytes)
    };
    // The raw form of a tree takes every name.
    let raw = |mode: &str, name: &str, id: &str| {
        let byte = |at: usize| u8::from_str_radix(&id[2 * at..2 * at + 2], 16).unwrap();
        let id: Vec<u8> = (0..id.len() / 2).map(byte).collect();
        let mode = mode.trim_start_matches('0');
        [mode.as_bytes(), b" ", name.as_bytes(), b"\0", &id].concat()
    };
    let skill = object("blob", skill("pdf", "Fills forms").as_bytes());
    let blob = object("blob", b"/etc/passwd");
    let id = match kind {
        "tree" => object("tree", &raw("100644", "config", &blob)),
        "commit" => ask(&["rev-parse", "HEAD"], b""),
        _ => blob,
    };
    let mut entries = [
        (name.to_owned(), raw(mode, name, &id)),
        ("SKILL.md".to_owned(), raw("100644", "SKILL.md", &skill)),
    ];
    entries.sort();
    let inner = object(
        "tree",
        &[entries[0].1.clone(), entries[1].1.clone()].concat(),
    );
    let top = object("tree", &raw("040000", "pdf", &inner));
    let line = [
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit-tree",
        "-m",
        "two",
        &top,
    ];
    let commit = ask(&line, b"");
    ask(&["update-ref", "refs/heads/main", &commit], b"");
}
