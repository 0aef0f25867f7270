//! `prowess run`: one script of a skill, in a sandbox.

use std::{
    io::{self, Write as _},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use clap::Args;
use prowess::{
    Skill, display_text,
    run::{
        Confinement, Grant, Input, Request, RunError, RunPolicy, RunRecord, Runner, Sandbox,
        ScriptRun, Search, StageError, Staged, Stop, Stream, Unconfined, WorkFolder,
    },
    tool::{Approver, RunOptions, ScriptCall},
};

use super::{
    approve::{asked, is_yes},
    prompt::must_be_trusted,
};
use crate::{
    config::Setting,
    environment::Environment,
    exit::{Exit, Failure},
    find::find,
    places,
    render::{line, list as list_of, safe_lines},
    session::Session,
    trust,
};

/// Run a script of a skill in a sandbox: no network, no home, only the files it was given
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct Arguments {
    /// The skill's name, id or path
    name: String,
    /// The script, as a path below the skill's folder; left out, the scripts are listed
    script: Option<PathBuf>,
    /// What the script is given
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<std::ffi::OsString>,
    /// Widen the sandbox: `read:/PATH`, `write:/PATH`, `net`, `env:NAME`
    #[arg(long, value_name = "GRANT")]
    grant: Vec<Grant>,
    /// Let it write into this folder, which stays, instead of a new one that goes away
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// Keep the new work folder and name it
    #[arg(long, conflicts_with = "work")]
    keep: bool,
    /// Kill it after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// Print what it would be allowed, and run nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Go on where the kernel cannot confine all of it, and say what is missing
    #[arg(long, conflicts_with = "no_sandbox")]
    best_effort: bool,
    /// Run it with all your rights, unconfined
    #[arg(long)]
    no_sandbox: bool,
    /// Print what came of it as JSON instead of what it prints
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    if session.config.run.value == RunPolicy::Never && session.config.run_skills.is_empty() {
        return Err(never(None, session));
    }
    let catalog = session.load(&places::Request::default())?;
    let skill = find(&catalog, &arguments.name)?;
    must_be_trusted(skill)?;
    let policy = session.config.run_of(skill.name()).value;
    if policy == RunPolicy::Never {
        return Err(never(Some(skill.name()), session));
    }
    let staged = Staged::new(skill, &session.config.limits).map_err(|error| {
        let failure = Failure::new(error.to_string()).because_of(&error);
        match &error {
            StageError::Remote(fault) => failure.hint(&fault.help),
            _ => failure,
        }
    })?;
    let search = Search::new(session.environment.search_path.as_deref());
    let Some(script) = &arguments.script else {
        return list(&staged.scripts(&search), session);
    };
    let request = request(arguments, script, &staged, session);
    let runner = runner(arguments)?;
    let described = runner
        .describe(&request)
        .map_err(|error| explain(&error, &staged, &search))?;
    if arguments.dry_run {
        for line in described {
            session.output.data(&format!("{}\n", display_text(&line)))?;
        }
        return Ok(Exit::Fine);
    }
    confirm(arguments, policy, skill, &staged, &described, session)?;
    let ran = staged
        .start(&*runner, request)
        .and_then(ScriptRun::wait)
        .map_err(|error| Failure::new(error.to_string()).because_of(&error))?;
    report(arguments, &ran, session)?;
    Ok(Exit::Script(u8::try_from(ran.code).unwrap_or(u8::MAX)))
}

/// Says whose config keeps scripts from running.
fn never(skill: Option<&str>, session: &Session) -> Failure {
    let (setting, key) = match skill {
        Some(name) if session.config.run_skills.contains_key(name) => (
            session.config.run_of(name),
            format!("[run.skills] {}", line(name)),
        ),
        _ => (&session.config.run, "[run] policy".to_owned()),
    };
    let by = setting.by.shown(&session.environment);
    Failure::new(format!(
        "scripts do not run here: `{key}` is `never` ({by})"
    ))
    .hint("your own config can say `ask` or `trusted`; a project can only narrow it")
}

/// What the tool `run_skill_script` may do here, with these grants for every run.
pub(super) fn options(grants: &[Grant], session: &Session) -> Result<RunOptions, Failure> {
    let config = &session.config;
    let allows = |policy: &Setting<RunPolicy>| policy.value != RunPolicy::Never;
    if !allows(&config.run) && !config.run_skills.values().any(allows) {
        return Err(never(None, session));
    }
    let sandbox = Sandbox::this_program().map_err(|error| Failure::new(error.to_string()))?;
    let mut options = RunOptions::new(sandbox);
    options.policy = config.run.value;
    let overrides = config.run_skills.iter();
    options.overrides = overrides
        .map(|(name, it)| (name.clone(), it.value))
        .collect();
    options.grants = grants.to_vec();
    options.search = Search::new(session.environment.search_path.as_deref());
    options.approver = Some(Arc::new(Person(session.environment.clone())));
    Ok(options)
}

/// The user: what was approved before, and an answer at the terminal.
struct Person(Environment);

impl Approver for Person {
    fn is_approved(&self, skill: &Skill, staged: &Staged) -> bool {
        trust::read(&self.0).is_ok_and(|store| staged.is_approved(skill, &store))
    }

    fn ask(&self, call: &ScriptCall) -> Option<bool> {
        // Over the standard streams a server speaks with its client, which is asked instead.
        if !self.0.stdin_terminal {
            return None;
        }
        let mut error = io::stderr();
        write!(error, "{} [y/N] ", call.question()).ok()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).ok()?;
        Some(is_yes(&answer))
    }
}

