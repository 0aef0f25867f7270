//! Skills' files as resources: list, read, folders, templates.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use prowess::{Limits, display_path, display_text};
use rmcp::{
    ErrorData,
    model::{Resource, ResourceContents, ResourceTemplate},
};
use serde_json::json;

use super::{
    Shared,
    manifest::Freshness,
    mime,
    page::List,
    refusal::MAX_BYTES,
    view::{ServedSkill, View},
};
use crate::uri::SCHEME;

/// The address of any file of a skill.
pub(crate) const TEMPLATE: &str = "skill://{name}/{+path}";

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(TEMPLATE, "skill-file")
            .with_title("A file of a skill")
            .with_description(
                "`SKILL.md` holds the instructions of the skill `name`; `path` can name any other \
                 file that belongs to it.",
            ),
    ]
}

/// The instructions of each skill; its other files are reached from there.
pub(crate) fn list(
    shared: &Shared,
    view: &View,
    cursor: Option<&str>,
) -> Result<(Vec<Resource>, Option<String>), ErrorData> {
    let (page, next) = List::Resources.page(&view.listed, |served| &served.uri, cursor)?;
    let resources = page
        .iter()
        .filter(|served| shared.manifest(view, served, Freshness::Cached).is_ok())
        .map(|served| own(view, served))
        .collect();
    Ok((resources, next))
}

fn own(view: &View, served: &ServedSkill) -> Resource {
    let skill = view.skill(served);
    Resource::new(&served.uri, skill.name())
        .with_description(skill.description())
        .with_mime_type(mime::MARKDOWN)
        .with_size(skill.document().text().len() as u64)
}

/// The instructions of a skill whose files are known already: no file has to be touched.
pub(crate) fn cached_text(shared: &Shared, uri: &str) -> Option<ResourceContents> {
    let view = shared.view();
    let served = view.at_uri(uri)?;
    let skill = view.skill(served);
    shared.manifests.peek(skill, &served.base)?.ok()?;
    let text = skill.document().text();
    Some(ResourceContents::text(text, uri).with_mime_type(mime::MARKDOWN))
}

/// The bytes of a file. Only an address that a manifest holds leads to one, so no address can
/// lead out of a skill, however it is spelt.
pub(crate) fn read(shared: &Shared, view: &View, uri: &str) -> Result<ResourceContents, ErrorData> {
    if let Some(served) = view.at_uri(uri) {
        shared
            .manifest(view, served, Freshness::Cached)
            .map_err(|refusal| not_served(uri, &refusal.to_string()))?;
        let text = view.skill(served).document().text();
        return Ok(ResourceContents::text(text, uri).with_mime_type(mime::MARKDOWN));
    }
    for served in view.around(uri) {
        for age in [Freshness::Cached, Freshness::Current] {
            let Ok(manifest) = shared.manifest(view, served, age) else {
                break;
            };
            let Some(file) = manifest.file(uri) else {
                continue;
            };
            let limits = Limits {
                resource_bytes: MAX_BYTES,
                ..Limits::default()
            };
            let bytes = view
                .skill(served)
                .serve_raw(&file.path, &limits)
                .map_err(|error| not_served(uri, &error.to_string()))?;
            return Ok(match String::from_utf8(bytes) {
                Ok(text) => ResourceContents::text(text, uri)
                    .with_mime_type(mime::of(&file.path, Some(true))),
                Err(error) => ResourceContents::blob(STANDARD.encode(error.as_bytes()), uri)
                    .with_mime_type(mime::of(&file.path, Some(false))),
            });
        }
    }
    Err(unknown(uri))
}

/// The direct children of a folder.
pub(crate) fn directory(
    shared: &Shared,
    view: &View,
    uri: &str,
    cursor: Option<&str>,
) -> Result<(Vec<Resource>, Option<String>), ErrorData> {
    let mut around: Vec<&ServedSkill> = view.at_base(uri).into_iter().collect();
    around.extend(view.around(uri));
    for served in around {
        let Ok(manifest) = shared.manifest(view, served, Freshness::Current) else {
            continue;
        };
        let is_folder =
            uri == served.base || manifest.folders.iter().any(|(folder, _)| folder == uri);
        if !is_folder {
            if manifest.file(uri).is_some() {
                let message = format!("`{}` is a file, not a directory", display_text(uri));
                let data = json!({ "uri": uri });
                return Err(ErrorData::invalid_params(message, Some(data)));
            }
            continue;
        }
        let is_child = |child: &str| {
            let rest = child
                .strip_prefix(uri)
                .and_then(|rest| rest.strip_prefix('/'));
            rest.is_some_and(|rest| !rest.contains('/'))
        };
        let mut children = BTreeMap::new();
        for (folder, path) in manifest.folders.iter().filter(|(it, _)| is_child(it)) {
            let name = path.file_name().map(|name| display_path(name.as_ref()));
            let child =
                Resource::new(folder, name.unwrap_or_default()).with_mime_type(mime::FOLDER);
            children.insert(folder.as_str(), child);
        }
        for file in manifest.files.iter().filter(|file| is_child(&file.uri)) {
            let child = match view.at_uri(&file.uri) {
                Some(served) => own(view, served),
                None => {
                    let name = file
                        .path
                        .file_name()
                        .map(|name| display_path(name.as_ref()));
                    Resource::new(&file.uri, name.unwrap_or_default())
                        .with_mime_type(mime::of(&file.path, None))
                        .with_size(file.size)
                }
            };
            children.insert(&file.uri, child);
        }
        let children: Vec<Resource> = children.into_values().collect();
        let (page, next) = List::Directory.page(&children, |child| &child.uri, cursor)?;
        return Ok((page.to_vec(), next));
    }
    Err(unknown(uri))
}

/// Names or paths that begin as typed, for those who fill in the template.
pub(crate) fn complete(
    shared: &Shared,
    view: &View,
    argument: &str,
    typed: &str,
    name: Option<&str>,
) -> Vec<String> {
    match (argument, name) {
        ("name", _) => {
            let names = view.listed.iter().map(|served| view.skill(served).name());
            let fit = names.filter(|name| name.starts_with(typed));
            fit.map(str::to_owned).collect()
        }
        ("path", Some(name)) => {
            let base = format!("{SCHEME}{name}");
            let served = view.at_base(&base);
            let manifest =
                served.and_then(|served| shared.manifest(view, served, Freshness::Cached).ok());
            let Some(manifest) = manifest else {
                return Vec::new();
            };
            let paths = manifest
                .files
                .iter()
                .filter_map(|file| file.uri.strip_prefix(base.as_str())?.strip_prefix('/'));
            let fit = paths.filter(|path| path.starts_with(typed));
            fit.map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

pub(crate) fn unknown(uri: &str) -> ErrorData {
    let message = format!("nothing is served at `{}`", display_text(uri));
    ErrorData::invalid_params(message, Some(json!({ "uri": uri })))
}

pub(crate) fn not_served(uri: &str, reason: &str) -> ErrorData {
    let message = format!("`{}` is not served: {reason}", display_text(uri));
    ErrorData::invalid_params(message, Some(json!({ "uri": uri })))
}
