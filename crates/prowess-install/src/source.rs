//! One grammar for every place skills come from.

use std::{fmt, path::PathBuf};

use percent_encoding::percent_decode_str;

/// Where skills come from, as one argument says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The place.
    pub place: Place,
    /// The ref after `#`, or that of a tree URL.
    pub reference: Option<Reference>,
    /// The folder inside the place.
    pub path: String,
    /// The skill that was named with it (`#ref@skill`).
    pub skill: Option<String>,
}

/// The place itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A folder on this machine.
    Folder(PathBuf),
    /// An archive on this machine.
    ArchiveFile(PathBuf),
    /// A git repository.
    Git(String),
    /// An archive to be downloaded.
    ArchiveUrl(String),
    /// A site that publishes an index of its skills.
    Site(String),
}

/// How a ref was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// By itself.
    Name(String),
    /// The commit that a lock names.
    Locked(String),
    /// As the first parts of this path, in a tree URL: a branch may have a `/` in its name.
    TreePath(String),
}

/// Why an argument names no source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// It can be read in two ways.
    #[error("`{}` can mean two things: {meanings}", prowess::display_text(text))]
    Ambiguous {
        /// The argument.
        text: String,
        /// Both, and how each is written.
        meanings: String,
    },
    /// It is not read.
    #[error("`{}` is no source: {reason}", prowess::display_text(text))]
    Unknown {
        /// The argument.
        text: String,
        /// Why.
        reason: &'static str,
    },
}

/// Endings of archives.
const ARCHIVES: [&str; 7] = [
    ".zip",
    ".skill",
    ".tar.gz",
    ".tgz",
    ".tar.zst",
    ".tar",
    ".prowess-bundle",
];

impl Source {
    /// Reads one argument. `is_folder` says whether a folder of this name is here: a path is a
    /// folder when it starts like one, and `a/b` is asked about.
    pub fn parse(text: &str, is_folder: &dyn Fn(&str) -> bool) -> Result<Self, SourceError> {
        let unknown = |reason| SourceError::Unknown {
            text: without_secret(text),
            reason,
        };
        if text.is_empty() || text.chars().any(char::is_control) {
            return Err(unknown("it is empty or has a control character"));
        }
        if text.starts_with('-') {
            return Err(unknown("it starts with `-`"));
        }
        if is_path(text) {
            return Ok(Self::at(path_place(text)));
        }
        let (place, fragment) = text
            .split_once('#')
            .map_or((text, None), |(place, rest)| (place, Some(rest)));
        let mut source = match place.split_once("://") {
            Some((scheme, rest)) => url(scheme, rest, place).map_err(unknown)?,
            None => short(place, text, is_folder)?,
        };
        if let Some(fragment) = fragment {
            if !matches!(source.place, Place::Git(_)) {
                return Err(unknown("only a git repository has a ref after `#`"));
            }
            let (name, skill) = fragment
                .split_once('@')
                .map_or((fragment, None), |(name, skill)| (name, Some(skill)));
            let name = percent_decode_str(name).decode_utf8_lossy().into_owned();
            if !name.is_empty() {
                if source.reference.is_some() {
                    return Err(unknown("it names a ref in the path and another after `#`"));
                }
                source.reference = Some(Reference::Name(checked_ref(name).map_err(unknown)?));
            }
            source.skill = skill.filter(|it| !it.is_empty()).map(str::to_owned);
        }
        if source
            .path
            .split('/')
            .any(|part| matches!(part, "." | ".."))
        {
            return Err(unknown("its path has a part `.` or `..`"));
        }
        Ok(source)
    }

    fn at(place: Place) -> Self {
        Self {
            place,
            reference: None,
            path: String::new(),
            skill: None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) | Self::ArchiveFile(path) => path.display().fmt(f),
            Self::Git(url) | Self::ArchiveUrl(url) | Self::Site(url) => f.write_str(url),
        }
    }
}

