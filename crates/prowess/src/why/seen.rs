//! What is known of a skill, as far as clients care.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use prowess_format::{Diagnostic, Document, Profile, Severity, Subject, Syntax, rules};

use crate::{
    catalog::Catalog,
    skill::{Skill, State},
    source::{
        Layout, Location, Origin, Scope,
        clients::{Client, Located, rules::Tier},
        places::Environment,
    },
};

/// What is known of a skill, as far as clients care.
#[derive(Debug, Clone, Default)]
pub struct Seen<'a> {
    /// The name of its file.
    pub file_name: &'a str,
    /// The name of its own folder.
    pub folder_name: Option<&'a str>,
    /// Where it lies; `None` for a folder that is no client's, such as one given with `--dir`.
    pub place: Option<Located>,
    /// How deep below its skills folder it lies, where no place says so.
    pub depth: Option<usize>,
    /// The working directory and its parents up to the repository.
    pub projects: &'a [PathBuf],
    /// What user folders depend on.
    pub environment: Environment,
    /// The name written in the file.
    pub name: Option<&'a str>,
    /// The description written in the file.
    pub description: Option<&'a str>,
    /// The `when_to_use` written in the file.
    pub when_to_use: Option<&'a str>,
    /// Every field, in order.
    pub fields: Vec<&'a str>,
    /// How the frontmatter reads.
    pub frontmatter: Frontmatter,
    /// Whether the file starts with a byte order mark.
    pub byte_order_mark: bool,
    /// Whether `---` stands inside a value.
    pub fence_in_value: bool,
    /// The symbolic link it was found through.
    pub link: Option<Link>,
    /// Where other skills of its name lie.
    pub rivals: Vec<Located>,
    /// The characters the list of skills needs, names and descriptions together, by skills folder.
    pub listed: Vec<(PathBuf, usize)>,
    /// How much lies below its skills folder: folders and entries.
    pub scanned: Option<(usize, usize)>,
    /// What breaks the standard, as `check` says it.
    pub fault: Option<String>,
}

/// How the frontmatter reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Frontmatter {
    /// As YAML.
    #[default]
    Yaml,
    /// As TOML.
    Toml,
    /// As YAML once values with `: ` or an odd start are quoted.
    Quoted,
    /// As YAML once it is mended in another way.
    Mended,
    /// As YAML for some readers; strict ones refuse its quotes.
    Loose,
    /// Not at all.
    Unreadable,
    /// There is none.
    Missing,
}

/// A symbolic link a skill was found through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Whether the file itself is the link, and not a folder above it.
    pub file: bool,
    /// Whether it stays inside the skills folder it was found in.
    pub inside: bool,
}

impl<'a> Seen<'a> {
    /// What a document tells; the places are left for the caller to fill in.
    ///
    /// `diagnostics` are those of reading the document, in any profile.
    pub fn of(document: &'a Document, diagnostics: &[Diagnostic], file_name: &'a str) -> Self {
        let text = document.text();
        let frontmatter = document.frontmatter_span().of(text);
        Self {
            file_name,
            name: document.name(),
            description: document.description(),
            when_to_use: document.text_of("when_to_use"),
            fields: document.fields().iter().map(|it| &*it.key).collect(),
            frontmatter: Frontmatter::of(document, diagnostics),
            byte_order_mark: text.starts_with('\u{feff}'),
            // The span lies between the fences, so every `---` in it belongs to a value.
            fence_in_value: document.syntax() == Some(Syntax::Yaml) && frontmatter.contains("---"),
            ..Self::default()
        }
    }

