//! The files of one skill as a value, and the digest over them.
//!
//! The recipe is published in `docs/INSTALL.md` with test vectors. For each file one line
//! `MODE SP SHA256 SP SIZE SP PATH LF`, the mode `0644` or `0755`, sorted by the bytes of the path;
//! the digest is the SHA-256 of these lines. No locale, no line ending and no system has a say.

use std::{
    collections::HashMap,
    fmt::{self, Write as _},
    str::FromStr,
};

use prowess::ContentHash;

use crate::file_path::{FilePath, UnsafePath};

/// Whether a file may be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// `0644`
    Plain,
    /// `0755`
    Run,
}

impl Mode {
    /// The mode of a file whose owner may run it, or not. Nothing else of a mode is kept.
    pub fn of_bits(bits: u32) -> Self {
        if bits & 0o100 == 0 {
            Self::Plain
        } else {
            Self::Run
        }
    }

    /// As it stands in the lock.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "0644",
            Self::Run => "0755",
        }
    }
}

/// One file of a skill, without its bytes. Its text is one line of the digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Where it lies below the skill's folder.
    pub path: FilePath,
    /// Whether it may be run.
    pub mode: Mode,
    /// The hash of its bytes.
    pub hash: ContentHash,
    /// How many bytes it has.
    pub size: u64,
}

impl fmt::Display for FileEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} {} {}",
            self.mode.as_str(),
            self.hash,
            self.size,
            self.path
        )
    }
}

/// Why files are not taken as a skill.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// A line that is none of a tree.
    #[error("`{}` is no line `MODE SHA256 SIZE PATH`", prowess::display_text(.0))]
    Line(String),
    /// A path that is not the same file everywhere.
    #[error(transparent)]
    Path(#[from] UnsafePath),
    /// Two paths that are one file on some system.
    #[error("`{0}` and `{1}` are one file where case does not count")]
    Twins(FilePath, FilePath),
    /// A file where another path needs a folder.
    #[error("`{0}` is a file and the folder of `{1}`")]
    FileAsFolder(FilePath, FilePath),
    /// Nothing to install.
    #[error("there is no `SKILL.md`")]
    NoSkill,
}

impl FromStr for FileEntry {
    type Err = TreeError;

    fn from_str(line: &str) -> Result<Self, TreeError> {
        let wrong = || TreeError::Line(line.to_owned());
        let mut words = line.splitn(4, ' ');
        let mode = match words.next() {
            Some("0644") => Mode::Plain,
            Some("0755") => Mode::Run,
            _ => return Err(wrong()),
        };
        let (hash, size) = (
            words.next().ok_or_else(wrong)?,
            words.next().ok_or_else(wrong)?,
        );
        let path = words.next().ok_or_else(wrong)?;
        let entry = Self {
            path: FilePath::new(path)?,
            mode,
            hash: hash.parse().map_err(|_| wrong())?,
            size: size.parse().map_err(|_| wrong())?,
        };
        // One text for one entry: no capital digits, no leading zeros.
        if entry.to_string() == line {
            Ok(entry)
        } else {
            Err(wrong())
        }
    }
}

/// Every file of a skill, sorted by the bytes of its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    entries: Vec<FileEntry>,
}

impl Tree {
    /// Takes the files of a skill; refuses what would be one file on some system.
    pub fn new(mut entries: Vec<FileEntry>) -> Result<Self, TreeError> {
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let paths: Vec<&FilePath> = entries.iter().map(|it| &it.path).collect();
        no_twins(&paths, &[])?;
        if !entries.iter().any(|it| it.path.as_str() == "SKILL.md") {
            return Err(TreeError::NoSkill);
        }
        Ok(Self { entries })
    }

    /// Reads the lines that [`FileEntry`] prints.
    pub fn from_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Self, TreeError> {
        let entries: Result<Vec<FileEntry>, TreeError> =
            lines.into_iter().map(str::parse).collect();
        Self::new(entries?)
    }

