//! `prowess config`: what is set, and where each value came from.

use clap::Args;
use prowess::{Budget, budget::Unit, display_path};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    config::{LIMITS, Named, SetBy},
    exit::{Exit, Failure},
    render::{Paint, Table, line},
    session::Session,
};

/// Show the settings in effect and where each came from
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `config --json` prints.
#[derive(Debug, Serialize)]
struct Output {
    files: Vec<String>,
    settings: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    key: String,
    value: Value,
    from: String,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let rows = rows(session);
    let files: Vec<String> = session
        .config
        .files
        .iter()
        .map(|path| display_path(path))
        .collect();
    if arguments.json {
        session.output.json(&Output {
            files,
            settings: rows,
        })?;
        return Ok(Exit::Fine);
    }
    let mut table = Table::new(&["SETTING", "FROM", "VALUE"]);
    for row in rows {
        let ink = if row.from == "default" {
            Paint::faint
        } else {
            Paint::strong
        };
        table.row(vec![
            (row.key, Some(ink)),
            (row.from, None),
            (line(&row.value.to_string()), None),
        ]);
    }
    // A value that is cut cannot be copied.
    let text = table.render(session.output.paint, usize::MAX);
    session.output.data(&text)?;
    session.output.finish()?;
    if files.is_empty() {
        let place = session.environment.config_folder();
        let place = place.map_or_else(String::new, |folder| {
            let path = session.environment.shorten(&folder.join("config.toml"));
            format!(" and yours in `{path}`")
        });
        session
            .output
            .hint(&format!("a project is configured in `prowess.toml`{place}"));
    }
    Ok(Exit::Fine)
}

/// A budget as a config writes it.
fn budget_value(budget: Budget) -> Value {
    match budget.unit {
        Unit::Characters => json!(budget.amount),
        Unit::Tokens => json!(budget.to_string()),
    }
}

fn cache_row(session: &Session) -> Row {
    let (setting, off) = (&session.config.cache, session.options.no_cache);
    let flag = off.then(|| "--no-cache".to_owned());
    Row {
        key: "cache.enabled".to_owned(),
        value: json!(setting.value && !off),
        from: flag.unwrap_or_else(|| setting.by.shown(&session.environment)),
    }
}

fn rows(session: &Session) -> Vec<Row> {
    let (config, options) = (&session.config, &session.options);
    let row = |key: &str, value: Value, by: &SetBy, flag: Option<&str>| Row {
        key: key.to_owned(),
        value,
        from: flag.map_or_else(|| by.shown(&session.environment), str::to_owned),
    };
    let off = options.no_skills.then_some("--no-skills");
    let client = options.client.as_ref();
    let mut rows = vec![
        row(
            "skills.enabled",
            json!(session.places().skills_enabled()),
            &config.enabled.by,
            off,
        ),
        row(
            "skills.allowed",
            json!(config.allowed.value),
            &config.allowed.by,
            None,
        ),
        row(
            "sources.client",
            json!(client.or(config.client.value.as_ref())),
            &config.client.by,
            client.map(|_| "--client"),
        ),
        row(
            "sources.conventions",
            json!(session.places().conventions()),
            &config.conventions.by,
            options.conventions.then_some("--conventions"),
        ),
        row(
            "select.ranker",
            json!(config.ranker.value.name()),
            &config.ranker.by,
            None,
        ),
        row(
            "prompt.budget",
            json!(config.budget.value.map(budget_value)),
            &config.budget.by,
            None,
        ),
        row(
            "run.policy",
            json!(config.run.value.as_str()),
            &config.run.by,
            None,
        ),
    ];
    rows.push(cache_row(session));
    for (name, decided) in &config.overrides {
        let key = format!("skills.overrides.{}", line(name));
        rows.push(row(&key, json!(decided.value.as_str()), &decided.by, None));
    }
    for (name, decided) in &config.run_skills {
        let key = format!("run.skills.{}", line(name));
        rows.push(row(&key, json!(decided.value.as_str()), &decided.by, None));
    }
    for (key, (get, _)) in LIMITS {
        let value = get(&config.limits);
        let set = config.limits_set.get(key).cloned();
        let by = set.unwrap_or_default();
        rows.push(row(&format!("limits.{key}"), json!(value), &by, None));
    }
    let named: [(&str, &[Named]); 4] = [
        ("sources.dirs", &config.dirs),
        ("sources.catalogs", &config.catalogs),
        ("sources.links", &config.links),
        ("trust.projects", &config.trusted),
    ];
    // Which config named it is not kept: only the user's own can.
    for hash in &config.hidden {
        let from = config.files.first().cloned();
        let from = from.map_or(SetBy::Default, SetBy::User);
        rows.push(row("trust.hidden", json!(hash.to_string()), &from, None));
    }
    for (key, all) in named {
        for one in all {
            let value = json!(display_path(&one.path));
            rows.push(row(key, value, &SetBy::User(one.from.clone()), None));
        }
    }
    for named in &config.servers {
        let server = &named.server;
        let value = json!({
            "place": server.transport.place(),
            "enabled": server.enabled,
            "timeout": server.timeout.as_secs_f32(),
        });
        let key = format!("servers.{}", server.label);
        rows.push(row(&key, value, &SetBy::User(named.from.clone()), None));
    }
    rows
}
