//! The files of a skill as one archive, the same bytes wherever it is made.

use std::io;

use flate2::{Compression, GzBuilder};

use crate::tree::{Mode, SkillFiles};

/// What a gzip header says where no system is named.
const NO_SYSTEM: u8 = 255;

/// Packs a skill as `tar.gz`, its `SKILL.md` at the top: sorted by path, without owners and times,
/// `0644` or `0755`. The bytes can differ with the version of the compressor, so a skill is known
/// by its tree digest.
pub fn pack(files: &SkillFiles) -> io::Result<Vec<u8>> {
    let all = files.iter();
    pack_all(all.map(|(entry, bytes)| (entry.path.as_str(), entry.mode, bytes)))
}

/// Packs files in this order.
pub(crate) fn pack_all<'a>(
    files: impl Iterator<Item = (&'a str, Mode, &'a [u8])>,
) -> io::Result<Vec<u8>> {
    let gzip = GzBuilder::new()
        .mtime(0)
        .operating_system(NO_SYSTEM)
        .write(Vec::new(), Compression::best());
    let mut archive = tar::Builder::new(gzip);
    for (path, mode, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_mode(if mode == Mode::Run { 0o755 } else { 0o644 });
        header.set_size(bytes.len() as u64);
        header.set_mtime(0);
        archive.append_data(&mut header, path, bytes)?;
    }
    archive.into_inner()?.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        archive::{ArchiveLimits, read_archive},
        file_path::FilePath,
    };

    #[test]
    fn what_is_packed_comes_back_and_packs_the_same() {
        let long = format!("references/{}/x.md", "long-".repeat(30));
        let file =
            |path: &str, mode, bytes: &[u8]| (FilePath::new(path).unwrap(), mode, bytes.to_vec());
        let files = SkillFiles::new(vec![
            file("scripts/go.sh", Mode::Run, b"echo\r\n"),
            file("SKILL.md", Mode::Plain, b"---\nname: a\n---\n"),
            file(&long, Mode::Plain, b""),
            file("a b ç.md", Mode::Plain, b"x"),
        ])
        .unwrap();
        let packed = pack(&files).unwrap();
        let back = read_archive(&packed, &ArchiveLimits::default()).unwrap();
        let back = SkillFiles::new(back).unwrap();
        assert_eq!(back, files);
        assert_eq!(pack(&back).unwrap(), packed);
    }
}