/// The text without what stands before an `@` in an address: it may be a password.
fn without_secret(text: &str) -> String {
    let secret = text.split_once("://").and_then(|(scheme, rest)| {
        let host = rest.split(['/', '#', '?']).next()?;
        let (_, host_only) = host.rsplit_once('@')?;
        Some(format!("{scheme}://…@{host_only}{}", &rest[host.len()..]))
    });
    secret.unwrap_or_else(|| text.to_owned())
}

fn is_path(text: &str) -> bool {
    let drive = text
        .as_bytes()
        .get(..2)
        .is_some_and(|it| it[0].is_ascii_alphabetic() && it[1] == b':');
    text.starts_with(['/', '~'])
        || matches!(text, "." | "..")
        || ["./", "../", ".\\", "..\\"]
            .iter()
            .any(|start| text.starts_with(start))
        || (drive && text[2..].starts_with(['/', '\\']))
}

fn is_archive(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    ARCHIVES.iter().any(|ending| lower.ends_with(ending))
}

/// The path of an archive without the ending that says so.
pub(crate) fn without_ending(path: &str) -> &str {
    let lower = path.to_ascii_lowercase();
    let ending = ARCHIVES.iter().find(|ending| lower.ends_with(**ending));
    &path[..path.len() - ending.map_or(0, |it| it.len())]
}

fn path_place(text: &str) -> Place {
    if is_archive(text) {
        Place::ArchiveFile(text.into())
    } else {
        Place::Folder(text.into())
    }
}

/// A ref that git takes as a name and never as an option or a pattern.
fn checked_ref(name: String) -> Result<String, &'static str> {
    let bad = name.starts_with(['-', '/'])
        || name.ends_with(['/', '.'])
        || name.contains("..")
        || name.contains("//")
        || name.contains("@{")
        || name
            .chars()
            .any(|it| it.is_control() || " ~^:?*[\\".contains(it));
    if bad {
        Err("its ref is none that git takes")
    } else {
        Ok(name)
    }
}

fn url(scheme: &str, rest: &str, whole: &str) -> Result<Source, &'static str> {
    let git = |url: String| Source::at(Place::Git(url));
    match scheme {
        "ssh" | "git+ssh" => Ok(git(whole.replacen("git+ssh", "ssh", 1))),
        "file" => Ok(git(whole.to_owned())),
        "git+https" => Ok(git(format!("https://{rest}"))),
        "https" | "http" => web(scheme, rest),
        "s3" | "gs" | "az" => Err("object stores are not built into this program"),
        "ext" | "fd" => Err("it would start a program"),
        _ => Err("this kind of address is not known"),
    }
}