    /// The files, sorted by path.
    pub fn entries(&self) -> &[FileEntry] {
        &self.entries
    }

    /// The file at this path.
    pub fn get(&self, path: &str) -> Option<&FileEntry> {
        let at = self
            .entries
            .binary_search_by(|it| it.path.as_str().cmp(path));
        at.ok().map(|at| &self.entries[at])
    }

    /// One digest over all of it: modes, bytes, sizes and paths.
    pub fn digest(&self) -> TreeDigest {
        let mut lines = String::new();
        for entry in &self.entries {
            // Writing to a string does not fail.
            let _ = writeln!(lines, "{entry}");
        }
        TreeDigest(ContentHash::of(lines.as_bytes()))
    }

    /// All bytes together.
    pub fn size(&self) -> u64 {
        self.entries.iter().map(|it| it.size).sum()
    }
}

/// Refuses files and folders that would be one on some system; the files are sorted.
pub(crate) fn no_twins(files: &[&FilePath], folders: &[&FilePath]) -> Result<(), TreeError> {
    let mut folded: HashMap<String, &FilePath> = HashMap::new();
    for &path in files {
        if let Some(twin) = folded.insert(path.folded(), path) {
            return Err(TreeError::Twins(twin.clone(), path.clone()));
        }
    }
    // The folders above a file are names of the disk too.
    let mut spelled: HashMap<String, (&str, &FilePath)> = HashMap::new();
    let above = files.iter().flat_map(|path| {
        let parts = path.as_str().match_indices('/');
        parts.map(move |(at, _)| (&path.as_str()[..at], *path))
    });
    for (folder, path) in above.chain(folders.iter().map(|it| (it.as_str(), *it))) {
        let key = folder.to_lowercase();
        if let Some(file) = folded.get(&key) {
            return Err(TreeError::FileAsFolder((*file).clone(), path.clone()));
        }
        let (known, by) = *spelled.entry(key).or_insert((folder, path));
        if known != folder {
            return Err(TreeError::Twins(by.clone(), path.clone()));
        }
    }
    Ok(())
}

/// The digest of a [`Tree`], printed as `sha256:…`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TreeDigest(ContentHash);

impl fmt::Display for TreeDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.0)
    }
}

/// A skill's files with their bytes, in memory: a skill is small, and what is not yet judged is
/// not yet on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFiles {
    tree: Tree,
    /// In the order of the tree.
    bytes: Vec<Vec<u8>>,
}

impl SkillFiles {
    /// Takes files with their modes and bytes.
    pub fn new(files: Vec<(FilePath, Mode, Vec<u8>)>) -> Result<Self, TreeError> {
        let mut files = files;
        files.sort_by(|a, b| a.0.cmp(&b.0));
        let entries = files.iter().map(|(path, mode, bytes)| FileEntry {
            path: path.clone(),
            mode: *mode,
            hash: ContentHash::of(bytes),
            size: bytes.len() as u64,
        });
        let tree = Tree::new(entries.collect())?;
        let bytes = files.into_iter().map(|(_, _, bytes)| bytes).collect();
        Ok(Self { tree, bytes })
    }

