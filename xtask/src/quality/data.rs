//! The labelled requests and the skills they are meant for.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
};

use serde::Deserialize;

/// A skill, as the data holds it.
#[derive(Deserialize)]
pub(crate) struct Skill {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) tags: Vec<String>,
    pub(crate) body: String,
}

/// A labelled request.
#[derive(Deserialize)]
pub(crate) struct Query {
    #[serde(rename = "query")]
    pub(crate) text: String,
    pub(crate) group: String,
    pub(crate) source: String,
    pub(crate) kind: String,
    pub(crate) lang: String,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    #[serde(rename = "gold")]
    gold_ids: Vec<Vec<String>>,
    neg_of: Option<String>,
    /// Classes of right skills; any member of a class is right.
    #[serde(skip)]
    pub(crate) gold: Vec<Vec<u32>>,
    /// The skill a near miss must not fire.
    #[serde(skip)]
    pub(crate) not: Option<u32>,
}

impl Query {
    /// Whether it is one of the natural requests that make the headline.
    pub(crate) fn is_natural(&self) -> bool {
        matches!(
            &*self.kind,
            "eval-prompt" | "trigger-pos" | "keywords" | "task-long" | "multi"
        )
    }

    /// The source, with collections joined as the data's own score does.
    pub(crate) fn source(&self) -> &str {
        ["clawhub", "mirror", "collection"]
            .into_iter()
            .find(|prefix| {
                self.source
                    .strip_prefix(prefix)
                    .is_some_and(|rest| rest.starts_with('-'))
            })
            .unwrap_or(&self.source)
    }
}

/// Everything `quality` reads.
pub(crate) struct Data {
    pub(crate) size: String,
    pub(crate) skills_file: PathBuf,
    pub(crate) skills: Vec<Skill>,
    pub(crate) queries: Vec<Query>,
    /// Skills of each group's catalog, in the order of names and ids.
    pub(crate) catalogs: BTreeMap<String, Vec<u32>>,
}

#[expect(clippy::disallowed_methods, reason = "a chore reads its own data")]
fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a chore reads its own environment"
)]
pub(crate) fn shared() -> PathBuf {
    // Beside the repository.
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    std::env::var_os("PROWESS_SHARED").map_or(beside, PathBuf::from)
}

impl Data {
    /// Reads the data; `None` where it is not there.
    pub(crate) fn load(place_given: Option<PathBuf>, size: &str) -> Option<Self> {
        let place = place_given.unwrap_or_else(|| shared().join("data/selection"));
        let skills_file = place.join("skills.jsonl");
        let skills: Vec<Skill> = lines(&read(&skills_file)?);
        let mut queries: Vec<Query> = lines(&read(&place.join("queries.jsonl"))?);
        let groups: BTreeMap<String, BTreeMap<String, Vec<String>>> =
            serde_json::from_str(&read(&place.join("catalogs.json"))?).expect("catalogs.json");
        let numbers: HashMap<&str, u32> = skills
            .iter()
            .enumerate()
            .map(|(number, skill)| (&*skill.id, number as u32))
            .collect();
        for query in &mut queries {
            let number = |id: &String| numbers.get(&**id).copied();
            query.gold = query
                .gold_ids
                .iter()
                .map(|class| class.iter().filter_map(number).collect())
                .collect();
            query.not = query.neg_of.as_ref().and_then(number);
        }
        let catalogs = groups
            .into_iter()
            .map(|(group, mut sizes)| {
                let ids = sizes
                    .remove(size)
                    .unwrap_or_else(|| panic!("no catalog named `{size}`"));
                let mut ids: Vec<u32> = ids.iter().map(|id| numbers[&**id]).collect();
                ids.sort_by_key(|id| (&skills[*id as usize].name, &skills[*id as usize].id));
                (group, ids)
            })
            .collect();
        Some(Self {
            size: size.to_owned(),
            skills_file,
            skills,
            queries,
            catalogs,
        })
    }
}

impl Data {
    /// The same requests put to a fifth of each catalog: the fifth with the right skill, if
    /// there is one, so that small catalogs are known as well.
    pub(crate) fn in_twenties(mut self) -> Self {
        const PARTS: u32 = 5;
        let mut catalogs = BTreeMap::new();
        for (group, ids) in &self.catalogs {
            for part in 0..PARTS {
                // Neighbours by name are often alike, so they stay together.
                let size = ids.len().div_ceil(PARTS as usize);
                let own = ids.iter().skip(part as usize * size).take(size);
                catalogs.insert(
                    format!("{group}/{part}"),
                    own.copied().collect::<Vec<u32>>(),
                );
            }
        }
        for (number, query) in self.queries.iter_mut().enumerate() {
            let holds = |part: &u32| {
                let ids = &catalogs[&format!("{}/{part}", query.group)];
                query.gold.iter().flatten().any(|id| ids.contains(id))
            };
            let part = (0..PARTS).find(holds).unwrap_or(number as u32 % PARTS);
            query.group = format!("{}/{part}", query.group);
        }
        self.catalogs = catalogs;
        "c20".clone_into(&mut self.size);
        self
    }
}

fn lines<T: for<'de> Deserialize<'de>>(text: &str) -> Vec<T> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
        .collect()
}
