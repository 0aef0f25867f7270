//! `prowess tool`: the tools as a host registers them and as a model calls them.

use std::sync::Arc;

use clap::{Args, Subcommand};
use prowess::{Mode, Tool, ToolCheck, ToolOptions, Toolset};
use serde::Serialize;
use serde_json::Value;

use super::select::{ranker_of, request};
use crate::{
    exit::{Exit, Failure},
    nearest::{did_you_mean, nearest},
    places::Request,
    render::line,
    session::Session,
};

/// Show the tools a model uses skills with, and call them
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Offer `run_skill_script` too, which runs a skill's scripts in a sandbox once you say yes
    #[arg(long, global = true)]
    allow_run: bool,
    #[command(flatten)]
    host: HostTools,
    #[command(subcommand)]
    what: What,
}

/// The tools that the agent has, which a skill may need.
#[derive(Debug, Args)]
pub(super) struct HostTools {
    /// The tools the agent has, with commas between them: a skill that asks for another is refused
    #[arg(long, global = true, value_name = "TOOL", value_delimiter = ',')]
    tools: Option<Vec<String>>,
    /// Leave a missing tool out and say so, instead of refusing the skill
    #[arg(long, global = true, requires = "tools")]
    permissive: bool,
}

impl HostTools {
    /// What checks a skill before its instructions are given; nothing where no tools were named.
    pub(super) fn check(&self) -> Option<ToolCheck> {
        let tools: Arc<Vec<String>> = Arc::new(self.tools.clone()?);
        let check = ToolCheck::new::<String>(tools);
        Some(if self.permissive {
            check.mode(Mode::Permissive)
        } else {
            check
        })
    }
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print the JSON Schema of a tool's input, or of all tools
    Schema {
        /// The tool: `skill`, `search_skills` or `read_skill_resource`
        name: Option<String>,
        /// Print JSON (a schema always is)
        #[arg(long)]
        json: bool,
    },
    /// Print what a model is told about a tool, or about all
    Describe {
        /// The tool: `skill`, `search_skills` or `read_skill_resource`
        name: Option<String>,
        /// Print name, description and schema as JSON
        #[arg(long)]
        json: bool,
    },
    /// Call a tool as a model does, and print what the model reads
    Call {
        /// The tool: `skill`, `search_skills` or `read_skill_resource`
        name: String,
        /// Its input as JSON; `-` reads it from standard input
        #[arg(value_name = "INPUT")]
        input: String,
        /// Print the result as data instead
        #[arg(long)]
        json: bool,
    },
}

/// What `tool describe --json` prints.
#[derive(Debug, Serialize)]
struct Output {
    tools: Vec<Definition>,
}

#[derive(Debug, Serialize)]
struct Definition {
    name: String,
    description: String,
    input_schema: Value,
}

/// How the tools behave here.
pub(super) fn options(session: &Session) -> ToolOptions {
    let mut options = ToolOptions::default();
    options.enabled = session.places().skills_enabled();
    options.limits = session.config.limits.clone();
    options.policy.ranker = ranker_of(None, session);
    if let Some(budget) = session.config.budget.value {
        options.budget = budget;
    }
    options
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let catalog = Arc::new(session.load(&Request::default())?);
    let mut options = options(session);
    options.check = arguments.host.check();
    if arguments.allow_run {
        options.run = Some(super::run::options(&[], session)?);
    }
    let tools = Toolset::new(Arc::clone(&catalog), options).tools();
    let exit = match &arguments.what {
        What::Schema { name, .. } => {
            let chosen = choose(&tools, name.as_deref())?;
            match (name, chosen.as_slice()) {
                (Some(_), [tool]) => session.output.json(&tool.schema())?,
                _ => session.output.json(&defined(&chosen))?,
            }
            Exit::Fine
        }
        What::Describe { name, json } => {
            let chosen = choose(&tools, name.as_deref())?;
            if *json {
                session.output.json(&defined(&chosen))?;
            } else {
                describe(&chosen, name.is_none(), session)?;
            }
            Exit::Fine
        }
        What::Call { name, input, json } => {
            let chosen = choose(&tools, Some(name))?;
            call(chosen[0], input, *json, session)?
        }
    };
    super::prompt::note_untrusted(catalog.skills(), session);
    Ok(exit)
}

/// The tool of this name, or all where none was named.
fn choose<'t>(
    tools: &'t [Box<dyn Tool>],
    name: Option<&str>,
) -> Result<Vec<&'t dyn Tool>, Failure> {
    let all: Vec<&dyn Tool> = tools.iter().map(|tool| &**tool).collect();
    let Some(name) = name else {
        return Ok(all);
    };
    if let Some(tool) = all.iter().find(|tool| tool.name() == name) {
        return Ok(vec![*tool]);
    }
    let names = || tools.iter().map(|tool| tool.name());
    let all = names().map(|name| format!("`{name}`"));
    let all = format!("there are {}", all.collect::<Vec<_>>().join(", "));
    let step = did_you_mean(&nearest(name, names())).unwrap_or(all);
    Err(Failure::usage(format!("no tool named `{name}`")).hint(step))
}

fn defined(tools: &[&dyn Tool]) -> Output {
    let define = |tool: &&dyn Tool| Definition {
        name: tool.name().to_owned(),
        description: tool.description(),
        input_schema: tool.schema(),
    };
    Output {
        tools: tools.iter().map(define).collect(),
    }
}

fn describe(tools: &[&dyn Tool], titled: bool, session: &mut Session) -> Result<(), Failure> {
    for (at, tool) in tools.iter().enumerate() {
        if titled {
            let gap = if at == 0 { "" } else { "\n" };
            let name = session.output.paint.strong(tool.name());
            session.output.data(&format!("{gap}{name}\n\n"))?;
        }
        session.output.foreign(tool.description().trim_end())?;
        session.output.data("\n")?;
    }
    Ok(session.output.finish()?)
}

/// The model's text is data, the person's line a message; `--json` is what a program keeps.
fn call(tool: &dyn Tool, input: &str, json: bool, session: &mut Session) -> Result<Exit, Failure> {
    let input = request(&[input.to_owned()], session)?;
    let input: Value = serde_json::from_str(&input).map_err(|error| {
        Failure::usage("the input is not JSON")
            .because(&error)
            .hint(r#"write it like '{"skill_name": "pdf-forms"}'"#)
    })?;
    let result = tool.call(&input);
    if json {
        session.output.json(&result.record)?;
    } else {
        session.output.foreign(result.text.trim_end_matches('\n'))?;
        session.output.data("\n")?;
        session.output.finish()?;
        // What went wrong stands in the text already.
        if result.record.success {
            let shown = line(&result.record.shown());
            session.output.message(&format!("{shown}\n"));
        }
    }
    Ok(Exit::found(!result.record.success))
}
