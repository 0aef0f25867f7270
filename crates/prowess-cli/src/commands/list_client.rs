//! `prowess list --client`: the skills as that client shows them.

use std::path::{Path, PathBuf};

use prowess::{
    Catalog, Client, Scope, Skill,
    dialect::{Listed, View},
    display_path,
    wire::{ListOutput, Provenance, SkillRow},
};

use crate::{
    exit::{Exit, Failure},
    render::{Paint, Table, count, line},
    session::Session,
};

/// Whether the list of a client is asked for, and nothing else: folders, catalogs and servers
/// that were named are no client's.
pub(super) fn client(session: &Session) -> Result<Option<&Client>, Failure> {
    let options = &session.options;
    let named =
        !options.dir.is_empty() || !options.catalog.is_empty() || !options.server.is_empty();
    let client = session.places().client()?;
    Ok(client.filter(|client| !named && !options.local && !options.no_project && client.is_run()))
}

/// Prints what the client would list; with `all`, also what it leaves out.
pub(super) fn run(
    client: &Client,
    catalog: &Catalog,
    all: bool,
    json: bool,
    session: &mut Session,
) -> Result<Exit, Failure> {
    let environment = session.places().library_environment();
    let clients = session.config.clients.clone();
    let view = View::new(client, &clients, &environment);
    let rows = rows(&view, client, catalog, all);
    if json {
        let diagnostics = Vec::new();
        session.output.json(&ListOutput {
            skills: rows,
            diagnostics,
        })?;
        return Ok(Exit::Fine);
    }
    let mut table = Table::new(&["NAME", "SCOPE", "STATE", "DESCRIPTION"]);
    for row in &rows {
        let name = if row.name.is_empty() {
            &row.path
        } else {
            row.name
        };
        table.row(vec![
            (line(name), Some(Paint::strong as _)),
            (row.scope.to_owned(), None),
            (row.state.to_owned(), None),
            (line(row.description), None),
        ]);
    }
    session.output.table(&table)?;
    session.output.finish()?;
    let left = view.files().len() - view.offered().len();
    let cut = view.offered().iter().filter(|it| !it.is_whole()).count();
    let doubt = view.offered().iter().filter(|it| !it.is_certain()).count();
    let mut footer = format!(
        "{} as {} shows them",
        count(rows.len(), "skill"),
        client.title
    );
    for (number, what) in [
        (left, "left out"),
        (cut, "without the whole description"),
        (
            doubt,
            "of a name that another has too, so one of them may be hidden",
        ),
    ] {
        if number > 0 {
            let more = format!("; {number} {what}");
            footer.push_str(&more);
        }
    }
    session.output.message(&format!("{footer}\n"));
    Ok(Exit::Fine)
}

/// What the client would list; with `all`, also what it leaves out.
pub(super) fn rows<'a>(
    view: &'a View<'_>,
    client: &'a Client,
    catalog: &'a Catalog,
    all: bool,
) -> Vec<SkillRow<'a>> {
    let mut files: Vec<&Listed> = if all {
        view.files().iter().collect()
    } else {
        view.offered()
    };
    files.sort_by_key(|it| (it.name().to_owned(), it.path().to_path_buf()));
    files.iter().map(|it| row(it, client, catalog)).collect()
}

fn row<'a>(listed: &'a Listed, client: &'a Client, catalog: &'a Catalog) -> SkillRow<'a> {
    let skill = catalog.by_path(listed.path());
    let scope = if listed.is_project() {
        Scope::Project
    } else {
        Scope::User
    };
    SkillRow {
        id: skill.and_then(Skill::id),
        name: listed.name(),
        description: listed.description(),
        path: display_path(listed.path()),
        provenance: skill
            .map(|skill| provenance(skill, listed.path()))
            .unwrap_or_default(),
        scope: skill.map_or(scope, |it| it.origin().scope).as_str(),
        origin: skill.map_or(&client.name, |it| &it.origin().label),
        state: listed.state(),
        tags: skill.map(Skill::tags).unwrap_or_default(),
        tokens: skill.map_or(0, Skill::tokens),
        allowed_tools: skill
            .map(|it| SkillRow::from(it).allowed_tools)
            .unwrap_or_default(),
    }
}

/// Where a skill came from, seen from the path at which a client finds it.
fn provenance<'a>(skill: &'a Skill, here: &Path) -> Provenance<'a> {
    let all = skill.also_at().iter().map(PathBuf::as_path);
    let mut others: Vec<&Path> = all.chain([skill.path()]).collect();
    others.retain(|path| *path != here);
    others.sort();
    Provenance {
        also_at: others.into_iter().map(display_path).collect(),
        ..skill.into()
    }
}
