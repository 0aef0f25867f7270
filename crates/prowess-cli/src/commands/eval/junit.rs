//! The cases as `JUnit` XML, which every CI shows: a suite for each skill, a failure for each
//! miss and each false fire.

use std::collections::BTreeMap;

use prowess::display_text;
use prowess_eval::{Expected, Outcome, Report, Verdict};
use quick_junit::{NonSuccessKind, SerializeError, TestCase, TestCaseStatus, TestSuite};

/// A name longer than this is cut; the whole request stands in the failure.
const MOST_NAME_CHARS: usize = 120;

pub(super) fn output(report: &Report) -> Result<String, SerializeError> {
    let mut suites: BTreeMap<&str, TestSuite> = BTreeMap::new();
    for outcome in &report.outcomes {
        let skill = about(outcome);
        let suite = || TestSuite::new(safe(skill));
        let suite = suites.entry(skill).or_insert_with(suite);
        suite.add_test_case(case(skill, outcome));
    }
    let mut report = quick_junit::Report::new("prowess eval");
    report.add_test_suites(suites.into_values());
    report.to_string()
}

fn case(skill: &str, outcome: &Outcome) -> TestCase {
    let query: String = outcome.query.chars().take(MOST_NAME_CHARS).collect();
    let name = safe(&format!("{}: {query}", outcome.id));
    let mut case = TestCase::new(name, status(skill, outcome));
    case.set_classname(safe(skill));
    case
}

fn status(skill: &str, outcome: &Outcome) -> TestCaseStatus {
    if outcome.verdict.is_good() {
        return TestCaseStatus::success();
    }
    let first = outcome.found.first();
    let first = first.map_or("nothing".to_owned(), |name| format!("`{name}`"));
    let (kind, message) = match outcome.verdict {
        Verdict::FalseFire => ("false-fire", format!("{first} fired and should not")),
        _ => (
            "missed",
            format!("`{skill}` was expected, {first} came first"),
        ),
    };
    let rank = outcome
        .rank
        .map_or("none".to_owned(), |rank| rank.to_string());
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(kind).set_message(safe(&message));
    status.set_description(format!(
        "request: {}\nfound: {}\nrank: {rank}\ndecision: {}",
        safe(&outcome.query),
        safe(&outcome.found.join(", ")),
        outcome.decision
    ));
    status
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

/// XML has no place for control characters nor for U+FFFE and U+FFFF, escaped or not.
fn safe(text: &str) -> String {
    let text = display_text(text);
    text.replace('\u{fffe}', "\\u{fffe}")
        .replace('\u{ffff}', "\\u{ffff}")
}
