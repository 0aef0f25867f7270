//! A git repository somewhere else, read without a checkout.
//!
//! The commit comes from `ls-remote`. Its trees are fetched first, without a single file; then the
//! wanted files in one request; then objects are read. No hook, filter, attribute, line ending,
//! link or case of a file system takes part, and a skill out of a large repository costs its trees
//! and its own files.

use std::collections::HashMap;

use tempfile::TempDir;

use super::{MOST_TEXT, OfferError, Origin};
use crate::{
    disk::SkillLimits,
    file_path::FilePath,
    git::{FetchOptions, Git, GitError},
    source::{Reference, Source},
    tree::{Mode, SkillFiles},
};

/// A list of every file of a large monorepo fits.
const MOST_LISTED: u64 = 256 * 1024 * 1024;

/// Every ref that is asked for by name fits many times.
const MOST_REFS: u64 = 1024 * 1024;

/// A bare repository that lives as long as the offer.
#[derive(Debug)]
pub(super) struct Repository {
    url: String,
    git: Git,
    entries: Vec<Entry>,
    /// The folder that was asked for.
    _folder: TempDir,
}

#[derive(Debug)]
struct Entry {
    mode: String,
    id: String,
    path: String,
}

impl Repository {
    /// Fetches the trees of what was asked for; gives the path below them too.
    pub(super) fn open(
        url: &str,
        source: &Source,
        options: &FetchOptions,
    ) -> Result<(Self, Origin, String), OfferError> {
        let failed = |source: GitError| OfferError::Git {
            url: url.to_owned(),
            source,
        };
        let folder = tempfile::Builder::new()
            .prefix("prowess-git-")
            .tempdir()
            .map_err(OfferError::Local)?;
        let git = Git::fetching(folder.path(), protocol(url), options).map_err(failed)?;
        git.run(&["init", "--quiet", "--bare"], "", 4096)
            .map_err(failed)?;
        for (key, value) in [
            ("core.repositoryformatversion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.url", url),
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialclonefilter", "blob:none"),
        ] {
            git.run(&["config", key, value], "", 4096).map_err(failed)?;
        }
        let (found, path) = resolve(&git, url, source)?;
        git.run(
            &[
                "fetch",
                "--quiet",
                "--no-tags",
                "--depth=1",
                "--filter=blob:none",
                "--no-write-fetch-head",
                "--no-auto-gc",
                "--end-of-options",
                "origin",
                &found.commit,
            ],
            "",
            MOST_REFS,
        )
        .map_err(failed)?;
        let listed = git
            .run(
                &["ls-tree", "-r", "-t", "-z", &found.commit],
                "",
                MOST_LISTED,
            )
            .map_err(failed)?;
        let repository = Self {
            url: url.to_owned(),
            git,
            entries: entries(&listed),
            _folder: folder,
        };
        let origin = Origin {
            source: url.to_owned(),
            reference: found.reference,
            commit: Some(found.commit),
            artifact: None,
        };
        Ok((repository, origin, path))
    }

    /// Every folder below `top` with a `SKILL.md` that is a file, and the id of its tree.
    pub(super) fn skills(&self, top: &str) -> Vec<(String, Option<String>)> {
        let trees: HashMap<&str, &str> = self
            .entries
            .iter()
            .filter(|it| it.mode == "040000")
            .map(|it| (it.path.as_str(), it.id.as_str()))
            .collect();
        let files = self.entries.iter().filter(|it| it.mode.starts_with("100"));
        files
            .filter_map(|it| {
                let folder = match it.path.strip_suffix("SKILL.md")? {
                    "" => "",
                    folder => folder.strip_suffix('/')?,
                };
                let wanted =
                    top.is_empty() || folder == top || folder.starts_with(&format!("{top}/"));
                wanted.then(|| {
                    (
                        folder.to_owned(),
                        trees.get(folder).map(|&id| id.to_owned()),
                    )
                })
            })
            .collect()
    }

