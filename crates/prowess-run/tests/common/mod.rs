//! A folder with a script, and a sandbox to run it in.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses its own part"
)]

use std::{env, fs, path::PathBuf, time::Duration};

use prowess_run::{Answer, Limits, Request, Runner, Sandbox};

pub struct World {
    folder: tempfile::TempDir,
}

impl World {
    /// A skill's folder with one script.
    pub fn with(name: &str, text: &str) -> World {
        let world = World {
            folder: tempfile::tempdir().unwrap(),
        };
        world.file(name, text);
        world
    }

    pub fn file(&self, name: &str, text: &str) {
        let path = self.skill().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn skill(&self) -> PathBuf {
        self.folder.path().join("skill")
    }

    /// A folder of the host beside the skill.
    pub fn outside(&self) -> PathBuf {
        let outside = self.folder.path().join("outside");
        fs::create_dir_all(&outside).unwrap();
        outside
    }

    pub fn request(&self, script: &str) -> Request {
        let mut limits = Limits::default();
        limits.time = Duration::from_secs(20);
        Request::new(self.skill(), script).limits(limits)
    }
}

/// The launcher that belongs to these tests.
pub fn sandbox() -> Sandbox {
    let launcher = env::var_os("PROWESS_TEST_LAUNCHER")
        .unwrap_or(env!("CARGO_BIN_EXE_prowess-sandbox").into());
    Sandbox::with_launcher(launcher)
}

pub fn run_with(namespaces: bool, request: Request) -> Answer {
    let sandbox = if namespaces {
        sandbox()
    } else {
        sandbox().without_namespaces()
    };
    sandbox
        .start(request)
        .unwrap()
        .wait()
        .unwrap_or_else(|error| panic!("{error}"))
}

pub fn run(request: Request) -> Answer {
    run_with(true, request)
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
