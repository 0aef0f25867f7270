//! What a file of a skill is asked for by: its path, or an id where its name cannot be shown.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::{Files, ResourceError, bad_path};
use crate::{
    display::display_path, identity::ContentHash, limits::Limits, source::disk::inside::list_inside,
};

/// How many hex digits stand for a name that cannot be shown.
const OPAQUE_DIGITS: usize = 32;

/// What stands for a file's name that cannot be shown or asked for: `~` and a part of its hash.
/// Whoever gets it must not get the bytes of the name from it either.
///
/// ```
/// use std::ffi::OsStr;
/// let id = prowess::opaque_id(OsStr::new("a\nb"));
/// assert_eq!(id.len(), 33);
/// assert!(id.starts_with('~'));
/// ```
pub fn opaque_id(name: &OsStr) -> String {
    let hash = ContentHash::of(name.as_encoded_bytes()).to_string();
    format!("~{}", &hash[..OPAQUE_DIGITS])
}

/// Whether a part of a path has the form of an id. A file with such a name gets one too, so that
/// no name can pass for the id of another.
fn is_opaque(part: &str) -> bool {
    part.strip_prefix('~').is_some_and(|digits| {
        digits.len() == OPAQUE_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// A path as it is asked for, with `/` between its parts on every platform.
pub(super) fn address(path: &Path) -> String {
    let parts: Vec<String> = path
        .components()
        .map(|part| {
            let name = part.as_os_str();
            let shown = display_path(Path::new(name));
            let plain = name.to_str() == Some(&*shown);
            if plain && bad_path(&shown).is_none() && !is_opaque(&shown) {
                shown
            } else {
                opaque_id(name)
            }
        })
        .collect();
    parts.join("/")
}

impl Files<'_> {
    /// The path on disk that is asked for. Only an id has to be looked up.
    pub(super) fn path_below(
        &self,
        asked: &str,
        limits: &Limits,
    ) -> Result<PathBuf, ResourceError> {
        if !asked.split('/').any(is_opaque) {
            return Ok(PathBuf::from(asked));
        }
        let (files, _) = list_inside(self.location()?, limits)
            .map_err(|source| self.unreadable(asked, source))?;
        let found = files.into_iter().find(|file| address(&file.path) == asked);
        found
            .map(|file| file.path)
            .ok_or_else(|| ResourceError::NotFound {
                skill: crate::display_text(self.skill),
                path: crate::display_text(asked),
            })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;
    use crate::{Catalog, resource::Content, testing::Tree};

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test makes its own files")]
    fn a_name_that_cannot_be_shown_is_listed_and_read_by_its_id() {
        let names: [&[u8]; 7] = [
            b"new\nline.md",
            b"raw\xff.md",
            "turned\u{202e}.md".as_bytes(),
            b"back\\slash.md",
            b"100%2e.md",
            b"~0123456789abcdef0123456789abcdef",
            b"c:",
        ];
        let tree = Tree::new().skill("skills/pdf");
        let odd = tree.at("skills/pdf/odd");
        std::fs::create_dir(&odd).unwrap();
        for name in names {
            std::fs::write(odd.join(OsStr::from_bytes(name)), name).unwrap();
        }
        let catalog = Catalog::from_dirs([tree.at("skills")]);
        let skill = catalog.get("pdf").unwrap();
        let limits = Limits::default();
        let files = skill.resources(&limits).unwrap().files;
        assert_eq!(files.len(), names.len());
        for file in files {
            let id = file.path.strip_prefix("odd/").unwrap();
            assert!(is_opaque(id), "{id}");
            assert!(file.name.is_some(), "{id}");
            let page = skill.read_resource(&file.path, 0, &limits);
            let Ok(page) = page else {
                // A file that hides something in its text is not read by any name.
                assert!(matches!(page, Err(ResourceError::Hidden { .. })));
                continue;
            };
            if let Content::Text(text) = page.content {
                assert_eq!(opaque_id(OsStr::new(&text)), id);
            }
        }
        let none = format!("odd/~{}", "0".repeat(OPAQUE_DIGITS));
        let none = skill.read_resource(&none, 0, &limits);
        assert!(matches!(none, Err(ResourceError::NotFound { .. })));
    }

    #[test]
    fn a_plain_path_stays_as_it_is() {
        for path in ["a.md", "references/größe 日本.md", "~a", "-x", "100%.md"] {
            assert_eq!(address(Path::new(path)), path);
        }
    }
}