    pub(super) fn fetch(
        &mut self,
        paths: &[&str],
        limits: SkillLimits,
    ) -> Result<Vec<SkillFiles>, OfferError> {
        let mut skills: Vec<Vec<&Entry>> = Vec::new();
        for path in paths {
            let inside = |it: &&Entry| {
                it.mode != "040000"
                    && (path.is_empty()
                        || it
                            .path
                            .strip_prefix(path)
                            .is_some_and(|it| it.starts_with('/')))
            };
            let files: Vec<&Entry> = self.entries.iter().filter(inside).collect();
            let refuse = |reason: String| OfferError::Skill {
                path: (*path).to_owned(),
                reason,
            };
            if files.len() > limits.files {
                return Err(refuse(format!("it has more than {} files", limits.files)));
            }
            let odd = files
                .iter()
                .find(|it| !matches!(it.mode.as_str(), "100644" | "100755" | "100664"));
            if let Some(odd) = odd {
                let what = match odd.mode.as_str() {
                    "120000" => "a link",
                    "160000" => "another repository",
                    _ => "no plain file",
                };
                return Err(refuse(format!(
                    "`{}` is {what}, and only plain files are installed",
                    prowess::display_text(&odd.path)
                )));
            }
            skills.push(files);
        }
        let ids: Vec<&str> = skills.iter().flatten().map(|it| it.id.as_str()).collect();
        let most = limits.bytes.saturating_mul(paths.len() as u64);
        let mut blobs = self.blobs(&ids, limits.bytes, most)?;
        let mut all = Vec::new();
        for (path, files) in paths.iter().zip(skills) {
            let mut taken = Vec::new();
            let mut bytes = 0;
            for file in files {
                let below = if path.is_empty() {
                    &file.path
                } else {
                    &file.path[path.len() + 1..]
                };
                let below = FilePath::new(below).map_err(|source| OfferError::Files {
                    path: (*path).to_owned(),
                    source: source.into(),
                })?;
                let blob = blobs.get_mut(&file.id).cloned().unwrap_or_default();
                bytes += blob.len() as u64;
                let mode = if file.mode == "100755" {
                    Mode::Run
                } else {
                    Mode::Plain
                };
                taken.push((below, mode, blob));
            }
            if bytes > limits.bytes {
                return Err(OfferError::Skill {
                    path: (*path).to_owned(),
                    reason: format!("it has more than {} bytes", limits.bytes),
                });
            }
            let files = SkillFiles::new(taken).map_err(|source| OfferError::Files {
                path: (*path).to_owned(),
                source,
            })?;
            all.push(files);
        }
        Ok(all)
    }

    /// The texts at these paths, in one request; `None` where there is no file.
    pub(super) fn texts(&mut self, paths: &[String]) -> Result<Vec<Option<String>>, OfferError> {
        let files: HashMap<&str, &str> = self
            .entries
            .iter()
            .filter(|it| it.mode.starts_with("100"))
            .map(|it| (it.path.as_str(), it.id.as_str()))
            .collect();
        let ids: Vec<Option<&str>> = paths
            .iter()
            .map(|path| files.get(path.as_str()).copied())
            .collect();
        let wanted: Vec<&str> = ids.iter().flatten().copied().collect();
        let blobs = self.blobs(&wanted, MOST_TEXT, MOST_LISTED)?;
        let text = |id: &str| Some(String::from_utf8_lossy(blobs.get(id)?).into_owned());
        Ok(ids.into_iter().map(|id| text(id?)).collect())
    }

