//! One skill: what its file says, where it came from, and what became of it.

use std::{
    borrow::Cow,
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::Arc,
};

use prowess_format::rules::description_too_large::MAX_BYTES as DESCRIPTION_BYTES;
use prowess_format::{
    Diagnostic, Document, Folder, Parsed, Profile, Severity, Subject, estimate_tokens,
    parse_convention, read, rules,
};

use crate::{
    display::{display_path, display_text},
    identity::{ContentHash, skill_id},
    limits::Limits,
    resource::{Files, Page, RawFiles, Resource, ResourceError, Resources, Seal, SealError},
    source::{
        Layout, Location, Origin, SkillFile,
        installed::Installation,
        refusal,
        remote::{FetchError, FetchedSkill, Remote},
    },
    trust::{Approval, Changes, Entry, TrustDecision, TrustStore},
};

mod own;
mod record;

pub use own::OwnFileError;

use record::Facts;
pub(crate) use record::{Record, SavedText, TextStore};

/// One skill of a catalog. Cloning it shares the text.
#[derive(Debug, Clone)]
pub struct Skill {
    facts: Arc<Facts>,
    /// The place of its source among those that were loaded.
    pub(crate) source: u32,
    pub(crate) decision: TrustDecision,
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
    /// Other paths that lead to its file.
    pub(crate) also_at: Vec<PathBuf>,
    /// Where an installer took it from.
    pub(crate) installed: Option<Arc<Installation>>,
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
        let record = Record {
            path: file.path.into_boxed_path(),
            location: file.location.map(Box::new),
            layout: file.layout,
            name,
            description: document.description().unwrap_or_default().into(),
            tags: document.tags().into_iter().map(Into::into).collect(),
            id,
            hash,
            last_modified: file.last_modified,
            manual: document.is_manual(),
            // A file that nobody opened is not known to be broken.
            broken: !unopened && is_broken(&document, &diagnostics, profile, false),
            diagnostics,
        };
        Self::of(Facts::read(Arc::clone(file.origin), record, document))
    }

    /// A skill as a cache saved it.
    pub(crate) fn saved(origin: Arc<Origin>, record: Record, tokens: u32, text: SavedText) -> Self {
        Self::of(Facts::saved(origin, record, tokens, text))
    }

    fn of(facts: Facts) -> Self {
        Self {
            state: if facts.record.broken {
                State::Broken
            } else {
                State::Active
            },
            facts: Arc::new(facts),
            source: 0,
            decision: TrustDecision::Trusted,
            seal: None,
            hidden_allowed: false,
            notes: Vec::new(),
            stale: None,
            remote: None,
            also_at: Vec::new(),
            installed: None,
        }
    }

    /// What a cache saves of it, beside its text.
    pub(crate) fn record(&self) -> &Record {
        &self.facts.record
    }

    /// Its text, to be saved by a cache.
    pub(crate) fn text(&self) -> Cow<'_, [u8]> {
        self.facts.bytes()
    }

    /// Whether both are one reading of one file.
    pub(crate) fn shares_content(&self, other: &Self) -> bool {
        self.reading() == other.reading()
    }

    /// A number that is different for each reading that is still in use.
    pub(crate) fn reading(&self) -> usize {
        Arc::as_ptr(&self.facts).addr()
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
        if let Some(facts) = Arc::get_mut(&mut self.facts)
            && let Some(hash) = remote.hash
        {
            let record = &mut facts.record;
            record.id = Some(skill_id(&record.name, &hash).into_boxed_str());
            record.hash = Some(hash);
        }
        self.remote = Some(Arc::new(remote));
    }

    /// Calls the skill by its folder, whatever name it gives itself.
    pub(crate) fn use_folder_name(&mut self) {
        let Some(folder) = self.directory() else {
            return;
        };
        if let Some(facts) = Arc::get_mut(&mut self.facts) {
            let record = &mut facts.record;
            record.name = last_name(Some(&folder)).into();
            if let Some(hash) = &record.hash {
                record.id = Some(skill_id(&record.name, hash).into_boxed_str());
            }
        }
    }

    /// Uses the skill though hidden characters stand in it.
    pub(crate) fn allow_hidden(&mut self, profile: Profile) {
        self.hidden_allowed = true;
        let diagnostics = self.own_diagnostics();
        if self.state == State::Broken && !is_broken(self.document(), diagnostics, profile, true) {
            self.state = State::Active;
        }
    }

    /// Whether its file breaks the profile it was read under.
    pub(crate) fn has_error(&self) -> bool {
        let mut own = self.own_diagnostics().iter();
        own.any(|it| it.severity == Severity::Error)
    }

    /// What a model would read in it and a person would not see.
    pub(crate) fn hidden_text(&self) -> Option<&Diagnostic> {
        let code = rules::hidden_unicode::RULE.code;
        self.own_diagnostics().iter().find(|it| it.code == code)
    }

    /// The name it is called by: its own, or that of its folder or file.
    pub fn name(&self) -> &str {
        &self.facts.record.name
    }

    /// What it does and when to use it; empty where that is missing.
    pub fn description(&self) -> &str {
        &self.facts.record.description
    }

    /// Its instructions, trimmed.
    pub fn instructions(&self) -> &str {
        self.document().instructions()
    }

    /// Everything its file says.
    pub fn document(&self) -> &Document {
        self.facts.document()
    }

    /// The labels it can be found and filtered by.
    pub fn tags(&self) -> Vec<&str> {
        self.facts.record.tags.iter().map(|tag| &**tag).collect()
    }

    /// The tools it asks for: the patterns of `allowed-tools`, as written.
    pub fn allowed_tools(&self) -> Vec<String> {
        let asked = self.document().allowed_tools();
        asked.iter().map(ToString::to_string).collect()
    }

    /// Name and hash in one word; `None` where the file could not be read.
    pub fn id(&self) -> Option<&str> {
        self.facts.record.id.as_deref()
    }

    /// The hash of its file; `None` where the file could not be read.
    pub fn hash(&self) -> Option<ContentHash> {
        self.facts.record.hash
    }

    /// When its file last changed, in Unix seconds.
    pub fn last_modified(&self) -> Option<i64> {
        self.facts.record.last_modified
    }

    /// Where it came from.
    pub fn origin(&self) -> &Arc<Origin> {
        &self.facts.origin
    }

    /// Its file, as it was found.
    pub fn path(&self) -> &Path {
        &self.facts.record.path
    }

    /// Other paths that lead to its file, sorted: links in other skill folders, mostly.
    pub fn also_at(&self) -> &[PathBuf] {
        &self.also_at
    }

    /// Where an installer took it from, as a lock file or a plugin marketplace near it says.
    pub fn installed_from(&self) -> Option<&str> {
        Some(&self.installed.as_ref()?.from)
    }

    /// The lock file or marketplace that says where it came from.
    pub fn install_record(&self) -> Option<&Path> {
        Some(&self.installed.as_ref()?.record)
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
        self.facts.record.layout
    }

    /// Where its folder really is, when a link led there.
    pub fn location(&self) -> Option<&Location> {
        self.facts.record.location.as_deref()
    }

    /// What became of it.
    pub fn state(&self) -> State {
        self.state
    }

    /// Whether it may reach a model, by its place or by its files.
    pub fn is_trusted(&self) -> bool {
        self.decision == TrustDecision::Trusted
    }

    /// What the host's policy says of it.
    pub fn decision(&self) -> TrustDecision {
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
    pub(crate) fn asks_for_manual(&self) -> bool {
        self.facts.record.manual
    }

    /// About how many tokens its instructions cost.
    pub fn tokens(&self) -> usize {
        let tokens = || {
            // What is not here yet is judged by its size; a token is about four bytes.
            match self.remote().and_then(|remote| remote.size) {
                Some(size) if self.instructions().is_empty() => size.div_ceil(4) as usize,
                _ => estimate_tokens(self.instructions()),
            }
        };
        *self.facts.tokens.get_or_init(|| tokens() as u32) as usize
    }

    /// What was noticed about its file.
    fn own_diagnostics(&self) -> &[Diagnostic] {
        &self.facts.record.diagnostics
    }
}

