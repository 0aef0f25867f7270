//! The figures in `docs/CONFORMANCE.md`.

use std::{collections::BTreeSet, fmt::Write as _, fs};

use anyhow::{Context as _, Result};

use super::{
    Outcome, Outcomes, SUITE, SUITE_VERSION,
    scenarios::{NOT_APPLICABLE, UNTESTABLE, VERSIONS},
};

const BEGIN: &str = "<!-- figures: written by `cargo xtask conformance --update` -->\n";
const END: &str = "<!-- end of figures -->\n";

/// Everything as Markdown.
pub(super) fn tables(outcomes: &Outcomes) -> String {
    let mut text = format!("Suite: `{SUITE}` {SUITE_VERSION}.\n\n");
    // Writing to a string does not fail.
    let _ = writeln!(text, "| scenario | {} |", VERSIONS.join(" | "));
    let _ = writeln!(text, "| --- |{}", " ---: |".repeat(VERSIONS.len()));
    let names: BTreeSet<&String> = outcomes.keys().map(|(name, _)| name).collect();
    for name in names {
        let cells = VERSIONS.map(|version| {
            let outcome = outcomes.get(&(name.clone(), version));
            outcome.map_or_else(|| "–".to_owned(), cell)
        });
        let _ = writeln!(text, "| `{name}` | {} |", cells.join(" | "));
    }
    let passed: usize = outcomes.values().map(|outcome| outcome.passed).sum();
    let failed: usize = outcomes.values().map(|outcome| outcome.failed.len()).sum();
    let _ = writeln!(
        text,
        "\nA cell is the number of checks that passed. In all {passed} passed and {failed} failed.\n"
    );
    text += "Checks inside these scenarios that need a tool which only a test server has:\n\n";
    for check in UNTESTABLE {
        let _ = writeln!(text, "- `{check}`");
    }
    text += "\n## What does not apply\n\n| scenario | why not |\n| --- | --- |\n";
    for (name, why) in NOT_APPLICABLE {
        let _ = writeln!(text, "| `{name}` | {why} |");
    }
    text
}

fn cell(outcome: &Outcome) -> String {
    match (outcome.failed.len(), outcome.untestable) {
        (0, 0) => outcome.passed.to_string(),
        (0, without) => format!("{} ({without} without a fixture)", outcome.passed),
        (failed, _) => format!("{}, **{failed} failed**", outcome.passed),
    }
}

/// Writes the page, or says where it differs from what was measured.
pub(super) fn hold(tables: &str, update: bool) -> Result<Option<String>> {
    let path = crate::workspace().join("docs/CONFORMANCE.md");
    let page = fs::read_to_string(&path).context("cannot read docs/CONFORMANCE.md")?;
    let (head, rest) = page.split_once(BEGIN).context("the page has no figures")?;
    let (figures, tail) = rest.split_once(END).context("the figures do not end")?;
    if figures.trim() == tables.trim() {
        return Ok(None);
    }
    if update {
        fs::write(&path, format!("{head}{BEGIN}\n{tables}\n{END}{tail}"))?;
        return Ok(None);
    }
    let told =
        "docs/CONFORMANCE.md says something else; `cargo xtask conformance --update` writes it";
    Ok(Some(told.to_owned()))
}
