//! The requests of the Skills extension, which the protocol itself does not know.

use rmcp::{
    ErrorData,
    model::{CustomRequest, ErrorCode},
};
use serde_json::{Value as Json, json};

use super::{
    super::{Shared, resources, skills, view::View},
    Connection,
};

impl Connection {
    /// Answers a request of the extension.
    pub(super) async fn extension(&self, request: CustomRequest) -> Result<Json, ErrorData> {
        let params = request.params.as_ref();
        let result = match request.method.as_str() {
            "skills/list" => {
                let cursor = text_param(params, "cursor")?;
                self.work(move |shared, view| skills::list(shared, view, cursor.as_deref()))
                    .await?
            }
            "skills/get" => {
                let uri = uri_param(params)?;
                self.work(move |shared, view| skills::get(shared, view, &uri))
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
