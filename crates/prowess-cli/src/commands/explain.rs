//! `prowess explain`: the page of a rule, which an installed binary has no folder for.

use clap::Args;
use include_dir::{Dir, include_dir};
use prowess::format::rules;

use super::check::settings::known_code;
use crate::{
    exit::{Exit, Failure},
    session::Session,
};

/// Every page of `docs/spec`, as it was when the program was built.
static PAGES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/docs/spec");

/// Say what a rule of `check` asks for, with examples
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The code of a rule, such as `missing-description`; all rules when left out
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

/// The page of a rule.
pub(crate) fn page(code: &str) -> Option<&'static str> {
    PAGES.get_file(format!("{code}.md"))?.contents_utf8()
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let text = match &arguments.code {
        Some(code) => {
            let code = known_code(code).map_err(Failure::usage)?;
            page(code).unwrap_or_default().to_owned()
        }
        None => {
            let rows = rules::ALL.iter();
            let rows = rows.map(|rule| format!("{:<26} {}\n", rule.code, rule.summary));
            rows.collect()
        }
    };
    session.output.data(&text)?;
    session.output.finish()?;
    Ok(Exit::Fine)
}