    /// What a catalog knows of one of its skills.
    ///
    /// `projects` are the folders from the working directory up to the repository, as
    /// [`project_folders`](crate::project_folders) gives them.
    pub fn in_catalog(
        skill: &'a Skill,
        catalog: &Catalog,
        projects: &'a [PathBuf],
        environment: &Environment,
    ) -> Self {
        let diagnostics: Vec<Diagnostic> = skill.diagnostics().cloned().collect();
        let file_name = skill.path().file_name().and_then(OsStr::to_str);
        let file_name = file_name.unwrap_or("SKILL.md");
        let rivals = catalog.named(skill.name()).iter();
        let rivals = rivals.filter(|it| it.path() != skill.path() && it.state() != State::Broken);
        let place = located(skill);
        let mut seen = Self {
            folder_name: (skill.layout() == Layout::Folder)
                .then(|| skill.path().parent()?.file_name()?.to_str())
                .flatten(),
            // A skill named by itself lies in no skills folder that could be too deep.
            depth: depth_below(skill).filter(|depth| place.is_some() || *depth > 0),
            place,
            projects,
            environment: environment.clone(),
            link: skill.location().map(|it| Link {
                file: false,
                inside: stays_inside(skill.origin(), it),
            }),
            rivals: rivals.filter_map(located).collect(),
            ..Self::of(skill.document(), &diagnostics, file_name)
        };
        for skill in catalog.model_visible() {
            let folder = &skill.origin().root;
            let characters = skill.name().chars().count() + skill.description().chars().count();
            match seen.listed.iter_mut().find(|(known, _)| known == folder) {
                Some((_, sum)) => *sum += characters,
                None => seen.listed.push((folder.clone(), characters)),
            }
        }
        let subject = Subject {
            document: skill.document(),
            file_name,
            folder: None,
        };
        seen.fault = rules::check(&subject, Profile::Standard)
            .into_iter()
            .find(|it| it.severity == Severity::Error)
            .map(|it| it.message);
        seen
    }

    /// The same, without what lies in folders the client does not look into.
    pub(super) fn by(&self, client: &Client) -> Self {
        let looks = |folder: &Path| client.looks_into(folder, self.projects, &self.environment);
        let mut seen = self.clone();
        seen.rivals.retain(|rival| looks(&rival.folder));
        seen.listed.retain(|(folder, _)| looks(folder));
        seen
    }

    /// How deep below its skills folder it lies.
    pub(super) fn depth(&self) -> Option<usize> {
        self.place.as_ref().map(|it| it.depth).or(self.depth)
    }

    /// The skills folder it lies in.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.place.as_ref().map(|it| it.folder.as_path())
    }
}

impl Frontmatter {
    /// Tells from the diagnostics of reading how well the frontmatter read.
    fn of(document: &Document, diagnostics: &[Diagnostic]) -> Self {
        let repairs = || diagnostics.iter().filter(|it| it.code == "repaired-yaml");
        match document.syntax() {
            None => Self::Missing,
            Some(Syntax::Toml) => Self::Toml,
            Some(Syntax::Yaml) if document.fields().is_empty() => Self::Unreadable,
            Some(Syntax::Yaml) if repairs().next().is_some() => {
                let plain = repairs().all(|it| {
                    let lines = it.fix.iter().flat_map(|fix| &fix.edits);
                    lines
                        .map(|edit| edit.span.of(document.text()))
                        .all(mended_by_quotes)
                });
                if plain { Self::Quoted } else { Self::Mended }
            }
            Some(Syntax::Yaml) if diagnostics.iter().any(|it| it.code == "loose-quotes") => {
                Self::Loose
            }
            Some(Syntax::Yaml) => Self::Yaml,
        }
    }
}

/// Whether quotes around the value mend a field: one line, with `: ` in it or an odd start.
fn mended_by_quotes(lines: &str) -> bool {
    let Some((_, value)) = lines.trim_end().split_once(':') else {
        return false;
    };
    let value = value.trim_matches(' ');
    !value.contains(['\n', '\t'])
        && (value.contains(": ") || value.ends_with(':') || value.starts_with(ODD_STARTS))
}

/// The characters YAML gives a meaning of its own at the start of a value.
const ODD_STARTS: [char; 9] = ['*', '@', '`', '[', '{', '&', '!', '%', '|'];

/// Where a skill lies among the folders clients look into; `None` for one that was named.
fn located(skill: &Skill) -> Option<Located> {
    let tier = match skill.origin().scope {
        Scope::Project => Tier::Project,
        Scope::User => Tier::User,
        Scope::System => Tier::System,
        Scope::Explicit | Scope::Remote => return None,
    };
    Some(Located {
        tier,
        folder: skill.origin().root.clone(),
        depth: depth_below(skill)?,
    })
}

fn depth_below(skill: &Skill) -> Option<usize> {
    let below = skill.path().strip_prefix(&skill.origin().root).ok()?;
    below.components().count().checked_sub(1)
}

/// Whether a link leads to a place below the skills folder it was found in.
fn stays_inside(origin: &Origin, location: &Location) -> bool {
    let real = location.anchor.join(&location.below);
    let root = origin.real_root.as_ref();
    root.is_some_and(|root| real.starts_with(root))
}