fn list(scripts: &[&str], session: &mut Session) -> Result<Exit, Failure> {
    for script in scripts {
        session
            .output
            .data(&format!("{}\n", display_text(script)))?;
    }
    if scripts.is_empty() {
        session
            .output
            .hint("this skill has no file that a known interpreter runs");
        return Ok(Exit::Findings);
    }
    Ok(Exit::Fine)
}

fn request(arguments: &Arguments, script: &PathBuf, staged: &Staged, session: &Session) -> Request {
    let mut request = staged
        .request(script)
        .args(&arguments.args)
        .input(Input::Inherit);
    request.grants.clone_from(&arguments.grant);
    request.limits.time = Duration::from_secs(arguments.timeout);
    request.work = match &arguments.work {
        Some(folder) => WorkFolder::At(session.environment.working_directory.join(folder)),
        None if arguments.keep => WorkFolder::Kept,
        None => WorkFolder::Temporary,
    };
    if arguments.json {
        return request;
    }
    let seen = (
        session.environment.stdout_terminal,
        session.environment.stderr_terminal,
    );
    request.listener(move |stream, bytes| pass_on(stream, bytes, seen))
}

/// Hands output on as it comes: as it is into a pipe, with nothing that disturbs a terminal.
fn pass_on(stream: Stream, bytes: &[u8], (out_seen, err_seen): (bool, bool)) {
    let safe = |seen: bool| {
        if seen {
            safe_lines(&String::from_utf8_lossy(bytes)).into_bytes()
        } else {
            bytes.to_vec()
        }
    };
    // A reader that went away leaves nobody to tell.
    let _ = match stream {
        Stream::Stdout => io::stdout()
            .write_all(&safe(out_seen))
            .and_then(|()| io::stdout().flush()),
        Stream::Stderr => io::stderr().write_all(&safe(err_seen)),
    };
}

fn runner(arguments: &Arguments) -> Result<Box<dyn Runner>, Failure> {
    if arguments.no_sandbox {
        return Ok(Box::new(Unconfined::default()));
    }
    let sandbox = Sandbox::this_program().map_err(|error| Failure::new(error.to_string()))?;
    let confinement = if arguments.best_effort {
        Confinement::BestEffort
    } else {
        Confinement::Required
    };
    Ok(Box::new(sandbox.confinement(confinement)))
}

/// Asks the person at the terminal, unless exactly these files were approved before.
fn confirm(
    arguments: &Arguments,
    policy: RunPolicy,
    skill: &Skill,
    staged: &Staged,
    described: &[String],
    session: &mut Session,
) -> Result<(), Failure> {
    let store = trust::read(&session.environment)?;
    let approved = staged.is_approved(skill, &store);
    let widened = arguments.no_sandbox || !arguments.grant.is_empty();
    if arguments.yes || (policy == RunPolicy::Trusted && approved && !widened) {
        return Ok(());
    }
    for line in described {
        session.output.message(&format!(
            "  {}
",
            display_text(line)
        ));
    }
    if !asked("run it?", session)? {
        return Err(Failure::new("nothing was run"));
    }
    if policy == RunPolicy::Trusted && !approved {
        // Read again under the lock: the person may have taken a while.
        let _turn = trust::turn(&session.environment)?;
        let mut store = trust::read(&session.environment)?;
        staged.approve(skill, &mut store);
        trust::write(&store, &session.environment)?;
    }
    Ok(())
}

fn report(arguments: &Arguments, ran: &RunRecord, session: &mut Session) -> Result<(), Failure> {
    if arguments.json {
        return Ok(session.output.json(ran)?);
    }
    let seconds = arguments.timeout;
    match &ran.stop {
        Stop::TimedOut => session.output.warning(&format!(
            "it ran longer than {seconds} s and was killed; `--timeout` gives it more"
        )),
        Stop::WorkFolderFull => session
            .output
            .warning("its work folder grew too large and it was killed"),
        _ => {}
    }
    for grant in ran.grants().iter().take(3) {
        session.output.hint(&format!(
            "it was refused something that `--grant {grant}` would allow"
        ));
    }
    if let Some(work) = &ran.work {
        session
            .output
            .message(&format!("note: its work folder is `{}`\n", work.display()));
    }
    Ok(())
}

fn explain(error: &RunError, staged: &Staged, search: &Search) -> Failure {
    let failure = Failure::new(error.to_string()).because_of(error);
    match error {
        RunError::NotInside { script, .. } => {
            let scripts = staged.scripts(search);
            let step = match scripts.len() {
                0 => "it has no file that a known interpreter runs".to_owned(),
                1..=8 => format!("it has {}", list_of(&scripts)),
                many => format!("`prowess run NAME` lists its {many} scripts"),
            };
            Failure::no_match(format!("the skill has no script `{}`", script.display())).hint(step)
        }
        RunError::NoSandbox { .. } => failure
            .hint("`--best-effort` goes on with what this machine has, `--no-sandbox` without any confinement"),
        _ => failure,
    }
}
