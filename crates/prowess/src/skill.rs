//! One skill: what its file says, where it came from, and what became of it.

use std::{
    borrow::Cow,
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::Arc,
};

use prowess_format::rules::description_too_large::MAX_BYTES as DESCRIPTION_BYTES;
use prowess_format::{
    Diagnostic, Document, Folder, Parsed, Profile, Severity, Subject, estimate_tokens, parse,
    parse_convention, rules,
};

use crate::{
    cache::KeptSkill,
    display::display_path,
    identity::{ContentHash, skill_id},
    source::{Layout, Location, Origin, SkillFile, refusal, remote::Remote},
    trust::{Decision, Seal},
};

mod saved;

/// One skill of a catalog. Cloning it shares the text.
#[derive(Debug, Clone)]
pub struct Skill {
    content: Content,
    /// The place of its source among those that were loaded.
    pub(crate) source: u32,
    pub(crate) decision: Decision,
    /// Every file as it was trusted, where the skill is trusted by its files.
    pub(crate) seal: Option<Arc<Seal>>,
    /// Whether hidden characters in its files are let through.
    pub(crate) hidden_allowed: bool,
    pub(crate) state: State,
    /// What was noticed when it met the other skills.
    pub(crate) notes: Vec<Diagnostic>,
    /// What is wrong with the file today, while the version from before is in use.
    pub(crate) stale: Option<Arc<[Diagnostic]>>,
    /// Set where the skill is somewhere else.
    pub(crate) remote: Option<Arc<Remote>>,
}

/// What stays the same whichever catalog a skill is in.
#[derive(Debug, Clone)]
enum Content {
    Read(Arc<Reading>),
    /// Known from a cache; the text is read and parsed when somebody asks for it.
    Kept(KeptSkill),
}

/// What was read from a skill's file.
#[derive(Debug)]
struct Reading {
    origin: Arc<Origin>,
    path: Box<Path>,
    /// Rare, so it is kept out of the way.
    location: Option<Box<Location>>,
    layout: Layout,
    name: Box<str>,
    id: Option<Box<str>>,
    hash: Option<ContentHash>,
    last_modified: Option<i64>,
    /// Asked with every snapshot, so it is worked out once.
    explicit_only: bool,
    document: Document,
    diagnostics: Vec<Diagnostic>,
}

/// What became of a skill in its catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// In use under its name.
    Active,
    /// Another skill has the name, or the same bytes; `by` is its place in the catalog.
    Shadowed {
        /// The place of the skill that is in use.
        by: usize,
    },
    /// Kept from models.
    Hidden(HiddenBy),
    /// From a project that is not trusted.
    Untrusted,
    /// Not usable; its diagnostics say why.
    Broken,
}

/// What keeps a skill from models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HiddenBy {
    /// Its own `disable-model-invocation` or `trigger`: it answers when called by name.
    Itself,
    /// Skills are switched off as a whole.
    Disabled,
    /// The list of allowed names.
    Names,
    /// The list of wanted tags.
    Tags,
    /// The host: it answers when called by name.
    Manual,
    /// The host, altogether.
    Off,
}

impl State {
    /// The word a person and a machine read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Shadowed { .. } => "shadowed",
            Self::Hidden(_) => "hidden",
            Self::Untrusted => "untrusted",
            Self::Broken => "broken",
        }
    }
}

impl Skill {
    /// Reads a skill from the file a source found.
    pub fn read(file: SkillFile<'_>, profile: Profile) -> Self {
        let fallback = fallback_name(&file);
        let unopened =
            matches!(&file.contents, Err(reason) if reason.code == rules::untrusted::RULE.code);
        let mut diagnostics = file.notes;
        let (document, hash) = match file.contents {
            Ok(bytes) => {
                let parsed = parse_as(bytes, &file.path, file.layout, profile);
                diagnostics.extend(parsed.diagnostics);
                let document = parsed.document;
                diagnostics.extend(essential(&document, &file.path, file.layout, profile));
                (document, Some(ContentHash::of(bytes)))
            }
            Err(reason) => {
                // The catalog says that it waits, once it is known what for.
                if !unopened {
                    diagnostics.push(reason);
                }
                (Document::default(), None)
            }
        };
        let name: Box<str> = document.name().unwrap_or(&fallback).into();
        let id = file
            .id
            .or_else(|| hash.map(|hash| skill_id(&name, &hash)))
            .map(String::into_boxed_str);
        // A file that nobody opened is not known to be broken.
        let broken = !unopened && is_broken(&document, &diagnostics, profile, false);
        Self {
            content: Content::Read(Arc::new(Reading {
                origin: Arc::clone(file.origin),
                path: file.path.into_boxed_path(),
                location: file.location.map(Box::new),
                layout: file.layout,
                name,
                id,
                hash,
                last_modified: file.last_modified,
                explicit_only: is_explicit_only(&document),
                document,
                diagnostics,
            })),
            source: 0,
            decision: Decision::Trusted,
            seal: None,
            hidden_allowed: false,
            state: if broken { State::Broken } else { State::Active },
            notes: Vec::new(),
            stale: None,
            remote: None,
        }
    }

