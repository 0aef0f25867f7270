//! `prowess verify`: every installed byte against the lock.

use clap::Args;
use prowess_install::{Difference, Stamps, verify};
use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    install::{self, To},
    render::{count, line},
    session::Session,
};

/// Compare every installed file with the lock, and name what differs
///
/// A file whose size and times are as they were when it was last hashed is not read again;
/// `--full` reads everything.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only these skills, by folder, name or `owner/name`
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Read every byte, whatever the times of the files say
    #[arg(long)]
    full: bool,
    /// Whose skills
    #[arg(long, value_enum, default_value = "project", value_name = "WHOSE")]
    to: To,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `verify --json` prints.
#[derive(Debug, Serialize)]
struct Output {
    skills: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    path: String,
    digest: String,
    differences: Vec<Difference>,
    /// Links for clients that are not there or lead elsewhere.
    links: Vec<String>,
}

impl Row {
    fn differs(&self) -> bool {
        !self.differences.is_empty() || !self.links.is_empty()
    }
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let site = install::site(arguments.to, session)?;
    let lock = site.read_lock()?;
    let mut rows = Vec::new();
    let mut stamps = Stamps::read(&site);
    stamps.distrust = arguments.full;
    for skill in install::chosen(&lock, &arguments.names)? {
        let folder = site.folder(&skill.folder);
        rows.push(Row {
            name: skill.name().to_owned(),
            path: session.environment.shorten(&folder),
            digest: skill.digest.clone(),
            differences: verify(&folder, skill, site.limits, &mut stamps),
            links: install::broken_links(&site, skill, session),
        });
    }
    stamps.write(&site);
    let wrong = rows.iter().filter(|it| it.differs()).count();
    if arguments.json {
        session.output.json(&Output { skills: rows })?;
        return Ok(Exit::found(wrong > 0));
    }
    for row in &rows {
        for it in &row.differences {
            let file = match it.path.as_str() {
                "." => line(&row.path),
                path => format!("{}/{}", line(&row.path), line(path)),
            };
            session
                .output
                .data(&format!("{:<8} {file}\n", it.differs.as_str()))?;
        }
        for link in &row.links {
            session.output.data(&format!("link     {link}\n"))?;
        }
    }
    session.output.finish()?;
    let text = match (rows.len(), wrong) {
        (0, _) => "nothing is installed here\n".to_owned(),
        (all, 0) => format!("{}, every byte as locked\n", count(all, "skill")),
        (all, wrong) => format!("{wrong} of {} differ from the lock\n", count(all, "skill")),
    };
    session.output.message(&text);
    if wrong > 0 {
        session
            .output
            .hint("`prowess sync` puts back what is missing, `--force` what was changed too");
    }
    Ok(Exit::found(wrong > 0))
}
