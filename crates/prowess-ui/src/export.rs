//! The page without a server: every answer it needs, written beside it.

use serde_json::{Value, json};

use crate::{
    assets::{EXPORT_POLICY, EXPORT_SCRIPT, FILES, INDEX},
    question::{Engine, Fault, Question},
};

/// The most pairs of rivals an export holds.
const MOST_PAIRS: usize = 500;

/// Gives the files of a static site, name and text, one after the other: the page, what it says
/// about all skills (`data.js`), and a file for each skill below `data/`. `made` is the time in
/// Unix seconds, `commit` the revision the skills are from.
pub fn export<'e>(
    engine: &'e dyn Engine,
    made: u64,
    commit: Option<&str>,
) -> Result<impl Iterator<Item = Result<(String, String), Fault>> + 'e, Fault> {
    let ask = move |question: Question| -> Result<Value, Fault> {
        let text = engine.answer(&question)?;
        serde_json::from_str(&text).map_err(|error| Fault::failed(error.to_string()))
    };
    let mut about = ask(Question::About {})?;
    about["read_only"] = Value::from(true);
    // Where it was made on somebody's machine is nobody else's concern.
    about["folder"] = Value::Null;
    let list = ask(Question::List {
        first: None,
        client: None,
    })?;
    let skills = list["skills"].as_array().into_iter().flatten();
    let paths: Vec<String> = skills
        .filter_map(|skill| Some(skill["path"].as_str()?.to_owned()))
        .collect();
    let top = Some(MOST_PAIRS);
    let data = json!({
        "made": made,
        "commit": commit,
        "skills": {},
        "answers": {
            "about": about,
            "list": list,
            "findings": ask(Question::Findings {})?,
            "rivals": ask(Question::Rivals { top })?,
            "eval": ask(Question::Eval {})?,
        },
    });
    let page = INDEX
        .replace(
            "<title>",
            &format!(
                "<meta http-equiv=\"Content-Security-Policy\" content=\"{EXPORT_POLICY}\">\n<title>"
            ),
        )
        .replace(
            "<script src=\"dom.js\"",
            "<script src=\"data.js\" defer></script>\n<script src=\"export.js\" defer></script>\n<script src=\"dom.js\"",
        );
    let whole = [
        ("index.html".to_owned(), page),
        ("export.js".to_owned(), EXPORT_SCRIPT.to_owned()),
        ("data.js".to_owned(), script("var EXPORTED =", &data)),
    ];
    let assets = FILES.iter();
    let assets = assets.map(|(name, _, text)| ((*name).to_owned(), (*text).to_owned()));
    let skills = paths.into_iter().enumerate().map(move |(at, path)| {
        let mut answers = serde_json::Map::new();
        for (name, question) in [
            ("show", Question::Show { path: path.clone() }),
            ("text", Question::Text { path: path.clone() }),
            ("check", Question::Check { path: path.clone() }),
            ("why", Question::Why { path: path.clone() }),
        ] {
            // A skill that went meanwhile, or lies elsewhere, lacks an answer and no more.
            if let Ok(answer) = ask(question) {
                answers.insert(name.to_owned(), answer);
            }
        }
        let text = script(&format!("EXPORTED.skills[{at}] ="), &Value::from(answers));
        Ok((format!("data/{at}.js"), text))
    });
    Ok(whole.into_iter().chain(assets).map(Ok).chain(skills))
}

/// A value as a script. It is parsed as JSON, because a key of an object that is written as code
/// may mean something else (`__proto__`).
fn script(assign: &str, value: &Value) -> String {
    let json = value.to_string();
    format!("{assign} JSON.parse({});\n", Value::from(json))
}
