//! What kind of file a name promises.

use std::path::Path;

/// A folder, as the Skills extension marks one.
pub(crate) const FOLDER: &str = "inode/directory";

/// A skill's own file.
pub(crate) const MARKDOWN: &str = "text/markdown";

/// The type of a file by its name; `text` tells whether its bytes are text, where they are known.
pub(crate) fn of(path: &Path, text: Option<bool>) -> &'static str {
    let extension = path
        .extension()
        .map(|it| it.to_string_lossy().to_lowercase());
    match extension.as_deref().unwrap_or_default() {
        "md" | "markdown" => MARKDOWN,
        "txt" | "text" | "log" => "text/plain",
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "tsv" => "text/tab-separated-values",
        "xml" | "xsd" | "xsl" => "application/xml",
        "json" | "ipynb" => "application/json",
        "jsonl" | "ndjson" => "application/x-ndjson",
        "yaml" | "yml" => "application/yaml",
        "toml" => "application/toml",
        "js" | "mjs" | "cjs" => "text/javascript",
        "ts" | "tsx" => "text/x-typescript",
        "py" => "text/x-python",
        "rs" => "text/x-rust",
        "sh" | "bash" | "zsh" => "application/x-sh",
        "sql" => "application/sql",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" | "tgz" => "application/gzip",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "wasm" => "application/wasm",
        _ if text == Some(true) => "text/plain",
        _ => "application/octet-stream",
    }
}
