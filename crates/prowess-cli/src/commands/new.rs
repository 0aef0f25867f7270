//! `prowess new`: a skill folder that passes `check`.

use std::{
    io::{self, BufRead as _},
    path::Path,
};

use clap::{Args, ValueEnum};
use prowess::format::{Folder, FolderFile, Profile, Severity, SkillName, judge, parse};

use crate::{
    exit::{Exit, Failure},
    files,
    session::Session,
    write::{NewFile, create_folder},
};

/// Make a new skill: a folder with a `SKILL.md` to fill in
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The skill's name: lower-case letters, digits and single hyphens
    name: String,
    /// What the skill does and when to use it; asked for on a terminal when left out
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// What the skill brings along
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    template: Template,
}

/// What a new skill brings along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Template {
    /// Instructions only.
    #[default]
    Plain,
    /// A script the instructions run.
    Script,
    /// A page the instructions point to.
    Reference,
}

/// Where skills go when no folder is named; most clients look there.
const HOME_OF_SKILLS: &str = ".agents/skills";

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> Result<Exit, Failure> {
    let name = name(&arguments.name)?;
    let (base, below) = parent(session);
    let (base, folder) = (base.to_path_buf(), base.join(below).join(&*name));
    if files::is_there(&folder) {
        let shown = session.environment.shorten(&folder);
        return Err(
            Failure::new(format!("`{shown}` is there already and stays as it is"))
                .hint("take another name, or look at it with `prowess show`"),
        );
    }
    let description = description(arguments, session)?;
    let text = skill_text(&name, &description, arguments.template);
    let contents = contents(&text, arguments.template);
    create_folder(&base, below, &name, &contents)?;
    let own = own_folder(&name, &contents);
    let file = folder.join("SKILL.md");
    let shown = session.environment.shorten(&file);
    session.output.data(&format!("{shown}\n"))?;
    session.output.finish()?;
    let findings = judge(&text, "SKILL.md", Some(&own), Profile::Standard).diagnostics;
    for diagnostic in findings.iter().filter(|it| it.severity != Severity::Hint) {
        session.output.diagnostic(diagnostic, &shown, Some(&text));
    }
    session.output.hint(&format!(
        "fill in the steps, then `prowess check {}`",
        session.environment.shorten(&folder)
    ));
    Ok(Exit::Fine)
}

/// The folder as the rules see it.
fn own_folder(name: &str, contents: &[NewFile]) -> Folder {
    Folder {
        name: name.to_owned(),
        files: contents
            .iter()
            .map(|file| FolderFile {
                path: file.path.to_owned(),
                executable: Some(file.run),
                size: file.text.len() as u64,
                script: None,
            })
            .collect(),
    }
}

fn name(text: &str) -> Result<SkillName, Failure> {
    SkillName::new(text).map_err(|fault| {
        let failure = Failure::usage(format!("`{text}` is not a skill name: {fault}"));
        match SkillName::nearest(text) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure.hint("use lower-case letters, digits and single hyphens"),
        }
    })
}

/// Where the skill goes: into what `--dir` names, else below the working directory, where clients
/// look.
fn parent(session: &Session) -> (&Path, &'static Path) {
    if let Some(dir) = session.options.dir.last() {
        return (dir, Path::new(""));
    }
    let here = session.places().start();
    // Whoever stands in a folder of skills means this one.
    if here.file_name().is_some_and(|name| name == "skills") {
        return (here, Path::new(""));
    }
    (here, Path::new(HOME_OF_SKILLS))
}

fn description(arguments: &Arguments, session: &mut Session) -> Result<String, Failure> {
    let text = match &arguments.description {
        Some(text) => text.clone(),
        None if session.environment.stdin_terminal => {
            session
                .output
                .message("What does the skill do, and when should it be used?\n> ");
            let mut line = String::new();
            io::stdin()
                .lock()
                .read_line(&mut line)
                .map_err(|error| Failure::new("cannot read the description").because(&error))?;
            line
        }
        None => {
            return Err(Failure::usage("a skill needs a description")
                .hint("add `--description \"What it does. Use when …\"`"));
        }
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return Err(Failure::usage("the description is empty")
            .hint("say what the skill does and when to use it"));
    }
    Ok(text)
}

fn skill_text(name: &str, description: &str, template: Template) -> String {
    let more = match template {
        Template::Plain => "",
        Template::Script => {
            "\n## Script\n\nRun `scripts/run.sh` from the skill's folder; it prints what it did.\n"
        }
        Template::Reference => {
            "\n## Background\n\nRead [the notes](references/notes.md) when a step needs more detail.\n"
        }
    };
    format!(
        "---\nname: {name}\ndescription: {}\n---\n\n# {}\n\n## Steps\n\n1. Look at what was asked and at what is there.\n2. Do the work, one step at a time.\n3. Check the result before you report it.\n{more}",
        scalar(description),
        title(name),
    )
}

/// The description as YAML: plain where that reads back the same, quoted otherwise.
fn scalar(text: &str) -> String {
    let trial = format!("---\nname: x\ndescription: {text}\n---\nx\n");
    let parsed = parse(trial.as_bytes(), Profile::Strict);
    if parsed.diagnostics.is_empty() && parsed.document.description() == Some(text) {
        return text.to_owned();
    }
    // A JSON string is a YAML string.
    serde_json::Value::from(text).to_string()
}

fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Every file of the new skill.
fn contents(text: &str, template: Template) -> Vec<NewFile> {
    let file = |path, text: &str, run| NewFile {
        path,
        text: text.to_owned(),
        run,
    };
    let extra = match template {
        Template::Plain => None,
        Template::Script => Some(file(
            "scripts/run.sh",
            "#!/bin/sh\n# Say what the script does, and fail loudly.\nset -eu\necho \"nothing to do yet\"\n",
            true,
        )),
        Template::Reference => Some(file(
            "references/notes.md",
            "# Notes\n\nWhat the instructions need only now and then goes here.\n",
            false,
        )),
    };
    let own = file("SKILL.md", text, false);
    std::iter::once(own).chain(extra).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_description_reads_back() {
        for text in [
            "Fills forms. Use when a form is open.",
            "Reads: and writes. Use when: asked",
            "\"quoted\" # not a comment",
            "no",
            "@mention [list] {map} 'it''s' \\ back",
            "größe 日本 🛠",
        ] {
            let skill = skill_text("pdf", text, Template::Plain);
            let parsed = parse(skill.as_bytes(), Profile::Strict);
            assert_eq!(parsed.document.description(), Some(text));
            assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
        }
    }

    #[test]
    fn every_template_is_without_fault() {
        for template in [Template::Plain, Template::Script, Template::Reference] {
            let text = skill_text(
                "pdf-forms",
                "Fills forms. Use when a form is open.",
                template,
            );
            let contents = contents(&text, template);
            let own = own_folder("pdf-forms", &contents);
            let found = judge(&text, "SKILL.md", Some(&own), Profile::Strict).diagnostics;
            assert!(found.is_empty(), "{found:?}");
        }
    }
}