/// A skill that is somewhere else.
impl Skill {
    /// What is known of a skill that is somewhere else; `None` for a skill that is here.
    pub fn remote(&self) -> Option<&Remote> {
        self.remote.as_deref()
    }

    /// The skill with its instructions. One that is here is complete; one that is not is fetched
    /// and checked.
    pub fn loaded(&self) -> Result<Cow<'_, Self>, FetchError> {
        let Some(remote) = self.remote() else {
            return Ok(Cow::Borrowed(self));
        };
        let FetchedSkill { text, remote } = remote.fetch.skill(&remote.uri)?;
        let file = SkillFile {
            origin: self.origin(),
            path: self.path().to_path_buf(),
            layout: Layout::Record,
            contents: Ok(text.as_bytes()),
            last_modified: self.last_modified(),
            notes: Vec::new(),
            location: None,
            id: None,
        };
        let mut skill = Self::read(file, Profile::Lenient);
        // With the list only its own words could be judged; the text is judged where it comes in.
        if self.hidden_allowed {
            skill.allow_hidden(Profile::Lenient);
        } else if let Some(fault) = skill.hidden_text() {
            return Err(FetchError {
                message: format!(
                    "`{}` of the MCP server `{}` is not used: {}",
                    display_text(&remote.uri),
                    remote.server,
                    fault.message
                ),
                help: "do not use the skill, and tell the owner of the server".to_owned(),
            });
        }
        skill.set_remote(remote);
        skill.source = self.source;
        skill.decision = self.decision;
        skill.state = self.state;
        skill.notes.clone_from(&self.notes);
        Ok(Cow::Owned(skill))
    }

    /// The same, unless what is known without it is enough.
    pub(crate) fn loaded_unless(&self, enough: bool) -> Result<Cow<'_, Self>, FetchError> {
        if enough {
            return Ok(Cow::Borrowed(self));
        }
        self.loaded()
    }

    /// The description with where the skill is from, for those who read it beside others.
    pub fn described(&self) -> Cow<'_, str> {
        match self.remote() {
            Some(remote) => Cow::Owned(format!("{} ({})", self.description(), remote.told())),
            None => Cow::Borrowed(self.description()),
        }
    }

    /// The instructions after a line that says where they are from.
    pub(crate) fn instructed(&self) -> Cow<'_, str> {
        match self.remote() {
            Some(remote) => Cow::Owned(format!(
                "(This skill is {}.)\n\n{}",
                remote.told(),
                self.instructions()
            )),
            None => Cow::Borrowed(self.instructions()),
        }
    }
}