    /// The bytes of these objects: one request for what is not here, then their sizes, then their
    /// bytes.
    fn blobs(
        &self,
        ids: &[&str],
        most_each: u64,
        most: u64,
    ) -> Result<HashMap<String, Vec<u8>>, OfferError> {
        let failed = |source: GitError| OfferError::Git {
            url: self.url.clone(),
            source,
        };
        let mut unique: Vec<&str> = ids.iter().copied().filter(|it| !it.is_empty()).collect();
        unique.sort_unstable();
        unique.dedup();
        if unique.is_empty() {
            return Ok(HashMap::new());
        }
        let input: String = unique.iter().flat_map(|id| [id, "\n"]).collect();
        self.git
            .run(
                &[
                    "-c",
                    "fetch.negotiationAlgorithm=noop",
                    "fetch",
                    "--quiet",
                    "origin",
                    "--no-tags",
                    "--no-write-fetch-head",
                    "--recurse-submodules=no",
                    "--filter=blob:none",
                    "--stdin",
                ],
                &input,
                MOST_REFS,
            )
            .map_err(failed)?;
        let sizes = self
            .git
            .run(
                &["cat-file", "--batch-check=%(objecttype) %(objectsize)"],
                &input,
                MOST_LISTED,
            )
            .map_err(failed)?;
        let sizes = String::from_utf8_lossy(&sizes).into_owned();
        let mut total = 0_u64;
        for line in sizes.lines() {
            let size: Option<u64> = line.strip_prefix("blob ").and_then(|it| it.parse().ok());
            let Some(size) = size else {
                return Err(failed(GitError::Refused(
                    "a file of this commit was not sent".to_owned(),
                )));
            };
            total = total.saturating_add(size);
            if size > most_each || total > most {
                return Err(failed(GitError::TooLong(most)));
            }
        }
        let bytes = self
            .git
            .run(
                &["cat-file", "--batch=%(objectsize)"],
                &input,
                total + 32 * unique.len() as u64,
            )
            .map_err(failed)?;
        let mut rest = bytes.as_slice();
        let mut blobs = HashMap::new();
        for id in unique {
            let cut = || failed(GitError::Refused("its answer was cut short".to_owned()));
            let end = rest.iter().position(|it| *it == b'\n').ok_or_else(cut)?;
            let size: usize = str::from_utf8(&rest[..end])
                .ok()
                .and_then(|it| it.parse().ok())
                .ok_or_else(cut)?;
            let blob = rest.get(end + 1..end + 1 + size).ok_or_else(cut)?;
            blobs.insert(id.to_owned(), blob.to_vec());
            rest = rest.get(end + 2 + size..).ok_or_else(cut)?;
        }
        Ok(blobs)
    }
}

/// What a ref leads to.
struct Found {
    reference: Option<String>,
    commit: String,
}

/// Asks which commit is meant, and which folder below it.
fn resolve(git: &Git, url: &str, source: &Source) -> Result<(Found, String), OfferError> {
    let no_ref = |name: &str| OfferError::NoRef {
        url: url.to_owned(),
        reference: name.to_owned(),
    };
    let by_hand = |name: &str| -> Result<Found, OfferError> {
        let commit = name.to_ascii_lowercase();
        reachable(git, url, &commit, &refs(git, url, &[])?)?;
        Ok(Found {
            reference: None,
            commit,
        })
    };
    let path = source.path.clone();
    match &source.reference {
        None => {
            let refs = refs(git, url, &["HEAD".to_owned()])?;
            let commit = refs.get("HEAD").cloned().ok_or_else(|| no_ref("HEAD"))?;
            let reference = refs.get("symref HEAD").cloned();
            Ok((Found { reference, commit }, path))
        }
        // It came from `ls-remote` when it was locked, and the files are held to the lock.
        Some(Reference::Locked(commit)) => {
            let found = Found {
                reference: None,
                commit: commit.clone(),
            };
            Ok((found, path))
        }
        Some(Reference::Name(name)) if is_commit(name) => Ok((by_hand(name)?, path)),
        Some(Reference::Name(name)) => {
            let short = name
                .strip_prefix("refs/heads/")
                .or_else(|| name.strip_prefix("refs/tags/"))
                .unwrap_or(name);
            let mut refs = refs(git, url, &full_names(short))?;
            if short != name {
                refs.retain(|it, _| it.trim_end_matches("^{}") == name);
            }
            let found = pick(&refs, short).ok_or_else(|| no_ref(name))?;
            Ok((found, path))
        }
        Some(Reference::TreePath(path)) => {
            if let Some(first) = path.split('/').next().filter(|it| is_commit(it)) {
                let below = path[first.len()..].trim_start_matches('/');
                return Ok((by_hand(first)?, below.to_owned()));
            }
            // A branch may have a `/` in its name: the longest one that is there is meant.
            let slashes = path.match_indices('/').map(|(at, _)| at);
            let ends: Vec<usize> = slashes.chain([path.len()]).collect();
            let names: Vec<String> = ends
                .iter()
                .flat_map(|&end| full_names(&path[..end]))
                .collect();
            let refs = refs(git, url, &names)?;
            let found = ends.iter().rev().find_map(|&end| {
                let below = path[end..].trim_start_matches('/');
                Some((pick(&refs, &path[..end])?, below.to_owned()))
            });
            found.ok_or_else(|| no_ref(path))
        }
    }
}

