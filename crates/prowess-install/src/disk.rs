//! The one module here that opens files: a skill's folder as a tree, and folders put in place.
#![expect(clippy::disallowed_methods, reason = "the module that opens files")]

use std::{
    fs, io,
    io::Read as _,
    path::{Path, PathBuf},
};

use prowess::{Access, ContentHash};

use crate::{
    file_path::FilePath,
    tree::{FileEntry, Mode, SkillFiles, TreeError},
};

/// How the name of a folder with unfinished work starts.
pub(crate) const STAGE: &str = ".prowess-stage-";

/// How much of a skill is looked at.
#[derive(Debug, Clone, Copy)]
pub struct SkillLimits {
    /// Files of one skill.
    pub files: usize,
    /// Bytes of one skill.
    pub bytes: u64,
}

impl Default for SkillLimits {
    fn default() -> Self {
        let limits = prowess::Limits::default();
        Self {
            files: limits.skill_files,
            bytes: limits.skill_bytes,
        }
    }
}

/// Why a folder is no skill to install.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// It, or a file in it, cannot be read.
    #[error("cannot read `{path}`")]
    Unreadable {
        /// Where.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Something in it is neither a file nor a folder.
    #[error("`{path}` is {what}, and only plain files are installed")]
    NotPlain {
        /// The path below the folder.
        path: String,
        /// What it is.
        what: &'static str,
    },
    /// It is too large.
    #[error("it has more than {0}")]
    TooLarge(String),
    /// Its paths are not taken.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// What is found in a folder: files, and what is none.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) files: Vec<ListedFile>,
    /// Links, devices and paths that are no text, safe to show, with what they are.
    pub(crate) odd: Vec<(String, &'static str)>,
}

/// One file as the disk has it, with what tells cheaply whether it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedFile {
    pub(crate) path: String,
    pub(crate) mode: Mode,
    pub(crate) size: u64,
    pub(crate) stamp: Stamp,
}

/// When and as what the file system last saw a file change. Who changes a file and sets its time
/// back still moves the time of the change itself (`ctime`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Stamp {
    pub(crate) modified: i64,
    pub(crate) changed: i64,
    pub(crate) inode: u64,
}

/// Lists every file below a folder, following no link.
pub(crate) fn list(folder: &Path, limits: SkillLimits) -> Result<Listing, FolderError> {
    let unreadable = |path: &Path, source| FolderError::Unreadable {
        path: prowess::display_path(path),
        source,
    };
    let mut listing = Listing::default();
    let mut waiting = vec![(folder.to_path_buf(), String::new())];
    let mut bytes = 0;
    let mut seen = 0;
    while let Some((path, below)) = waiting.pop() {
        #[expect(clippy::disallowed_methods, reason = "the module that opens files")]
        let entries = fs::read_dir(&path).map_err(|error| unreadable(&path, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| unreadable(&path, error))?;
            seen += 1;
            if seen > 8 * limits.files + 64 {
                return Err(FolderError::TooLarge(format!("{} files", limits.files)));
            }
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                listing
                    .odd
                    .push((prowess::display_path(Path::new(&name)), "named by no text"));
                continue;
            };
            let below = if below.is_empty() {
                name.to_owned()
            } else {
                format!("{below}/{name}")
            };
            let facts = entry
                .metadata()
                .map_err(|error| unreadable(&entry.path(), error))?;
            if facts.is_dir() {
                waiting.push((entry.path(), below));
            } else if facts.is_file() {
                bytes += facts.len();
                listing.files.push(ListedFile {
                    path: below,
                    mode: mode(&facts),
                    size: facts.len(),
                    stamp: stamp(&facts),
                });
                if listing.files.len() > limits.files {
                    return Err(FolderError::TooLarge(format!("{} files", limits.files)));
                }
                if bytes > limits.bytes {
                    return Err(FolderError::TooLarge(format!("{} bytes", limits.bytes)));
                }
            } else {
                let what = if facts.is_symlink() {
                    "a link"
                } else {
                    "no plain file"
                };
                listing.odd.push((prowess::display_text(&below), what));
            }
        }
    }
    listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    listing.odd.sort();
    Ok(listing)
}

