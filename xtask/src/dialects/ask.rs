//! How each client is asked, and what of its answer counts.

use std::{
    ffi::OsStr,
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::{layout::Tree, model::Model};

/// Asks one client for its list.
pub(crate) type Ask = fn(&Asked<'_>) -> Result<Vec<Listed>>;

/// What a client is asked with.
pub(crate) struct Asked<'a> {
    pub(crate) program: &'a Path,
    /// The folder of the Node that runs it.
    pub(crate) node: &'a Path,
    pub(crate) tree: &'a Tree,
}

/// A skill as a client lists it.
#[derive(Debug)]
pub(crate) struct Listed {
    name: String,
    description: String,
    /// The file or its folder, where the client says so.
    path: Option<PathBuf>,
}

impl Listed {
    /// Whether this is the skill of a case.
    pub(crate) fn is_about(&self, case: &str, subject: &Path) -> bool {
        let base = case.split('@').next().unwrap_or(case);
        let folder = subject.parent().unwrap_or(subject);
        let Some(path) = &self.path else {
            let mark = format!("mk-{base}");
            let marked = self
                .description
                .split(|it: char| !(it.is_alphanumeric() || it == '-'));
            let said = marked.into_iter().any(|word| word == mark);
            let named = folder.file_name() == Some(OsStr::new(&self.name));
            return said || named && !self.description.contains("mk-");
        };
        let real = |path: &Path| path.canonicalize().ok();
        path == subject
            || path == folder
            || real(path).is_some_and(|it| Some(&it) == real(subject).as_ref())
            || subject.exists() && real(path).is_some_and(|it| Some(&it) == real(folder).as_ref())
    }

    /// Name and start of the description, as they are stored.
    pub(crate) fn cell(&self) -> String {
        let words: Vec<&str> = self.description.split_whitespace().collect();
        let text: String = words.join(" ").chars().take(60).collect();
        format!("{} | {text}", self.name)
    }
}

impl Asked<'_> {
    /// The program with an environment of its own: nothing of ours reaches it.
    fn command(&self) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("timeout");
        command
            .arg("180")
            .arg(self.program)
            .env_clear()
            .env("PATH", format!("{}:{path}", self.node.display()))
            .env("HOME", &self.tree.home)
            .env("LANG", "C.UTF-8")
            .current_dir(&self.tree.project)
            .stdin(Stdio::null());
        command
    }

    /// Standard output of the program with these words.
    fn output(&self, words: &[&str]) -> Result<String> {
        let output = self.command().args(words).output()?;
        Ok(plain(&String::from_utf8_lossy(&output.stdout)))
    }
}

/// A text without the colours of a terminal.
fn plain(text: &str) -> String {
    let mut shown = String::new();
    let mut parts = text.split("\u{1b}[");
    shown.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find(|it: char| it.is_ascii_alphabetic());
        shown.push_str(end.map_or(part, |end| &part[end + 1..]));
    }
    shown
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The skills of a JSON list, by the keys of their fields.
fn from_json(list: &Value, path: &str) -> Vec<Listed> {
    let skills = list.as_array().map(Vec::as_slice).unwrap_or_default();
    skills
        .iter()
        .map(|skill| Listed {
            name: text(&skill["name"]),
            description: text(&skill["description"]),
            path: skill[path].as_str().map(PathBuf::from),
        })
        .collect()
}

pub(crate) fn codex(asked: &Asked<'_>) -> Result<Vec<Listed>> {
    let mut child = asked
        .command()
        .arg("app-server")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut input = child.stdin.take().context("a pipe")?;
    let mut send = |message: &Value| writeln!(input, "{message}");
    let about = json!({"name": "dialects", "title": "dialects", "version": "0"});
    send(&json!({"id": 0, "method": "initialize", "params": {"clientInfo": about}}))?;
    let lines = BufReader::new(child.stdout.take().context("a pipe")?).lines();
    let mut listed = Vec::new();
    for line in lines.map_while(Result::ok) {
        let message: Value = serde_json::from_str(&line).unwrap_or_default();
        if message["id"] == 0 {
            send(&json!({"method": "initialized"}))?;
            let params = json!({"cwds": [asked.tree.project], "forceReload": true});
            send(&json!({"id": 1, "method": "skills/list", "params": params}))?;
        } else if message["id"] == 1 {
            for folder in message["result"]["data"].as_array().into_iter().flatten() {
                listed.extend(from_json(&folder["skills"], "path"));
            }
            break;
        }
    }
    child.kill()?;
    child.wait()?;
    Ok(listed)
}

pub(crate) fn opencode(asked: &Asked<'_>) -> Result<Vec<Listed>> {
    let list = serde_json::from_str(&asked.output(&["debug", "skill"])?)?;
    Ok(from_json(&list, "location"))
}

pub(crate) fn copilot(asked: &Asked<'_>) -> Result<Vec<Listed>> {
    let list: Value = serde_json::from_str(&asked.output(&["skill", "list", "--json"])?)?;
    Ok(from_json(&list, "path"))
}

