//! The skills as they were in a git revision, read from its objects without a checkout.

use std::path::Path;

use prowess::{
    Catalog, Limits, MemorySource, Origin, Scope, Trust as _, TrustDecision, trust::Entry,
};

use prowess_install::{Git, GitError};

use crate::{exit::Failure, files, session::Session};

/// A list of every file of a large monorepo fits; more is not a list to read.
const MOST_LISTED: u64 = 256 * 1024 * 1024;

/// The commit that is checked out where the command was started; `None` where there is none, or
/// where nobody may look.
pub(in crate::commands) fn head(now: &Catalog, session: &Session) -> Option<String> {
    let start = files::real_path(session.places().start()).ok()?;
    let top = session.places().repository_of(&start)?;
    may_be_read(&top, now, session).ok()?;
    let git = Git::new(&top, session.environment.search_path.as_deref()).ok()?;
    let commit = git.run(&["rev-parse", "--verify", "--quiet", "HEAD"], "", 4096);
    Some(String::from_utf8_lossy(&commit.ok()?).trim().to_owned())
}

/// Reads every `SKILL.md` the revision has below the folders the catalog came from.
pub(super) fn read(rev: &str, now: &Catalog, session: &Session) -> Result<MemorySource, Failure> {
    let places = session.places();
    let start = files::real_path(places.start())
        .map_err(|error| Failure::new("cannot find the working directory").because(&error))?;
    let top = places
        .repository_of(&start)
        .ok_or_else(|| Failure::new("this is no git repository"))?;
    may_be_read(&top, now, session)?;
    let git = Git::new(&top, session.environment.search_path.as_deref())
        .map_err(|error| failure("cannot look into the repository", &error))?;
    // The name of a revision is data: `--end-of-options` keeps it from being a flag.
    let name = format!("{rev}^{{commit}}");
    let parse = ["rev-parse", "--verify", "--quiet", "--end-of-options"];
    let commit = git
        .run(&[&parse[..], &[&name]].concat(), "", 4096)
        .map_err(|error| failure(&format!("git has no revision `{rev}`"), &error))?;
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
    let listed = git
        .run(&["ls-tree", "-r", "-z", &commit], "", MOST_LISTED)
        .map_err(|error| failure("cannot list the revision", &error))?;
    let files = skill_files(&listed, &below);
    let mut source = MemorySource::new(format!("git {rev}"));
    for (path, text) in texts(&git, &files, &session.config.limits)? {
        source = source.skill(path, text);
    }
    Ok(source)
}

/// Nothing of an untrusted project is read, its history neither. Folders that were named are
/// trusted by being named.
fn may_be_read(top: &Path, now: &Catalog, session: &Session) -> Result<(), Failure> {
    let is_project = |origin: &&std::sync::Arc<Origin>| {
        let root = origin.real_root.as_deref();
        origin.scope == Scope::Project && root.is_some_and(|root| root.starts_with(top))
    };
    if session.options.trust || !now.origins().iter().any(|it| is_project(&it)) {
        return Ok(());
    }
    let store = session.places().trusted()?;
    let mut repository = Origin::new(Scope::Project, "git", top);
    repository.real_root = Some(top.to_path_buf());
    let decision = store.decide(&repository);
    let mut entries = store.entries();
    let looked_at =
        entries.any(|(path, entry)| matches!(entry, Entry::Trusted(_)) && path.starts_with(top));
    if decision == TrustDecision::Trusted || (decision != TrustDecision::Denied && looked_at) {
        return Ok(());
    }
    let shown = session.environment.shorten(top);
    Err(Failure::new(format!(
        "the history of `{shown}` is not read: nothing there is trusted"
    ))
    .hint("look at the project, then run `prowess trust`, or use `--trust` for one run"))
}

/// Object id and path of each `SKILL.md` in these folders.
fn skill_files(listed: &[u8], below: &[&Path]) -> Vec<(String, String)> {
    let entries = listed.split(|&byte| byte == 0);
    let entries = entries.filter_map(|entry| std::str::from_utf8(entry).ok());
    entries
        .filter_map(|entry| {
            let (head, name) = entry.split_once('\t')?;
            let mut words = head.split(' ');
            // Not a link and no other repository: a plain file, whether it may run or not.
            let plain = words.next()?.starts_with("100");
            let (_, id) = (words.next()?, words.next()?);
            let path = Path::new(name);
            let wanted = plain
                && path.file_name().is_some_and(|name| name == "SKILL.md")
                && below.iter().any(|folder| path.starts_with(folder));
            wanted.then(|| (id.to_owned(), name.to_owned()))
        })
        .collect()
}

/// The texts of these objects, by one `git` that tells their sizes and one that gives the texts:
/// what is too large for a skill is not asked for.
fn texts(
    git: &Git,
    files: &[(String, String)],
    limits: &Limits,
) -> Result<Vec<(String, String)>, Failure> {
    let failed = |error: &GitError| failure("cannot read the revision", error);
    let ask = |ids: &[&(String, String)]| -> String {
        ids.iter().flat_map(|(id, _)| [id, "\n"]).collect()
    };
    let all: Vec<&(String, String)> = files.iter().collect();
    let check = ["cat-file", "--batch-check=%(objecttype) %(objectsize)"];
    let sizes = git.run(&check, &ask(&all), MOST_LISTED);
    let sizes = String::from_utf8_lossy(&sizes.map_err(|error| failed(&error))?).into_owned();
    let mut wanted = Vec::new();
    let mut bytes = 0;
    for (file, line) in all.into_iter().zip(sizes.lines()) {
        let size = line.strip_prefix("blob ").and_then(|it| it.parse().ok());
        let Some(size) = size else {
            return Err(Failure::new(format!(
                "`{}` of this revision is not here: the clone has a part of its history only",
                prowess::display_text(&file.1)
            ))
            .hint("fetch it with `git`, if you trust the remote, or name what was exported with `--base`"));
        };
        if size <= limits.file_bytes {
            bytes += size as u64 + 1;
            wanted.push((file, size));
        }
    }
    let kept: Vec<&(String, String)> = wanted.iter().map(|(file, _)| *file).collect();
    let texts = git.run(
        &["cat-file", "--batch=text"],
        &ask(&kept),
        bytes + 5 * kept.len() as u64,
    );
    let texts = texts.map_err(|error| failed(&error))?;
    let mut rest = &texts[..];
    let mut read = Vec::new();
    for ((_, path), size) in wanted {
        rest = rest.strip_prefix(b"text\n").unwrap_or_default();
        let text = String::from_utf8_lossy(rest.get(..size).unwrap_or_default());
        read.push((path.clone(), text.into_owned()));
        rest = rest.get(size + 1..).unwrap_or_default();
    }
    Ok(read)
}

fn failure(message: &str, error: &GitError) -> Failure {
    match error {
        GitError::Refused(reason) if reason.is_empty() => Failure::new(message),
        error => Failure::new(message).because(error),
    }
}