    /// Whether both are one reading of one file.
    pub(crate) fn shares_content(&self, other: &Self) -> bool {
        self.reading() == other.reading()
    }

    /// A number that is different for each reading that is still in use.
    pub(crate) fn reading(&self) -> usize {
        match &self.content {
            Content::Read(reading) => Arc::as_ptr(reading).addr(),
            Content::Kept(kept) => kept.reading(),
        }
    }

    /// Whether another reading of the file gave the same.
    pub(crate) fn reads_like(&self, other: &Self) -> bool {
        let facts = |it: &Self| (it.hash(), it.last_modified());
        self.hash().is_some()
            && self.name() == other.name()
            && facts(self) == facts(other)
            && self.own_diagnostics() == other.own_diagnostics()
    }

    /// This skill, kept in use although its file broke.
    pub(crate) fn kept_instead_of(&self, broken: &Self) -> Self {
        let errors = broken.own_diagnostics().iter();
        let mut errors = errors.filter(|it| it.severity == Severity::Error).cloned();
        let first = errors.next();
        let reason = first
            .as_ref()
            .map_or("it has no description", |it| &it.message);
        let note = refusal(
            &rules::stale::RULE,
            format!(
                "the file of `{}` broke, and the version from before stays in use: {reason}",
                self.name().escape_debug()
            ),
            "mend the file; the next save brings the skill up to date",
        );
        let note = Diagnostic {
            severity: Severity::Warning,
            ..note
        };
        Self {
            stale: Some([note].into_iter().chain(first).chain(errors).collect()),
            ..self.clone()
        }
    }

    /// Notes that the skill is somewhere else. Its identity is then that of the file there.
    pub(crate) fn set_remote(&mut self, remote: Remote) {
        if let Content::Read(reading) = &mut self.content
            && let Some(reading) = Arc::get_mut(reading)
            && let Some(hash) = remote.hash
        {
            reading.id = Some(skill_id(&reading.name, &hash).into_boxed_str());
            reading.hash = Some(hash);
        }
        self.remote = Some(Arc::new(remote));
    }

    /// Uses the skill though hidden characters stand in it.
    pub(crate) fn allow_hidden(&mut self, profile: Profile) {
        self.hidden_allowed = true;
        let diagnostics = self.own_diagnostics();
        if self.state == State::Broken && !is_broken(self.document(), diagnostics, profile, true) {
            self.state = State::Active;
        }
    }

    /// The name it is called by: its own, or that of its folder or file.
    pub fn name(&self) -> &str {
        match &self.content {
            Content::Read(reading) => &reading.name,
            Content::Kept(kept) => kept.name(),
        }
    }

    /// What it does and when to use it; empty where that is missing.
    pub fn description(&self) -> &str {
        match &self.content {
            Content::Read(reading) => reading.document.description().unwrap_or_default(),
            Content::Kept(kept) => kept.description(),
        }
    }

    /// Its instructions, trimmed.
    pub fn instructions(&self) -> &str {
        self.document().instructions()
    }

    /// Everything its file says.
    pub fn document(&self) -> &Document {
        match &self.content {
            Content::Read(reading) => &reading.document,
            Content::Kept(kept) => kept.document(),
        }
    }

    /// The labels it can be found and filtered by.
    pub fn tags(&self) -> Vec<&str> {
        match &self.content {
            Content::Read(reading) => reading.document.tags(),
            Content::Kept(kept) => kept.tags(),
        }
    }

    /// Name and hash in one word; `None` where the file could not be read.
    pub fn id(&self) -> Option<&str> {
        match &self.content {
            Content::Read(reading) => reading.id.as_deref(),
            Content::Kept(kept) => kept.id(),
        }
    }

    /// The hash of its file; `None` where the file could not be read.
    pub fn hash(&self) -> Option<ContentHash> {
        match &self.content {
            Content::Read(reading) => reading.hash,
            Content::Kept(kept) => kept.hash(),
        }
    }

    /// When its file last changed, in Unix seconds.
    pub fn last_modified(&self) -> Option<i64> {
        match &self.content {
            Content::Read(reading) => reading.last_modified,
            Content::Kept(kept) => kept.last_modified(),
        }
    }

    /// Where it came from.
    pub fn origin(&self) -> &Arc<Origin> {
        match &self.content {
            Content::Read(reading) => &reading.origin,
            Content::Kept(kept) => kept.origin(),
        }
    }

    /// Its file, as it was found.
    pub fn path(&self) -> &Path {
        match &self.content {
            Content::Read(reading) => &reading.path,
            Content::Kept(kept) => kept.path(),
        }
    }

    /// Its file as an absolute path, where it is on disk.
    pub fn absolute_path(&self) -> PathBuf {
        self.origin().absolute(self.path())
    }

    /// The folder that holds its resources; `None` for a skill that is a single file or a value.
    pub fn directory(&self) -> Option<PathBuf> {
        (self.layout() == Layout::Folder)
            .then(|| self.absolute_path().parent().map(Path::to_path_buf))
            .flatten()
    }

