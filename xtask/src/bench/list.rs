//! The processor time of the real command, `prowess list`, from start to end.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

use super::median;
use crate::generate::Generated;
use crate::workspace;

/// Builds the command as a user would and gives the path of the program.
pub(super) fn build() -> Result<std::path::PathBuf> {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--package", "prowess-cli"])
        .current_dir(workspace())
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "the command did not build");
    // xtask is a release build of the same workspace, so the command lies beside it.
    let own = std::env::current_exe().context("cannot find this program")?;
    Ok(own.with_file_name("prowess"))
}

/// Gives the processor time of `prowess list` on `catalog`, in milliseconds.
pub(super) fn list(program: &Path, catalog: &Generated, repeats: usize) -> Result<f64> {
    let mut times = Vec::with_capacity(repeats);
    for _ in 0..repeats {
        let before = children_time()?;
        let status = Command::new(program)
            // With a cache it would measure something else than loading.
            .args(["list", "--no-cache", "--dir"])
            .arg(catalog.skills_dir())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .with_context(|| format!("cannot start `{}`", program.display()))?;
        ensure!(status.success(), "`prowess list` ended with {status}");
        times.push(children_time()?.saturating_sub(before).as_secs_f64() * 1e3);
    }
    Ok(median(times))
}

/// Processor time of all children that have ended.
fn children_time() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("cannot read the children's time")?;
    Ok(duration(usage.user_time()) + duration(usage.system_time()))
}

fn duration(time: TimeVal) -> Duration {
    let micros = time.tv_sec() * 1_000_000 + time.tv_usec();
    Duration::from_micros(micros.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_microseconds_add_up() {
        assert_eq!(
            duration(TimeVal::new(2, 500)),
            Duration::from_micros(2_000_500)
        );
    }
}
