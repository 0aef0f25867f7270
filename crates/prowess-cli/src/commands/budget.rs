//! `prowess budget`: what fits into a prompt, and what is cut.

use clap::Args;
use prowess::{Budget, Catalog, PromptOptions, Skill, budget::Unit, prompt::PromptReport};

use super::select::ranker_of;
use crate::{
    exit::{Exit, Failure},
    find::find,
    places::Request,
    render::{Paint, Table, count, line, thousands},
    session::Session,
};

/// Without a word from anyone a list may take this much, as in the description of the tool `skill`.
const DEFAULT: usize = 8_000;

/// Report which skills a prompt shows whole, trimmed, by name, or not at all
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    fit: Fit,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How a list of skills is made to fit; `prompt` has the same flags.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Fit {
    /// The room there is: characters like 8000c, tokens like 2000t
    #[arg(long, value_name = "SIZE")]
    pub(crate) budget: Option<Budget>,
    /// The task at hand: what answers it comes first and is cut last
    #[arg(long, value_name = "QUERY")]
    pub(crate) query: Option<String>,
    /// Cut this skill last of all; can be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) pin: Vec<String>,
    /// Show only the name of this skill; can be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) names_only: Vec<String>,
}

/// The flags of [`Fit`] with the names of real skills.
pub(crate) struct Fitted<'a> {
    fit: &'a Fit,
    pins: Vec<&'a str>,
    names_only: Vec<&'a str>,
}

impl Fit {
    /// Looks the named skills up; a name nobody has is a slip.
    pub(crate) fn names<'a>(&'a self, catalog: &'a Catalog) -> Result<Fitted<'a>, Failure> {
        let known = |names: &'a [String]| -> Result<Vec<&'a str>, Failure> {
            let skills = names.iter().map(|name| find(catalog, name));
            skills.map(|skill| skill.map(Skill::name)).collect()
        };
        Ok(Fitted {
            fit: self,
            pins: known(&self.pin)?,
            names_only: known(&self.names_only)?,
        })
    }
}

impl Fitted<'_> {
    /// The options of the library. The flag stands over the config.
    pub(crate) fn options(&self, session: &Session) -> PromptOptions<'_> {
        let mut options = PromptOptions {
            budget: self.fit.budget.or(session.config.budget.value),
            query: self.fit.query.as_deref(),
            pins: &self.pins,
            names_only: &self.names_only,
            ..PromptOptions::default()
        };
        options.policy.ranker = ranker_of(None, session);
        options
    }
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let catalog = session.load(&Request::default())?;
    let fitted = arguments.fit.names(&catalog)?;
    let mut options = fitted.options(session);
    options.budget.get_or_insert(Budget::characters(DEFAULT));
    let prompt = catalog.prompt(&options);
    let report = &prompt.report;
    if arguments.json {
        session.output.json(report)?;
    } else {
        let text = table(&catalog, report, session);
        session.output.data(&text)?;
        session.output.finish()?;
        say_usage(report, session);
    }
    super::prompt::note_untrusted(catalog.skills(), session);
    Ok(Exit::found(report.skills == 0))
}

fn table(catalog: &Catalog, report: &PromptReport<'_>, session: &Session) -> String {
    let whole = catalog.model_visible().map(Skill::name).filter(|name| {
        let cut = [&report.trimmed, &report.name_only, &report.hidden];
        !cut.iter().any(|names| names.contains(name))
    });
    let whole: Vec<&str> = whole.collect();
    let mut table = Table::new(&["TIER", ">SKILLS", "NAMES"]);
    for (tier, names) in [
        ("full", &whole),
        ("trimmed", &report.trimmed),
        ("name-only", &report.name_only),
        ("hidden", &report.hidden),
    ] {
        let shown: Vec<String> = names.iter().map(|name| line(name)).collect();
        table.row(vec![
            (tier.to_owned(), Some(Paint::strong as _)),
            (thousands(names.len()), None),
            (shown.join(", "), None),
        ]);
    }
    table.render(session.output.paint, session.output.columns)
}

/// Says how much room is taken, counted how, and what was given up.
pub(crate) fn say_usage(report: &PromptReport<'_>, session: &mut Session) {
    let unit = match report.unit {
        Unit::Characters => "characters",
        Unit::Tokens => "tokens",
    };
    let room = report
        .budget
        .map_or_else(String::new, |budget| format!(" of {}", thousands(budget)));
    session.output.message(&format!(
        "{}: {}{room} {unit} are taken ({})\n",
        count(report.skills, "skill"),
        thousands(report.used),
        report.counter
    ));
    for pin in &report.unknown_pins {
        let name = line(pin);
        session.output.hint(&format!(
            "`{name}` is pinned but cannot be given to a model; `prowess why {name}` says why"
        ));
    }
    if !report.hidden.is_empty() {
        session
            .output
            .hint("what is hidden is found with the tool `search_skills`, or kept with `--pin`");
    }
}
