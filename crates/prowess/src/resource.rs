//! One file beside a skill's instructions, kept inside its skill.

use std::{io, path::Path};

use base64::Engine as _;
use prowess_format::{Position, rules::hidden_unicode::first_hidden};
use serde::Serialize;

use crate::{
    display::{display_path, display_text},
    identity::ContentHash,
    limits::Limits,
    source::{
        Location,
        disk::{
            handle::ReadFault,
            inside::{InsideFault, Reach, list_inside, read_whole},
        },
        remote::{FetchError, Remote},
    },
};

/// A path longer than this names no real file, and could only serve to fill a log.
const PATH_BYTES: usize = 1024;

/// The files that belong to a skill.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Resources {
    /// The files, sorted by path; the skill's own file is not among them.
    pub files: Vec<Resource>,
    /// Whether a limit cut the list.
    pub partial: bool,
}

/// A part of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Page {
    /// The path that was asked for.
    pub path: String,
    /// The size of the whole file.
    pub size: u64,
    /// Where this part starts.
    pub offset: u64,
    /// What it holds.
    #[serde(flatten)]
    pub content: Content,
    /// Where the next part starts; `None` at the end of the file.
    pub next_offset: Option<u64>,
}

/// The bytes of a page, as text where they are text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// UTF-8 text.
    Text(String),
    /// Anything else, in base64.
    Base64(String),
}

