//! Skills held as values: lines of a catalog, what a host made, what a test needs.

use std::{path::PathBuf, sync::Arc};

use super::{Finding, Layout, Origin, Scan, ScanRequest, Scope, SkillFile, Source};

/// A source whose skills are already in memory.
#[derive(Debug, Clone)]
pub struct MemorySource {
    origin: Arc<Origin>,
    records: Vec<Record>,
    findings: Vec<Finding>,
}

/// One skill as a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// What to call its place; it need not exist on disk.
    pub path: PathBuf,
    /// The text of its `SKILL.md`.
    pub text: String,
    /// An id; computed from the text where it is missing.
    pub id: Option<String>,
    /// When it last changed, in Unix seconds.
    pub last_modified: Option<i64>,
}

impl MemorySource {
    /// Creates an empty source, explicit like a folder that was named.
    pub fn new(label: impl Into<String>) -> Self {
        let label = label.into();
        Self {
            origin: Arc::new(Origin::new(Scope::Explicit, label.clone(), label)),
            records: Vec::new(),
            findings: Vec::new(),
        }
    }

    /// Sets how near the source is.
    #[must_use]
    pub fn scope(mut self, scope: Scope) -> Self {
        Arc::make_mut(&mut self.origin).scope = scope;
        self
    }

    /// Adds a skill from the text of its `SKILL.md`.
    #[must_use]
    pub fn skill(mut self, path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        self.push(Record {
            path: path.into(),
            text: text.into(),
            ..Record::default()
        });
        self
    }

    /// Adds a skill.
    pub fn push(&mut self, record: Record) {
        self.records.push(record);
    }

    /// Adds something to tell when the source is scanned.
    pub fn push_finding(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// The skills, in the order they were added.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// What is told when the source is scanned.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

impl Source for MemorySource {
    fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    fn scan(&self, _request: &ScanRequest<'_>, visit: &(dyn Fn(SkillFile<'_>) + Sync)) -> Scan {
        for record in &self.records {
            visit(SkillFile {
                origin: &self.origin,
                path: record.path.clone(),
                layout: Layout::Record,
                contents: Ok(record.text.as_bytes()),
                last_modified: record.last_modified,
                notes: Vec::new(),
                location: None,
                id: record.id.clone(),
            });
        }
        Scan {
            findings: self.findings.clone(),
            partial: false,
        }
    }
}
