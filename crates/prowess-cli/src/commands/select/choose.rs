//! How a choice is made: the flags every verb that chooses has in common.

use std::io::{self, Read as _};

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use prowess::{Policy, Ranker};

use crate::{exit::Failure, session::Session};

/// How skills are chosen.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Choose {
    /// Only skills with this tag; repeat it for any of several
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// No skill with this tag; can be repeated
    #[arg(long, value_name = "TAG")]
    pub(crate) not_tag: Vec<String>,
    /// How scores are made [default: what the config says, else lexical]
    #[arg(long, value_name = "RANKER", value_parser = ranker())]
    pub(crate) ranker: Option<Ranker>,
    /// Choose also among skills that ask to be called by name
    #[arg(long)]
    pub(crate) include_manual: bool,
}

impl Choose {
    /// The policy these flags ask for.
    pub(crate) fn policy(&self, session: &Session) -> Policy {
        Policy {
            ranker: ranker_of(self.ranker, session),
            include_tags: self.tag.clone(),
            exclude_tags: self.not_tag.clone(),
            include_manual: self.include_manual,
            ..Policy::default()
        }
    }
}

/// The ranker that was named, else the config's.
pub(crate) fn ranker_of(named: Option<Ranker>, session: &Session) -> Ranker {
    named.unwrap_or(session.config.ranker.value)
}

/// Reads the name of a ranker, and lists them in `--help`.
pub(crate) fn ranker() -> impl TypedValueParser<Value = Ranker> {
    PossibleValuesParser::new(Ranker::ALL.map(Ranker::name)).try_map(|word| word.parse::<Ranker>())
}

/// Reads a number that can be compared with: anything but `NaN`.
pub(crate) fn number(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(number) if number.is_nan() => {
            Err("nothing is more or less than `NaN`; give a number".to_owned())
        }
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}

/// A longer request is no request; a model would not read it either.
const MOST_REQUEST_BYTES: u64 = 64 * 1024 * 1024;

/// The request itself, or what standard input holds where it is `-`.
pub(crate) fn request(words: &[String], session: &mut Session) -> Result<String, Failure> {
    if words != ["-"] {
        return Ok(words.join(" "));
    }
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(MOST_REQUEST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::new("cannot read the request").because(&error))?;
    if bytes.len() as u64 > MOST_REQUEST_BYTES {
        return Err(Failure::new(format!(
            "the request has more than {MOST_REQUEST_BYTES} bytes"
        ))
        .hint("give the part that says what is wanted"));
    }
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| {
        let byte = error.utf8_error().valid_up_to() + 1;
        session.output.warning(&format!(
            "the request is not UTF-8 at byte {byte}; what is no text is read as `\u{FFFD}`"
        ));
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    }))
}

/// Leaves the user's and the project's folders out where skills were named: a measurement of
/// these must not depend on who runs it.
pub(crate) fn only_what_is_named(session: &mut Session) {
    let options = &mut session.options;
    if !options.dir.is_empty() || !options.catalog.is_empty() {
        options.local = true;
        options.no_project = true;
    }
}

/// How many threads to answer with.
pub(crate) fn threads(session: &Session) -> usize {
    let all = || std::thread::available_parallelism().ok();
    session.options.threads.or_else(all).map_or(1, usize::from)
}
