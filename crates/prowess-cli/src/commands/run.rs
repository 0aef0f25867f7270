//! `prowess run`: one script of a skill, in a sandbox.

use std::{
    io::{self, Write as _},
    path::PathBuf,
    time::Duration,
};

use clap::Args;
use prowess::{
    Skill, display_text,
    run::{
        Answer, Confinement, Grant, Input, Request, Run, RunError, RunPolicy, Runner, Sandbox,
        Search, Staged, Stop, Stream, Unconfined, WorkFolder,
    },
};
use serde_json::json;

use super::{approve::asked, prompt::must_be_trusted};
use crate::{
    exit::{Exit, Failure},
    find::find,
    places,
    render::{list as list_of, safe_lines},
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
    let policy = session.config.run.value;
    if policy == RunPolicy::Never {
        let by = session.config.run.by.shown(&session.environment);
        return Err(Failure::new(format!(
            "scripts do not run here: `[run] policy` is `never` ({by})"
        ))
        .hint("your own config can say `ask` or `trusted`; a project can only narrow it"));
    }
    let catalog = session.load(&places::Request::default())?;
    let skill = find(&catalog, &arguments.name)?;
    must_be_trusted(skill)?;
    let staged = Staged::new(skill, &session.config.limits)
        .map_err(|error| Failure::new(error.to_string()).because_of(&error))?;
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
    let answer = runner
        .start(request)
        .and_then(Run::wait)
        .map_err(|error| explain(&error, &staged, &search))?;
    report(arguments, skill, &staged, &answer, session)?;
    Ok(Exit::Script(
        u8::try_from(answer.shell_code()).unwrap_or(u8::MAX),
    ))
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
        store
            .approve(skill, &session.config.limits)
            .map_err(|error| Failure::new("cannot remember that").because(&error))?;
        trust::write(&store, &session.environment)?;
    }
    Ok(())
}

fn report(
    arguments: &Arguments,
    skill: &Skill,
    staged: &Staged,
    answer: &Answer,
    session: &mut Session,
) -> Result<(), Failure> {
    if arguments.json {
        return Ok(session.output.json(&json!({
            "skill": skill.name(),
            "seal": staged.seal().hash().to_string(),
            "stop": answer.stop,
            "code": answer.shell_code(),
            "stdout": String::from_utf8_lossy(&answer.stdout),
            "stderr": String::from_utf8_lossy(&answer.stderr),
            "dropped": { "stdout": answer.dropped.0, "stderr": answer.dropped.1 },
            "milliseconds": answer.time.as_millis(),
            "denied": answer.denied,
            "work": answer.work,
            "confinement": answer.confinement,
        }))?);
    }
    let seconds = arguments.timeout;
    match &answer.stop {
        Stop::TimedOut => session.output.warning(&format!(
            "it ran longer than {seconds} s and was killed; `--timeout` gives it more"
        )),
        Stop::WorkFolderFull => session
            .output
            .warning("its work folder grew too large and it was killed"),
        _ => {}
    }
    let mut grants: Vec<&str> = answer
        .denied
        .iter()
        .filter_map(|denial| denial.grant.as_deref())
        .collect();
    grants.dedup();
    for grant in grants.iter().take(3) {
        session.output.hint(&format!(
            "it was refused something that `--grant {grant}` would allow"
        ));
    }
    if let Some(work) = &answer.work {
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
