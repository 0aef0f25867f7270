//! Changes as Linux announces them: one watch for each folder, which names what changed in it.
//!
//! A folder is watched and then looked at once more, so nothing is lost between the two.
//!
//! The crate `notify`, which serves other platforms, asks inotify for `OPEN` too (8.2). Each of our
//! looks opens every folder, so with 10,000 of them a look alone would fill the system's queue of
//! 16,384 events, and the rescan that an overflow asks for would fill it again, without end. It
//! also hides the number of a watch, by which we see that another folder took the place of the
//! one we watched. Hence these lines.

use std::{
    collections::{HashMap, HashSet},
    ffi::{OsStr, OsString},
    io,
    mem::MaybeUninit,
    os::{fd::OwnedFd, unix::ffi::OsStrExt as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
};

use rustix::{
    event::{EventfdFlags, PollFd, PollFlags, eventfd, poll},
    fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags},
    io::Errno,
};

use super::watch::{Notice, Pending, lock};

/// Everything that can make a folder's skills differ. `MODIFY` alone would tell of a file that is
/// only half written, `CLOSE_WRITE` alone would miss a writer that never closes.
const CHANGES: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::EXCL_UNLINK)
    .union(WatchFlags::ONLYDIR);

/// Room for some hundred events at a time.
const BUFFER: usize = 32 * 1024;

/// What a change in a watched folder means.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Meaning {
    /// Skills in this folder.
    Folder(PathBuf),
    /// Something that a link in this folder leads to.
    Target(PathBuf),
    /// A source may come or go with one of the names in `awaited`.
    Awaited,
}

#[derive(Debug, Default)]
struct Watches {
    meanings: HashMap<i32, HashSet<Meaning>>,
    numbers: HashMap<(PathBuf, Meaning), i32>,
    /// Names that are waited for, by the folder they would come into.
    awaited: HashMap<i32, HashSet<OsString>>,
}

/// The watches of one live catalog, and the thread that reads what they tell.
#[derive(Debug)]
pub(super) struct Inotify {
    queue: Arc<OwnedFd>,
    stop: Arc<OwnedFd>,
    watches: Arc<Mutex<Watches>>,
    thread: Option<JoinHandle<()>>,
}

impl Inotify {
    pub(super) fn new(pending: Arc<Pending>) -> io::Result<Self> {
        let queue = Arc::new(inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?);
        let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC)?);
        let watches = Arc::new(Mutex::new(Watches::default()));
        let thread = {
            let (queue, stop, watches) = (queue.clone(), stop.clone(), watches.clone());
            thread::Builder::new()
                .name("prowess-events".to_owned())
                .spawn(move || read(&queue, &stop, &watches, &pending))?
        };
        Ok(Self {
            queue,
            stop,
            watches,
            thread: Some(thread),
        })
    }

    /// Watches a folder for changes of its skills; says whether that is new.
    pub(super) fn folder(&self, path: &Path) -> io::Result<bool> {
        self.watch(path, Meaning::Folder(path.to_path_buf()))
    }

    /// Watches what a link in `folder` leads to.
    pub(super) fn target(&self, path: &Path, folder: &Path) -> io::Result<bool> {
        self.watch(path, Meaning::Target(folder.to_path_buf()))
    }

    fn watch(&self, path: &Path, meaning: Meaning) -> io::Result<bool> {
        // Held from before the watch begins: its first event finds its meaning.
        let mut watches = lock(&self.watches);
        let number = inotify::add_watch(&self.queue, path, CHANGES)?;
        let key = (path.to_path_buf(), meaning.clone());
        let old = watches.numbers.insert(key, number);
        if old == Some(number) {
            return Ok(false);
        }
        if let Some(old) = old {
            self.drop_meaning(&mut watches, old, &meaning);
        }
        watches.meanings.entry(number).or_default().insert(meaning);
        Ok(true)
    }

    /// Ends the watches of a folder that is gone.
    pub(super) fn forget(&self, path: &Path) {
        let mut watches = lock(&self.watches);
        let meaning = Meaning::Folder(path.to_path_buf());
        if let Some(number) = watches
            .numbers
            .remove(&(path.to_path_buf(), meaning.clone()))
        {
            self.drop_meaning(&mut watches, number, &meaning);
        }
    }

    fn drop_meaning(&self, watches: &mut Watches, number: i32, meaning: &Meaning) {
        let Some(meanings) = watches.meanings.get_mut(&number) else {
            return;
        };
        meanings.remove(meaning);
        if meanings.is_empty() {
            watches.meanings.remove(&number);
            // The system has ended it already where the folder was deleted.
            let _ = inotify::remove_watch(&self.queue, number);
        }
    }

    /// Waits for paths that may come, change or go: each in the nearest folder that is there.
    pub(super) fn wait_for(&self, paths: &[PathBuf]) -> io::Result<()> {
        let mut watches = lock(&self.watches);
        // Names that were waited for before stay: their events may still be on the way.
        for path in paths {
            for above in path.ancestors().skip(1) {
                let here = if above.as_os_str().is_empty() {
                    Path::new(".")
                } else {
                    above
                };
                let number = match inotify::add_watch(&self.queue, here, CHANGES) {
                    Ok(number) => number,
                    Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => continue,
                    Err(error) => return Err(error.into()),
                };
                let next = path
                    .strip_prefix(above)
                    .ok()
                    .and_then(|it| it.iter().next());
                let names = watches.awaited.entry(number).or_default();
                names.extend(next.map(OsStr::to_os_string));
                let meanings = watches.meanings.entry(number).or_default();
                meanings.insert(Meaning::Awaited);
                break;
            }
        }
        Ok(())
    }

    /// Runs `work` while no event is read, so that the system's queue can be made to overflow.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn stalled(&self, work: impl FnOnce()) {
        let held = lock(&self.watches);
        work();
        drop(held);
    }
}

