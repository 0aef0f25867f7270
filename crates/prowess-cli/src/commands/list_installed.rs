//! `prowess list --installed`: what `add` brought, and whether it is still what the lock says.

use prowess_install::{Difference, LockedSkill, Owner, Site, Stamps, verify};
use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    install::{self, To},
    render::{Paint, Table, count, line},
    session::Session,
};

/// What `list --installed --json` prints.
#[derive(Debug, Serialize)]
struct Output {
    skills: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    folder: String,
    /// `project` or `user`.
    scope: &'static str,
    /// `same` as locked, `edited` or `missing`.
    state: &'static str,
    source: String,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    path: String,
    pinned: bool,
    clients: Vec<String>,
    digest: String,
    differences: Vec<Difference>,
}

pub(super) fn run(json: bool, session: &mut Session) -> Result<Exit, Failure> {
    let mut rows = Vec::new();
    for to in [To::Project, To::User] {
        let site = install::site(to, session)?;
        let lock = site.read_lock()?;
        let mut stamps = Stamps::read(&site);
        for skill in lock.skills() {
            rows.push(row(&site, skill, &mut stamps));
        }
        stamps.write(&site);
    }
    if json {
        session.output.json(&Output { skills: rows })?;
        return Ok(Exit::Fine);
    }
    let mut table = Table::new(&["NAME", "SCOPE", "STATE", "AT", "FROM"]);
    for row in &rows {
        let short = install::short_id(row.commit.as_deref().unwrap_or(&row.digest));
        let pin = if row.pinned { " (pinned)" } else { "" };
        let place = match row.path.as_str() {
            "" => line(&row.source),
            path => format!("{} {}", line(&row.source), line(path)),
        };
        let state = match row.state {
            "same" => (row.state.to_owned(), None),
            other => (other.to_owned(), Some(Paint::warning as _)),
        };
        table.row(vec![
            (line(&row.folder), Some(Paint::strong as _)),
            (row.scope.to_owned(), None),
            state,
            (format!("{short}{pin}"), None),
            (place, None),
        ]);
    }
    session.output.table(&table)?;
    session.output.finish()?;
    let edited = rows.iter().filter(|it| it.state != "same").count();
    let text = match (rows.len(), edited) {
        (0, _) => "nothing was installed here; `prowess add` brings skills\n".to_owned(),
        (all, 0) => format!("{}, as locked\n", count(all, "skill")),
        (all, some) => format!(
            "{}, {some} not as locked; `prowess verify` names the files\n",
            count(all, "skill")
        ),
    };
    session.output.message(&text);
    Ok(Exit::Fine)
}

fn row(site: &Site, skill: &LockedSkill, stamps: &mut Stamps) -> Row {
    let differences = verify(&site.folder(&skill.folder), skill, site.limits, stamps);
    let state = match differences.as_slice() {
        [] => "same",
        [one] if one.path == "." => "missing",
        _ => "edited",
    };
    Row {
        name: skill.name().to_owned(),
        folder: skill.folder.clone(),
        scope: match site.owner {
            Owner::Project => "project",
            Owner::User => "user",
        },
        state,
        source: skill.source.clone(),
        reference: skill.reference.clone(),
        commit: skill.commit.clone(),
        path: skill.path.clone(),
        pinned: skill.pinned,
        clients: skill.clients.clone(),
        digest: skill.digest.clone(),
        differences,
    }
}
