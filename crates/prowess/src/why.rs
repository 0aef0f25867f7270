//! What each client makes of a skill: loaded, changed, dropped, or not known, and by which rule.
//!
//! A rule that nobody knows is told as such. It counts only where the question comes up: a
//! client that may or may not take odd names is no matter to a skill with a plain one.
//!
//! ```
//! use prowess::{Clients, why::{Outcome, Seen, judge}};
//! use prowess_format::{Profile, parse};
//!
//! let text = "\u{feff}---\nname: pdf\ndescription: Fills PDF forms.\n---\n";
//! let parsed = parse(text.as_bytes(), Profile::Lenient);
//! let seen = Seen::of(&parsed.document, &parsed.diagnostics, "SKILL.md");
//! let codex = judge(Clients::builtin().find("codex").unwrap(), &seen);
//! assert_eq!(codex.outcome, Outcome::Dropped);
//! assert_eq!(codex.findings[0].rule, "byte-order-mark");
//! ```

use serde::Serialize;

use crate::source::clients::{
    Client, Clients,
    rules::{AllowedTools, Budget, Rules, Tier},
};

pub use finding::Finding;
pub use seen::{Frontmatter, Link, Seen};

mod finding;
mod found;
mod named;
mod seen;
mod text;

/// What becomes of a skill, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It loads as its author wrote it.
    Loads,
    /// It loads, and something about it is different.
    Changed,
    /// The rule that decides is not known.
    Unknown,
    /// It does not load.
    Dropped,
}

/// What one client makes of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The client's name.
    pub client: String,
    /// The name people use.
    pub title: String,
    /// The worst of the findings.
    pub outcome: Outcome,
    /// Every rule that had something to say, the deciding one first; empty where it just loads.
    pub findings: Vec<Finding>,
    /// What a user types to call it, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// What is worth knowing and decides nothing.
    pub notes: Vec<String>,
}

/// A row of the table: does its question come up, and what is the answer.
type Row = fn(&str, &Rules, &Seen<'_>) -> Option<Finding>;

/// Every row, in the order of the table.
const ROWS: [Row; 14] = [
    found::file,
    found::depth,
    found::scan,
    named::missing_name,
    named::name_shape,
    named::name_differs,
    text::unknown_fields,
    text::frontmatter,
    text::byte_order_mark,
    text::fence_in_value,
    found::links,
    named::same_name,
    text::budget,
    text::description,
];

/// Asks every client whose rules are known.
pub fn verdicts(clients: &Clients, seen: &Seen<'_>) -> Vec<Verdict> {
    clients.main().map(|client| judge(client, seen)).collect()
}

/// Asks one client.
pub fn judge(client: &Client, seen: &Seen<'_>) -> Verdict {
    let seen = &seen.by(client);
    let mut findings = Vec::new();
    let mut notes = Vec::new();
    let mut call = None;
    findings.extend(found::folders(client, seen));
    if let Some(rules) = &client.rules {
        findings.extend(
            ROWS.iter()
                .filter_map(|row| row(&client.title, rules, seen)),
        );
        notes = noted(client, rules, seen);
        let name = named::listed_name(rules, seen);
        call = rules
            .call
            .as_ref()
            .zip(name)
            .map(|(mark, name)| format!("{mark}{name}"));
    } else {
        let message = format!(
            "only the folders of {} are known, not its rules",
            client.title
        );
        findings.push(finding::unknown("rules", message));
    }
    // The sort is stable: among equals the order of the table's rows stays.
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.outcome));
    Verdict {
        client: client.name.clone(),
        title: client.title.clone(),
        outcome: findings.first().map_or(Outcome::Loads, |it| it.outcome),
        // Nobody calls a skill that is not there.
        call: call.filter(|_| {
            findings
                .first()
                .is_none_or(|it| it.outcome != Outcome::Dropped)
        }),
        findings,
        notes,
    }
}

/// What is worth knowing about a client and decides nothing.
fn noted(client: &Client, rules: &Rules, seen: &Seen<'_>) -> Vec<String> {
    let title = &client.title;
    let mut notes = Vec::new();
    if rules.second_hand {
        notes.push(format!("what is known of {title} is second-hand"));
    }
    if seen
        .place
        .as_ref()
        .is_some_and(|it| it.tier == Tier::Project)
    {
        notes.push(match &rules.trust {
            Some(trust) => format!("trust: {trust}"),
            None => format!("when {title} trusts project skills is not known"),
        });
    }
    if let Some(Budget::Share {
        percent,
        characters: None,
        over,
    }) = &rules.budget
    {
        notes.push(format!(
            "the list of skills gets {percent} % of the context; beyond that {over}"
        ));
    }
    if seen
        .fields
        .iter()
        .any(|field| matches!(*field, "allowed-tools" | "allowed_tools"))
    {
        notes.push(match rules.allowed_tools {
            Some(AllowedTools::Ignored) => format!("{title} ignores `allowed-tools`"),
            Some(AllowedTools::Approved) => {
                format!("{title} approves the tools in `allowed-tools` beforehand")
            }
            Some(AllowedTools::Approvals) => {
                format!("{title} takes `allowed-tools` into its tool approvals")
            }
            None => format!("what {title} does with `allowed-tools` is not known"),
        });
    }
    notes
}

#[cfg(test)]
mod tests;
