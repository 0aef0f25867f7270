//! What the verbs that install share: the site, the sources, the preview, trust.

use std::{
    fmt::Write as _,
    path::{Component, Path, PathBuf},
};

use prowess::{
    Catalog, DiskSource, LoadOptions, Scope, Skill, TrustAll, check,
    format::{Profile, Severity},
};
use prowess_install::{
    BundleError, ClientPlace, FetchOptions, InstallError, Item, LOCK_FILE, Lock, LockedSkill,
    ManifestError, Offer, OfferError, OfferOptions, OfferedSkill, Owner, Place, RestoreError, Site,
    SiteError, SkillFiles, SkillLimits, Source, Store, Turn, WebError, WebOptions, client_differs,
    client_places,
};
use serde::Serialize;

use crate::{
    exit::Failure,
    files,
    nearest::{did_you_mean, nearest},
    progress::Wait,
    render::{byte_size, count, line},
    session::Session,
    trust,
};

/// So many files of a skill stand in a preview.
const MOST_FILES: usize = 40;

/// So many skills of a source are named in a sentence.
const MOST_NAMES: usize = 20;

/// A config that is no manifest to write into.
const MOST_MANIFEST: u64 = 1024 * 1024;

/// Whose skills a verb is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum To {
    /// The project around the working directory
    Project,
    /// The user, in every project
    User,
}

/// The place a verb works on.
pub(crate) fn site(to: To, session: &Session) -> Result<Site, Failure> {
    let environment = &session.environment;
    let state = environment.state_folder().ok_or_else(no_home)?;
    let mut site = match to {
        To::User => {
            let home = environment.home.as_deref().ok_or_else(no_home)?;
            let config = environment.config_folder().ok_or_else(no_home)?;
            Site::new(Owner::User, home, config.join(LOCK_FILE), &state)
        }
        To::Project => {
            let folders = session.places().project();
            let marked = |it: &&PathBuf| {
                [LOCK_FILE, "prowess.toml"]
                    .iter()
                    .any(|name| files::is_there(&it.join(name)))
            };
            let root = folders.iter().find(marked).or(folders.last());
            let root = root.ok_or_else(|| Failure::new("cannot tell which project this is"))?;
            Site::new(Owner::Project, root, root.join(LOCK_FILE), &state)
        }
    };
    site.limits = SkillLimits {
        files: session.config.limits.skill_files,
        bytes: session.config.limits.skill_bytes,
    };
    Ok(site)
}

fn no_home() -> Failure {
    Failure::new("there is no place to keep what is installed").hint("set `HOME`")
}

/// The bytes of everything installed.
pub(crate) fn store(session: &Session) -> Result<Store, Failure> {
    let data = session.environment.data_folder().ok_or_else(no_home)?;
    Ok(Store::new(data.join("store")))
}

/// Why the bytes could not be kept.
pub(crate) fn no_store(error: &std::io::Error) -> Failure {
    Failure::new("cannot keep the files in the store; nothing was changed").because(error)
}

/// The config that says what is wanted here.
pub(crate) fn manifest_path(site: &Site, session: &Session) -> PathBuf {
    match site.owner {
        Owner::Project => site.root.join("prowess.toml"),
        Owner::User => {
            let folder = session.environment.config_folder();
            folder
                .unwrap_or_else(|| site.root.clone())
                .join("config.toml")
        }
    }
}

/// Its text; empty where there is none.
pub(crate) fn manifest_text(path: &Path) -> Result<String, Failure> {
    if !files::is_there(path) {
        return Ok(String::new());
    }
    files::read_text(path, MOST_MANIFEST)
        .map_err(|error| Failure::new(format!("cannot read `{}`", path.display())).because(&error))
}

