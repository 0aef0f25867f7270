//! The few files a command reads that are no skills: its config, its store, a request.

use std::{
    fs, io,
    io::Read as _,
    path::{Path, PathBuf},
};

/// Reads a text the user or the program named, up to a limit.
pub(crate) fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let file = open_at_once(path)?;
    // Asked of what was opened: the path may lead elsewhere by now.
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut text = String::new();
    file.take(most + 1).read_to_string(&mut text)?;
    within(text.len(), most)?;
    Ok(text)
}

/// Opens a file for reading. A pipe without a writer does not keep the command waiting.
#[expect(
    clippy::disallowed_methods,
    reason = "the CLI reads the files it is given"
)]
fn open_at_once(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    options.open(path)
}

fn within(read: usize, most: u64) -> io::Result<()> {
    if read as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(())
}

/// The path, absolute and without links.
#[expect(
    clippy::disallowed_methods,
    reason = "the CLI resolves the paths it is given"
)]
pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// Says why nothing can be seen at a path.
#[expect(
    clippy::disallowed_methods,
    reason = "the CLI looks at the paths it is given"
)]
pub(crate) fn can_be_seen(path: &Path) -> io::Result<()> {
    fs::metadata(path).map(drop)
}

/// Whether something is there, link or not.
#[expect(
    clippy::disallowed_methods,
    reason = "the CLI looks at the paths it is given"
)]
pub(crate) fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Reads the bytes of a file the user named, up to a limit; it may be a pipe.
#[expect(
    clippy::disallowed_methods,
    reason = "the CLI reads the files it is given"
)]
pub(crate) fn read_bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?
        .take(most + 1)
        .read_to_end(&mut bytes)?;
    within(bytes.len(), most)?;
    Ok(bytes)
}

/// Whether this is a link.
#[expect(
    clippy::disallowed_methods,
    reason = "the CLI looks at the paths it is given"
)]
pub(crate) fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

/// Whether this is a regular file, or a link to one.
#[expect(
    clippy::disallowed_methods,
    reason = "the CLI looks at the paths it is given"
)]
pub(crate) fn is_regular(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file())
}

/// Whether this is a folder, or a link to one.
#[expect(
    clippy::disallowed_methods,
    reason = "the CLI looks at the paths it is given"
)]
pub(crate) fn is_folder(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_dir())
}

/// Whether one of the folders of `below` is a link.
pub(crate) fn has_link(base: &Path, below: &Path) -> bool {
    let ways = below.ancestors().filter(|way| !way.as_os_str().is_empty());
    ways.map(|way| base.join(way)).any(|way| is_link(&way))
}
