//! Paths and diagnostics as values that a cache can hold.
//!
//! Serde writes paths as text and refuses the others; a path on Unix is any bytes. A diagnostic's
//! code is a `&'static str`, so it is looked up among the rules when it is read back.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use prowess_format::{Diagnostic, Fix, Position, Severity, Span, rules};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A path of any kind as bytes, for `#[serde(with)]`.
pub(crate) mod path {
    use super::{Deserialize, Deserializer, Path, PathBuf, Serializer, bytes, from_bytes};

    pub(crate) fn serialize<P: AsRef<Path>, S: Serializer>(
        path: &P,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes(path.as_ref()))
    }

    pub(crate) fn deserialize<'de, P: From<PathBuf>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<P, D::Error> {
        let bytes = <&[u8]>::deserialize(deserializer)?;
        Ok(P::from(from_bytes(bytes).to_path_buf()))
    }
}

/// The same for a path that may be missing.
pub(crate) mod path_option {
    use super::{
        Deserialize, Deserializer, Path, PathBuf, Serialize, Serializer, bytes, from_bytes,
    };

    #[expect(clippy::ref_option, reason = "serde hands over the field")]
    pub(crate) fn serialize<P: AsRef<Path>, S: Serializer>(
        path: &Option<P>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        path.as_ref()
            .map(|path| bytes(path.as_ref()))
            .serialize(serializer)
    }

    pub(crate) fn deserialize<'de, P: From<PathBuf>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<P>, D::Error> {
        let bytes = <Option<&[u8]>>::deserialize(deserializer)?;
        Ok(bytes.map(|bytes| P::from(from_bytes(bytes).to_path_buf())))
    }
}

/// The same for a list of paths or of names.
pub(crate) mod path_list {
    use super::{Deserialize, Deserializer, Path, PathBuf, Serializer, bytes, from_bytes};

    pub(crate) fn serialize<P: AsRef<Path>, S: Serializer>(
        paths: &[P],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| bytes(path.as_ref())))
    }

    pub(crate) fn deserialize<'de, P: From<PathBuf>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<P>, D::Error> {
        let paths = <Vec<&[u8]>>::deserialize(deserializer)?;
        let paths = paths.into_iter().map(|path| from_bytes(path).to_path_buf());
        Ok(paths.map(P::from).collect())
    }
}

/// Serde takes a reference that it sees for one into the bytes it reads; behind this name it does
/// not see it.
type RuleCode = &'static str;

/// A diagnostic's fields, for `#[serde(with)]`.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Diagnostic")]
pub(crate) struct DiagnosticFields {
    #[serde(deserialize_with = "rule_code")]
    code: RuleCode,
    severity: Severity,
    span: Span,
    position: Position,
    message: String,
    help: Option<String>,
    fix: Option<Fix>,
}

fn rule_code<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RuleCode, D::Error> {
    let code = <&str>::deserialize(deserializer)?;
    let rule = rules::ALL.iter().find(|rule| rule.code == code);
    rule.map(|rule| rule.code)
        .ok_or_else(|| D::Error::custom("no such rule"))
}

/// A list of diagnostics, for `#[serde(with)]`.
pub(crate) mod diagnostics {
    use super::{Deserialize, Deserializer, Diagnostic, DiagnosticFields, Serialize, Serializer};

    #[derive(Serialize)]
    struct Written<'a>(#[serde(with = "DiagnosticFields")] &'a Diagnostic);

    #[derive(Deserialize)]
    struct Read(#[serde(with = "DiagnosticFields")] Diagnostic);

    pub(crate) fn serialize<S: Serializer>(
        diagnostics: &[Diagnostic],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(diagnostics.iter().map(Written))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Diagnostic>, D::Error> {
        let read = <Vec<Read>>::deserialize(deserializer)?;
        Ok(read
            .into_iter()
            .map(|Read(diagnostic)| diagnostic)
            .collect())
    }
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

#[cfg(unix)]
fn from_bytes(bytes: &[u8]) -> &Path {
    Path::new(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes))
}

/// Elsewhere nothing is cached, so nothing that is no text is lost.
#[cfg(not(unix))]
fn from_bytes(bytes: &[u8]) -> &Path {
    Path::new(OsStr::new(std::str::from_utf8(bytes).unwrap_or_default()))
}