pub(crate) fn goose(asked: &Asked<'_>) -> Result<Vec<Listed>> {
    let list = asked.output(&["skills", "list"])?;
    let mut listed = Vec::new();
    let mut row = String::new();
    for line in list.lines().skip(1) {
        row = if row.is_empty() {
            line.to_owned()
        } else {
            // A name may hold a line break.
            format!("{row}\n{line}")
        };
        // A description may hold the bar that separates the columns.
        let cells: Vec<&str> = row.split(" | ").map(str::trim).collect();
        if let [name, description @ .., _, _, path] = cells.as_slice() {
            listed.push(Listed {
                name: (*name).to_owned(),
                description: description.join(" | "),
                path: Some(PathBuf::from(path)),
            });
            row.clear();
        }
    }
    Ok(listed)
}

pub(crate) fn gemini(asked: &Asked<'_>) -> Result<Vec<Listed>> {
    let settings = asked.tree.home.join(".gemini");
    fs::create_dir_all(&settings)?;
    let trusted = json!({asked.tree.project.display().to_string(): "TRUST_FOLDER"});
    fs::write(settings.join("trustedFolders.json"), trusted.to_string())?;
    let list = asked.output(&["skills", "list", "--all"])?;
    let mut listed = Vec::new();
    let mut name: Option<String> = None;
    // What stands between a location and the next one: a name may hold a line break.
    let mut description = String::new();
    for line in list.lines() {
        if let Some((before, _)) = line.split_once(" [Enabled]") {
            let written = format!("{}\n{before}", std::mem::take(&mut description));
            name = Some(written.trim().to_owned());
        } else if let Some(text) = line.strip_prefix("  Description: ") {
            text.clone_into(&mut description);
        } else if let Some(path) = line.strip_prefix("  Location:    ") {
            listed.push(Listed {
                name: name.take().unwrap_or_default(),
                description: std::mem::take(&mut description),
                path: Some(PathBuf::from(path)),
            });
        } else if line.is_empty() && name.is_none() {
            description.clear();
        } else {
            description = format!("{description} {line}");
        }
    }
    Ok(listed)
}

pub(crate) fn claude(asked: &Asked<'_>) -> Result<Vec<Listed>> {
    let model = Model::start()?;
    let output = asked
        .command()
        .args(["-p", "hi", "--output-format", "stream-json", "--verbose"])
        .env("ANTHROPIC_BASE_URL", &model.url)
        .env("ANTHROPIC_API_KEY", "none")
        .env("DISABLE_TELEMETRY", "1")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_AUTOUPDATER", "1")
        .env("IS_SANDBOX", "1")
        // Room for every description: the cases are about reading, not about the list's bound.
        .env("SLASH_COMMAND_TOOL_CHAR_BUDGET", "1000000")
        .output()?;
    let texts = model.texts();
    let start = "skills are available for use with the Skill tool";
    let list = texts.iter().rev().find_map(|text| text.split_once(start));
    let (_, list) = list.context("no request with a list of skills")?;
    let mut listed = Vec::new();
    for line in list.lines() {
        let Some((name, description)) =
            (line.strip_prefix("- ")).and_then(|it| it.split_once(": "))
        else {
            continue;
        };
        // `folder (name)` where the two differ.
        let name = name.split_once(" (").map_or(name, |(folder, _)| folder);
        listed.push(Listed {
            name: name.to_owned(),
            description: description.to_owned(),
            path: None,
        });
    }
    // What the user can call and the model is not told about.
    let first = String::from_utf8_lossy(&output.stdout);
    let start: Value = serde_json::from_str(first.lines().next().unwrap_or("{}"))?;
    for name in start["slash_commands"].as_array().into_iter().flatten() {
        let name = text(name);
        if !listed.iter().any(|it| it.name == name) {
            listed.push(Listed {
                name,
                description: "(only by name)".to_owned(),
                path: None,
            });
        }
    }
    Ok(listed)
}

pub(crate) fn qwen(asked: &Asked<'_>) -> Result<Vec<Listed>> {
    let model = Model::start()?;
    asked
        .command()
        .args(["--yolo", "-p", "hi"])
        .env("OPENAI_API_KEY", "none")
        .env("OPENAI_BASE_URL", format!("{}/v1", model.url))
        .env("OPENAI_MODEL", "none")
        .output()?;
    let texts = model.texts();
    let list = texts
        .iter()
        .rev()
        .find(|text| text.contains("<available_skills>") && text.contains("</skill>"));
    let list = list.context("no request with a list of skills")?;
    let skills = list.split("<skill>").skip(1).filter_map(|skill| {
        let field = |name: &str| {
            let (_, rest) = skill.split_once(&format!("<{name}>\n"))?;
            let (value, _) = rest.split_once(&format!("\n</{name}>"))?;
            Some(unescaped(value))
        };
        let location = field("location")?;
        let description = field("description")?.replacen(&format!(" ({location})"), "", 1);
        Some(Listed {
            name: field("name")?,
            description,
            path: None,
        })
    });
    Ok(skills.collect())
}

fn unescaped(text: &str) -> String {
    [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}
