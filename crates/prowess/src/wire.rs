//! JSON shapes shared by `--json`, MCP and the tool. A shape, once published, only grows.

use prowess_format::{Diagnostic, Severity};
use serde::Serialize;

use crate::{
    catalog::Catalog,
    display::display_path,
    skill::{Skill, State},
    source::Finding,
};

/// What `list --json` prints.
#[derive(Debug, Serialize)]
pub struct ListOutput<'a> {
    /// The skills, sorted by name and path.
    pub skills: Vec<SkillRow<'a>>,
    /// What was noticed, by path.
    pub diagnostics: Vec<DiagnosticRow<'a>>,
}

/// One skill of a list.
#[derive(Debug, Serialize)]
pub struct SkillRow<'a> {
    /// Name and hash in one word; `null` where the file could not be read.
    pub id: Option<&'a str>,
    /// The name it is called by.
    pub name: &'a str,
    /// What it does and when to use it.
    pub description: &'a str,
    /// Its file.
    pub path: String,
    /// Where it came from, and from where else it is reached.
    #[serde(flatten)]
    pub provenance: Provenance<'a>,
    /// How near its place is.
    pub scope: &'static str,
    /// A short word for its place.
    pub origin: &'a str,
    /// What became of it.
    pub state: &'static str,
    /// Its labels.
    pub tags: Vec<&'a str>,
    /// About how many tokens its instructions cost.
    pub tokens: usize,
    /// The tools it asks for, as written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_tools: Vec<String>,
}

/// Where a skill came from, and from where else it is reached.
#[derive(Debug, Default, Serialize)]
pub struct Provenance<'a> {
    /// Other paths that lead to the same file: links in the folders of other clients.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_at: Vec<String>,
    /// Where an installer took it from, as a lock file or a plugin marketplace near it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed_from: Option<&'a str>,
    /// The lock file or marketplace that says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install_record: Option<String>,
}

impl<'a> From<&'a Skill> for Provenance<'a> {
    fn from(skill: &'a Skill) -> Self {
        Self {
            also_at: skill.also_at().iter().map(|it| display_path(it)).collect(),
            installed_from: skill.installed_from(),
            install_record: skill.install_record().map(display_path),
        }
    }
}

/// One finding, with the file it is about.
#[derive(Debug, Serialize)]
pub struct DiagnosticRow<'a> {
    /// The file.
    pub path: String,
    /// The line, from one.
    pub line: u32,
    /// The column, from one.
    pub column: u32,
    /// The rule's stable code.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What was noticed.
    pub message: &'a str,
    /// The one step to take.
    pub help: Option<&'a str>,
}

impl<'a> ListOutput<'a> {
    /// Lists the skills that `keep` wants. Findings about other skills are left out, but not those
    /// that say why a skill is broken, nor those about paths that are no skill.
    pub fn new(catalog: &'a Catalog, keep: impl Fn(&Skill) -> bool) -> Self {
        let kept = || catalog.skills().iter().filter(|skill| keep(skill));
        let broken = |skill: &Skill| skill.state() == State::Broken;
        let shown = catalog.skills().iter();
        let mut diagnostics: Vec<_> = shown
            .filter(|skill| keep(skill) || broken(skill))
            .flat_map(|skill| {
                skill
                    .diagnostics()
                    .map(|diagnostic| DiagnosticRow::new(display_path(skill.path()), diagnostic))
            })
            .chain(catalog.findings().iter().map(DiagnosticRow::from))
            .collect();
        diagnostics.sort_by(|a, b| {
            (&a.path, a.line, a.column, a.code).cmp(&(&b.path, b.line, b.column, b.code))
        });
        Self {
            skills: kept().map(SkillRow::from).collect(),
            diagnostics,
        }
    }
}

impl<'a> From<&'a Skill> for SkillRow<'a> {
    fn from(skill: &'a Skill) -> Self {
        Self {
            id: skill.id(),
            name: skill.name(),
            description: skill.description(),
            path: display_path(skill.path()),
            provenance: skill.into(),
            scope: skill.origin().scope.as_str(),
            origin: &skill.origin().label,
            state: skill.state().as_str(),
            tags: skill.tags(),
            tokens: skill.tokens(),
            allowed_tools: skill.allowed_tools(),
        }
    }
}

impl<'a> DiagnosticRow<'a> {
    /// Reports a finding about the file at `path`.
    pub fn new(path: String, diagnostic: &'a Diagnostic) -> Self {
        Self {
            path,
            line: diagnostic.position.line,
            column: diagnostic.position.column,
            code: diagnostic.code,
            severity: diagnostic.severity,
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
        }
    }
}

impl<'a> From<&'a Finding> for DiagnosticRow<'a> {
    fn from(finding: &'a Finding) -> Self {
        Self::new(display_path(&finding.path), &finding.diagnostic)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::{LoadOptions, MemorySource, Source, State};

    #[test]
    fn a_list_is_skills_and_diagnostics() {
        let source = MemorySource::new("memory")
            .skill(
                "pdf/SKILL.md",
                "---\nname: pdf\ndescription: Fills forms.\ntags: [a, b]\n---\nDo it.\n",
            )
            .skill("bad/SKILL.md", "no frontmatter");
        let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
        let catalog = Catalog::load(&sources, &LoadOptions::default()).unwrap();
        let all = serde_json::to_string_pretty(&ListOutput::new(&catalog, |_| true)).unwrap();
        expect![[r#"
            {
              "skills": [
                {
                  "id": "bad-abeee15de25c",
                  "name": "bad",
                  "description": "",
                  "path": "bad/SKILL.md",
                  "scope": "explicit",
                  "origin": "memory",
                  "state": "broken",
                  "tags": [],
                  "tokens": 4
                },
                {
                  "id": "pdf-4d19ac4ea50c",
                  "name": "pdf",
                  "description": "Fills forms.",
                  "path": "pdf/SKILL.md",
                  "scope": "explicit",
                  "origin": "memory",
                  "state": "active",
                  "tags": [
                    "a",
                    "b"
                  ],
                  "tokens": 2
                }
              ],
              "diagnostics": [
                {
                  "path": "bad/SKILL.md",
                  "line": 1,
                  "column": 1,
                  "code": "missing-frontmatter",
                  "severity": "error",
                  "message": "the file has no frontmatter, so the skill has no name and no description",
                  "help": "start the file with `---`, `name:` and `description:` lines, and `---`"
                }
              ]
            }"#]].assert_eq(&all);
        let active = ListOutput::new(&catalog, |skill| skill.state() == State::Active);
        // Why the other is broken is said all the same.
        assert_eq!((active.skills.len(), active.diagnostics.len()), (1, 1));
    }
}
