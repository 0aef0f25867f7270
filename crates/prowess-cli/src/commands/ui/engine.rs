//! The engine behind the page: each question is answered as the verb of that name answers it.

use std::{
    path::{Path, PathBuf},
    ptr,
    sync::Arc,
    time::Instant,
};

use prowess::{
    Catalog, LiveCatalog, PromptOptions, Ranker, Skill, budget::BadBudget, dialect::View,
    display_path, select::Policy, wire::ListOutput,
};
use prowess_mcp::host::Host;
use prowess_ui::{Choice, Engine, Fault, Question, blocks};
use serde::Serialize;

use super::tune;
use crate::{
    commands::{check, drift, eval, list_client, read, rivals, select, show, trust, why},
    config::Config,
    environment::Environment,
    exit::Failure,
    options::{Color, Options},
    render::{Terminal, escape_json},
    session::Session,
};

/// More matches than this nobody looks at.
const MOST_MATCHES: usize = 50;

/// More pairs than this are no picture.
const MOST_PAIRS: usize = 500;

/// The skills of this machine.
pub(super) struct Local {
    live: Arc<LiveCatalog>,
    read_only: bool,
    ranker: Ranker,
    /// The verbs' own answers need a session. Each has one of its own, so that a look at every file
    /// keeps nobody waiting; it says nothing on the terminal.
    options: Options,
    config: Config,
    environment: Environment,
    host: Option<Arc<Host>>,
}

/// What runs here (`ui-about.json`).
#[derive(Debug, Serialize)]
struct About<'a> {
    version: &'static str,
    /// Where the command was started.
    folder: String,
    read_only: bool,
    generation: u64,
    skills: usize,
    ranker: &'static str,
    rankers: Vec<&'static str>,
    confident: f32,
    relevant: f32,
    clients: Vec<Client<'a>>,
}

#[derive(Debug, Serialize)]
struct Client<'a> {
    name: &'a str,
    title: &'a str,
}

#[expect(clippy::struct_field_names, reason = "the words of the JSON")]
/// A skill's file as it stands (`ui-text.json`).
#[derive(Debug, Serialize)]
struct Text<'a, B: Serialize> {
    path: String,
    hash: Option<String>,
    text: &'a str,
    /// The instructions as a tree; `null` where they are too much to be drawn.
    blocks: B,
}

impl Local {
    pub(super) fn new(live: Arc<LiveCatalog>, read_only: bool, session: &Session) -> Self {
        let mut environment = session.environment.clone();
        environment.stderr_terminal = false;
        environment.stdout_terminal = false;
        Self {
            live,
            read_only,
            ranker: session.config.ranker.value,
            options: session.options.clone(),
            config: session.config.clone(),
            environment,
            host: session.host.clone(),
        }
    }

    fn session(&self) -> Session {
        Session {
            options: self.options.clone(),
            config: self.config.clone(),
            output: Terminal::new(&self.environment, Color::Never).quiet(),
            environment: self.environment.clone(),
            host: self.host.clone(),
        }
    }

    fn ranker(&self, named: Option<&str>) -> Result<Ranker, Fault> {
        named.map_or(Ok(self.ranker), |named| {
            named
                .parse()
                .map_err(|_| Fault::missing(format!("no ranker is called `{named}`")))
        })
    }

    fn about(&self) -> Result<String, Fault> {
        let session = self.session();
        let policy = Policy::default();
        let clients = session.config.clients.iter();
        json(&About {
            version: env!("CARGO_PKG_VERSION"),
            folder: session.environment.shorten(session.places().start()),
            read_only: self.read_only,
            generation: self.live.generation(),
            skills: self.live.snapshot().skills().len(),
            ranker: self.ranker.name(),
            rankers: Ranker::ALL.map(Ranker::name).to_vec(),
            confident: policy.confident,
            relevant: policy.relevant,
            clients: clients
                .filter(|client| client.is_run())
                .map(|client| Client {
                    name: &client.name,
                    title: &client.title,
                })
                .collect(),
        })
    }

    fn list(&self, first: Option<usize>, client: Option<&str>) -> Result<String, Fault> {
        let catalog = self.live.snapshot();
        let Some(named) = client else {
            let all = catalog.skills();
            let first = all[..first.unwrap_or(usize::MAX).min(all.len())].as_ptr_range();
            return json(&ListOutput::new(&catalog, |skill| {
                first.contains(&ptr::from_ref(skill))
            }));
        };
        let session = self.session();
        let clients = &session.config.clients;
        let client = clients
            .find(named)
            .map_err(|error| Fault::missing(error.to_string()))?;
        let environment = session.places().library_environment();
        let view = View::new(client, clients, &environment);
        json(&ListOutput {
            skills: list_client::rows(&view, client, &catalog, true),
            diagnostics: Vec::new(),
        })
    }

    fn choose(&self, choice: &Choice) -> Result<String, Fault> {
        let mut policy = Policy {
            ranker: self.ranker(choice.ranker.as_deref())?,
            top_k: choice.top_k.unwrap_or(8).min(MOST_MATCHES),
            ..Policy::default()
        };
        policy.confident = choice.confident.unwrap_or(policy.confident);
        policy.relevant = choice.relevant.unwrap_or(policy.relevant);
        let catalog = self.live.snapshot();
        let started = Instant::now();
        let selection = catalog.select(&choice.query, &policy);
        let elapsed = started.elapsed().as_micros() as u64;
        json(&select::Output::new(
            &choice.query,
            &policy,
            &selection,
            true,
            elapsed,
        ))
    }

    fn draft(
        &self,
        catalog: &Catalog,
        skill: &Skill,
        description: Option<&str>,
        requests: &[String],
    ) -> Result<String, Fault> {
        let description = description.unwrap_or(skill.description());
        let session = self.session();
        let output = tune::draft(catalog, skill, description, requests, self.ranker, &session);
        json(&output.map_err(|it| fault(&it))?)
    }