fn web(scheme: &str, rest: &str) -> Result<Source, &'static str> {
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if host.contains('@') {
        return Err(
            "names and passwords do not belong into an address; use a credential helper, `netrc` or a token file",
        );
    }
    let (path, query) = path
        .split_once('?')
        .map_or((path, None), |(path, query)| (path, Some(query)));
    let path = path.trim_end_matches('/');
    let parts: Vec<String> = path
        .split('/')
        .filter(|it| !it.is_empty())
        .map(|it| percent_decode_str(it).decode_utf8_lossy().into_owned())
        .collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let base = format!("{scheme}://{host}");
    let repository = |parts: &[&str]| {
        let path = parts.join("/");
        Place::Git(format!(
            "{base}/{}",
            path.trim_end_matches(".git").to_owned() + ".git"
        ))
    };
    let tree = |place: Place, parts: &[&str]| Source {
        reference: Some(Reference::TreePath(parts.join("/"))),
        ..Source::at(place)
    };
    // Azure DevOps: `/_git/REPO?path=…&version=GBmain`.
    if let Some(at) = parts.iter().position(|it| *it == "_git") {
        let mut source = Source::at(Place::Git(format!(
            "{base}/{}",
            parts[..parts.len().min(at + 2)].join("/")
        )));
        for pair in query.unwrap_or_default().split('&') {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = percent_decode_str(value).decode_utf8_lossy().into_owned();
            match (key, value.get(..2)) {
                ("path", _) => value.trim_matches('/').clone_into(&mut source.path),
                ("version", Some("GB" | "GT")) => {
                    source.reference = Some(Reference::Name(checked_ref(value[2..].to_owned())?));
                }
                _ => {}
            }
        }
        return Ok(source);
    }
    if is_archive(path) {
        let query = query.map(|it| format!("?{it}")).unwrap_or_default();
        return Ok(Source::at(Place::ArchiveUrl(format!(
            "{base}/{path}{query}"
        ))));
    }
    // GitLab on any host: `/group/repo/-/tree/REF/path`.
    if let Some(at) = parts.iter().position(|it| *it == "-")
        && parts.get(at + 1) == Some(&"tree")
        && parts.len() > at + 2
    {
        return Ok(tree(repository(&parts[..at]), &parts[at + 2..]));
    }
    if let [owner, name, "tree" | "blob", below @ ..] = parts.as_slice()
        && !below.is_empty()
    {
        let below = below.strip_suffix(&["SKILL.md"]).unwrap_or(below);
        return Ok(tree(repository(&[owner, name]), below));
    }
    if let ("github.com" | "www.github.com", [owner, name]) = (host, parts.as_slice()) {
        return Ok(Source::at(Place::Git(format!(
            "https://github.com/{owner}/{}.git",
            name.trim_end_matches(".git")
        ))));
    }
    if matches!(host, "gitlab.com" | "bitbucket.org" | "codeberg.org") && parts.len() >= 2 {
        return Ok(Source::at(repository(&parts)));
    }
    if path.to_ascii_lowercase().ends_with(".git") {
        return Ok(Source::at(Place::Git(format!("{base}/{path}"))));
    }
    Ok(Source::at(Place::Site(format!("{base}/{path}"))))
}

