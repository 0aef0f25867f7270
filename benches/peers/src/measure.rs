//! Processor time and memory of this process, and the line a timed child prints.
//!
//! Ours and theirs are measured alike.

use std::time::{Duration, Instant};

use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// What one run cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// How many skills came out; a run that skipped some did less work.
    pub(crate) skills: usize,
    /// Processor time of all threads, user and system.
    pub(crate) cpu_us: u64,
    /// Time on the clock.
    pub(crate) wall_us: u64,
    /// The most memory held, less what the process held before it began.
    pub(crate) peak_kb: u64,
    /// Memory held at the end, less what the process held before it began.
    pub(crate) held_kb: u64,
}

/// What a series of queries cost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct QueryCost {
    /// How many skills were searched.
    pub(crate) skills: usize,
    /// How many matches came back in all.
    pub(crate) matches: usize,
    /// Processor time of each run of each query, in nanoseconds.
    pub(crate) runs_ns: Vec<Vec<u64>>,
}

impl QueryCost {
    /// Answers each line of `queries` with `answer`, `repeats` times, over `skills` skills.
    pub(crate) fn of(
        skills: usize,
        queries: &str,
        repeats: usize,
        mut answer: impl FnMut(&str) -> usize,
    ) -> Self {
        let mut cost = Self {
            skills,
            ..Self::default()
        };
        for query in queries.lines() {
            let mut runs = Vec::with_capacity(repeats);
            for _ in 0..repeats {
                let start = processor_time();
                cost.matches += answer(std::hint::black_box(query));
                runs.push(processor_time().saturating_sub(start).as_nanos() as u64);
            }
            cost.runs_ns.push(runs);
        }
        cost
    }
}

/// Runs `work`, which counts its skills, and says what that cost.
///
/// The value `work` gives is kept until the clocks have stopped: taking a catalog apart is
/// not part of loading it.
pub(crate) fn cost<T>(work: impl FnOnce() -> (usize, T)) -> (Cost, T) {
    let before = memory("VmRSS:");
    let (start, cpu) = (Instant::now(), processor_time());
    let (skills, value) = work();
    let cpu = processor_time().saturating_sub(cpu);
    let wall = start.elapsed();
    let cost = Cost {
        skills,
        cpu_us: micros(cpu),
        wall_us: micros(wall),
        peak_kb: memory("VmHWM:").saturating_sub(before),
        held_kb: memory("VmRSS:").saturating_sub(before),
    };
    (cost, value)
}

/// Processor time this process has used so far, in all its threads.
pub(crate) fn processor_time() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
        .map(Duration::from)
        .expect("every Linux has this clock")
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).expect("a run ends within half a million years")
}

/// Reads one line of the kernel's account of this process, in KB.
///
/// `ru_maxrss` would not do: a child starts with its parent's peak.
fn memory(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix(field))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Memory is read from the kernel's account, which only Linux keeps in this form.
    #[cfg(target_os = "linux")]
    #[test]
    fn work_and_memory_are_seen() {
        let (cost, block) = cost(|| (3, vec![7u8; 32 << 20]));
        assert_eq!((cost.skills, block.len()), (3, 32 << 20));
        assert!(cost.cpu_us > 0);
        assert!(cost.peak_kb >= 32 << 10, "{} KB", cost.peak_kb);
    }
}