/// Why a resource could not be listed or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// The skill is a single file or a value.
    #[error("the skill `{skill}` has no folder, so it has no resources")]
    NoFolder {
        /// The skill's name.
        skill: String,
    },
    /// The path could lead out of the skill.
    #[error("`{path}` is not a path inside the skill: {reason}")]
    BadPath {
        /// What was asked for, safe to show.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A link leads out of the skill.
    #[error("`{path}` leads out of the skill and is not read")]
    Outside {
        /// What was asked for.
        path: String,
    },
    /// There is no such file.
    #[error("the skill `{skill}` has no file `{path}`")]
    NotFound {
        /// The skill's name.
        skill: String,
        /// What was asked for.
        path: String,
    },
    /// It is no regular file.
    #[error("`{path}` is {kind}, not a file")]
    NotRegular {
        /// What was asked for.
        path: String,
        /// What it is.
        kind: &'static str,
    },
    /// It is too large to be read at all.
    #[error("`{path}` has {size} bytes and is not read: the limit is {limit}")]
    TooLarge {
        /// What was asked for.
        path: String,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// It is not the file that was trusted.
    #[error("`{path}` is not what it was when the skill was trusted, and is not read")]
    Changed {
        /// What was asked for.
        path: String,
    },
    /// The skill is somewhere else, and what came from there cannot be used.
    #[error(transparent)]
    Remote(#[from] FetchError),
    /// Characters stand in it that no editor shows and every model reads.
    #[error("`{path}` is not read: a hidden character stands in line {line}, column {column}")]
    Hidden {
        /// What was asked for.
        path: String,
        /// The line, from one.
        line: u32,
        /// The column, from one.
        column: u32,
    },
    /// The system said no.
    #[error("cannot read `{path}`")]
    Unreadable {
        /// What was asked for.
        path: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// The files of one skill, and what may be read of them.
#[derive(Debug, Clone)]
pub(crate) struct Files<'a> {
    /// The skill's name, for messages.
    pub(crate) skill: &'a str,
    /// The skill's own file, as it was found.
    pub(crate) own: &'a Path,
    /// The folder they lie in; `None` for a skill that is a single file or a value.
    pub(crate) location: Option<Location>,
    /// Set where they are somewhere else.
    pub(crate) remote: Option<&'a Remote>,
    /// Every file as it was trusted, where the skill is trusted by its files.
    pub(crate) seal: Option<&'a Seal>,
    /// Whether hidden characters are let through.
    pub(crate) hidden_allowed: bool,
}

impl Files<'_> {
    /// Lists the files beside the skill's own.
    pub(crate) fn resources(&self, limits: &Limits) -> Result<Resources, ResourceError> {
        let (files, partial) = self.all(limits)?;
        let own = self.own.file_name().map(Path::new);
        Ok(Resources {
            files: files
                .into_iter()
                .filter(|file| Some(Path::new(&file.path)) != own)
                .collect(),
            partial,
        })
    }

    /// Lists every file of the skill, its own among them.
    pub(crate) fn all(&self, limits: &Limits) -> Result<(Vec<Resource>, bool), ResourceError> {
        if let Some(remote) = self.remote {
            return Ok((remote.fetch.files(&remote.uri)?, false));
        }
        let (files, partial) =
            list_inside(self.location()?, limits).map_err(|source| self.unlisted(source))?;
        let files = files
            .into_iter()
            .map(|file| (address(&file.path), slashed(&file.path), file))
            .map(|(path, shown, file)| Resource {
                name: (path != shown).then_some(shown),
                path,
                size: file.facts.size,
                executable: file.facts.executable,
            })
            .collect();
        Ok((files, partial))
    }

    /// Reads one page of a file of the skill, from `offset` on.
    pub(crate) fn read(
        &self,
        path: &str,
        offset: u64,
        limits: &Limits,
    ) -> Result<Page, ResourceError> {
        if let Some(reason) = bad_path(path) {
            return Err(ResourceError::BadPath {
                path: display_text(path.get(..80).unwrap_or(path)),
                reason,
            });
        }
        let bytes = match self.remote {
            Some(remote) => remote_file(remote, path, limits)?,
            None => self.local_file(path, limits)?,
        };
        let size = bytes.len() as u64;
        let start = offset.min(size) as usize;
        let end = start.saturating_add(limits.page_bytes).min(bytes.len());
        let content = Content::new(bytes[start..end].to_vec(), end == bytes.len());
        // Judged as a whole: a page could end in the middle of what is refused.
        if matches!(content, Content::Text(_)) || str::from_utf8(&bytes).is_ok() {
            self.hides_nothing_in(path, &bytes)?;
        }
        let next_offset = start as u64 + content.byte_count() as u64;
        Ok(Page {
            path: path.to_owned(),
            size,
            offset,
            next_offset: (next_offset < size).then_some(next_offset),
            content,
        })
    }

    /// A file of a skill that is here. What was trusted by its hash has to be what was trusted,
    /// even if the file changed since the load.
    fn local_file(&self, path: &str, limits: &Limits) -> Result<Vec<u8>, ResourceError> {
        let location = self.location()?;
        let below = self.path_below(path, limits)?;
        let read = read_whole(location, &below, limits.resource_bytes, Reach::Offered);
        let (bytes, _) = match read {
            Err(InsideFault::Read(ReadFault::TooLarge(size))) => {
                return Err(ResourceError::TooLarge {
                    path: display_text(path),
                    size,
                    limit: limits.resource_bytes,
                });
            }
            read => read.map_err(|fault| self.explain(path, fault))?,
        };
        if let Some(seal) = self.seal
            && !seal.admits(&slashed(&below), ContentHash::of(&bytes))
        {
            return Err(ResourceError::Changed {
                path: display_text(path),
            });
        }
        Ok(bytes)
    }

    /// Refuses a file whose text tells a model more than it shows a person.
    fn hides_nothing_in(&self, path: &str, bytes: &[u8]) -> Result<(), ResourceError> {
        if self.hidden_allowed {
            return Ok(());
        }
        let mut start = 0;
        for chunk in bytes.utf8_chunks() {
            if let Some(span) = first_hidden(chunk.valid()) {
                let Position { line, column } = Position::of(bytes, start + span.start);
                return Err(ResourceError::Hidden {
                    path: display_text(path),
                    line,
                    column,
                });
            }
            start += chunk.valid().len() + chunk.invalid().len();
        }
        Ok(())
    }

    /// Says that the system did not let a file be read.
    fn unreadable(&self, path: &str, source: io::Error) -> ResourceError {
        self.explain(path, InsideFault::Read(ReadFault::Io(source)))
    }

    /// Says that the system did not let the skill's folder be listed.
    fn unlisted(&self, source: io::Error) -> ResourceError {
        ResourceError::Unreadable {
            path: display_path(self.own.parent().unwrap_or(self.own)),
            source,
        }
    }

    /// The skill's folder, told from a folder that may be opened.
    fn location(&self) -> Result<&Location, ResourceError> {
        self.location
            .as_ref()
            .ok_or_else(|| ResourceError::NoFolder {
                skill: display_text(self.skill),
            })
    }

    fn explain(&self, path: &str, fault: InsideFault) -> ResourceError {
        let path = display_text(path);
        match fault {
            InsideFault::Outside | InsideFault::Read(ReadFault::Link) => {
                ResourceError::Outside { path }
            }
            InsideFault::Read(ReadFault::NotRegular(kind)) => {
                ResourceError::NotRegular { path, kind }
            }
            InsideFault::Read(ReadFault::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                ResourceError::NotFound {
                    skill: display_text(self.skill),
                    path,
                }
            }
            InsideFault::Read(ReadFault::Io(source)) => ResourceError::Unreadable { path, source },
            InsideFault::Read(ReadFault::TooLarge(_) | ReadFault::Unsteady) => {
                ResourceError::Unreadable {
                    path,
                    source: io::ErrorKind::ResourceBusy.into(),
                }
            }
        }
    }
}

/// A remote file. It is checked as a whole, so it is fetched as a whole; a copy that was checked
/// before is at hand for the pages that follow.
fn remote_file(remote: &Remote, path: &str, limits: &Limits) -> Result<Vec<u8>, ResourceError> {
    let too_large = |size: u64| ResourceError::TooLarge {
        path: display_text(path),
        size,
        limit: limits.resource_bytes,
    };
    let listed = remote.fetch.files(&remote.uri)?;
    let listed = listed.iter().find(|file| file.path == path);
    if let Some(file) = listed.filter(|file| file.size > limits.resource_bytes) {
        return Err(too_large(file.size));
    }
    let bytes = remote.fetch.file(&remote.uri, path)?;
    let size = bytes.len() as u64;
    if size > limits.resource_bytes {
        return Err(too_large(size));
    }
    Ok(bytes)
}

/// What is wrong with a path, before anything is opened.
fn bad_path(path: &str) -> Option<&'static str> {
    let encoded = |code: &str| path.to_ascii_lowercase().contains(code);
    if path.is_empty() {
        Some("it is empty")
    } else if path.len() > PATH_BYTES {
        Some("it is too long")
    } else if path.contains('\0') {
        Some("it contains a NUL")
    } else if path.contains('\\') {
        Some("parts are separated by `/`")
    } else if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        Some("it is absolute")
    } else if path.split('/').any(|part| part == "..") {
        Some("`..` leads out of a folder")
    } else if ["%2e", "%2f", "%5c", "%00"].into_iter().any(encoded) {
        Some("it hides a dot or a separator behind `%`")
    } else if first_hidden(path).is_some() {
        Some("a hidden character stands in it; a list gives such a file an id")
    } else {
        None
    }
}