#[cfg(unix)]
fn mode(facts: &fs::Metadata) -> Mode {
    use std::os::unix::fs::PermissionsExt as _;
    Mode::of_bits(facts.permissions().mode())
}

#[cfg(not(unix))]
fn mode(_facts: &fs::Metadata) -> Mode {
    Mode::Plain
}

#[cfg(unix)]
fn stamp(facts: &fs::Metadata) -> Stamp {
    use std::os::unix::fs::MetadataExt as _;
    let nanos =
        |seconds: i64, nanos: i64| seconds.saturating_mul(1_000_000_000).saturating_add(nanos);
    Stamp {
        modified: nanos(facts.mtime(), facts.mtime_nsec()),
        changed: nanos(facts.ctime(), facts.ctime_nsec()),
        inode: facts.ino(),
    }
}

#[cfg(not(unix))]
fn stamp(facts: &fs::Metadata) -> Stamp {
    let since = facts
        .modified()
        .ok()
        .and_then(|it| it.duration_since(std::time::UNIX_EPOCH).ok());
    let modified = since.map_or(0, |it| i64::try_from(it.as_nanos()).unwrap_or(i64::MAX));
    Stamp {
        modified,
        changed: modified,
        inode: 0,
    }
}

/// Reads a whole file below a folder, up to a limit. The last step follows no link.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        // A pipe without a writer must not keep us waiting.
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

/// Reads a text; `None` where there is none.
pub(crate) fn read_text(path: &Path, most: u64) -> io::Result<Option<String>> {
    match read(path, most) {
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| io::Error::other("it is not UTF-8")),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Reads a skill from its folder. A repository's own `.git` at the top is none of its files.
pub fn read_folder(folder: &Path, limits: SkillLimits) -> Result<SkillFiles, FolderError> {
    let mut listing = list(folder, limits)?;
    listing.files.retain(|it| !is_repository(&it.path));
    listing.odd.retain(|it| !is_repository(&it.0));
    if let Some((path, what)) = listing.odd.into_iter().next() {
        return Err(FolderError::NotPlain { path, what });
    }
    let mut files = Vec::new();
    for file in listing.files {
        let path = FilePath::new(&file.path).map_err(TreeError::from)?;
        let bytes = read(&folder.join(&file.path), file.size).map_err(|source| {
            FolderError::Unreadable {
                path: file.path.clone(),
                source,
            }
        })?;
        files.push((path, file.mode, bytes));
    }
    Ok(SkillFiles::new(files)?)
}

fn is_repository(path: &str) -> bool {
    path == ".git" || path.starts_with(".git/")
}

/// The entry of one file, read and hashed now.
pub(crate) fn hash(folder: &Path, file: &ListedFile) -> io::Result<(ContentHash, u64)> {
    let bytes = read(&folder.join(&file.path), u64::MAX - 1)?;
    Ok((ContentHash::of(&bytes), bytes.len() as u64))
}

/// Writes these files into a new folder, each brought to the disk.
pub fn write_folder<'a>(
    folder: &Path,
    files: impl Iterator<Item = (&'a FileEntry, &'a [u8])>,
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut folders = vec![folder.to_path_buf()];
    for (entry, bytes) in files {
        let path = folder.join(entry.path.as_str());
        if let Some(parent) = path
            .parent()
            .filter(|it| !folders.iter().any(|known| known == it))
        {
            fs::create_dir_all(parent)?;
            folders.push(parent.to_path_buf());
        }
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        let mut file = options.open(&path)?;
        io::Write::write_all(&mut file, bytes)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let bits = if entry.mode == Mode::Run {
                0o755
            } else {
                0o644
            };
            file.set_permissions(fs::Permissions::from_mode(bits))?;
        }
        // Without this a crash after the rename could leave an empty file under the name.
        file.sync_all()?;
    }
    for folder in &folders {
        sync_folder(folder);
    }
    Ok(())
}

