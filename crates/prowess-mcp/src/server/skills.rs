//! `skills/list` and `skills/get`: the Skills extension's own methods.

use rmcp::ErrorData;
use serde_json::{Value as Json, json};

use super::{
    Shared,
    frontmatter::frontmatter,
    manifest::Age,
    page::List,
    refusal::Refusal,
    resources::{not_served, unknown},
    view::{Served, View},
};

/// The entries behind a cursor. A skill that turns out to be too large is left out, with a word
/// in the log.
pub(crate) fn list(shared: &Shared, view: &View, cursor: Option<&str>) -> Result<Json, ErrorData> {
    let (page, next) = List::Skills.page(&view.listed, |served| &served.uri, cursor)?;
    let entries = page
        .iter()
        .filter_map(|served| entry(shared, view, served).ok());
    let mut result = json!({ "skills": entries.collect::<Vec<_>>() });
    if let Some(next) = next {
        result["nextCursor"] = next.into();
    }
    Ok(result)
}

/// The entry of one skill, listed or not.
pub(crate) fn get(shared: &Shared, view: &View, uri: &str) -> Result<Json, ErrorData> {
    let served = view.at_uri(uri).ok_or_else(|| unknown(uri))?;
    let entry =
        entry(shared, view, served).map_err(|refusal| not_served(uri, &refusal.to_string()))?;
    Ok(json!({ "skill": entry }))
}

fn entry(shared: &Shared, view: &View, served: &Served) -> Result<Json, Refusal> {
    let manifest = shared.manifest(view, served, Age::Fresh)?;
    Ok(json!({
        "uri": served.uri,
        "frontmatter": frontmatter(view.skill(served).document()),
        "resources": manifest.to_json(),
    }))
}
