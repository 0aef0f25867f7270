//! Whether a client finds a skill where it lies.

use super::{
    Finding, Seen,
    finding::{changed, dropped, unknown},
};
use crate::source::clients::{
    Client,
    rules::{DepthRule, FileRule, Links, Rules},
};

/// Whether the client looks where the skill lies.
pub(super) fn folders(client: &Client, seen: &Seen<'_>) -> Option<Finding> {
    let folder = seen.folder()?;
    let first = client.project.first()?;
    if client.looks_into(folder, seen.projects, &seen.environment) {
        return None;
    }
    let title = &client.title;
    let shown = folder.display();
    Some(
        dropped("folders", format!("{title} does not look into `{shown}`"))
            .help(format!("put the skill into `{}` for {title}", first.path)),
    )
}

pub(super) fn file(title: &str, rules: &Rules, seen: &Seen<'_>) -> Option<Finding> {
    const RULE: &str = "file";
    let name = seen.file_name;
    let linked = seen.link.is_some_and(|link| link.file);
    if rules.file == Some(FileRule::ExactRegular) && linked {
        let message = format!("{title} wants a regular file, and `{name}` is a link");
        return Some(dropped(RULE, message).help("put a copy of the file in its place"));
    }
    if name == "SKILL.md" {
        return None;
    }
    let differs_by_case = name.eq_ignore_ascii_case("SKILL.md");
    let finding = match rules.file {
        Some(FileRule::Flat) if name.strip_suffix(".md").is_some() => return None,
        Some(FileRule::Exact | FileRule::ExactRegular) => dropped(
            RULE,
            format!("{title} reads exactly `SKILL.md`, and this is `{name}`"),
        ),
        Some(FileRule::Named | FileRule::Flat) if differs_by_case => unknown(
            RULE,
            format!("whether {title} takes `{name}` for `SKILL.md` is not known"),
        ),
        Some(FileRule::Named | FileRule::Flat) => dropped(
            RULE,
            format!("{title} reads `SKILL.md`, and this is `{name}`"),
        ),
        None => unknown(RULE, format!("whether {title} reads `{name}` is not known")),
    };
    Some(finding.help("rename the file to `SKILL.md`"))
}

pub(super) fn depth(title: &str, rules: &Rules, seen: &Seen<'_>) -> Option<Finding> {
    const RULE: &str = "depth";
    let depth = seen.depth()?;
    let lies = format!("it lies {} below the skills folder", folders_deep(depth));
    let finding = match rules.depth {
        _ if depth == 1 => return None,
        Some(DepthRule::Any) => return None,
        Some(DepthRule::Most(most)) if depth > most as usize => dropped(
            RULE,
            format!(
                "{lies}, and {title} looks only {} down",
                folders_deep(most as usize)
            ),
        ),
        Some(DepthRule::OnDemandBelow(most)) if depth > most as usize => changed(
            RULE,
            format!("{lies}, where {title} picks skills up on demand and not at the start"),
        ),
        Some(DepthRule::Most(_)) if depth > 0 => return None,
        Some(DepthRule::Children) => dropped(
            RULE,
            format!("{lies}, and {title} reads immediate children of that folder only"),
        ),
        _ if depth == 0 => unknown(
            RULE,
            format!("whether {title} reads a skill without a folder of its own is not known"),
        ),
        _ => unknown(
            RULE,
            format!("{lies}, and how deep {title} looks is not known"),
        ),
    };
    Some(finding.help("keep each skill in a folder of its own, directly in the skills folder"))
}

fn folders_deep(count: usize) -> String {
    match count {
        0 => "no folder".to_owned(),
        1 => "1 folder".to_owned(),
        _ => format!("{count} folders"),
    }
}

pub(super) fn scan(title: &str, rules: &Rules, seen: &Seen<'_>) -> Option<Finding> {
    let (folders, entries) = seen.scanned?;
    let limit = rules.scan?;
    if folders <= limit.folders as usize && entries <= limit.entries as usize {
        return None;
    }
    let message = format!(
        "{title} stops after {} folders or {} entries, and here are {folders} and {entries}: whether it gets this far is not known",
        limit.folders, limit.entries
    );
    Some(unknown("scan", message).help("spread the skills over several skills folders"))
}

pub(super) fn links(title: &str, rules: &Rules, seen: &Seen<'_>) -> Option<Finding> {
    const RULE: &str = "links";
    let link = seen.link?;
    let what = if link.file {
        "its file is a link"
    } else {
        "its folder is a link"
    };
    let finding = match rules.links {
        Some(Links::Followed) => return None,
        Some(Links::Folders) if !link.file => return None,
        Some(Links::Contained) if link.inside => return None,
        Some(Links::Contained) => dropped(
            RULE,
            format!("{what} that leads out, and {title} follows only links that stay inside"),
        ),
        Some(Links::Folders) | None => unknown(
            RULE,
            format!("{what}, and whether {title} follows it is not known"),
        ),
    };
    Some(finding.help("put a copy in its place"))
}
