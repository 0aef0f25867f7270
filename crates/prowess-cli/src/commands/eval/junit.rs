//! The cases as `JUnit` XML, which every CI shows: a suite for each skill, a failure for each
//! miss and each false fire.

use std::{collections::BTreeMap, fmt::Write as _};

use prowess::{display_text, escape_xml};
use prowess_eval::{Expected, Outcome, Report, Verdict};

/// A name longer than this is cut; the whole request stands in the failure.
const MOST_NAME_CHARS: usize = 120;

pub(super) fn output(report: &Report) -> String {
    let mut suites: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for outcome in &report.outcomes {
        suites.entry(about(outcome)).or_default().push(outcome);
    }
    let failures = |outcomes: &[&Outcome]| {
        let bad = outcomes.iter().filter(|it| !it.verdict.is_good());
        bad.count()
    };
    let all: Vec<&Outcome> = report.outcomes.iter().collect();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "<testsuites name=\"prowess eval\" tests=\"{}\" failures=\"{}\">",
        all.len(),
        failures(&all)
    );
    for (skill, outcomes) in suites {
        let _ = writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">",
            safe(skill),
            outcomes.len(),
            failures(&outcomes)
        );
        for outcome in outcomes {
            case(&mut text, skill, outcome);
        }
        text += "  </testsuite>\n";
    }
    text + "</testsuites>\n"
}

fn case(text: &mut String, skill: &str, outcome: &Outcome) {
    let query: String = outcome.query.chars().take(MOST_NAME_CHARS).collect();
    let _ = write!(
        text,
        "    <testcase classname=\"{}\" name=\"{}: {}\"",
        safe(skill),
        safe(&outcome.id),
        safe(&query)
    );
    if outcome.verdict.is_good() {
        *text += "/>\n";
        return;
    }
    let first = outcome
        .found
        .first()
        .map_or_else(|| "nothing".to_owned(), |name| format!("`{name}`"));
    let (kind, message) = match outcome.verdict {
        Verdict::FalseFire => ("false-fire", format!("{first} fired and should not")),
        _ => (
            "missed",
            format!("`{skill}` was expected, {first} came first"),
        ),
    };
    let rank = outcome
        .rank
        .map_or_else(|| "none".to_owned(), |rank| rank.to_string());
    let _ = write!(
        text,
        ">\n      <failure type=\"{kind}\" message=\"{}\">request: {}\nfound: {}\nrank: {rank}\ndecision: {}</failure>\n    </testcase>\n",
        safe(&message),
        safe(&outcome.query),
        safe(&outcome.found.join(", ")),
        outcome.decision
    );
}

/// The skill a case is about.
fn about(outcome: &Outcome) -> &str {
    let name = match &outcome.expected {
        Expected::Skills(groups) => groups.first().and_then(|group| group.first()),
        Expected::Not(names) => names.first(),
        Expected::Nothing => None,
    };
    name.map_or("no skill", String::as_str)
}

/// XML has no place for control characters, escaped or not.
fn safe(text: &str) -> String {
    escape_xml(&display_text(text)).into_owned()
}