impl From<SiteError> for Failure {
    fn from(error: SiteError) -> Self {
        let failure = Self::new(error.to_string()).because_of(&error);
        match error {
        SiteError::Damaged { .. } => failure.hint(
            "take it from the history of the project, or use the version of prowess that wrote it",
        ),
        SiteError::Foreign { .. } => {
            failure.hint("nothing was changed; move it away, or leave the skill out with `--skill`")
        }
        SiteError::Busy { .. } => failure.hint("nothing was changed; wait until it is done"),
        _ => failure,
    }
    }
}

/// Reads one argument as a source, with paths as the site names them.
pub(crate) fn source(text: &str, site: &Site, session: &Session) -> Result<Source, Failure> {
    let here = &session.environment.working_directory;
    let is_folder = |name: &str| files::is_folder(&here.join(name));
    let mut source = Source::parse(text, &is_folder).map_err(|error| {
        Failure::usage(error.to_string()).hint(
            "a source is `owner/repo`, `owner/repo/path`, an address with `https://` or `ssh://`, a folder with `./`, or an archive",
        )
    })?;
    if let Place::Folder(path) | Place::ArchiveFile(path) = &mut source.place {
        let home = path
            .strip_prefix("~")
            .ok()
            .zip(session.environment.home.as_deref());
        let whole = match home {
            Some((rest, home)) => home.join(rest),
            None => here.join(&*path),
        };
        *path = seen_from(&site.root, &plain(&whole), path.is_relative());
        if path.to_str().is_none() {
            let shown = prowess::display_path(path);
            return Err(Failure::new(format!(
                "`{shown}` is named by no text, so no lock can name it"
            ))
            .hint("give the folder another name"));
        }
    }
    Ok(source)
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// As `./…` or `../…` where it lies in the site or was typed so, so that the lock is right
/// wherever the project lies.
fn seen_from(root: &Path, path: &Path, relative: bool) -> PathBuf {
    if let Ok(rest) = path.strip_prefix(root) {
        return Path::new(".").join(rest);
    }
    let above = root.ancestors().skip(1).enumerate();
    let shared = above
        .filter_map(|(up, folder)| Some((up + 1, path.strip_prefix(folder).ok()?)))
        .find(|_| relative);
    match shared {
        Some((up, rest)) => PathBuf::from("../".repeat(up)).join(rest),
        None => path.to_path_buf(),
    }
}

/// What a fetch may use.
pub(crate) fn offer_options(site: &Site, offline: bool, session: &Session) -> OfferOptions {
    OfferOptions {
        git: FetchOptions {
            search_path: session.environment.search_path.clone(),
            variables: session.environment.for_fetching.clone(),
            ..FetchOptions::default()
        },
        web: WebOptions {
            netrc: session.environment.netrc(),
            ..WebOptions::default()
        },
        skill: site.limits,
        base: site.root.clone(),
        offline,
        ..OfferOptions::default()
    }
}

/// Opens a source; says what takes so long and what is worth saying about it.
pub(crate) fn open(
    source: &Source,
    options: &OfferOptions,
    session: &mut Session,
) -> Result<Offer, Failure> {
    let place = line(&source.place.to_string());
    let message = move || format!("asking {place}");
    let wait = Wait::new(session.environment.stderr_terminal, message);
    let offer = Offer::open(source, options)?;
    drop(wait);
    for note in &offer.notes {
        session.output.warning(&line(note));
    }
    Ok(offer)
}

impl From<&OfferError> for Failure {
    fn from(error: &OfferError) -> Self {
        let failure = Self::new(error.to_string()).because_of(error);
        match error {
        OfferError::Git { url, .. } if !url.starts_with("http") && !url.starts_with("file:") => {
            failure.hint("nobody is asked for a password; does `ssh` reach that host with your key?")
        }
        OfferError::Git { .. } => failure.hint(
            "nobody is asked for a password; for a private repository set up a credential helper of git, or use its ssh address",
        ),
        OfferError::Archive { .. } => {
            failure.hint("nothing was changed; ask whoever made it for one with plain files only")
        }
        OfferError::Web(WebError::Status { status, .. }) if matches!(status.as_u16(), 401 | 403) => {
            failure.hint("nobody is asked for a password; put it into your `.netrc`")
        }
        OfferError::NoIndex { .. } => failure.hint(
            "name a git repository, an archive, or a site with `/.well-known/agent-skills/index.json`",
        ),
        OfferError::NoRef { .. } => failure.hint("name a branch, a tag or a commit after `#`"),
        OfferError::Offline(_) => failure.hint("run it again without `--offline`"),
        _ => failure,
    }
    }
}

impl From<OfferError> for Failure {
    fn from(error: OfferError) -> Self {
        Self::from(&error)
    }
}

/// The skills of an offer that are wanted, with their files.
pub(crate) fn fetch(
    offer: &mut Offer,
    wanted: Option<&[String]>,
) -> Result<Vec<(OfferedSkill, SkillFiles)>, Failure> {
    let mut skills: Vec<OfferedSkill> = Vec::new();
    match wanted {
        None => skills.clone_from(&offer.skills),
        Some(names) => {
            for name in names {
                let found = offer.named(name)?;
                match found.as_slice() {
                    all if name.ends_with(":*") && !all.is_empty() => {
                        let new = all.iter().filter(|it| !skills.contains(it)).cloned();
                        let new: Vec<OfferedSkill> = new.collect();
                        skills.extend(new);
                    }
                    [one] if skills.contains(one) => {}
                    [one] => skills.push(one.clone()),
                    [] => return Err(no_skill(name, offer)),
                    several => {
                        let paths: Vec<String> = several
                            .iter()
                            .map(|it| format!("`{}`", line(&it.qualified())))
                            .collect();
                        return Err(Failure::no_match(format!(
                            "{} are called `{}`",
                            count(several.len(), "skill"),
                            line(name)
                        ))
                        .hint(format!("name one with `--skill`: {}", paths.join(", "))));
                    }
                }
            }
        }
    }
    let paths: Vec<&str> = skills.iter().map(|it| it.path.as_str()).collect();
    let files = offer.fetch(&paths)?;
    Ok(skills.into_iter().zip(files).collect())
}

fn no_skill(name: &str, offer: &Offer) -> Failure {
    if let Some(plugin) = offer.elsewhere.iter().find(|it| it.name == name) {
        let shown = (line(&plugin.name), line(&offer.origin.source));
        let (told, hint) = match &plugin.source {
            Some(source) => (
                "lies in another repository",
                format!("bring it with `prowess add {}`", line(source)),
            ),
            None => (
                "is a package of npm, which is not read",
                "unpack the package, and add its folder".to_owned(),
            ),
        };
        return Failure::no_match(format!("the plugin `{}` of `{}` {told}", shown.0, shown.1))
            .hint(hint);
    }
    let near = nearest(name, offer.skills.iter().map(|it| it.name.as_str()));
    let all = format!("it has {}", names(offer));
    Failure::no_match(format!(
        "`{}` has no skill `{}`",
        line(&offer.origin.source),
        line(name)
    ))
    .hint(did_you_mean(&near).unwrap_or(all))
}

/// The names in an offer, as a sentence has them: those of each plugin together.
pub(crate) fn names(offer: &Offer) -> String {
    let mut skills: Vec<&OfferedSkill> = offer.skills.iter().collect();
    skills.sort_by_key(|it| it.plugin.is_none());
    let mut groups: Vec<(Option<&str>, Vec<String>)> = Vec::new();
    for skill in skills.iter().take(MOST_NAMES) {
        let (plugin, name) = (
            skill.plugin.as_deref(),
            format!("`{}`", line(&skill.qualified())),
        );
        match groups.iter_mut().find(|it| it.0 == plugin) {
            Some(group) => group.1.push(name),
            None => groups.push((plugin, vec![name])),
        }
    }
    let alone = groups.iter().all(|it| it.0.is_none());
    let mut parts: Vec<String> = groups
        .iter()
        .map(|(plugin, names)| match plugin {
            Some(plugin) => format!("{} in the plugin {}", names.join(", "), line(plugin)),
            None if alone => names.join(", "),
            None => format!("{} in no plugin", names.join(", ")),
        })
        .collect();
    if skills.len() > MOST_NAMES {
        parts.push(format!("{} more", skills.len() - MOST_NAMES));
    }
    if !offer.elsewhere.is_empty() {
        let elsewhere = count(offer.elsewhere.len(), "plugin");
        parts.push(format!("{elsewhere} in other repositories"));
    }
    parts.join(if alone { ", " } else { "; " })
}

/// The clients that get links.
pub(crate) fn clients(site: &Site, session: &Session) -> Result<Vec<ClientPlace>, Failure> {
    let named = session.options.client.as_deref().unwrap_or_default();
    let named: Vec<String> = named
        .split(',')
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect();
    let environment = session.places().library_environment();
    client_places(site, &session.config.clients, &named, &environment).map_err(|unknown| {
        let hint = unknown
            .similar
            .as_deref()
            .map(|it| format!("did you mean `{it}`?"));
        Failure::usage(unknown.to_string())
            .hint(hint.unwrap_or_else(|| "`prowess clients` shows all".to_owned()))
    })
}

/// One skill in a preview, as JSON has it.
#[derive(Debug, Serialize)]
pub(crate) struct Preview {
    pub(crate) name: String,
    pub(crate) folder: String,
    pub(crate) state: &'static str,
    pub(crate) source: String,
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub(crate) reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) commit: Option<String>,
    pub(crate) path: String,
    pub(crate) digest: String,
    pub(crate) description: String,
    pub(crate) files: Vec<PreviewFile>,
    pub(crate) tools: Vec<String>,
    pub(crate) hooks: bool,
    pub(crate) findings: Vec<PreviewFinding>,
}

