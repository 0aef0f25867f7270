//! What is served from one snapshot: which skills have which address, and who may see them.

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hasher as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use prowess::{Catalog, Skill, ToolOptions};
use rmcp::model::{Prompt, Tool};

use super::{
    prompts,
    refusal::{Refusal, judge},
    tools,
};
use crate::uri::{SCHEME, SKILL_FILE, below};

/// One snapshot, ready to be served.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) catalog: Arc<Catalog>,
    /// Sorted by address.
    pub(crate) served: Vec<ServedSkill>,
    /// Those of them that are listed.
    pub(crate) listed: Vec<ServedSkill>,
    by_base: HashMap<String, usize>,
    /// Skills in use that have no address: place in the catalog, and why.
    pub(crate) refused: Vec<(usize, Refusal)>,
    /// Sorted by name.
    pub(crate) prompts: Vec<(usize, Prompt)>,
    pub(crate) tools: Vec<Tool>,
    pub(crate) versions: ListVersions,
}

/// A skill with its address.
#[derive(Debug, Clone)]
pub(crate) struct ServedSkill {
    /// Its place in the catalog.
    pub(crate) at: usize,
    /// The address of its folder.
    pub(crate) base: String,
    /// The address of its `SKILL.md`.
    pub(crate) uri: String,
}

/// One number per list that a client can hold; another number means another list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ListVersions {
    pub(crate) tools: u64,
    pub(crate) prompts: u64,
    pub(crate) resources: u64,
}

impl View {
    pub(crate) fn new(catalog: Arc<Catalog>, options: &Arc<ToolOptions>) -> Self {
        let mut refused = Vec::new();
        let mut fit = Vec::new();
        for (at, skill) in catalog.skills().iter().enumerate() {
            if skill.is_callable() {
                match judge(skill) {
                    Ok(()) => fit.push(at),
                    Err(refusal) => refused.push((at, refusal)),
                }
            }
        }
        let mut served = addresses(&catalog, fit);
        served.sort_by(|a, b| a.uri.cmp(&b.uri));
        let listed: Vec<ServedSkill> = served
            .iter()
            .filter(|served| catalog.skills()[served.at].is_model_visible())
            .cloned()
            .collect();
        let by_base = served
            .iter()
            .enumerate()
            .map(|(place, served)| (served.base.clone(), place))
            .collect();
        let prompts = prompts::all(&catalog);
        let tools = tools::all(&catalog, options);
        let versions = ListVersions {
            tools: version(tools.iter().map(|tool| {
                (
                    &tool.description,
                    tool.input_schema.get("properties").map(ToString::to_string),
                )
            })),
            prompts: version(prompts.iter().map(|(_, prompt)| format!("{prompt:?}"))),
            resources: version(listed.iter().map(|served| {
                let skill = &catalog.skills()[served.at];
                (&served.uri, skill.hash())
            })),
        };
        Self {
            catalog,
            served,
            listed,
            by_base,
            refused,
            prompts,
            tools,
            versions,
        }
    }

    /// The skill at a place of the catalog.
    pub(crate) fn skill(&self, served: &ServedSkill) -> &Skill {
        &self.catalog.skills()[served.at]
    }

    /// The skill whose `SKILL.md` has this address.
    pub(crate) fn at_uri(&self, uri: &str) -> Option<&ServedSkill> {
        let base = uri.strip_suffix(SKILL_FILE)?.strip_suffix('/')?;
        self.at_base(base)
    }

    /// The skill whose folder has this address.
    pub(crate) fn at_base(&self, base: &str) -> Option<&ServedSkill> {
        self.by_base.get(base).map(|&place| &self.served[place])
    }

    /// The skills that a file at this address may belong to, the innermost first.
    pub(crate) fn around<'v>(&'v self, uri: &'v str) -> impl Iterator<Item = &'v ServedSkill> {
        let ends = uri.rmatch_indices('/').map(|(end, _)| &uri[..end]);
        ends.take_while(|base| base.len() > SCHEME.len())
            .filter_map(|base| self.at_base(base))
    }

    /// The skill called by this prompt name.
    pub(crate) fn prompt(&self, name: &str) -> Option<(&Skill, &Prompt)> {
        let place = self
            .prompts
            .binary_search_by(|(_, prompt)| prompt.name.as_str().cmp(name))
            .ok()?;
        let (at, prompt) = &self.prompts[place];
        Some((&self.catalog.skills()[*at], prompt))
    }

    /// The files of every skill in use: what was noted about others can be forgotten.
    pub(crate) fn paths(&self) -> HashSet<PathBuf> {
        let served = self.served.iter().map(|served| served.at);
        let all = served.chain(self.refused.iter().map(|(at, _)| *at));
        all.map(|at| self.catalog.skills()[at].absolute_path())
            .collect()
    }
}

/// Gives each skill an address: its name, behind that of the skill whose folder it lies in.
fn addresses(catalog: &Catalog, mut fit: Vec<usize>) -> Vec<ServedSkill> {
    let directory = |at: usize| catalog.skills()[at].directory();
    // An outer folder has the shorter path, so its address is known when it is needed.
    fit.sort_by_cached_key(|&at| directory(at).map(|path| path.components().count()));
    let mut bases: HashMap<PathBuf, String> = HashMap::new();
    let mut served = Vec::with_capacity(fit.len());
    for at in fit {
        let name = catalog.skills()[at].name();
        let folder = directory(at);
        let base = folder
            .as_deref()
            .and_then(|folder| nested(folder, name, &bases))
            .unwrap_or_else(|| format!("{SCHEME}{name}"));
        if let Some(folder) = folder {
            bases.insert(folder, base.clone());
        }
        let uri = format!("{base}/{SKILL_FILE}");
        served.push(ServedSkill { at, base, uri });
    }
    served
}

fn nested(folder: &Path, name: &str, bases: &HashMap<PathBuf, String>) -> Option<String> {
    // The address ends with the name, so a folder called otherwise stands alone.
    if folder.file_name()? != name {
        return None;
    }
    let mut around = folder.ancestors().skip(1);
    let (outer, base) = around.find_map(|outer| bases.get(outer).map(|base| (outer, base)))?;
    folder
        .strip_prefix(outer)
        .ok()
        .map(|rest| below(base, rest))
}

fn version<T: std::hash::Hash>(items: impl Iterator<Item = T>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for item in items {
        item.hash(&mut hasher);
    }
    hasher.finish()
}
