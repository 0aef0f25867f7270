//! Everything known about one skill as a person reads it.

use std::fmt::Write as _;

use prowess::{Skill, format::Value};

use super::{Shown, Size, bytes};
use crate::{
    render::text::{count, line, list, width, wrap},
    session::Session,
};

/// Fields that have a line of their own.
const SHOWN_ABOVE: [&str; 5] = [
    "name",
    "description",
    "tags",
    "allowed-tools",
    "allowed_tools",
];

/// The text, and where the values start in it.
pub(super) fn tell(shown: &Shown<'_>, skill: &Skill, session: &Session) -> (String, usize) {
    let (paint, columns) = (session.output.paint, session.output.columns);
    let mut text = format!("{}\n", paint.strong(&line(shown.name)));
    for part in wrap(&line(shown.description), columns.saturating_sub(2)) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {part}");
    }
    text.push('\n');
    let fields = skill.document().fields().iter();
    let fields = fields.filter(|field| !SHOWN_ABOVE.contains(&&*field.key));
    let widest = fields.clone().map(|field| width(&line(&field.key)));
    let widest = widest
        .chain([width("resources")])
        .max()
        .unwrap_or(0)
        .min(24);
    let mut row = |label: &str, value: String| {
        if !value.is_empty() {
            let gap = " ".repeat(widest.saturating_sub(width(label)) + 2);
            let _ = writeln!(text, "{}{gap}{value}", paint.faint(label));
        }
    };
    let state = match &shown.reason {
        Some(reason) => format!("{}: {reason}", shown.state),
        None => shown.state.to_owned(),
    };
    row("state", state);
    row("file", session.environment.shorten(skill.path()));
    row(
        "scope",
        format!("{} ({})", shown.scope, line(shown.origin.label)),
    );
    row(
        "id",
        shown
            .id
            .unwrap_or("none: the file could not be read")
            .to_owned(),
    );
    row(
        "hash",
        shown
            .hash
            .as_ref()
            .map_or_else(String::new, |hash| format!("sha256:{hash}")),
    );
    for (label, value) in remote(skill) {
        row(label, value);
    }
    row("tags", line(&shown.tags.join(", ")));
    row("tools", line(&shown.tools.join(", ")));
    for field in fields {
        row(&line(&field.key), told(&field.node.value));
    }
    let size = |size: &Size| format!("{}, {}", count(size.tokens, "token"), bytes(size.bytes));
    row(
        "size",
        format!("in the catalog {}", size(&shown.size.catalog)),
    );
    row(
        " ",
        format!("instructions {}", size(&shown.size.instructions)),
    );
    if !shown.resources.is_empty() {
        row(
            " ",
            format!("resources about {}", size(&shown.size.resources)),
        );
    }
    for (at, resource) in shown.resources.iter().enumerate() {
        let label = if at == 0 { "resources" } else { " " };
        let run = if resource.executable == Some(true) {
            ", can be run"
        } else {
            ""
        };
        row(
            label,
            format!("{} ({}{run})", resource.path, bytes(resource.size)),
        );
    }
    if shown.resources_partial {
        row(" ", "… and more: a limit cut the list".to_owned());
    }
    text.push('\n');
    (text, widest + 2)
}

/// What is to be known of a skill that is on a server.
fn remote(skill: &Skill) -> Vec<(&'static str, String)> {
    let Some(remote) = skill.remote() else {
        return Vec::new();
    };
    let mut rows = vec![("origin", remote.told())];
    let name = format!("{}/{}", remote.server, skill.name());
    rows.push(match (remote.approved, remote.withheld.as_slice()) {
        (true, _) => ("approved", "yes, as it is now".to_owned()),
        (false, []) => (
            "approved",
            "no; it asks for nothing that needs it".to_owned(),
        ),
        (false, fields) => {
            let fields = fields.iter().map(|field| format!("`{field}`"));
            let fields = list(&fields.collect::<Vec<_>>());
            let step = format!("`prowess approve {}`", line(&name));
            (
                "approved",
                format!("no; without effect until {step}: {fields}"),
            )
        }
    });
    rows
}

/// A value on one line.
fn told(value: &Value) -> String {
    match value.as_str() {
        Some(text) => line(text),
        None => line(&serde_json::to_string(value).unwrap_or_default()),
    }
}