#[derive(Debug, Serialize)]
pub(crate) struct PreviewFile {
    pub(crate) path: String,
    pub(crate) size: u64,
    pub(crate) run: bool,
    pub(crate) hash: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct PreviewFinding {
    pub(crate) code: &'static str,
    pub(crate) severity: &'static str,
    pub(crate) line: usize,
    pub(crate) message: String,
}

/// A skill as it would be judged once it is there.
#[derive(Debug, Default)]
pub(crate) struct Judgment {
    /// Its own name, where it has one.
    pub(crate) name: Option<String>,
    pub(crate) description: String,
    /// What it asks of the client: tools, and hooks as they are written.
    pub(crate) tools: Vec<String>,
    pub(crate) hooks: Option<String>,
    /// What `check` finds, without hints.
    pub(crate) findings: Vec<PreviewFinding>,
}

impl Judgment {
    fn of(skill: &Skill, session: &Session) -> Self {
        let document = skill.document();
        let findings = check(skill, Profile::Standard, &session.config.limits);
        let findings = findings.into_iter();
        let findings = findings.filter(|it| it.severity != Severity::Hint);
        Self {
            name: document.name().map(str::to_owned),
            description: skill.description().to_owned(),
            tools: document
                .allowed_tools()
                .iter()
                .map(ToString::to_string)
                .collect(),
            hooks: document.get("hooks").map(|it| format!("{:?}", it.value)),
            findings: findings
                .map(|it| PreviewFinding {
                    code: it.code,
                    severity: it.severity.as_str(),
                    line: it.position.line as usize,
                    message: it.message,
                })
                .collect(),
        }
    }
}

/// Judges files that are not there yet, in a folder that goes away.
pub(crate) fn judge(
    name: &str,
    files: &SkillFiles,
    session: &Session,
) -> Result<Judgment, Failure> {
    let cannot = |error: &std::io::Error| {
        Failure::new("cannot make a folder to look at the skill").because(error)
    };
    let folder = tempfile::tempdir().map_err(|error| cannot(&error))?;
    prowess_install::write_folder(&folder.path().join(name), files.iter())
        .map_err(|error| cannot(&error))?;
    let catalog = load(folder.path(), Scope::Explicit, session);
    let skill = catalog.skills().first();
    Ok(skill
        .map(|skill| Judgment::of(skill, session))
        .unwrap_or_default())
}

fn load(folder: &Path, scope: Scope, session: &Session) -> Catalog {
    let sources: Vec<Box<dyn prowess::Source>> =
        vec![Box::new(DiskSource::new(folder).scope(scope))];
    let options = LoadOptions {
        profile: Profile::Standard,
        trust: &TrustAll,
        limits: session.config.limits.clone(),
        ..LoadOptions::default()
    };
    Catalog::assemble(prowess::discover(&sources, &options), &options)
}

/// Everything a person should see before a skill arrives.
pub(crate) fn preview(item: &Item, session: &Session) -> Result<Preview, Failure> {
    let locked = &item.locked;
    let judgment = judge(&locked.folder, &item.files, session)?;
    let files = item.files.tree().entries().iter().map(|it| PreviewFile {
        path: it.path.to_string(),
        size: it.size,
        run: it.mode == prowess_install::Mode::Run,
        hash: it.hash.to_string(),
    });
    Ok(Preview {
        name: locked.name().to_owned(),
        folder: locked.folder.clone(),
        state: item.outcome.as_str(),
        source: locked.source.clone(),
        reference: locked.reference.clone(),
        commit: locked.commit.clone(),
        path: locked.path.clone(),
        digest: locked.digest.clone(),
        description: judgment.description,
        files: files.collect(),
        tools: judgment.tools,
        hooks: judgment.hooks.is_some(),
        findings: judgment.findings,
    })
}

/// A commit or a digest, as long as a person needs it.
pub(crate) fn short_id(id: &str) -> &str {
    let id = id.trim_start_matches("sha256:");
    id.get(..12).unwrap_or(id)
}

impl Preview {
    /// As a person reads it.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}: {}\n", line(&self.name), line(&self.description));
        let at = match (&self.commit, &self.reference) {
            (Some(commit), Some(reference)) => {
                let short = reference
                    .trim_start_matches("refs/heads/")
                    .trim_start_matches("refs/tags/");
                format!(" at {} ({})", line(short), short_id(commit))
            }
            (Some(commit), None) => format!(" at {}", short_id(commit)),
            _ => String::new(),
        };
        // Writing to a string does not fail.
        let _ = writeln!(text, "  from      {}{at}", line(&self.source));
        if self.folder != self.name {
            let _ = writeln!(
                text,
                "  folder    {}, because another skill has the name",
                line(&self.folder)
            );
        }
        if self.state != "new" {
            let _ = writeln!(text, "  state     {}", self.state);
        }
        let tools: Vec<String> = self.tools.iter().map(|it| line(it)).collect();
        if !tools.is_empty() {
            let _ = writeln!(text, "  asks for  {}", tools.join(", "));
        }
        if self.hooks {
            let _ = writeln!(
                text,
                "  hooks     it wants commands run by the client; read its `SKILL.md`"
            );
        }
        for (at, file) in self.files.iter().take(MOST_FILES).enumerate() {
            let label = if at == 0 { "files   " } else { "        " };
            let run = if file.run { ", can be run" } else { "" };
            let _ = writeln!(
                text,
                "  {label}  {} ({}{run})",
                line(&file.path),
                byte_size(file.size)
            );
        }
        if self.files.len() > MOST_FILES {
            let _ = writeln!(
                text,
                "            and {}",
                count(self.files.len() - MOST_FILES, "more file")
            );
        }
        for finding in &self.findings {
            let _ = writeln!(
                text,
                "  {:<9} line {}: {} [{}]",
                finding.severity,
                finding.line,
                line(&finding.message),
                finding.code
            );
        }
        text
    }
}