/// Writes a file beside the place it is for, brought to the disk, with the permissions of what is
/// there. It goes away again unless it is kept.
pub(crate) fn write_beside(place: &Path, bytes: &[u8]) -> io::Result<tempfile::TempPath> {
    let folder = place.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(permissions);
    let mut file = builder.prefix(STAGE).tempfile_in(folder)?;
    io::Write::write_all(&mut file, bytes)?;
    #[expect(clippy::disallowed_methods, reason = "the module that opens files")]
    let old = fs::symlink_metadata(place)
        .ok()
        .filter(fs::Metadata::is_file);
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    sync_folder(folder);
    Ok(file.into_temp_path())
}

/// Brings the names in a folder to the disk. Some file systems cannot be asked to.
pub(crate) fn sync_folder(folder: &Path) {
    #[expect(clippy::disallowed_methods, reason = "the module that opens files")]
    if let Ok(folder) = fs::File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Puts a folder in place of another, in one step where the system has one.
pub(crate) fn swap(new: &Path, place: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if rename_with(new, place, rustix::fs::RenameFlags::EXCHANGE)? {
        return Ok(());
    }
    let aside = new.with_extension("old");
    fs::rename(place, &aside)?;
    fs::rename(new, place)?;
    fs::rename(&aside, new)
}

/// Gives a folder its name, where nothing has it.
pub(crate) fn place(new: &Path, place: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if rename_with(new, place, rustix::fs::RenameFlags::NOREPLACE)? {
        return Ok(());
    }
    if is_there(place) {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(new, place)
}

/// Renames in one step of the system; `false` where it or the file system does not know how.
#[cfg(unix)]
fn rename_with(from: &Path, to: &Path, flags: rustix::fs::RenameFlags) -> io::Result<bool> {
    use rustix::{
        fs::{CWD, renameat_with},
        io::Errno,
    };
    match renameat_with(CWD, from, CWD, to, flags) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Removes a file, or a folder and all below it; what is not there is no fault.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    if !is_real_folder(path) {
        return remove_file(path);
    }
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Removes a file or a link; what is not there is no fault.
pub(crate) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Makes a link to a folder.
#[cfg(unix)]
pub(crate) fn link(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Makes a link to a folder.
#[cfg(windows)]
pub(crate) fn link(target: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_dir(target, link)
}

/// Where a link leads; `None` for what is no link.
pub(crate) fn link_target(path: &Path) -> Option<PathBuf> {
    fs::read_link(path).ok()
}

pub(crate) fn create_folders(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Whether something is there, link or not.
#[expect(clippy::disallowed_methods, reason = "the module that opens files")]
pub(crate) fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Whether a file is there and not empty.
#[expect(clippy::disallowed_methods, reason = "the module that opens files")]
pub(crate) fn has_bytes(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| it.len() > 0)
}

/// Whether this is a folder and no link to one.
#[expect(clippy::disallowed_methods, reason = "the module that opens files")]
pub(crate) fn is_real_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| it.is_dir())
}

/// The path, absolute and without links.
#[expect(clippy::disallowed_methods, reason = "the module that opens files")]
pub(crate) fn real(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// The names in a folder; none where there is no folder.
#[expect(clippy::disallowed_methods, reason = "the module that opens files")]
pub(crate) fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry?.file_name().into_string().ok());
    }
    names.sort();
    Ok(names)
}

/// How many bytes lie below a folder, roughly: what comes and goes meanwhile is not counted.
#[expect(clippy::disallowed_methods, reason = "the module that opens files")]
pub(crate) fn size_below(folder: &Path) -> u64 {
    let mut size = 0;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.metadata() {
            Ok(facts) if facts.is_dir() => size += size_below(&entry.path()),
            Ok(facts) => size += facts.len(),
            Err(_) => {}
        }
    }
    size
}

/// Writes a file whole or not at all.
pub(crate) fn write(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    prowess::write_whole(path, bytes, access)
}

/// Opens the file whose lock is held by whoever changes something, and makes it if need be.
pub(crate) fn open_lock(path: &Path) -> io::Result<fs::File> {
    if let Some(folder) = path.parent() {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
