//! `prowess read`: one file of a skill.

use base64::Engine as _;
use clap::Args;
use prowess::{Content, Limits, Page, ResourceError, Skill, display_text};
use serde::Serialize;

use super::prompt::must_be_trusted;
use crate::{
    exit::{Exit, Failure},
    find::find,
    nearest::{did_you_mean, nearest},
    places::Request,
    render::count,
    session::Session,
};

/// Print one file of a skill; nothing outside the skill is read
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The skill's name, id or path
    name: String,
    /// The file, as a path below the skill's folder
    path: String,
    /// Print only this page, counted from one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    page: Option<u32>,
    /// Print one page as JSON, as text or base64
    #[arg(long)]
    json: bool,
}

/// What `read --json` prints.
#[derive(Debug, Serialize)]
pub(super) struct Output<'a> {
    pub(super) skill: &'a str,
    pub(super) page: u32,
    #[serde(flatten)]
    pub(super) part: &'a Page,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let catalog = session.load(&Request::default())?;
    let skill = find(&catalog, &arguments.name)?;
    must_be_trusted(skill)?;
    let limits = session.config.limits.clone();
    if arguments.json {
        let number = arguments.page.unwrap_or(1);
        let page = nth(skill, &arguments.path, number, &limits)?;
        session.output.json(&Output {
            skill: skill.name(),
            page: number,
            part: &page,
        })?;
        return Ok(Exit::Fine);
    }
    if let Some(number) = arguments.page {
        let page = nth(skill, &arguments.path, number, &limits)?;
        write(&page, session)?;
        session.output.finish()?;
        if page.next_offset.is_some() {
            session
                .output
                .hint(&format!("`--page {}` goes on", number + 1));
        }
        return Ok(Exit::Fine);
    }
    let mut offset = Some(0);
    while let Some(at) = offset {
        let page = one(skill, &arguments.path, at, &limits)?;
        write(&page, session)?;
        offset = page.next_offset;
    }
    Ok(Exit::Fine)
}

/// The page with this number. A page ends between characters, so the way to it leads through
/// those before it.
pub(super) fn nth(
    skill: &Skill,
    path: &str,
    number: u32,
    limits: &Limits,
) -> Result<Page, Failure> {
    let mut page = one(skill, path, 0, limits)?;
    for passed in 1..number {
        let Some(next) = page.next_offset else {
            return Err(Failure::no_match(format!(
                "`{path}` has {}",
                count(passed as usize, "page")
            )));
        };
        page = one(skill, path, next, limits)?;
    }
    Ok(page)
}

fn one(skill: &Skill, path: &str, offset: u64, limits: &Limits) -> Result<Page, Failure> {
    skill
        .read_resource(path, offset, limits)
        .map_err(|error| explain(&error, skill, path, limits))
}

fn explain(error: &ResourceError, skill: &Skill, path: &str, limits: &Limits) -> Failure {
    let failure = match error {
        ResourceError::NotFound { .. } => Failure::no_match(error.to_string()),
        _ => Failure::new(error.to_string()),
    };
    match error {
        ResourceError::NotFound { .. } => {
            let files = skill
                .resources(limits)
                .map_or_else(|_| Vec::new(), |it| it.files);
            let near = nearest(path, files.iter().map(|file| file.path.as_str()));
            let all = format!(
                "`prowess resources {}` lists its files",
                display_text(skill.name())
            );
            failure.hint(
                did_you_mean(&near).map_or(all.clone(), |question| format!("{question} {all}")),
            )
        }
        ResourceError::Unreadable { source, .. } => failure.because(source),
        ResourceError::Remote(error) => failure.hint(&error.help),
        ResourceError::BadPath { .. }
        | ResourceError::Outside { .. }
        | ResourceError::NotRegular { .. } => failure.hint(format!(
            "`prowess resources {}` lists what can be read",
            display_text(skill.name())
        )),
        ResourceError::TooLarge { .. } => {
            failure.hint("raise `resource-bytes` under `[limits]` in your config to read it")
        },
        ResourceError::Changed { .. } => failure
            .hint("`prowess trust --diff` shows what changed, `prowess trust` accepts it"),
        ResourceError::Hidden { .. } => failure
            .hint("look at that place and take the character out; docs/spec/hidden-unicode.md tells how to allow it"),
        _ => failure,
    }
}

/// Bytes as they are for a pipe, and nothing that disturbs a terminal.
fn write(page: &Page, session: &mut Session) -> Result<(), Failure> {
    let terminal = session.environment.stdout_terminal;
    match &page.content {
        Content::Text(text) => Ok(session.output.foreign(text)?),
        Content::Base64(_) if terminal => Err(Failure::new(format!(
            "`{}` is not text and is not shown on a terminal",
            page.path
        ))
        .hint("send it to a file: `prowess read NAME PATH > FILE`")),
        Content::Base64(text) => {
            let bytes = base64::engine::general_purpose::STANDARD
                .decode(text)
                .map_err(|error| Failure::new("cannot decode the file").because(&error))?;
            Ok(session.output.bytes(&bytes)?)
        }
    }
}