/// Trusts what the user just agreed to, with exactly those files. Only a project's skills wait for
/// trust.
pub(crate) fn trust_installed(
    site: &Site,
    folders: &[&str],
    session: &mut Session,
) -> Result<(), Failure> {
    if site.owner == Owner::User || folders.is_empty() {
        return Ok(());
    }
    let _turn = trust::turn(&session.environment)?;
    let mut store = trust::read(&session.environment)?;
    for name in folders {
        let folder = site.folder(name);
        let catalog = load(&folder, Scope::Project, session);
        for skill in catalog.skills() {
            if let Err(error) = store.approve(skill, &session.config.limits) {
                let failure = Failure::new(format!("`{name}` is installed and cannot be trusted"))
                    .because(&error);
                failure.report(&mut session.output);
            }
        }
    }
    trust::write(&store, &session.environment)
}

/// Forgets that these were trusted.
pub(crate) fn forget_trust(
    site: &Site,
    folders: &[String],
    session: &Session,
) -> Result<(), Failure> {
    if site.owner == Owner::User || folders.is_empty() {
        return Ok(());
    }
    let _turn = trust::turn(&session.environment)?;
    let mut store = trust::read(&session.environment)?;
    let root = files::real_path(&site.root).unwrap_or_else(|_| site.root.clone());
    let real = |folder: PathBuf| match folder.strip_prefix(&site.root) {
        Ok(below) => root.join(below),
        Err(_) => folder,
    };
    let gone: usize = folders
        .iter()
        .map(|name| store.revoke(&real(site.folder(name))))
        .sum();
    if gone > 0 {
        trust::write(&store, &session.environment)?;
    }
    Ok(())
}

