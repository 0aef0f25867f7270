//! What observers see: spans and events of `tracing` at stable names.
//!
//! `docs/OBSERVABILITY.md` lists them all. Attributes that belong to a skill start with
//! `gen_ai.skill.`, as the conventions for generative systems name theirs.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tracing::{Level, Span, enabled, field::Empty, info, info_span, warn};

use crate::{
    display::display_path, reason::Reason, select::Selection, skill::Skill, source::Finding,
};

/// So many findings of one load are events; a log is no place for the report that `check` writes.
const MOST_FINDINGS: usize = 100;

/// What stands for itself in the path of an address: RFC 3986's unreserved characters, the slash,
/// and the colon of a Windows drive.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b':');

/// Where a skill comes from, as a URI: its file, or its place in a source that is not on disk.
pub fn source_uri(skill: &Skill) -> String {
    if let Some(remote) = skill.remote() {
        return remote.uri.clone();
    }
    let path = skill.absolute_path();
    let (scheme, path) = if skill.origin().real_root.is_some() {
        ("file://", path)
    } else {
        ("skill://", skill.origin().root.join(path))
    };
    let path = path.to_string_lossy().replace('\\', "/");
    // `C:/skills` needs a slash before it.
    let slash = if scheme == "file://" && !path.starts_with('/') {
        "/"
    } else {
        ""
    };
    let path = utf8_percent_encode(path.trim_start_matches("./"), PATH);
    format!("{scheme}{slash}{path}")
}

/// Skills are loaded from so many sources.
pub(crate) fn load(sources: usize) -> Span {
    info_span!(
        "skill.load",
        gen_ai.skill.sources = sources,
        gen_ai.skill.count = Empty,
        gen_ai.skill.findings = Empty,
        error.message = Empty,
    )
}

/// A catalog of so many skills is there. Every error and warning about its files is an event.
pub(crate) fn catalog(span: &Span, skills: usize, mut findings: impl Iterator<Item = Finding>) {
    span.record("gen_ai.skill.count", skills);
    if !enabled!(Level::WARN) {
        return;
    }
    let mut told = 0;
    for finding in findings.by_ref().take(MOST_FINDINGS) {
        found(&finding);
        told += 1;
    }
    let more = findings.count();
    if more > 0 {
        warn!(gen_ai.skill.findings = more, "skill findings left out");
    }
    span.record("gen_ai.skill.findings", told + more);
}

fn found(finding: &Finding) {
    warn!(
        gen_ai.skill.finding.code = finding.diagnostic.code,
        gen_ai.skill.finding.path = display_path(&finding.path),
        gen_ai.skill.finding.line = finding.diagnostic.position.line,
        error.message = finding.diagnostic.message,
        "skill finding"
    );
}

/// Nothing was loaded.
pub(crate) fn load_failed(span: &Span, error: &dyn std::error::Error) {
    span.record("error.message", error.to_string());
}

/// A request is compared with the skills.
pub(crate) fn select() -> Span {
    info_span!(
        "skill.select",
        gen_ai.skill.count = Empty,
        gen_ai.skill.decision = Empty,
        gen_ai.skill.name = Empty,
        gen_ai.skill.score = Empty,
        gen_ai.skill.confidence = Empty,
    )
}

/// Skills were chosen, or none.
pub(crate) fn selected(span: &Span, selection: &Selection<'_>) {
    span.record("gen_ai.skill.count", selection.matches.len());
    span.record("gen_ai.skill.decision", selection.decision.name());
    if let Some(best) = selection.matches.first() {
        span.record("gen_ai.skill.name", best.skill().name());
        span.record("gen_ai.skill.score", best.score);
        span.record("gen_ai.skill.confidence", best.confidence);
    }
}

/// A turn of a conversation is looked at for skills to activate.
pub(crate) fn activate() -> Span {
    info_span!("skill.activate", gen_ai.skill.count = Empty)
}

/// A context is looked for.
pub(crate) fn resolve() -> Span {
    info_span!("skill.resolve")
}

/// A skill may be put before a message.
pub(crate) fn inject() -> Span {
    info_span!("skill.inject")
}

/// A tool is called.
pub(crate) fn call(tool: &str) -> Span {
    info_span!(
        "skill.tool",
        gen_ai.tool.name = tool,
        gen_ai.skill.name = Empty,
        gen_ai.skill.success = Empty,
        error.message = Empty,
    )
}

/// A turn activates a skill.
pub(crate) fn activated(name: &str, reason: Reason, evidence: Option<&str>) {
    info!(
        gen_ai.skill.name = name,
        gen_ai.skill.trigger = reason.as_str(),
        gen_ai.skill.evidence = evidence,
        "skill activated"
    );
}

/// A skill's instructions go to a model.
pub(crate) fn loaded(skill: &Skill, reason: Reason, already_active: bool) {
    info!(
        gen_ai.skill.name = skill.name(),
        gen_ai.skill.source.uri = source_uri(skill),
        gen_ai.skill.trigger = reason.as_str(),
        gen_ai.skill.already_active = already_active,
        "skill loaded"
    );
}

/// A skill and its tools became a context.
pub(crate) fn resolved(skill: &Skill, reason: Reason) {
    info!(
        gen_ai.skill.name = skill.name(),
        gen_ai.skill.source.uri = source_uri(skill),
        gen_ai.skill.trigger = reason.as_str(),
        "skill resolved"
    );
}

/// A skill stands before a message.
pub(crate) fn injected(skill: &Skill, confidence: f32) {
    info!(
        gen_ai.skill.name = skill.name(),
        gen_ai.skill.source.uri = source_uri(skill),
        gen_ai.skill.confidence = confidence,
        "skill injected"
    );
}

/// A skill is refused, because the host lacks tools it asks for.
pub(crate) fn refused(name: &str, missing: &[String]) {
    warn!(
        gen_ai.skill.name = name,
        gen_ai.skill.tools.missing = missing.join(", "),
        "skill refused"
    );
}

/// What is run.
#[cfg(feature = "run")]
pub(crate) struct RunStart<'a> {
    pub(crate) skill: &'a str,
    pub(crate) uri: &'a str,
    pub(crate) script: &'a str,
    /// The hash over all files of the skill.
    pub(crate) seal: &'a str,
    /// The hash of the script.
    pub(crate) hash: &'a str,
}

/// A script of a skill runs.
#[cfg(feature = "run")]
pub(crate) fn run(start: &RunStart<'_>) -> Span {
    info_span!(
        "skill.run",
        gen_ai.skill.name = start.skill,
        gen_ai.skill.source.uri = start.uri,
        gen_ai.skill.script = start.script,
        gen_ai.skill.script.hash = start.hash,
        gen_ai.skill.seal = start.seal,
        gen_ai.skill.script.exit_code = Empty,
        gen_ai.skill.script.denied = Empty,
        error.message = Empty,
    )
}

/// A script has ended.
#[cfg(feature = "run")]
pub(crate) fn ran(span: &Span, code: i32, denied: usize) {
    span.record("gen_ai.skill.script.exit_code", code);
    span.record("gen_ai.skill.script.denied", denied);
}

/// A script did not run.
#[cfg(feature = "run")]
pub(crate) fn run_failed(span: &Span, error: &dyn std::error::Error) {
    span.record("error.message", error.to_string());
}
