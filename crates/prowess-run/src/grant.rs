//! What a run may touch beside its own folder and its work folder.

use std::{fmt, path::PathBuf, str::FromStr};

use serde::{Deserialize, Serialize};

/// One widening of the sandbox, by name: `read:PATH`, `write:PATH`, `net`, `env:NAME`.
///
/// ```
/// use prowess_run::Grant;
///
/// assert_eq!("net".parse(), Ok(Grant::Net));
/// assert_eq!("env:TOKEN".parse(), Ok(Grant::Env("TOKEN".into())));
/// assert!("read:notes".parse::<Grant>().is_err(), "a path that depends on where one stands");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum Grant {
    /// Reads a file, or everything below a folder.
    Read(PathBuf),
    /// Reads and writes a file, or everything below a folder.
    Write(PathBuf),
    /// Opens connections and listens.
    Net,
    /// Sees one variable of the host's environment.
    Env(String),
}

/// A text that names no grant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no grant: write `read:/PATH`, `write:/PATH`, `net` or `env:NAME`")]
pub struct GrantError(String);

impl FromStr for Grant {
    type Err = GrantError;

    fn from_str(text: &str) -> Result<Self, GrantError> {
        let no_grant = || GrantError(text.to_owned());
        let absolute = |path: &str| {
            let path = PathBuf::from(path);
            if path.is_absolute() {
                Ok(path)
            } else {
                Err(no_grant())
            }
        };
        match text.split_once(':') {
            None if text == "net" => Ok(Grant::Net),
            Some(("read", path)) => Ok(Grant::Read(absolute(path)?)),
            Some(("write", path)) => Ok(Grant::Write(absolute(path)?)),
            Some(("env", name)) if is_variable(name) => Ok(Grant::Env(name.to_owned())),
            _ => Err(no_grant()),
        }
    }
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

impl fmt::Display for Grant {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grant::Read(path) => write!(out, "read:{}", path.display()),
            Grant::Write(path) => write!(out, "write:{}", path.display()),
            Grant::Net => out.write_str("net"),
            Grant::Env(name) => write!(out, "env:{name}"),
        }
    }
}

impl TryFrom<String> for Grant {
    type Error = GrantError;

    fn try_from(text: String) -> Result<Self, GrantError> {
        text.parse()
    }
}

impl From<Grant> for String {
    fn from(grant: Grant) -> String {
        grant.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::Grant;

    #[test]
    fn what_is_no_grant_is_refused_with_the_four_forms() {
        for text in [
            "", "read", "read:", "read:./x", "write:x", "env:", "env:A B", "env:1A", "Net",
            "net:443",
        ] {
            let error = text.parse::<Grant>().expect_err(text);
            assert!(
                error.to_string().ends_with("`net` or `env:NAME`"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_grant_reads_as_it_is_written() {
        for text in ["read:/data/a:b", "write:/tmp/x", "net", "env:GITHUB_TOKEN"] {
            assert_eq!(text.parse::<Grant>().unwrap().to_string(), text);
        }
    }
}