/// The entries that the names mean, or all.
pub(crate) fn chosen<'a>(
    lock: &'a prowess_install::Lock,
    names: &[String],
) -> Result<Vec<&'a LockedSkill>, Failure> {
    if names.is_empty() {
        return Ok(lock.skills().iter().collect());
    }
    let mut chosen: Vec<&LockedSkill> = Vec::new();
    for name in names {
        match lock.named(name).as_slice() {
            [one] => chosen.push(one),
            [] => {
                let near = nearest(name, lock.skills().iter().map(|it| it.folder.as_str()));
                let step = did_you_mean(&near)
                    .unwrap_or_else(|| "`prowess list --installed` shows what is".to_owned());
                return Err(Failure::no_match(format!(
                    "no skill `{}` was installed here",
                    line(name)
                ))
                .hint(step));
            }
            several => {
                let all: Vec<String> = several
                    .iter()
                    .map(|it| format!("`{}`", it.address()))
                    .collect();
                return Err(Failure::no_match(format!(
                    "several skills are called `{}`",
                    line(name)
                ))
                .hint(format!("name one: {}", all.join(", "))));
            }
        }
    }
    Ok(chosen)
}

/// The source as a config keeps it: paths as seen from the site, the rest as it was typed.
pub(crate) fn source_text(typed: &str, source: &Source) -> String {
    match &source.place {
        Place::Folder(_) | Place::ArchiveFile(_) => source.place.to_string(),
        _ => typed.to_owned(),
    }
}

