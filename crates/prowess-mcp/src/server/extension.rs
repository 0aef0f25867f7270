//! The Skills extension: its requests, which the protocol itself does not know, and its entries.

use rmcp::{
    ErrorData,
    model::{CustomRequest, ErrorCode},
};
use serde_json::{Value as Json, json};

use super::{
    Connection, Shared,
    frontmatter::frontmatter,
    manifest::Freshness,
    page::List,
    refusal::Refusal,
    resources::{self, not_served, unknown},
    view::{ServedSkill, View},
};

impl Connection {
    /// Answers a request of the extension.
    pub(crate) async fn extension(&self, request: CustomRequest) -> Result<Json, ErrorData> {
        let params = request.params.as_ref();
        let result = match request.method.as_str() {
            "skills/list" => {
                let cursor = text_param(params, "cursor")?;
                self.work(move |shared, view| list(shared, view, cursor.as_deref()))
                    .await?
            }
            "skills/get" => {
                let uri = uri_param(params)?;
                self.work(move |shared, view| get(shared, view, &uri))
                    .await?
            }
            "resources/directory/read" => {
                let uri = uri_param(params)?;
                let cursor = text_param(params, "cursor")?;
                let read = move |shared: &Shared, view: &View| {
                    resources::directory(shared, view, &uri, cursor.as_deref())
                };
                let (children, next) = self.work(read).await?;
                let mut result = json!({ "resources": children });
                if let Some(next) = next {
                    result["nextCursor"] = next.into();
                }
                result
            }
            method => {
                return Err(ErrorData::new(
                    ErrorCode::METHOD_NOT_FOUND,
                    format!("no method named `{}`", prowess::display_text(method)),
                    None,
                ));
            }
        };
        Ok(result)
    }
}

/// A text of a request of the extension.
fn text_param(params: Option<&Json>, key: &str) -> Result<Option<String>, ErrorData> {
    match params.and_then(|params| params.get(key)) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(_) => {
            let message = format!("`{key}` is not text");
            Err(ErrorData::invalid_params(message, None))
        }
    }
}

fn uri_param(params: Option<&Json>) -> Result<String, ErrorData> {
    text_param(params, "uri")?.ok_or_else(|| ErrorData::invalid_params("`uri` is required", None))
}

/// The entries behind a cursor. A skill that turns out to be too large is left out, with a word
/// in the log.
fn list(shared: &Shared, view: &View, cursor: Option<&str>) -> Result<Json, ErrorData> {
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
fn get(shared: &Shared, view: &View, uri: &str) -> Result<Json, ErrorData> {
    let served = view.at_uri(uri).ok_or_else(|| unknown(uri))?;
    let entry =
        entry(shared, view, served).map_err(|refusal| not_served(uri, &refusal.to_string()))?;
    Ok(json!({ "skill": entry }))
}

fn entry(shared: &Shared, view: &View, served: &ServedSkill) -> Result<Json, Refusal> {
    let manifest = shared.manifest(view, served, Freshness::Current)?;
    Ok(json!({
        "uri": served.uri,
        "frontmatter": frontmatter(view.skill(served).document()),
        "resources": manifest.to_json(),
    }))
}
