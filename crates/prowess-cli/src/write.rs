//! Files written whole or not at all.

use std::{fs, io, path::Path};

use crate::exit::Failure;

/// Writes a file so that a reader, or a crash, finds the old bytes or the new ones.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    prowess::write_whole(path, bytes, prowess::Access::Shared)
        .map_err(|error| Failure::new(format!("cannot write `{}`", path.display())).because(&error))
}

/// Opens the file beside `path` that whoever changes it holds locked, and makes it if need be.
pub(crate) fn open_lock(path: &Path) -> io::Result<fs::File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // It holds nothing: the lock is the system's, and ends with the process.
    fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path.with_extension("lock"))
}

/// Creates a folder with all its files, or nothing; `true` marks a file that can be run.
pub(crate) fn create_folder(path: &Path, files: &[(&str, String, bool)]) -> Result<(), Failure> {
    create(path, files).map_err(|error| {
        Failure::new(format!("cannot create `{}`", path.display())).because(&error)
    })
}

#[expect(clippy::disallowed_methods, reason = "this is the module that writes")]
fn create(path: &Path, files: &[(&str, String, bool)]) -> io::Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".prowess-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o777));
    }
    let folder = builder.tempdir_in(parent)?;
    for (name, text, run) in files {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap_or(folder.path()))?;
        fs::write(&file, text)?;
        #[cfg(unix)]
        if *run {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(&file)?.permissions().mode();
            // Whoever may read it may run it.
            fs::set_permissions(
                &file,
                fs::Permissions::from_mode(mode | (mode & 0o444) >> 2),
            )?;
        }
        #[cfg(not(unix))]
        let _ = run;
        fs::File::open(&file)?.sync_all()?;
    }
    fs::rename(folder.path(), path)?;
    // It has its name now, so there is nothing left to clean up.
    let _ = folder.keep();
    Ok(())
}