/// The files of a skill, and the trust that stands on them.
impl Skill {
    /// Lists the files beside the skill's own.
    pub fn resources(&self, limits: &Limits) -> Result<Resources, ResourceError> {
        self.files().resources(limits)
    }

    /// Lists every file of the skill, its own among them.
    pub(crate) fn all_files(
        &self,
        limits: &Limits,
    ) -> Result<(Vec<Resource>, bool), ResourceError> {
        self.files().all(limits)
    }

    /// Reads one page of a file of the skill, from `offset` on.
    pub fn read_resource(
        &self,
        path: &str,
        offset: u64,
        limits: &Limits,
    ) -> Result<Page, ResourceError> {
        self.hides_nothing()?;
        self.files().read(path, offset, limits)
    }

    /// Lists everything in the skill's folder.
    pub fn raw_files(&self, limits: &Limits) -> Result<RawFiles, ResourceError> {
        self.files().raw(limits)
    }

    /// Reads a whole file that [`Skill::raw_files`] named. A path that leads out of the skill is
    /// refused like any other read.
    pub fn read_raw(&self, path: &Path, limits: &Limits) -> Result<Vec<u8>, ResourceError> {
        self.files().read_raw(path, limits)
    }

    /// Reads a whole file for a model: like [`Skill::read_raw`], and refused where it is not what
    /// was trusted, or where it tells a model more than it shows a person.
    pub fn serve_raw(&self, path: &Path, limits: &Limits) -> Result<Vec<u8>, ResourceError> {
        self.hides_nothing()?;
        self.files().serve_raw(path, limits)
    }

