//! The peer: a minimal server on fastmcp in an environment of its own.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::serving::target;

const VERSION: &str = "4.1.4";

/// Ten thousand skills take it a while.
const PATIENCE: Duration = Duration::from_secs(300);

/// What it needs, apart from one bound: it asks for root certificates newer than some mirrors
/// have, and a server on loopback uses none.
const NEEDS: &str = r#"
from importlib.metadata import requires
from packaging.requirements import Requirement
for line in requires("fastmcp-slim") or []:
    need = Requirement(line)
    wanted = need.marker is None or any(
        need.marker.evaluate({"extra": extra}) for extra in ("", "client", "server")
    )
    if wanted:
        extras = f"[{','.join(sorted(need.extras))}]" if need.extras else ""
        bound = "" if need.name == "certifi" else need.specifier
        print(f"{need.name}{extras}{bound}")
"#;

pub(super) struct Peer {
    child: Child,
    pub(super) address: String,
}

impl Peer {
    pub(super) fn start(folder: &Path) -> Result<Self> {
        let python = install()?;
        // A port that is free now; it is ours alone on a machine that measures.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let script = crate::workspace().join("xtask/clients/fastmcp_server.py");
        let mut child = Command::new(python)
            .arg(script)
            .arg(folder)
            .arg(port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .context("cannot start the peer")?;
        let address = format!("127.0.0.1:{port}");
        let end = Instant::now() + PATIENCE;
        while TcpStream::connect(&address).is_err() {
            if let Some(status) = child.try_wait()? {
                bail!("the peer ended with {status}");
            }
            if Instant::now() > end {
                let _ = child.kill();
                bail!("the peer does not listen");
            }
            thread::sleep(Duration::from_millis(100));
        }
        Ok(Self { child, address })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn install() -> Result<PathBuf> {
    let home = target().join("bench-serve");
    fs::create_dir_all(&home)?;
    let (venv, stamp) = (home.join("venv"), home.join("installed.txt"));
    let python = venv.join("bin/python");
    if fs::read_to_string(&stamp).is_ok_and(|there| there == VERSION) {
        return Ok(python);
    }
    let made = Command::new("python3")
        .args(["-m", "venv"])
        .arg(&venv)
        .status();
    ensure!(
        made.context("cannot start python3")?.success(),
        "python3 cannot make an environment"
    );
    let pip = |arguments: &[&str]| -> Result<()> {
        let status = Command::new(&python)
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ])
            .args(arguments)
            .status()?;
        ensure!(
            status.success(),
            "pip could not install {}",
            arguments.join(" ")
        );
        Ok(())
    };
    let peer = format!("fastmcp=={VERSION}");
    let slim = format!("fastmcp-slim=={VERSION}");
    pip(&["--no-deps", &peer, &slim, "packaging"])?;
    let needs = Command::new(&python).args(["-c", NEEDS]).output()?;
    let needs = String::from_utf8(needs.stdout)?;
    pip(&needs.lines().collect::<Vec<_>>())?;
    fs::write(stamp, VERSION)?;
    Ok(python)
}
