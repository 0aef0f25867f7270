//! The skills as they were in a git revision, read by `git` without a checkout.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use prowess::{Catalog, MemorySource};

use crate::exit::Failure;

/// Reads every `SKILL.md` the revision has below the folders the catalog came from.
pub(super) fn read(rev: &str, now: &Catalog, start: &Path) -> Result<MemorySource, Failure> {
    let top = git(start, &["rev-parse", "--show-toplevel"], None)
        .map_err(|reason| failure("this is no git repository", &reason))?;
    let top = PathBuf::from(String::from_utf8_lossy(&top).trim_end());
    // The name of a revision is data: `--end-of-options` keeps it from being a flag.
    let name = format!("{rev}^{{commit}}");
    let commit = git(
        &top,
        &[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &name,
        ],
        None,
    )
    .map_err(|reason| failure(&format!("git has no revision `{rev}`"), &reason))?;
    let commit = String::from_utf8_lossy(&commit).trim().to_owned();
    let roots = now
        .origins()
        .iter()
        .filter_map(|origin| origin.real_root.as_deref());
    let below: Vec<&Path> = roots
        .filter_map(|root| root.strip_prefix(&top).ok())
        .collect();
    if below.is_empty() {
        return Err(
            Failure::new("none of the skill folders is in this git repository")
                .hint("`--dir` names one that is"),
        );
    }
    let paths = paths(&top, &commit, &below)?;
    let mut source = MemorySource::new(format!("git {rev}"));
    for (path, text) in blobs(&top, &commit, &paths)? {
        source = source.skill(path, text);
    }
    Ok(source)
}

/// The `SKILL.md` files of a revision in these folders.
fn paths(top: &Path, commit: &str, below: &[&Path]) -> Result<Vec<String>, Failure> {
    let listed = git(top, &["ls-tree", "-r", "-z", "--name-only", commit], None)
        .map_err(|reason| failure("cannot list the revision", &reason))?;
    let names = listed.split(|&byte| byte == 0);
    let names = names.filter_map(|name| String::from_utf8(name.to_vec()).ok());
    Ok(names
        .filter(|name| {
            let path = Path::new(name);
            // A line break would end the question to `git cat-file` early.
            path.file_name().is_some_and(|name| name == "SKILL.md")
                && !name.contains('\n')
                && below.iter().any(|folder| path.starts_with(folder))
        })
        .collect())
}

/// The texts of files of a revision, by one `git` for all.
fn blobs(top: &Path, commit: &str, paths: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let asked: Vec<String> = paths
        .iter()
        .map(|path| format!("{commit}:{path}\n"))
        .collect();
    let asked = asked.concat();
    let answered = git(top, &["cat-file", "--batch"], Some(asked))
        .map_err(|reason| failure("cannot read the revision", &reason))?;
    let mut rest = &answered[..];
    let mut texts = Vec::new();
    for path in paths {
        let Some(end) = rest.iter().position(|&byte| byte == b'\n') else {
            break;
        };
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        let mut words = head.rsplit(' ');
        let size = words.next().and_then(|size| size.parse::<usize>().ok());
        // A file that is missing or no blob has no text to follow.
        let (Some(size), Some("blob")) = (size, words.next()) else {
            continue;
        };
        let text = String::from_utf8_lossy(rest.get(..size).unwrap_or_default()).into_owned();
        rest = rest.get(size + 1..).unwrap_or_default();
        texts.push((path.clone(), text));
    }
    Ok(texts)
}

/// Runs `git` and gives what it prints, or what it complains about.
fn git(folder: &Path, arguments: &[&str], input: Option<String>) -> Result<Vec<u8>, String> {
    let mut child = Command::new("git")
        .arg("-C")
        .arg(folder)
        // Nothing a repository configures is run for a look at its history.
        .args([
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
        ])
        .args(arguments)
        .stdin(if input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run `git`: {error}"))?;
    // Questions and answers flow at the same time, or both sides would wait for each other.
    let writer = input.and_then(|input| {
        let mut stdin = child.stdin.take()?;
        Some(std::thread::spawn(move || {
            // A `git` that went away tells why by its exit code.
            let _ = stdin.write_all(input.as_bytes());
        }))
    });
    let output = child
        .wait_with_output()
        .map_err(|error| format!("cannot wait for `git`: {error}"))?;
    if let Some(writer) = writer {
        let _ = writer.join();
    }
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

fn failure(message: &str, reason: &str) -> Failure {
    let failure = Failure::new(message);
    if reason.is_empty() {
        failure
    } else {
        failure.hint(format!("git says: {reason}"))
    }
}