    /// Refuses the files of a skill whose own text is kept from models: its name comes with them.
    fn hides_nothing(&self) -> Result<(), ResourceError> {
        match self.hidden_text().filter(|_| !self.hidden_allowed) {
            None => Ok(()),
            Some(hidden) => Err(ResourceError::Hidden {
                path: display_path(Path::new(self.path().file_name().unwrap_or_default())),
                line: hidden.position.line,
                column: hidden.position.column,
            }),
        }
    }

    /// Reads every file of the skill and seals them. Its own file counts as it was loaded, so
    /// nothing can be swapped between the look and the seal.
    pub fn seal(&self, limits: &Limits) -> Result<Seal, SealError> {
        self.files().seal(self.layout(), self.hash(), limits)
    }

    /// The first file by which a seal made now differs from the one that was trusted.
    #[cfg(feature = "run")]
    pub(crate) fn strays_from(&self, now: &Seal) -> Option<String> {
        let changes = self.seal.as_deref()?.changes(now);
        let (mut removed, added) = (changes.removed.into_iter(), changes.added);
        changes
            .altered
            .into_iter()
            .chain(added)
            .next()
            .or_else(|| removed.next())
    }

    /// The folder or single file it is made of, absolute and without links.
    pub fn real_path(&self) -> Option<PathBuf> {
        match (self.layout(), self.location()) {
            (Layout::Record, _) => None,
            (Layout::Folder, _) => {
                let location = self.folder_location()?;
                Some(location.anchor.join(&location.below))
            }
            (_, Some(location)) => {
                let name = self.path().file_name()?;
                Some(location.anchor.join(&location.below).join(name))
            }
            (_, None) => self
                .origin()
                .real_root
                .as_ref()
                .map(|_| self.absolute_path()),
        }
    }

    fn files(&self) -> Files<'_> {
        Files {
            skill: self.name(),
            own: self.path(),
            location: self.folder_location(),
            remote: self.remote(),
            seal: self.seal.as_deref(),
            hidden_allowed: self.hidden_allowed,
        }
    }

    /// The skill's folder, told from a folder that may be opened; `None` where it has none.
    fn folder_location(&self) -> Option<Location> {
        (self.layout() == Layout::Folder)
            .then(|| self.own_location())
            .flatten()
    }

    /// The folder its own file lies in, told from a folder that may be opened.
    fn own_location(&self) -> Option<Location> {
        if let Some(location) = self.location() {
            return Some(location.clone());
        }
        let origin = self.origin();
        let real = origin.real_root.as_deref()?;
        let below = self.path().strip_prefix(&origin.root).ok()?;
        let (anchor, below) = match below.parent() {
            Some(folder) => (real, folder.to_path_buf()),
            // The source named the file itself.
            None => (real.parent()?, PathBuf::new()),
        };
        Some(Location {
            anchor: Arc::from(anchor),
            below,
        })
    }
}

impl TrustStore {
    /// Trusts a skill as its files are now, and gives what is different from the last time. The
    /// skill was read, so that a person could look at it.
    pub fn approve(&mut self, skill: &Skill, limits: &Limits) -> Result<Changes, SealError> {
        let path = skill.real_path().ok_or_else(|| SealError::NotOnDisk {
            skill: skill.name().to_owned(),
        })?;
        let seal = skill.seal(limits)?;
        let before = self.approval(&path).map(|approval| &approval.seal);
        let changes = before.unwrap_or(&Seal::default()).changes(&seal);
        let run = self
            .approval(&path)
            .is_some_and(|before| before.run && before.seal == seal);
        self.approve_sealed(skill, seal, run);
        Ok(changes)
    }

    /// Trusts a skill with exactly the files of a seal, those that were looked at, and lets its
    /// scripts run or not.
    pub(crate) fn approve_sealed(&mut self, skill: &Skill, seal: Seal, run: bool) {
        if let Some(path) = skill.real_path() {
            let text = skill.document().text().to_owned();
            self.insert(path, Entry::Trusted(Approval { seal, text, run }));
        }
    }
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
        _ => read(bytes, profile),
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
