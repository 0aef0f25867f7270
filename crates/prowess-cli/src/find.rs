//! One skill by its name, its id or its path.

use std::path::Path;

use prowess::{Catalog, Skill};
use prowess_install::{LOCK_FILE, Lock};

use crate::{
    exit::Failure,
    files,
    nearest::{did_you_mean, nearest},
    render::count,
};

/// A lock with more bytes is not read for an address.
const MOST_LOCK: u64 = 64 * 1024 * 1024;

/// Finds one skill by name, id or path.
pub(crate) fn find<'c>(catalog: &'c Catalog, wanted: &str) -> Result<&'c Skill, Failure> {
    if let Some(skill) = look_up(catalog, wanted) {
        return Ok(skill);
    }
    let names = catalog.skills().iter().map(Skill::name);
    let all = catalog.skills().len();
    let step = match (did_you_mean(&nearest(wanted, names)), all) {
        (_, 0) => "there are no skills here; `prowess new NAME` makes one".to_owned(),
        (Some(question), _) => format!("{question} `prowess list` shows all {all}"),
        (None, _) => format!("`prowess list --all` shows {}", count(all, "skill")),
    };
    let failure = Failure::no_match(format!("no skill named `{wanted}`")).hint(step);
    // What is not trusted was not opened, so its own name is not known here.
    let unopened = |skill: &Skill| !skill.is_trusted() && skill.hash().is_none();
    Err(if catalog.skills().iter().any(unopened) {
        failure.hint("skills of an untrusted project were not opened; `prowess list` shows them, `prowess trust` lets them be used")
    } else {
        failure
    })
}

/// The skill that answers, else any skill of that name, id or path.
fn look_up<'c>(catalog: &'c Catalog, wanted: &str) -> Option<&'c Skill> {
    let path = Path::new(wanted);
    catalog
        .get(wanted)
        .or_else(|| catalog.named(wanted).first())
        .or_else(|| catalog.by_id(wanted))
        .or_else(|| catalog.by_path(path))
        .or_else(|| of_server(catalog, wanted))
        .or_else(|| of_owner(catalog, wanted))
        .or_else(|| {
            let real = files::real_path(path).ok()?;
            catalog.skills().iter().find(|skill| {
                let file = skill.absolute_path();
                file == real || skill.directory().as_ref() == Some(&real)
            })
        })
}

/// A skill of one server, as `LABEL/NAME`; several servers may have a skill of one name.
fn of_server<'c>(catalog: &'c Catalog, wanted: &str) -> Option<&'c Skill> {
    let (label, name) = wanted.split_once('/')?;
    let is_it = |skill: &&Skill| skill.remote().is_some_and(|remote| remote.server == label);
    catalog.named(name).iter().find(is_it)
}

/// A skill that `add` brought, as `OWNER/NAME`; several owners may have a skill of one name.
fn of_owner<'c>(catalog: &'c Catalog, wanted: &str) -> Option<&'c Skill> {
    let (_, name) = wanted.split_once('/')?;
    let address = |skill: &Skill| {
        let directory = skill.directory()?;
        let folder = directory.file_name()?.to_str()?;
        // `.agents/skills/NAME` lies below the project.
        let lock = directory.ancestors().nth(3)?.join(LOCK_FILE);
        let lock = Lock::from_text(&files::read_text(&lock, MOST_LOCK).ok()?).ok()?;
        Some(lock.get(folder)?.address())
    };
    let is_it = |skill: &&Skill| address(skill).as_deref() == Some(wanted);
    catalog.named(name).iter().find(is_it)
}