/// The refs of a repository by name, with their commits; all of them where none is named.
fn refs(git: &Git, url: &str, names: &[String]) -> Result<HashMap<String, String>, OfferError> {
    let mut arguments = vec!["ls-remote", "--symref", "--", url];
    arguments.extend(names.iter().map(String::as_str));
    let listed = git
        .run(&arguments, "", MOST_REFS)
        .map_err(|source| OfferError::Git {
            url: url.to_owned(),
            source,
        })?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let pairs = listed.lines().filter_map(|line| line.split_once('\t'));
    // `ref: refs/heads/main<TAB>HEAD` says where HEAD leads.
    Ok(pairs
        .map(|(value, name)| match value.strip_prefix("ref: ") {
            Some(target) => (format!("symref {name}"), target.to_owned()),
            None => (name.to_owned(), value.to_owned()),
        })
        .collect())
}

/// What a short name can stand for: a branch, a tag, the commit behind a tag.
fn full_names(name: &str) -> [String; 3] {
    [
        format!("refs/heads/{name}"),
        format!("refs/tags/{name}"),
        format!("refs/tags/{name}^{{}}"),
    ]
}

fn pick(refs: &HashMap<String, String>, name: &str) -> Option<Found> {
    let [branch, tag, peeled] = full_names(name);
    if let Some(commit) = refs.get(&branch) {
        return Some(Found {
            reference: Some(branch),
            commit: commit.clone(),
        });
    }
    let commit = refs.get(&peeled).or_else(|| refs.get(&tag))?;
    Some(Found {
        reference: Some(tag),
        commit: commit.clone(),
    })
}

fn is_commit(name: &str) -> bool {
    matches!(name.len(), 40 | 64) && name.bytes().all(|it| it.is_ascii_hexdigit())
}

/// Holds a commit that was named by hand to the history of the repository: some hosts hand out
/// the commits of every fork under the parent's address.
fn reachable(
    git: &Git,
    url: &str,
    commit: &str,
    refs: &HashMap<String, String>,
) -> Result<(), OfferError> {
    let own = |name: &str| {
        name == "HEAD" || name.starts_with("refs/heads/") || name.starts_with("refs/tags/")
    };
    if refs.iter().any(|(name, id)| own(name) && id == commit) {
        return Ok(());
    }
    let failed = |source: GitError| OfferError::Git {
        url: url.to_owned(),
        source,
    };
    // Commits only: neither trees nor files.
    git.run(
        &[
            "fetch",
            "--quiet",
            "--no-tags",
            "--filter=tree:0",
            "--no-write-fetch-head",
            "--no-auto-gc",
            "--end-of-options",
            "origin",
            "+refs/heads/*:refs/check/heads/*",
            "+refs/tags/*:refs/check/tags/*",
        ],
        "",
        MOST_REFS,
    )
    .map_err(failed)?;
    let contains = git.run(
        &[
            "for-each-ref",
            "--count=1",
            "--contains",
            commit,
            "refs/check/",
        ],
        "",
        MOST_REFS,
    );
    match contains {
        Ok(found) if !found.is_empty() => Ok(()),
        _ => Err(OfferError::Unreachable {
            url: url.to_owned(),
            commit: commit.to_owned(),
        }),
    }
}

fn protocol(url: &str) -> &'static str {
    match url.split_once("://") {
        Some(("https", _)) => "https",
        // Only where the user wrote it so.
        Some(("http", _)) => "http",
        Some(("file", _)) => "file",
        _ => "ssh",
    }
}

fn entries(listed: &[u8]) -> Vec<Entry> {
    let entries = listed.split(|&byte| byte == 0);
    entries
        .filter_map(|entry| {
            let at = entry.iter().position(|it| *it == b'\t')?;
            let (head, path) = (str::from_utf8(&entry[..at]).ok()?, &entry[at + 1..]);
            let mut words = head.split(' ');
            let mode = words.next()?;
            let id = words.nth(1)?.to_owned();
            // A name that is no text is kept, so that its skill is refused and not cut.
            let mode = if str::from_utf8(path).is_ok() {
                mode
            } else {
                "no text"
            };
            let path = String::from_utf8_lossy(path).into_owned();
            Some(Entry {
                mode: mode.to_owned(),
                id,
                path,
            })
        })
        .collect()
}