impl Drop for Inotify {
    fn drop(&mut self) {
        // The counter of a stop that was never read is not full.
        let _ = rustix::io::write(&self.stop, &1_u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read(queue: &OwnedFd, stop: &OwnedFd, watches: &Mutex<Watches>, pending: &Pending) {
    let mut buffer = vec![MaybeUninit::uninit(); BUFFER];
    let mut reader = Reader::new(queue, &mut buffer);
    loop {
        let mut ready = [
            PollFd::new(queue, PollFlags::IN),
            PollFd::new(stop, PollFlags::IN),
        ];
        match poll(&mut ready, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return pending.add(Notice::lose),
        }
        if !ready[1].revents().is_empty() {
            return;
        }
        loop {
            match reader.next() {
                Ok(event) => {
                    let name = event.file_name().map(|it| OsStr::from_bytes(it.to_bytes()));
                    tell(event.wd(), event.events(), name, watches, pending);
                }
                Err(Errno::AGAIN | Errno::INTR) => break,
                Err(_) => {
                    pending.add(Notice::lose);
                    return;
                }
            }
        }
    }
}

fn tell(
    number: i32,
    what: ReadFlags,
    name: Option<&OsStr>,
    watches: &Mutex<Watches>,
    pending: &Pending,
) {
    let mut watches = lock(watches);
    if what.intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) {
        pending.add(|notice| {
            notice.lose();
            notice.sources = true;
        });
        return;
    }
    if what.contains(ReadFlags::IGNORED) {
        // The system ended the watch. A folder that takes the place of this one gets a new one.
        let ended = watches.meanings.remove(&number).unwrap_or_default();
        let waited = watches.awaited.remove(&number).is_some();
        watches.numbers.retain(|_, it| *it != number);
        if waited && ended.contains(&Meaning::Awaited) {
            pending.add(|notice| notice.sources = true);
        }
        return;
    }
    let gone = what.intersects(ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF);
    let Watches {
        meanings, awaited, ..
    } = &*watches;
    for meaning in meanings.get(&number).into_iter().flatten() {
        match meaning {
            Meaning::Folder(folder) => {
                pending.add(|notice| notice.name(folder, name.map(OsStr::to_os_string)));
            }
            Meaning::Target(folder) => pending.add(|notice| notice.name(folder, None)),
            Meaning::Awaited => {
                let names = awaited.get(&number);
                let hit = names.is_some_and(|names| name.is_some_and(|name| names.contains(name)));
                if hit || gone {
                    pending.add(|notice| notice.sources = true);
                }
            }
        }
    }
}
