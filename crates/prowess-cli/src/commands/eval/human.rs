//! The figures as a person reads them.

use std::fmt::Write as _;

use prowess_eval::{Confusion, Report, SkillReport, Verdict};

use crate::{
    render::{Paint, Table, count, line},
    session::Session,
};

/// More rows than this are for a machine.
const MOST_ROWS: usize = 30;

/// More confusions than this are a list nobody works through.
const MOST_CONFUSIONS: usize = 10;

pub(super) fn output(report: &Report, session: &Session) -> String {
    let (paint, columns) = (session.output.paint, session.output.columns);
    let mut text = summary(report);
    let skills = worst_first(report);
    if !skills.is_empty() {
        text.push('\n');
        text += &table(&skills).render(paint, columns);
        if report.skills.len() > skills.len() {
            let more = count(report.skills.len() - skills.len(), "skill");
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "… and {more} that do as well or better (`--json` has all)"
            );
        }
    }
    if !report.confusions.is_empty() {
        text += "\nTaken for another:\n";
        let shown = report.confusions.iter().take(MOST_CONFUSIONS);
        text += &confusions(shown).render(paint, columns);
        if report.confusions.len() > MOST_CONFUSIONS {
            let more = report.confusions.len() - MOST_CONFUSIONS;
            let _ = writeln!(
                text,
                "… and {} (`--json` has all)",
                count(more, "more pair")
            );
        }
    }
    let fired = report.outcomes.iter();
    let fired: Vec<_> = fired
        .filter(|it| it.verdict == Verdict::FalseFire)
        .collect();
    if !fired.is_empty() {
        text += "\nFired and should not:\n";
        let mut table = Table::new(&["SKILL", "REQUEST"]);
        for outcome in fired.iter().take(MOST_CONFUSIONS) {
            let name = outcome.found.first().map_or("", String::as_str);
            table.row(vec![
                (line(name), Some(Paint::strong as _)),
                (line(&outcome.query), None),
            ]);
        }
        text += &table.render(paint, columns);
        if fired.len() > MOST_CONFUSIONS {
            let more = count(fired.len() - MOST_CONFUSIONS, "more request");
            let _ = writeln!(text, "… and {more} (`--json` has all)");
        }
    }
    text
}

fn summary(report: &Report) -> String {
    let mut text = count(report.cases, "request");
    if report.positives > 0 {
        let _ = write!(
            text,
            ", {} with a right skill: hit@1 {}, recall@{} {}, MRR {}",
            report.positives,
            share(report.hit1),
            report.recall_at,
            share(report.recall),
            share(report.mrr)
        );
    }
    if report.abstained > 0 {
        let _ = write!(text, "; {} answered with no skill", report.abstained);
        if report.hesitant > 0 {
            let _ = write!(
                text,
                ", {} of them with the right one first",
                report.hesitant
            );
        }
    }
    if report.negatives > 0 {
        let _ = write!(
            text,
            "; {} of {} fired a skill they should not",
            report.false_fires, report.negatives
        );
    }
    text + "\n"
}

fn share(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
}

/// The skills with the most to fix, worst first.
fn worst_first(report: &Report) -> Vec<&SkillReport> {
    let mut skills: Vec<&SkillReport> = report.skills.iter().collect();
    let rate = |skill: &SkillReport| skill.hit1.unwrap_or(1.0);
    skills.sort_by(|a, b| {
        rate(a)
            .total_cmp(&rate(b))
            .then(b.false_fires.cmp(&a.false_fires))
            .then_with(|| a.name.cmp(&b.name))
    });
    skills.truncate(MOST_ROWS);
    skills
}

fn table(skills: &[&SkillReport]) -> Table {
    let mut table = Table::new(&[
        "SKILL",
        ">REQUESTS",
        ">HIT@1",
        ">RECALL",
        ">MRR",
        "FALSE FIRES",
    ]);
    for skill in skills {
        table.row(vec![
            (line(&skill.name), Some(Paint::strong as _)),
            (skill.positives.to_string(), None),
            (share(skill.hit1), None),
            (share(skill.recall), None),
            (share(skill.mrr), None),
            (
                format!("{} of {}", skill.false_fires, skill.negatives),
                None,
            ),
        ]);
    }
    table
}

fn confusions<'a>(confusions: impl Iterator<Item = &'a Confusion>) -> Table {
    let mut table = Table::new(&["EXPECTED", "CAME FIRST", ">TIMES", "FOR EXAMPLE"]);
    for it in confusions {
        table.row(vec![
            (line(&it.expected), Some(Paint::strong as _)),
            (it.got.as_deref().map_or("nothing".to_owned(), line), None),
            (it.count.to_string(), None),
            (line(&it.example), None),
        ]);
    }
    table
}
