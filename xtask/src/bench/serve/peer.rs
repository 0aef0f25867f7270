//! The peer: a minimal server on fastmcp in an environment of its own.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use crate::clients::{Other, pip, venv};
use crate::serving::target;

const VERSION: &str = "4.1.4";

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

/// Installs and starts it.
pub(super) fn start(folder: &Path) -> Result<Other> {
    let script = crate::workspace().join("xtask/clients/fastmcp_server.py");
    Other::start(&install()?, &script, folder)
}

/// Its packages without their own needs first, then these needs, apart from one bound.
fn install() -> Result<PathBuf> {
    let place = target().join("bench-serve/venv");
    let (peer, slim) = (
        format!("fastmcp=={VERSION}"),
        format!("fastmcp-slim=={VERSION}"),
    );
    let bare = ["--no-deps", &peer, &slim, "packaging"];
    let python = venv(&place, &bare)?;
    let needs = Command::new(&python).args(["-c", NEEDS]).output()?;
    let needs = String::from_utf8(needs.stdout)?;
    pip(&python, &needs.lines().collect::<Vec<_>>())?;
    Ok(python)
}
