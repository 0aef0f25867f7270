//! What `eval --html FILE` writes: the figures as one file to look at, or to keep with a run of CI.

use prowess_eval::{Expected, Outcome, Report, Verdict};

use crate::render::{
    count,
    html::{badge, page, table, text, tile},
};

/// More rows than this nobody reads; JSON has them all.
const MOST_ROWS: usize = 1000;

/// Draws a report.
pub(super) fn output(report: &Report, ranker: &str, faults: &[String]) -> String {
    let figures = figures(report);
    let mut body = format!(
        "<p class=\"faint\">{}, ranker {}</p>\n<div class=\"tiles\">{}</div>\n",
        count(report.cases, "request"),
        text(ranker),
        figures
    );
    for fault in faults {
        body += &banner("bad", &format!("Failed: {fault}"));
    }
    if !report.unknown.is_empty() {
        let names = report.unknown.join(", ");
        let told = format!("Cannot be chosen here, so their requests count as missed: {names}");
        body += &banner("warn", &told);
    }
    let wrong: Vec<&Outcome> = report
        .outcomes
        .iter()
        .filter(|it| !it.verdict.is_good())
        .collect();
    if wrong.is_empty() {
        body += &banner("good", "Every request is answered as it should be.");
    } else {
        let rows = wrong.iter().take(MOST_ROWS).map(|it| {
            let word = if it.verdict == Verdict::Missed {
                "missed"
            } else {
                "fired wrongly"
            };
            vec![
                text(&it.query),
                text(&wanted(&it.expected)),
                first(it),
                badge(word, "bad"),
            ]
        });
        body += &section(
            "What went wrong",
            &table(&["request", "wanted", "came first", "what happened"], rows),
        );
    }
    if !report.confusions.is_empty() {
        let rows = report.confusions.iter().take(MOST_ROWS).map(|it| {
            let got = it.got.as_deref().unwrap_or("nothing");
            vec![
                text(&it.expected),
                text(got),
                it.count.to_string(),
                text(&it.example),
            ]
        });
        body += &section(
            "Taken for another",
            &table(&["wanted", "came first", "times", "for example"], rows),
        );
    }
    let rows = report.skills.iter().take(MOST_ROWS).map(|it| {
        vec![
            text(&it.name),
            (it.positives + it.negatives).to_string(),
            share(it.hit1),
            it.false_fires.to_string(),
        ]
    });
    body += &section(
        "By skill",
        &table(&["skill", "requests", "hit@1", "false fires"], rows),
    );
    page("How well the skills are found", &body)
}

fn figures(report: &Report) -> String {
    [
        tile(
            "hit@1",
            &share(report.hit1),
            &format!(
                "the right skill comes first, of {}",
                count(report.positives, "request")
            ),
        ),
        tile(
            &format!("recall@{}", report.recall_at),
            &share(report.recall),
            &format!("right skills among the first {}", report.recall_at),
        ),
        tile(
            "MRR",
            &report.mrr.map_or("–".to_owned(), |it| format!("{it:.3}")),
            "one over the rank of the first right skill",
        ),
        tile(
            "false fires",
            &report.false_fires.to_string(),
            &format!(
                "of {} that should stay quiet",
                count(report.negatives, "request")
            ),
        ),
        tile(
            "abstained",
            &report.abstained.to_string(),
            "should have led to a skill, and nothing was sure enough",
        ),
    ]
    .concat()
}

fn banner(tone: &str, told: &str) -> String {
    format!("<p class=\"banner {tone}\">{}</p>\n", text(told))
}

fn section(title: &str, inside: &str) -> String {
    format!(
        "<section class=\"card\"><h2>{}</h2>\n{inside}</section>\n",
        text(title)
    )
}

fn share(share: Option<f64>) -> String {
    share.map_or("–".to_owned(), |it| format!("{:.1} %", it * 100.0))
}

fn wanted(expected: &Expected) -> String {
    match expected {
        Expected::Skills(groups) => {
            let groups: Vec<String> = groups.iter().map(|it| it.join(" or ")).collect();
            groups.join(", ")
        }
        Expected::Not(names) => format!("not {}", names.join(", ")),
        Expected::Nothing => "no skill".to_owned(),
    }
}

fn first(outcome: &Outcome) -> String {
    text(outcome.found.first().map_or("nothing", |it| it))
}
