//! Files written whole or not at all.

use std::{fs, io, io::Write as _, path::Path};

use tempfile::NamedTempFile;

use crate::exit::Failure;

/// Writes a file so that a reader, or a crash, finds the old bytes or the new ones.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write(path, bytes)
        .map_err(|error| Failure::new(format!("cannot write `{}`", path.display())).because(&error))
}

#[expect(clippy::disallowed_methods, reason = "this is the module that writes")]
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    // In the same folder, because a rename works only within one file system.
    let mut file = temporary(folder)?;
    file.write_all(bytes)?;
    if let Ok(old) = fs::metadata(path) {
        file.as_file().set_permissions(old.permissions())?;
    }
    // Without this a crash after the rename could leave an empty file under the name.
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The name is durable once its folder is. Some file systems can not be asked; the file is
    // whole there all the same.
    if let Ok(folder) = fs::File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
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

/// A file of its own in this folder, with the permissions an ordinary new file gets.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".prowess-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at the disk")]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/file");
        write_whole(&path, b"one").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        write_whole(&path, b"three").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"three");
        let names: Vec<_> = fs::read_dir(path.parent().unwrap())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["file"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("script");
        write_whole(&path, b"one").unwrap();
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode() & 0o111, 0);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        write_whole(&path, b"two").unwrap();
        assert_eq!(mode(), 0o755);
    }
}