/// Asks a person; fails where nobody can answer.
pub(crate) fn confirm(question: &str, session: &mut Session) -> Result<bool, Failure> {
    if !session.environment.stdin_terminal {
        return Err(
            Failure::usage("nobody can be asked here, so nothing was changed")
                .hint("look at it with `--dry-run`, then run it again with `--yes`"),
        );
    }
    session.output.message(&format!("{question} [y/N] "));
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Failure::new("cannot read the answer").because(&error))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

impl From<InstallError> for Failure {
    fn from(error: InstallError) -> Self {
        match error {
            InstallError::Site(error) => error.into(),
            InstallError::Edited { .. } => Self::new(error.to_string())
                .hint("nothing was changed; `prowess verify` names the files"),
            _ => Self::new(error.to_string()).because_of(&error),
        }
    }
}

impl From<BundleError> for Failure {
    fn from(error: BundleError) -> Self {
        match error {
            BundleError::Offer(error) => error.into(),
            _ => Self::new(format!("the bundle is not taken: {error}"))
                .because_of(&error)
                .hint("nothing was changed; make it again with `prowess bundle`"),
        }
    }
}

impl From<RestoreError> for Failure {
    fn from(error: RestoreError) -> Self {
        match error {
            RestoreError::Offer(error) => error.into(),
            RestoreError::Differs { .. } => Self::new(error.to_string()).hint(
                "nothing was changed; take the files from the history of the project, or lock the new ones with `prowess add`",
            ),
            _ => Self::new(error.to_string()).because_of(&error),
        }
    }
}

