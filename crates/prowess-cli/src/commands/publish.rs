//! `prowess publish`: skills as a static site.

use std::path::{Path, PathBuf};

use clap::Args;
use prowess::format::SkillName;
use prowess_install::{IndexEntry, Offer, PublishError, PublishedSkill, publish};
use serde::Serialize;

use crate::{
    exit::{Exit, Failure},
    install::{self, To},
    render::{count, line},
    session::Session,
};

/// The longest description that the index may have.
const MOST_DESCRIPTION: usize = 1024;

/// Write skills as a static site that `prowess add` and other installers read
///
/// An index of form 0.2.0 with digests, and one artifact a skill, below
/// `DIR/.well-known/agent-skills`, in place of what was published there before. The same skills
/// give the same bytes. A skill with an error is not published, and then nothing is.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A folder with skills; the working directory when left out
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: String,
    /// The folder that a web server serves at its root
    #[arg(long, value_name = "DIR")]
    well_known: PathBuf,
    /// Only this skill, by name or path; can be repeated
    #[arg(long, value_name = "NAME")]
    skill: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `publish --json` prints.
#[derive(Debug, Serialize)]
struct Output {
    skills: Vec<IndexEntry>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let site = install::site(To::Project, session)?;
    // Here an argument is always a folder.
    let folder = if Path::new(&arguments.folder).is_absolute() {
        arguments.folder.clone()
    } else {
        format!("./{}", arguments.folder)
    };
    let source = install::source(&folder, &site, session)?;
    let options = install::offer_options(&site, true, session);
    let mut offer = Offer::open(&source, &options)?;
    if offer.skills.is_empty() {
        return Err(
            Failure::no_match(format!("`{}` has no skills", line(&arguments.folder)))
                .hint("a skill is a folder with a `SKILL.md`"),
        );
    }
    let names = (!arguments.skill.is_empty()).then_some(arguments.skill.as_slice());
    let mut skills = Vec::new();
    let mut faults = Vec::new();
    for (offered, files) in install::fetch(&mut offer, names)? {
        let judged = install::judge(&offered.name, &files, session)?;
        let name = judged.name.unwrap_or(offered.name);
        if SkillName::new(&name).is_err() {
            faults.push(format!("`{}` is no name for a skill", line(&name)));
        }
        if judged.description.chars().count() > MOST_DESCRIPTION {
            faults.push(format!(
                "the description of `{}` has more than {MOST_DESCRIPTION} characters",
                line(&name)
            ));
        }
        let errors = judged.findings.iter().filter(|it| it.severity == "error");
        faults.extend(
            errors.map(|it| format!("`{}`: {} [{}]", line(&name), line(&it.message), it.code)),
        );
        skills.push(PublishedSkill {
            name,
            description: judged.description,
            files,
        });
    }
    if let [first, rest @ ..] = faults.as_slice() {
        let more = match rest.len() {
            0 => String::new(),
            some => format!(", and {} more", count(some, "fault")),
        };
        return Err(Failure::no_match(format!("{first}{more}"))
            .hint("nothing was published; `prowess check` shows every finding"));
    }
    let place = session
        .environment
        .working_directory
        .join(&arguments.well_known);
    let skills = publish(&place, skills)?;
    if arguments.json {
        session.output.json(&Output { skills })?;
        return Ok(Exit::Fine);
    }
    let text = format!(
        "published {} in `{}`\n",
        count(skills.len(), "skill"),
        session
            .environment
            .shorten(&place.join(".well-known/agent-skills"))
    );
    session.output.message(&text);
    session.output.hint(
        "once it is served, `prowess add https://HOST --all` installs them and checks every digest",
    );
    Ok(Exit::Fine)
}

impl From<PublishError> for Failure {
    fn from(error: PublishError) -> Self {
        let failure = Self::new(error.to_string()).because_of(&error);
        match error {
            PublishError::Foreign(_) => failure.hint("move it away, or name another folder"),
            PublishError::Twice(_) => {
                failure.hint("choose one of them with `--skill` and its path")
            }
            _ => failure,
        }
    }
}
