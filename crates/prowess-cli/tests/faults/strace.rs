//! Rows 23, 34 and 43 once more, as the kernel sees them: nothing outside of the allowed roots is
//! opened, and of an untrusted project no file. Runs where `strace` is installed.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::bench::{GOOD, own, prowess, write};

/// Everything a run opened, links resolved; `None` where nothing can be traced.
fn opened(home: &Path, folder: &Path, line: &str) -> Option<Vec<PathBuf>> {
    let trace = home.join("trace");
    let _ = fs::remove_file(&trace);
    let plain = prowess(home);
    let mut command = Command::new("strace");
    command
        .args([
            "-f",
            "-y",
            "-qq",
            "-e",
            "trace=open,openat,openat2,creat",
            "-o",
        ])
        .arg(&trace)
        .arg(plain.get_program())
        .args(line.split(' '))
        .current_dir(folder)
        .env("HOME", home)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_STATE_HOME")
        .stdin(if line.starts_with("serve") {
            Stdio::from(fs::File::open(home.join("requests")).ok()?)
        } else {
            Stdio::null()
        });
    crate::bench::as_nobody(&mut command);
    command.output().ok()?;
    let text = fs::read_to_string(&trace)
        .ok()
        .filter(|text| !text.is_empty())?;
    // With `-y` a call ends in `= 3</the/real/path>`.
    let paths = text.lines().filter_map(|line| {
        let (_, result) = line.rsplit_once(" = ")?;
        let (_, path) = result.split_once('<')?;
        Some(PathBuf::from(path.trim_end_matches('>')))
    });
    Some(paths.collect())
}

/// What a hostile client asks a server for.
fn write_requests(home: &Path, skill: &str) {
    let call = |id: u32, method: &str, params: &str| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n")
    };
    let mut text = call(
        1,
        "initialize",
        r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}"#,
    );
    text += "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
    text += &call(2, "tools/list", "{}");
    text += &call(3, "resources/list", "{}");
    let skill_call = format!("{{\"name\":\"skill\",\"arguments\":{{\"skill_name\":\"{skill}\"}}}}");
    text += &call(4, "tools/call", &skill_call);
    for (at, path) in [
        "SKILL.md",
        "notes.md",
        "secret.md",
        "../../secret.md",
        "%2e%2e/secret.md",
        "up/secret.md",
    ]
    .iter()
    .enumerate()
    {
        let read = format!("{{\"uri\":\"skill://{skill}/{path}\"}}");
        text += &call(10 + at as u32, "resources/read", &read);
        let read = format!(
            "{{\"name\":\"read_skill_resource\",\"arguments\":{{\"skill_name\":\"{skill}\",\"path\":\"{path}\"}}}}"
        );
        text += &call(30 + at as u32, "tools/call", &read);
    }
    fs::write(home.join("requests"), text).unwrap();
}

/// What every program opens: its libraries, and what it asks about the machine.
fn of_the_system(path: &Path) -> bool {
    [
        "/usr",
        "/lib",
        "/lib64",
        "/proc",
        "/sys",
        "/dev/null",
        "/nix",
    ]
    .iter()
    .any(|system| path.starts_with(system))
        || path.starts_with("/etc") && path.to_string_lossy().contains("ld.so")
}

#[test]
fn row_34_no_verb_opens_anything_outside_of_the_allowed_roots() {
    let folder = tempfile::tempdir().unwrap();
    let home = fs::canonicalize(folder.path()).unwrap();
    let root = home.join("skills");
    write(&root, "good/SKILL.md", GOOD);
    write(&root, "good/notes.md", "inside");
    write(&home, "secret.md", "outside");
    for (link, target) in [
        ("good/secret.md", "../../secret.md"),
        ("good/passwd", "/etc/passwd"),
        ("good/up", "../.."),
        ("passwd/SKILL.md", "/etc/passwd"),
        ("zero/SKILL.md", "/dev/zero"),
        ("etc", "/etc"),
        ("above", ".."),
        ("loop/loop", "../loop"),
    ] {
        let path = root.join(link);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }
    write(
        &root,
        "evil/SKILL.md",
        GOOD.replace("name: good", "name: ../../secret.md"),
    );
    write_requests(&home, "good");
    own(&home);
    let verbs = [
        "serve",
        "list --all",
        "check",
        "show good",
        "activate good",
        "activate ../../secret.md",
        "context --name good",
        "prompt",
        "export",
        "resources good",
        "read good notes.md",
        "read good secret.md",
        "read good passwd",
        "read good up/secret.md",
        "read good ../../secret.md",
        "read good /etc/passwd",
        "read good %2e%2e/secret.md",
        "read ../../secret.md SKILL.md",
        "why good",
    ];
    for verb in verbs {
        let Some(paths) = opened(&home, &home, &format!("{verb} --local --dir skills")) else {
            eprintln!("strace can not run here, so nothing was checked");
            return;
        };
        assert!(
            paths.iter().any(|path| path.starts_with(&root)),
            "{verb}: the trace is empty"
        );
        let outside: Vec<_> = paths
            .iter()
            .filter(|path| !path.starts_with(&root) && !of_the_system(path))
            // The command looks for a project's config in the folder it is started in.
            .filter(|path| **path != home && **path != home.join("requests"))
            // The server keeps a cache in the user's own folder.
            .filter(|path| {
                !path.starts_with(home.join(".cache")) && !path.starts_with(home.join(".local"))
            })
            .collect();
        assert!(outside.is_empty(), "{verb}: {outside:?}");
    }
}

#[test]
fn row_43_no_file_of_an_untrusted_project_is_opened_for_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let home = fs::canonicalize(folder.path()).unwrap();
    let work = home.join("work");
    fs::create_dir_all(work.join(".git")).unwrap();
    let skills = work.join(".agents/skills");
    write(&skills, "theirs/SKILL.md", GOOD.replace("good", "theirs"));
    write(&skills, "theirs/notes.md", "theirs");
    write(&skills, "loose.md", GOOD);
    write(&work, ".skills/flat.md", GOOD.replace("good", "flat"));
    write(&work, "AGENTS.md", "# Theirs\n");
    write_requests(&home, "theirs");
    own(&home);
    for verb in [
        "serve",
        "prompt",
        "budget",
        "select good",
        "activate theirs",
        "activate --message @theirs",
        "context --name theirs",
        "inject good --threshold 0",
        "tool describe",
        "tool call skill {\"skill_name\":\"theirs\"}",
        "tool call search_skills {\"query\":\"good\"}",
        "export",
        "resources theirs",
        "read theirs notes.md",
        "prompt --conventions",
    ] {
        let Some(paths) = opened(&home, &work, verb) else {
            eprintln!("strace can not run here, so nothing was checked");
            return;
        };
        let files: Vec<_> = paths
            .iter()
            .filter(|path| path.starts_with(&work) && path.is_file())
            .collect();
        assert!(files.is_empty(), "{verb}: {files:?}");
        assert!(!paths.is_empty(), "{verb}");
    }
}
