//! `cargo xtask bench containment`: what it costs that no read can leave its folder.

use anyhow::Result;
use clap::Args;

use super::peers::{Peers, With};
use super::table::{Table, figure, times};
use super::{Print, Way, in_turns};
use crate::generate::{self, Fields};

/// Options of `bench containment`.
#[derive(Debug, Args)]
pub(crate) struct Containment {
    /// How many skills are loaded
    #[arg(long, default_value_t = 10_000)]
    skills: usize,
    /// How often each way is taken, in turns; the median counts
    #[arg(long, default_value_t = 15)]
    repeats: usize,
    #[command(flatten)]
    print: Print,
}

impl Containment {
    pub(super) fn run(&self) -> Result<()> {
        let program = Peers::build(With::None)?;
        let catalog = generate::catalog(self.skills, Fields::Common)?;
        let dir = catalog.skills_dir();
        let dir = dir.to_string_lossy();
        let ways = vec![
            Way::new("by path, links followed", || {
                program.run(&["load-plain", &dir])
            }),
            Way::new("prowess", || program.run(&["load", &dir, "1"])),
        ];
        let figures = in_turns(catalog.skills, self.repeats, ways)?;
        let head = ["way to open files", "CPU µs a skill", "of plain paths"];
        let mut table = Table::new("What it costs that no read can leave its folder", &head);
        for it in &figures {
            table.row(vec![
                it.name.clone(),
                figure(it.cpu_us / catalog.skills as f64),
                times(it.cpu_us, figures[0].cpu_us),
            ]);
        }
        self.print.show(&[table]);
        Ok(())
    }
}
