//! The list of a server's skills, page by page and no further than the limits.

use std::collections::HashSet;

use prowess::display_text;
use serde_json::{Value as Json, json};

use super::{
    config::HostLimits,
    connect::{Connection, RequestError},
    entry::Entry,
    fault::Fault,
};

/// So many entries that make no sense are told one by one.
const TOLD: usize = 5;

/// What came of a list.
#[derive(Debug, Default)]
pub(super) struct Pages {
    pub(super) entries: Vec<Entry>,
    pub(super) faults: Vec<Fault>,
}

/// Reads every page.
pub(super) async fn list(
    connection: &Connection,
    label: &str,
    limits: &HostLimits,
) -> Result<Pages, Fault> {
    let mut reading = ListReader {
        label,
        limits,
        uris: HashSet::new(),
        refused: 0,
        bytes: 0,
        pages: Pages::default(),
    };
    let mut cursors = HashSet::new();
    let mut cursor: Option<String> = None;
    for page in 1_usize.. {
        let params = cursor
            .as_ref()
            .map_or(json!({}), |it| json!({"cursor": it}));
        let answer = match connection.ask("skills/list", params).await {
            Ok(answer) => answer,
            Err(RequestError::Lost(fault)) => return Err(fault),
            Err(RequestError::Answer(why)) => {
                return Err(Fault::Server {
                    label: label.to_owned(),
                    reason: format!("refuses to list its skills: {why}"),
                    help: "tell the owner of the server".to_owned(),
                });
            }
        };
        let Some(skills) = answer.get("skills").and_then(Json::as_array) else {
            return Err(Fault::Server {
                label: label.to_owned(),
                reason: "answers `skills/list` without a list".to_owned(),
                help: "tell the owner of the server".to_owned(),
            });
        };
        let next = match answer.get("nextCursor") {
            Some(Json::String(next)) => Some(next.clone()),
            _ => None,
        };
        let enough = reading.page(skills, &answer);
        let Some(next) = next else {
            break;
        };
        let reason = if let Some(reason) = enough {
            reason
        } else if !cursors.insert(next.clone()) {
            "it gives the same page again and again".to_owned()
        } else if page >= limits.pages {
            format!("it has more than {} pages", limits.pages)
        } else {
            cursor = Some(next);
            continue;
        };
        reading.cut(reason);
        break;
    }
    Ok(reading.finish())
}

struct ListReader<'a> {
    label: &'a str,
    limits: &'a HostLimits,
    uris: HashSet<String>,
    refused: usize,
    bytes: usize,
    pages: Pages,
}

impl ListReader<'_> {
    /// Takes what is on a page; a reason to stop where a limit is reached.
    fn page(&mut self, skills: &[Json], answer: &Json) -> Option<String> {
        self.bytes += answer.to_string().len();
        for skill in skills {
            if self.pages.entries.len() >= self.limits.skills {
                let reason = format!("it has more than {} skills", self.limits.skills);
                self.cut(reason.clone());
                return Some(reason);
            }
            match Entry::read(skill, self.limits) {
                Err(reason) => self.refuse(skill, reason),
                Ok(entry) if !self.uris.insert(entry.uri.clone()) => {
                    self.refuse(skill, "is listed twice".to_owned());
                }
                Ok(entry) => self.pages.entries.push(entry),
            }
        }
        let most = self.limits.list_bytes;
        (self.bytes > most).then(|| format!("it has more than {most} bytes"))
    }

    fn cut(&mut self, reason: String) {
        let fault = Fault::Limit {
            label: self.label.to_owned(),
            reason,
        };
        if !self.pages.faults.contains(&fault) {
            self.pages.faults.push(fault);
        }
    }

    fn refuse(&mut self, skill: &Json, reason: String) {
        self.refused += 1;
        if self.refused <= TOLD {
            let uri = skill.get("uri").and_then(Json::as_str).unwrap_or("?");
            self.pages.faults.push(Fault::Entry {
                label: self.label.to_owned(),
                uri: display_text(uri.get(..120).unwrap_or(uri)),
                reason,
            });
        }
    }

    fn finish(mut self) -> Pages {
        if self.refused > TOLD {
            self.pages.faults.push(Fault::Entry {
                label: self.label.to_owned(),
                uri: "…".to_owned(),
                reason: format!("and {} more like these", self.refused - TOLD),
            });
        }
        self.pages
    }
}
