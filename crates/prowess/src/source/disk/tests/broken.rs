//! Row 26: a disk that fails while a file is read costs that file.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    sync::Mutex,
};

use expect_test::expect;
use prowess_format::Profile;

use super::super::{
    DiskSource,
    handle::{Buffers, Facts, Folder, Kind, NativeFolder, ReadFault},
    tree::Stamp,
};
use crate::{
    Limits,
    skill::Skill,
    source::{Effort, Gate, Progress, ScanRequest},
    testing::Tree,
};

/// What Unix answers when a disk can not be read.
const EIO: i32 = 5;

/// A folder on a disk with a bad spot, in the folder called `bad`.
struct Failing {
    folder: NativeFolder,
    bad: bool,
}

impl Folder for Failing {
    fn open(path: &Path) -> io::Result<Self> {
        let folder = NativeFolder::open(path)?;
        Ok(Self { folder, bad: false })
    }

    fn child(&self, name: &OsStr) -> io::Result<Self> {
        let folder = self.folder.child(name)?;
        let bad = name == "bad";
        Ok(Self { folder, bad })
    }

    fn entries(
        &self,
        buffers: &mut Buffers,
        each: &mut dyn FnMut(&OsStr, Kind) -> bool,
    ) -> io::Result<()> {
        self.folder.entries(buffers, each)
    }

    fn read(&self, name: &OsStr, limit: usize, buffers: &mut Buffers) -> Result<Facts, ReadFault> {
        if self.bad {
            return Err(io::Error::from_raw_os_error(EIO).into());
        }
        self.folder.read(name, limit, buffers)
    }

    fn read_at(
        &self,
        name: &OsStr,
        offset: u64,
        count: usize,
    ) -> Result<(Vec<u8>, Facts), ReadFault> {
        self.folder.read_at(name, offset, count)
    }

    fn facts(&self, name: &OsStr) -> io::Result<(Kind, Facts)> {
        self.folder.facts(name)
    }

    fn own_stamp(&self) -> Option<Stamp> {
        self.folder.own_stamp()
    }

    fn stamp_below(&self, path: &Path) -> Option<(Kind, Stamp)> {
        self.folder.stamp_below(path)
    }

    fn replace(&self, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        self.folder.replace(name, bytes)
    }

    fn link_target(&self, name: &OsStr) -> io::Result<PathBuf> {
        self.folder.link_target(name)
    }
}

#[test]
fn a_disk_that_fails_costs_one_skill() {
    let tree = Tree::new().skill("bad").skill("good");
    let source = DiskSource::new(tree.root());
    let (limits, progress) = (Limits::default(), Progress::default());
    let request = ScanRequest {
        limits: &limits,
        profile: Profile::Lenient,
        threads: 1,
        progress: &progress,
        effort: &Effort::start(),
        gate: Gate::open(),
    };
    let told = Mutex::new(Vec::new());
    source.walk::<Failing>(&request, &|file| {
        let skill = Skill::read(file, Profile::Lenient);
        let messages: Vec<_> = skill.diagnostics().map(|it| &*it.message).collect();
        let line = format!(
            "{} {} {}\n",
            skill.state().as_str(),
            skill.name(),
            messages.concat()
        );
        told.lock().unwrap().push(line);
    });
    let mut told = told.into_inner().unwrap();
    told.sort();
    expect![[r#"
        active good 
        broken bad `./bad/SKILL.md` cannot be read: Input/output error (os error 5)
    "#]]
    .assert_eq(&told.concat().replace(&*tree.root().to_string_lossy(), "."));
}