/// What has no scheme: `owner/repo[/path]`, `github:…`, `git@host:path`.
fn short(place: &str, text: &str, is_folder: &dyn Fn(&str) -> bool) -> Result<Source, SourceError> {
    let unknown = |reason| SourceError::Unknown {
        text: text.to_owned(),
        reason,
    };
    if let Some(rest) = place.strip_prefix("github:") {
        return short(rest, text, &|_| false);
    }
    if let Some(rest) = place.strip_prefix("gitlab:") {
        return Ok(Source::at(Place::Git(format!(
            "https://gitlab.com/{}.git",
            rest.trim_end_matches(".git")
        ))));
    }
    if place.contains("::") {
        return Err(unknown("it would start a program"));
    }
    // `git@host:path`, as ssh has it.
    if let Some((host, path)) = place.split_once(':') {
        if host.contains('/') || path.is_empty() || host.starts_with('-') {
            return Err(unknown("this kind of address is not known"));
        }
        return Ok(Source::at(Place::Git(place.to_owned())));
    }
    if is_archive(place) {
        return Ok(Source::at(Place::ArchiveFile(place.into())));
    }
    let parts: Vec<&str> = place.trim_end_matches('/').split('/').collect();
    let [owner, name, below @ ..] = parts.as_slice() else {
        if is_folder(place) {
            return Ok(Source::at(Place::Folder(format!("./{place}").into())));
        }
        return Err(unknown(
            "name `owner/repo`, an address, or a folder with `./`",
        ));
    };
    if let Some((name, other)) = name.split_once('@').filter(|_| below.is_empty()) {
        return Err(SourceError::Ambiguous {
            text: text.to_owned(),
            meanings: format!(
                "a skill of that name is `{owner}/{name} --skill {other}`, a version is `{owner}/{name}#{other}`"
            ),
        });
    }
    let word = |it: &str| {
        !it.is_empty()
            && !it.starts_with(['-', '.'])
            && it
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || "._-".contains(it))
    };
    if !word(owner) || !word(name) {
        return Err(unknown(
            "name `owner/repo`, an address, or a folder with `./`",
        ));
    }
    if is_folder(place) {
        return Err(SourceError::Ambiguous {
            text: text.to_owned(),
            meanings: format!(
                "the folder here is `./{place}`, the repository on GitHub is `github:{place}`"
            ),
        });
    }
    Ok(Source {
        path: below.join("/"),
        ..Source::at(Place::Git(format!(
            "https://github.com/{owner}/{}.git",
            name.trim_end_matches(".git")
        )))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::fmt::Write as _;

    #[expect(clippy::needless_pass_by_value, reason = "`expect!` makes a value")]
    fn check(texts: &[&str], expected: Expect) {
        let is_folder = |it: &str| matches!(it, "here/now" | "skills");
        let mut seen = String::new();
        for text in texts {
            let _ = writeln!(seen, "{text:?}");
            let _ = match Source::parse(text, &is_folder) {
                Err(error) => writeln!(seen, "  {error}"),
                Ok(it) => {
                    let kind = format!("{:?}", it.place);
                    let kind = kind.split('(').next().unwrap();
                    let reference = it.reference.map(|it| format!(" {it:?}"));
                    let path = (!it.path.is_empty()).then(|| format!(" path={}", it.path));
                    let skill = it.skill.map(|it| format!(" skill={it}"));
                    let rest: String = [reference, path, skill].into_iter().flatten().collect();
                    writeln!(seen, "  {kind} {}{rest}", it.place)
                }
            };
        }
        expected.assert_eq(&seen);
    }

    #[test]
    fn repositories_have_many_addresses() {
        check(
            &[
                "acme/skills",
                "acme/skills/skills/pdf",
                "acme/skills#v1.2",
                "acme/skills#main@pdf",
                "acme/skills#feature%2Fx",
                "github:here/now",
                "gitlab:group/sub/repo",
                "https://github.com/acme/skills",
                "https://github.com/acme/skills.git#main",
                "https://github.com/acme/skills/tree/main/skills/pdf",
                "https://github.com/acme/skills/blob/main/skills/pdf/SKILL.md",
                "https://ghe.example/a/b/tree/feature/x/skills",
                "https://gitlab.com/group/sub/repo",
                "https://git.example/g/r/-/tree/main/skills",
                "https://dev.azure.com/org/p/_git/repo?path=/skills&version=GBmain",
                "git@host:acme/skills.git",
                "git@host:acme/skills.git#v1",
                "ssh://git@host:22/acme/skills.git",
                "file:///srv/skills.git",
                "https://host/x.git",
                "git@-o:x",
            ],
            expect![[r#"
                "acme/skills"
                  Git https://github.com/acme/skills.git
                "acme/skills/skills/pdf"
                  Git https://github.com/acme/skills.git path=skills/pdf
                "acme/skills#v1.2"
                  Git https://github.com/acme/skills.git Name("v1.2")
                "acme/skills#main@pdf"
                  Git https://github.com/acme/skills.git Name("main") skill=pdf
                "acme/skills#feature%2Fx"
                  Git https://github.com/acme/skills.git Name("feature/x")
                "github:here/now"
                  Git https://github.com/here/now.git
                "gitlab:group/sub/repo"
                  Git https://gitlab.com/group/sub/repo.git
                "https://github.com/acme/skills"
                  Git https://github.com/acme/skills.git
                "https://github.com/acme/skills.git#main"
                  Git https://github.com/acme/skills.git Name("main")
                "https://github.com/acme/skills/tree/main/skills/pdf"
                  Git https://github.com/acme/skills.git TreePath("main/skills/pdf")
                "https://github.com/acme/skills/blob/main/skills/pdf/SKILL.md"
                  Git https://github.com/acme/skills.git TreePath("main/skills/pdf")
                "https://ghe.example/a/b/tree/feature/x/skills"
                  Git https://ghe.example/a/b.git TreePath("feature/x/skills")
                "https://gitlab.com/group/sub/repo"
                  Git https://gitlab.com/group/sub/repo.git
                "https://git.example/g/r/-/tree/main/skills"
                  Git https://git.example/g/r.git TreePath("main/skills")
                "https://dev.azure.com/org/p/_git/repo?path=/skills&version=GBmain"
                  Git https://dev.azure.com/org/p/_git/repo Name("main") path=skills
                "git@host:acme/skills.git"
                  Git git@host:acme/skills.git
                "git@host:acme/skills.git#v1"
                  Git git@host:acme/skills.git Name("v1")
                "ssh://git@host:22/acme/skills.git"
                  Git ssh://git@host:22/acme/skills.git
                "file:///srv/skills.git"
                  Git file:///srv/skills.git
                "https://host/x.git"
                  Git https://host/x.git
                "git@-o:x"
                  Git git@-o:x
            "#]],
        );
    }

    #[test]
    fn folders_archives_and_sites() {
        check(
            &[
                "https://host/a.zip",
                "https://host/a.tar.gz?x=1",
                "./skills",
                "../x.skill",
                "/srv/skills",
                "a.zip",
                "skills",
                "https://example.org",
                "https://example.org/docs",
            ],
            expect![[r#"
                "https://host/a.zip"
                  ArchiveUrl https://host/a.zip
                "https://host/a.tar.gz?x=1"
                  ArchiveUrl https://host/a.tar.gz?x=1
                "./skills"
                  Folder ./skills
                "../x.skill"
                  ArchiveFile ../x.skill
                "/srv/skills"
                  Folder /srv/skills
                "a.zip"
                  ArchiveFile a.zip
                "skills"
                  Folder ./skills
                "https://example.org"
                  Site https://example.org/
                "https://example.org/docs"
                  Site https://example.org/docs
            "#]],
        );
    }

    #[test]
    fn what_can_mean_two_things_or_do_harm_is_refused() {
        check(
            &[
                "acme/skills@pdf",
                "here/now",
                "ext::sh -c id",
                "ext://x",
                "--upload-pack=x",
                "-x/y",
                "https://user:secret@host/x.git",
                "acme/skills#--x",
                "acme/skills#a..b",
                "acme/skills/../x",
                "s3://bucket/x",
                "word",
                "a.zip#x",
                "a\nb/c",
            ],
            expect![[r#"
                "acme/skills@pdf"
                  `acme/skills@pdf` can mean two things: a skill of that name is `acme/skills --skill pdf`, a version is `acme/skills#pdf`
                "here/now"
                  `here/now` can mean two things: the folder here is `./here/now`, the repository on GitHub is `github:here/now`
                "ext::sh -c id"
                  `ext::sh -c id` is no source: it would start a program
                "ext://x"
                  `ext://x` is no source: it would start a program
                "--upload-pack=x"
                  `--upload-pack=x` is no source: it starts with `-`
                "-x/y"
                  `-x/y` is no source: it starts with `-`
                "https://user:secret@host/x.git"
                  `https://…@host/x.git` is no source: names and passwords do not belong into an address; use a credential helper, `netrc` or a token file
                "acme/skills#--x"
                  `acme/skills#--x` is no source: its ref is none that git takes
                "acme/skills#a..b"
                  `acme/skills#a..b` is no source: its ref is none that git takes
                "acme/skills/../x"
                  `acme/skills/../x` is no source: its path has a part `.` or `..`
                "s3://bucket/x"
                  `s3://bucket/x` is no source: object stores are not built into this program
                "word"
                  `word` is no source: name `owner/repo`, an address, or a folder with `./`
                "a.zip#x"
                  `a.zip#x` is no source: only a git repository has a ref after `#`
                "a\nb/c"
                  `a\nb/c` is no source: it is empty or has a control character
            "#]],
        );
    }
}
