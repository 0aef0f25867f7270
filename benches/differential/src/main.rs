//! Loads `ROOT/.skills` with one engine and prints what it has to say as JSON.
//!
//! `cargo xtask differential` builds this program and starts it once for each engine and fault:
//! `differential load ENGINE ROOT`, `differential read ENGINE ROOT PATH`.

use std::path::Path;

use prowess::{Catalog, Content, Limits, Skill};
use serde_json::json;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let answer = match arguments[..] {
        ["load", engine, root] => {
            let (loaded, told) = load(engine, Path::new(root));
            json!({ "loaded": loaded, "told": told })
        }
        ["read", engine, root, path] => json!({ "read": read(engine, Path::new(root), path) }),
        _ => panic!("usage: differential load|read prowess|adk-skill|agent-skills ROOT [PATH]"),
    };
    println!("{answer}");
}

/// The names that can be used, and everything the engine says about those that can not.
fn load(engine: &str, root: &Path) -> (Vec<String>, Vec<String>) {
    match engine {
        "prowess" => {
            let catalog = Catalog::from_dirs([root.join(".skills")]);
            let loaded = catalog.model_visible().map(|skill| skill.name().to_owned());
            let of_skills = catalog.skills().iter().flat_map(Skill::diagnostics);
            let of_others = catalog.findings().iter().map(|finding| &finding.diagnostic);
            let told = of_skills.chain(of_others).map(|it| it.message.clone());
            (loaded.collect(), told.collect())
        }
        "adk-skill" => match adk_skill::load_skill_index(root) {
            Ok(index) => {
                let names = index.skills().iter().map(|skill| skill.name.clone());
                (names.collect(), Vec::new())
            }
            Err(error) => (Vec::new(), vec![error.to_string()]),
        },
        "agent-skills" => {
            // The crate loads one folder at a time; its user finds the folders.
            let (mut loaded, mut told) = (Vec::new(), Vec::new());
            let entries = std::fs::read_dir(root.join(".skills")).expect("the folder is there");
            for entry in entries.flatten().filter(|entry| entry.path().is_dir()) {
                match agent_skills::SkillDirectory::load(entry.path()) {
                    Ok(found) => loaded.push(found.skill().name().as_str().to_owned()),
                    Err(error) => told.push(error.to_string()),
                }
            }
            (loaded, told)
        }
        _ => panic!("no engine named `{engine}`"),
    }
}

/// What a read of a resource of the skill `good` gives.
fn read(engine: &str, root: &Path, path: &str) -> Option<String> {
    match engine {
        "prowess" => {
            let catalog = Catalog::from_dirs([root.join(".skills")]);
            let skill = catalog.get("good")?;
            let path = format!("references/{path}");
            match skill
                .read_resource(&path, 0, &Limits::default())
                .ok()?
                .content
            {
                Content::Text(text) => Some(text),
                Content::Base64(_) => None,
            }
        }
        "agent-skills" => {
            let found = agent_skills::SkillDirectory::load(root.join(".skills/good")).ok()?;
            found.read_reference(path).ok()
        }
        // Its resources are read by a tool that needs a running agent.
        _ => None,
    }
}