    /// The files without their bytes.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Every file with its bytes, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&FileEntry, &[u8])> {
        let bytes = self.bytes.iter().map(Vec::as_slice);
        self.tree.entries.iter().zip(bytes)
    }

    /// The bytes of one file.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.iter()
            .find(|(entry, _)| entry.path.as_str() == path)
            .map(|(_, bytes)| bytes)
    }

    /// The `SKILL.md` as text; what is no UTF-8 is replaced.
    pub fn skill_text(&self) -> String {
        String::from_utf8_lossy(self.get("SKILL.md").unwrap_or_default()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn files(files: &[(&str, Mode, &str)]) -> Result<SkillFiles, TreeError> {
        let file = |(path, mode, text): &(&str, Mode, &str)| {
            Ok((FilePath::new(path)?, *mode, text.as_bytes().to_vec()))
        };
        SkillFiles::new(files.iter().map(file).collect::<Result<_, UnsafePath>>()?)
    }

    const SKILL: (&str, Mode, &str) = (
        "SKILL.md",
        Mode::Plain,
        "---\nname: demo\ndescription: A demo.\n---\nHello\n",
    );

    fn lines(files: &SkillFiles) -> String {
        let entries = files.tree().entries().iter().map(ToString::to_string);
        let lines: Vec<String> = entries.chain([files.tree().digest().to_string()]).collect();
        lines.join("\n") + "\n"
    }

    /// The vectors of `docs/INSTALL.md`; the page is held against them.
    #[test]
    fn the_published_vectors() {
        let one = files(&[SKILL]).unwrap();
        let many = files(&[
            ("scripts/run.sh", Mode::Run, "x\n"),
            ("references/a.md", Mode::Plain, "A\n"),
            SKILL,
            ("references/B.md", Mode::Plain, "B\n"),
            ("a b ç.md", Mode::Plain, ""),
        ])
        .unwrap();
        let told = lines(&one) + "\n" + &lines(&many);
        expect![[r#"
            0644 1f5e83b6b360d8e2b728901a85600d4a755d5efc5e0a018b1e770f9af64ae946 46 SKILL.md
            sha256:1931eec27bf9aee9edda843a40a25a58548a09069593d9790758e981dd42f914

            0644 1f5e83b6b360d8e2b728901a85600d4a755d5efc5e0a018b1e770f9af64ae946 46 SKILL.md
            0644 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 0 a b ç.md
            0644 c0cde77fa8fef97d476c10aad3d2d54fcc2f336140d073651c2dcccf1e379fd6 2 references/B.md
            0644 06f961b802bc46ee168555f066d28f4f0e9afdf3f88174c1ee6f9de004fc30a0 2 references/a.md
            0755 73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac 2 scripts/run.sh
            sha256:630928c12ed79ede38f9136d321f076f01c284e7e9ec3110d72910b4e9998a10
        "#]]
        .assert_eq(&told);
        let page = include_str!("../../../docs/INSTALL.md");
        for line in told.lines() {
            assert!(page.contains(line), "docs/INSTALL.md lacks {line}");
        }
    }

    #[test]
    fn lines_read_back_and_have_one_form() {
        let tree = files(&[SKILL, ("a/b c", Mode::Run, "")])
            .unwrap()
            .tree()
            .clone();
        let lines: Vec<String> = tree.entries().iter().map(ToString::to_string).collect();
        assert_eq!(Tree::from_lines(lines.iter().map(String::as_str)), Ok(tree));
        for line in [
            "0600 0 0 x".to_owned(),
            lines[0].to_uppercase(),
            lines[0].replacen(' ', "  ", 1),
            lines[0].replace(" 4", " 04"),
            lines[0].replace("SKILL.md", "../SKILL.md"),
        ] {
            assert!(line.parse::<FileEntry>().is_err(), "{line}");
        }
    }

    #[test]
    fn one_file_under_two_names_is_refused() {
        let told = |more: &[(&str, Mode, &str)]| {
            files(&[&[SKILL], more].concat()).unwrap_err().to_string()
        };
        expect!["`SKILL.md` and `skill.md` are one file where case does not count"]
            .assert_eq(&told(&[("skill.md", Mode::Plain, "")]));
        expect!["`A/x` and `a/y` are one file where case does not count"]
            .assert_eq(&told(&[("A/x", Mode::Plain, ""), ("a/y", Mode::Plain, "")]));
        expect!["`a` is a file and the folder of `a/b`"]
            .assert_eq(&told(&[("a", Mode::Plain, ""), ("a/b", Mode::Plain, "")]));
        expect!["there is no `SKILL.md`"]
            .assert_eq(&files(&[("x", Mode::Plain, "")]).unwrap_err().to_string());
    }
}