    fn read(&self, skill: &Skill, file: &str) -> Result<String, Fault> {
        let limits = self.session().config.limits.clone();
        let page = read::nth(skill, file, 1, &limits).map_err(|it| fault(&it))?;
        json(&read::Output {
            skill: skill.name(),
            page: 1,
            part: &page,
        })
    }

    fn budget(&self, budget: &str, query: Option<&str>) -> Result<String, Fault> {
        let budget = budget.parse().map_err(|error: BadBudget| {
            Fault::failed(error.to_string()).help("say `8000c` or `2000t`")
        })?;
        let mut options = PromptOptions {
            budget: Some(budget),
            query,
            ..PromptOptions::default()
        };
        options.policy.ranker = self.ranker;
        json(&self.live.snapshot().prompt(&options).report)
    }

    /// The file that `check` and `--fix` read: on the disk, as it is now.
    fn file(&self, path: &str) -> Result<PathBuf, Fault> {
        let catalog = self.live.snapshot();
        let skill = skill(&catalog, path)?;
        if skill.remote().is_some() || skill.real_path().is_none() {
            return Err(Fault::failed(format!(
                "`{}` is no file on this machine",
                skill.name()
            )));
        }
        Ok(skill.absolute_path())
    }
}

impl Engine for Local {
    fn answer(&self, question: &Question) -> Result<String, Fault> {
        let answer = self.look_up(question)?;
        // As on a terminal: no character that cannot be seen comes as itself.
        Ok(escape_json(&answer).into_owned())
    }
}

impl Local {
    fn look_up(&self, question: &Question) -> Result<String, Fault> {
        let catalog = self.live.snapshot();
        match question {
            Question::About {} => self.about(),
            Question::List { first, client } => self.list(*first, client.as_deref()),
            Question::Show { path } => {
                let found = skill(&catalog, path)?;
                let loaded = found.loaded();
                let skill: &Skill = loaded.as_deref().unwrap_or(found);
                json(&show::shown(skill, &catalog, &mut self.session()))
            }
            Question::Why { path } => {
                let skill = skill(&catalog, path)?;
                let all = why::skills(&catalog, skill.name());
                json(&why::output(
                    skill.name(),
                    &catalog,
                    &all,
                    None,
                    &self.session(),
                ))
            }
            Question::Text { path } => {
                let found = skill(&catalog, path)?;
                let loaded = found.loaded();
                let skill: &Skill = loaded.as_deref().unwrap_or(found);
                json(&Text {
                    path: display_path(skill.path()),
                    hash: skill.hash().map(|hash| hash.to_string()),
                    text: skill.document().text(),
                    blocks: blocks(skill.instructions()),
                })
            }
            Question::Read { path, file } => self.read(skill(&catalog, path)?, file),
            Question::Trust { path } => {
                let skill = skill(&catalog, path)?;
                json(&trust::since(skill, &self.session()))
            }
            Question::Check { path } => {
                let skill = skill(&catalog, path)?;
                check::json_of(skill, &self.session()).map_err(|it| fault(&it))
            }
            Question::Findings {} => {
                let counts = check::count_of(catalog.skills(), &self.session());
                json(&counts.map_err(|it| fault(&it))?)
            }
            Question::Fix { path, code, write } => {
                let file = self.file(path)?;
                let session = &mut self.session();
                let edit = check::fix_one(&file, code.as_deref(), *write, session);
                json(&edit.map_err(|it| fault(&it))?)
            }
            Question::Draft {
                path,
                description,
                requests,
            } => self.draft(
                &catalog,
                skill(&catalog, path)?,
                description.as_deref(),
                requests,
            ),
            Question::Save {
                path,
                description,
                hash,
            } => {
                let skill = skill(&catalog, path)?;
                let edit = tune::save(skill, description, hash, &self.session());
                json(&edit.map_err(|it| fault(&it))?)
            }
            Question::Rivals { top } => {
                let top = top.unwrap_or(MOST_PAIRS).min(MOST_PAIRS);
                json(&rivals::output(&catalog, top, &self.session()))
            }
            Question::Eval {} => json(&eval::output(&catalog, &self.session())),
            Question::Drift { rev } => {
                let output = drift::output(rev, &catalog, &mut self.session());
                json(&output.map_err(|it| fault(&it))?)
            }
            Question::Budget { budget, query } => self.budget(budget, query.as_deref()),
            Question::Select(choice) => self.choose(choice),
            Question::WhyQuery {
                path,
                query,
                ranker,
            } => {
                let skill = skill(&catalog, path)?;
                let ranker = self.ranker(ranker.as_deref())?;
                let session = self.session();
                let output = why::query::output(&catalog, skill, query, ranker, &session);
                json(&output.map_err(|it| fault(&it))?)
            }
            _ => Err(Fault::missing("nobody here answers that")),
        }
    }
}

/// The skill with this path, as `list` names it.
fn skill<'c>(catalog: &'c Catalog, path: &str) -> Result<&'c Skill, Fault> {
    let mut all = catalog.skills().iter();
    catalog
        .by_path(Path::new(path))
        .or_else(|| all.find(|skill| display_path(skill.path()) == path))
        .ok_or_else(|| Fault::missing(format!("there is no skill at `{path}` any more")))
}

fn fault(failure: &Failure) -> Fault {
    let (message, step) = failure.told();
    let fault = Fault::failed(message);
    match step {
        Some(step) => fault.help(step),
        None => fault,
    }
}

fn json(value: &impl Serialize) -> Result<String, Fault> {
    serde_json::to_string(value).map_err(|error| Fault::failed(error.to_string()))
}