/// A path with `/` between its parts on every platform.
pub(crate) fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path
        .components()
        .map(|part| display_path(Path::new(part.as_os_str())))
        .collect();
    parts.join("/")
}

impl Content {
    /// Text where the bytes are text. A page may end in the middle of a character; the rest of
    /// it then starts the next page.
    fn new(bytes: Vec<u8>, at_end: bool) -> Self {
        let error = match String::from_utf8(bytes) {
            Ok(text) => return Self::Text(text),
            Err(error) => error,
        };
        let whole = error.utf8_error().valid_up_to();
        let cut_short = error.utf8_error().error_len().is_none();
        let mut bytes = error.into_bytes();
        if cut_short && !at_end && whole > 0 {
            bytes.truncate(whole);
            // The part before the error is text, so nothing is lost here.
            return Self::Text(String::from_utf8_lossy(&bytes).into_owned());
        }
        Self::Base64(base64::engine::general_purpose::STANDARD.encode(bytes))
    }

    /// How many bytes of the file this is.
    fn byte_count(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Base64(text) => {
                let padding = text.bytes().rev().take_while(|&byte| byte == b'=').count();
                text.len() / 4 * 3 - padding
            }
        }
    }
}

mod address;
mod raw;
mod seal;
#[cfg(test)]
mod tests;

use address::address;
pub use address::opaque_id;
pub use raw::{RawFile, RawFiles};
pub use seal::{Changes, Seal, SealError, SealedFile, SealedKind};

pub use crate::source::Resource;