    /// How it is laid out.
    pub fn layout(&self) -> Layout {
        match &self.content {
            Content::Read(reading) => reading.layout,
            Content::Kept(kept) => kept.layout(),
        }
    }

    /// Where its folder really is, when a link led there.
    pub fn location(&self) -> Option<&Location> {
        match &self.content {
            Content::Read(reading) => reading.location.as_deref(),
            Content::Kept(kept) => kept.location(),
        }
    }

    /// What became of it.
    pub fn state(&self) -> State {
        self.state
    }

    /// Whether it may reach a model, by its place or by its files.
    pub fn is_trusted(&self) -> bool {
        self.decision == Decision::Trusted
    }

    /// What the host's policy says of it.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// Whether a model may be told about it.
    pub fn is_model_visible(&self) -> bool {
        self.state == State::Active
    }

    /// Whether it answers to its name: it is in use, or keeps itself from models only.
    pub fn is_callable(&self) -> bool {
        self.state == State::Active || self.is_manual()
    }

    /// Whether it is kept from models and answers when called by name.
    pub fn is_manual(&self) -> bool {
        matches!(
            self.state,
            State::Hidden(HiddenBy::Itself | HiddenBy::Manual)
        )
    }

    /// What was noticed, about the file first and then about its place among the others.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let stale = self.stale.iter().flat_map(|stale| stale.iter());
        stale.chain(self.own_diagnostics()).chain(&self.notes)
    }

    /// Whether its file broke since it was read, so that the version from before is in use. The
    /// diagnostics say what is wrong with the file today.
    pub fn is_stale(&self) -> bool {
        self.stale.is_some()
    }

    /// Whether it asks to be used only when called by name.
    pub fn is_explicit_only(&self) -> bool {
        match &self.content {
            Content::Read(reading) => reading.explicit_only,
            Content::Kept(kept) => kept.is_explicit_only(),
        }
    }

    /// About how many tokens its instructions cost.
    pub fn tokens(&self) -> usize {
        if let Content::Kept(kept) = &self.content {
            return kept.tokens();
        }
        // What is not here yet is judged by its size; a token is about four bytes.
        match self.remote().and_then(|remote| remote.size) {
            Some(size) if self.instructions().is_empty() => size.div_ceil(4) as usize,
            _ => estimate_tokens(self.instructions()),
        }
    }
}

fn is_explicit_only(document: &Document) -> bool {
    ["disable-model-invocation", "trigger"].iter().any(|key| {
        document
            .get(key)
            .and_then(|node| node.value.as_bool())
            .unwrap_or(false)
    })
}

/// Whether a skill cannot be used. What can be offered to a model is used, however much is wrong
/// with it, except where a model would read what a person does not see; only those who fail loud
/// refuse it for any error.
fn is_broken(
    document: &Document,
    diagnostics: &[Diagnostic],
    profile: Profile,
    hidden_allowed: bool,
) -> bool {
    let hidden = |it: &Diagnostic| it.code == rules::hidden_unicode::RULE.code;
    let description = document.description();
    description.is_none_or(|text| text.len() > DESCRIPTION_BYTES)
        || diagnostics.iter().any(|it| {
            if hidden(it) {
                !hidden_allowed
            } else {
                profile == Profile::Strict && it.severity == Severity::Error
            }
        })
}

/// Reads the text the way its layout asks for.
pub(crate) fn parse_as(bytes: &[u8], path: &Path, layout: Layout, profile: Profile) -> Parsed {
    match (layout, path.file_name()) {
        (Layout::Convention, Some(name)) => {
            parse_convention(bytes, &name.to_string_lossy(), profile)
        }
        _ => parse(bytes, profile),
    }
}

/// Judges what decides whether and as what a skill loads.
fn essential(
    document: &Document,
    path: &Path,
    layout: Layout,
    profile: Profile,
) -> Vec<Diagnostic> {
    let folder = (layout == Layout::Folder).then(|| Folder {
        name: last_name(path.parent()).into_owned(),
        files: Vec::new(),
    });
    let subject = Subject {
        document,
        file_name: &last_name(Some(path)),
        folder: folder.as_ref(),
    };
    // A convention file is made whole by its name.
    if layout == Layout::Convention {
        return rules::check_hidden(&subject, profile);
    }
    rules::check_essential(&subject, profile)
}

/// The last part of a path, as text.
fn last_name(path: Option<&Path>) -> Cow<'_, str> {
    path.and_then(Path::file_name)
        .map_or(Cow::default(), OsStr::to_string_lossy)
}

/// The name of a skill that does not say its own: that of its folder, or of its single file. It
/// reaches a model, so what a folder's name hides is written out.
fn fallback_name(file: &SkillFile<'_>) -> String {
    let stem = file.path.file_stem();
    let in_folder = stem.is_some_and(|stem| stem.eq_ignore_ascii_case("skill"));
    let name = if file.layout == Layout::Folder || in_folder {
        file.path.parent().and_then(Path::file_name)
    } else {
        stem
    };
    // `.` has a name only once it is known where it is.
    let root = file.origin.real_root.as_deref().and_then(Path::file_name);
    name.or(root)
        .map_or_else(|| "skill".to_owned(), |name| display_path(Path::new(name)))
}