/// What is wrong with a config that says what is wanted.
pub(crate) fn bad_manifest(path: &Path, error: &ManifestError) -> Failure {
    let shown = path.display();
    Failure::new(format!("cannot read what is wanted in `{shown}`: {error}")).because_of(error)
}

/// Whether a locked skill came from this source.
pub(crate) fn is_of(skill: &LockedSkill, source: &Source) -> bool {
    skill.source == source.place.to_string()
}

/// The locked skills of a source.
pub(crate) fn locked_of<'a>(lock: &'a Lock, source: &Source) -> Vec<&'a LockedSkill> {
    let all = lock.skills().iter();
    all.filter(|it| is_of(it, source)).collect()
}

/// Where the clients of a locked skill have their links; a client that is not known any more has
/// none.
fn link_places(site: &Site, skill: &LockedSkill, session: &Session) -> Vec<(String, PathBuf)> {
    let environment = session.places().library_environment();
    let mut links = Vec::new();
    for client in &skill.clients {
        let named = std::slice::from_ref(client);
        let places = client_places(site, &session.config.clients, named, &environment);
        for place in places.unwrap_or_default() {
            links.push((client.clone(), place.folder.join(&skill.folder)));
        }
    }
    links
}

/// The links that are to be made, and what stands in the way of others.
pub(crate) fn missing_links(
    site: &Site,
    turn: &Turn<'_>,
    skill: &LockedSkill,
    session: &Session,
) -> (Vec<(PathBuf, String)>, Vec<String>) {
    let (mut links, mut notes) = (Vec::new(), Vec::new());
    for (client, link) in link_places(site, skill, session) {
        if !files::is_there(&link) {
            links.push((link, skill.folder.clone()));
        } else if files::is_there(&site.folder(&skill.folder)) && !turn.is_own_link(&link, skill) {
            let shown = session.environment.shorten(&link);
            notes.push(format!(
                "`{shown}` is there already and is left alone, so {client} does not get `{}`",
                line(&skill.folder)
            ));
        }
    }
    (links, notes)
}

/// The links of a skill that lead to it.
pub(crate) fn own_links(
    site: &Site,
    turn: &Turn<'_>,
    skill: &LockedSkill,
    session: &Session,
) -> Vec<PathBuf> {
    let links = link_places(site, skill, session).into_iter();
    links
        .map(|(_, link)| link)
        .filter(|link| turn.is_own_link(link, skill))
        .collect()
}

/// The links of a skill that are not there or lead elsewhere.
pub(crate) fn broken_links(site: &Site, skill: &LockedSkill, session: &Session) -> Vec<String> {
    let folder = site.folder(&skill.folder);
    let links = link_places(site, skill, session).into_iter();
    links
        .filter(|(_, link)| client_differs(link, &folder))
        .map(|(_, link)| session.environment.shorten(&link))
        .collect()
}

/// Whether what comes here waits for the user's trust.
pub(crate) fn waits_for_trust(site: &Site, session: &Session) -> bool {
    site.owner == Owner::Project && !session.options.trust
}
