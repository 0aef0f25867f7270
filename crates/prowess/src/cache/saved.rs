//! What a survey is as bytes: folders with their stamps, skills without their text.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use prowess_format::{Diagnostic, Edit, Fix, Position, Profile, Severity, Span, rules};
use serde::{Deserialize, Serialize};

use super::file::{Opened, Parts};
use crate::{
    identity::ContentHash,
    skill::{SavedSkill, Skill},
    source::{
        Finding, Layout, Location, Source as _,
        disk::{
            DiskSource,
            handle::Kind,
            seen::{FileSeen, FolderSeen, Stamp},
            walk::Here,
        },
    },
    survey::Survey,
};

#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    key: &'a str,
    #[serde(borrow)]
    folders: Vec<SavedFolder<'a>>,
}

#[derive(Serialize, Deserialize)]
struct SavedFolder<'a> {
    path: &'a [u8],
    place: Option<(u64, u64)>,
    stamp: Option<Stamp>,
    depth: u32,
    inside: Option<&'a [u8]>,
    #[serde(borrow)]
    hops: Vec<&'a [u8]>,
    location: Option<(&'a [u8], &'a [u8])>,
    folders: Vec<&'a [u8]>,
    files: Vec<SavedFile<'a>>,
    findings: Vec<SavedFinding<'a>>,
    targets: Vec<&'a [u8]>,
}

#[derive(Serialize, Deserialize)]
struct SavedFile<'a> {
    name: &'a [u8],
    stamp: Option<Stamp>,
    #[serde(borrow)]
    skill: SkillParts<'a>,
}

#[derive(Serialize, Deserialize)]
struct SkillParts<'a> {
    layout: u8,
    name: &'a str,
    id: Option<&'a str>,
    hash: Option<[u8; 32]>,
    last_modified: Option<i64>,
    broken: bool,
    explicit_only: bool,
    description: Option<&'a str>,
    #[serde(borrow)]
    tags: Vec<&'a str>,
    tokens: u64,
    diagnostics: Vec<SavedDiagnostic<'a>>,
    location: Option<(&'a [u8], &'a [u8])>,
    start: u64,
    length: u32,
}

#[derive(Serialize, Deserialize)]
struct SavedFinding<'a> {
    path: &'a [u8],
    #[serde(borrow)]
    diagnostic: SavedDiagnostic<'a>,
}

#[derive(Serialize, Deserialize)]
struct SavedDiagnostic<'a> {
    code: &'a str,
    severity: u8,
    span: (u64, u64),
    position: (u32, u32),
    message: &'a str,
    help: Option<&'a str>,
    #[serde(borrow)]
    fix: Option<SavedFix<'a>>,
}

/// Title, then what is replaced by what.
type SavedFix<'a> = (&'a str, Vec<(u64, u64, &'a str)>);

/// A survey as bytes.
pub(super) fn parts(survey: &Survey, key: &str) -> io::Result<Parts> {
    let mut texts = Vec::new();
    // In the order of paths, so that equal surveys are equal bytes.
    let mut folders: Vec<&FolderSeen> = survey.folders().collect();
    folders.sort_unstable_by(|a, b| {
        let bytes = |it: &FolderSeen| it.here.path.as_os_str().as_encoded_bytes().to_vec();
        bytes(a).cmp(&bytes(b))
    });
    let folders = folders.into_iter();
    let saved = Saved {
        key,
        folders: folders.map(|it| save_folder(it, &mut texts)).collect(),
    };
    let head = postcard::to_allocvec(&saved).map_err(io::Error::other)?;
    drop(saved);
    Ok(Parts { head, texts })
}

fn save_folder<'a>(folder: &'a FolderSeen, texts: &mut Vec<u8>) -> SavedFolder<'a> {
    let here = &folder.here;
    let files = folder.files.iter().filter_map(|file| {
        Some(SavedFile {
            name: file.name.as_encoded_bytes(),
            stamp: file.stamp,
            skill: save_skill(file.skill.as_ref()?, texts),
        })
    });
    SavedFolder {
        path: bytes(&here.path),
        place: folder.place,
        stamp: folder.stamp,
        depth: here.depth as u32,
        inside: here.inside.as_deref().map(bytes),
        hops: here.hops.iter().map(|it| bytes(it)).collect(),
        location: here.location.as_ref().map(save_location),
        folders: folder
            .folders
            .iter()
            .map(|it| it.as_encoded_bytes())
            .collect(),
        files: files.collect(),
        findings: folder.findings.iter().map(save_finding).collect(),
        targets: folder.targets.iter().map(|it| bytes(it)).collect(),
    }
}

fn save_skill<'a>(skill: &'a Skill, texts: &mut Vec<u8>) -> SkillParts<'a> {
    let start = texts.len() as u64;
    skill.append_text(texts);
    SkillParts {
        layout: match skill.layout() {
            Layout::Folder => 0,
            Layout::Flat => 1,
            Layout::Convention => 2,
            Layout::Record => 3,
        },
        name: skill.name(),
        id: skill.id(),
        hash: skill.hash().map(|hash| *hash.as_bytes()),
        last_modified: skill.last_modified(),
        broken: skill.is_broken(),
        explicit_only: skill.is_explicit_only(),
        description: Some(skill.description()).filter(|it| !it.is_empty()),
        tags: skill.tags(),
        tokens: skill.tokens() as u64,
        diagnostics: skill
            .own_diagnostics()
            .iter()
            .map(save_diagnostic)
            .collect(),
        location: skill.location().map(save_location),
        start,
        length: (texts.len() as u64 - start) as u32,
    }
}

fn save_finding(finding: &Finding) -> SavedFinding<'_> {
    SavedFinding {
        path: bytes(&finding.path),
        diagnostic: save_diagnostic(&finding.diagnostic),
    }
}

fn save_diagnostic(diagnostic: &Diagnostic) -> SavedDiagnostic<'_> {
    let span = |span: Span| (span.start as u64, span.end as u64);
    SavedDiagnostic {
        code: diagnostic.code,
        severity: match diagnostic.severity {
            Severity::Error => 0,
            Severity::Warning => 1,
            Severity::Hint => 2,
        },
        span: span(diagnostic.span),
        position: (diagnostic.position.line, diagnostic.position.column),
        message: &diagnostic.message,
        help: diagnostic.help.as_deref(),
        fix: diagnostic.fix.as_ref().map(|fix| {
            let edits = fix.edits.iter();
            let edits = edits.map(|it| (it.span.start as u64, it.span.end as u64, &*it.text));
            (&*fix.title, edits.collect())
        }),
    }
}

/// What a cache knows of a source.
pub(super) enum Known {
    /// Everything is as it was, and this is what there is.
    Same(Vec<Skill>, Vec<Finding>),
    /// Something changed; this is what was there.
    Old(Survey),
}

/// What was saved under this key; `None` where the bytes make no sense.
pub(super) fn known(
    opened: &Opened,
    key: &str,
    disk: &DiskSource,
    profile: Profile,
) -> Option<Known> {
    let saved: Saved<'_> = postcard::from_bytes(&opened.head).ok()?;
    if saved.key != key {
        return None;
    }
    // In most starts nothing changed; then nothing but skills is made of what was saved.
    if is_as_it_was(&saved, disk) {
        let (mut skills, mut findings) = (Vec::with_capacity(saved.folders.len()), Vec::new());
        for folder in &saved.folders {
            for file in &folder.files {
                let path = path(folder.path).join(text(file.name));
                skills.push(read_skill(&file.skill, path, opened, disk, profile)?);
            }
            for finding in &folder.findings {
                findings.push(read_finding(finding)?);
            }
        }
        return Some(Known::Same(skills, findings));
    }
    survey(&saved, opened, disk, profile).map(Known::Old)
}

/// Whether every folder and file has the stamp it had.
fn is_as_it_was(saved: &Saved<'_>, disk: &DiskSource) -> bool {
    let root = bytes(&disk.origin().root);
    let whole = |folder: &SavedFolder<'_>| {
        folder.stamp.is_some()
            && folder.location.is_none()
            && folder.path.starts_with(root)
            && folder.files.iter().all(|file| file.stamp.is_some())
    };
    if !saved.folders.iter().all(whole) {
        return false;
    }
    let Some(look) = disk.stamps() else {
        return false;
    };
    let mut path = Vec::with_capacity(256);
    saved.folders.iter().all(|folder| {
        let below = &folder.path[root.len()..];
        path.clear();
        path.extend_from_slice(below.strip_prefix(b"/").unwrap_or(below));
        if !look.is(&path, Kind::Folder, folder.stamp) {
            return false;
        }
        if !path.is_empty() {
            path.push(b'/');
        }
        let length = path.len();
        folder.files.iter().all(|file| {
            path.truncate(length);
            path.extend_from_slice(file.name);
            look.is(&path, Kind::File, file.stamp)
        })
    })
}

fn survey(
    saved: &Saved<'_>,
    opened: &Opened,
    disk: &DiskSource,
    profile: Profile,
) -> Option<Survey> {
    let mut survey = Survey::with_capacity(saved.folders.len());
    for folder in &saved.folders {
        survey.restore(read_folder(folder, opened, disk, profile)?);
    }
    Some(survey)
}

fn read_folder(
    folder: &SavedFolder<'_>,
    opened: &Opened,
    disk: &DiskSource,
    profile: Profile,
) -> Option<FolderSeen> {
    let path = path(folder.path);
    let mut files = Vec::with_capacity(folder.files.len());
    for file in &folder.files {
        let name = text(file.name);
        let skill = read_skill(&file.skill, path.join(&name), opened, disk, profile)?;
        files.push(FileSeen {
            name,
            stamp: file.stamp,
            skill: Some(skill),
        });
    }
    let findings = folder.findings.iter().map(read_finding);
    Some(FolderSeen {
        place: folder.place,
        stamp: folder.stamp,
        folders: folder.folders.iter().map(|it| text(it)).collect(),
        files,
        findings: findings.collect::<Option<_>>()?,
        targets: folder.targets.iter().map(|it| self::path(it)).collect(),
        here: Here {
            path,
            depth: folder.depth as usize,
            inside: folder.inside.map(|it| Arc::from(self::path(it))),
            hops: folder.hops.iter().map(|it| self::path(it)).collect(),
            location: folder.location.map(read_location),
            replaced: false,
        },
    })
}

fn read_skill(
    skill: &SkillParts<'_>,
    path: PathBuf,
    opened: &Opened,
    disk: &DiskSource,
    profile: Profile,
) -> Option<Skill> {
    let diagnostics = skill.diagnostics.iter().map(read_diagnostic);
    Some(Skill::restored(SavedSkill {
        origin: Arc::clone(disk.origin()),
        path,
        layout: match skill.layout {
            0 => Layout::Folder,
            1 => Layout::Flat,
            2 => Layout::Convention,
            3 => Layout::Record,
            _ => return None,
        },
        name: skill.name.into(),
        id: skill.id.map(Into::into),
        hash: skill.hash.map(ContentHash::from_bytes),
        last_modified: skill.last_modified,
        broken: skill.broken,
        explicit_only: skill.explicit_only,
        description: skill.description.map(Into::into),
        tags: skill.tags.iter().map(|&tag| tag.into()).collect(),
        tokens: skill.tokens as usize,
        diagnostics: diagnostics.collect::<Option<_>>()?,
        location: skill.location.map(read_location),
        texts: Arc::clone(&opened.texts),
        start: skill.start,
        length: skill.length as usize,
        profile,
    }))
}

fn read_finding(finding: &SavedFinding<'_>) -> Option<Finding> {
    Some(Finding {
        path: path(finding.path),
        diagnostic: read_diagnostic(&finding.diagnostic)?,
    })
}

fn read_diagnostic(saved: &SavedDiagnostic<'_>) -> Option<Diagnostic> {
    let span = |start: u64, end: u64| Span {
        start: start as usize,
        end: end as usize,
    };
    let fix = saved.fix.as_ref().map(|(title, edits)| Fix {
        title: (*title).to_owned(),
        edits: edits
            .iter()
            .map(|&(start, end, text)| Edit {
                span: span(start, end),
                text: text.to_owned(),
            })
            .collect(),
    });
    Some(Diagnostic {
        code: rules::ALL.iter().find(|rule| rule.code == saved.code)?.code,
        severity: match saved.severity {
            0 => Severity::Error,
            1 => Severity::Warning,
            2 => Severity::Hint,
            _ => return None,
        },
        span: span(saved.span.0, saved.span.1),
        position: Position {
            line: saved.position.0,
            column: saved.position.1,
        },
        message: saved.message.to_owned(),
        help: saved.help.map(str::to_owned),
        fix,
    })
}

fn save_location(location: &Location) -> (&[u8], &[u8]) {
    (bytes(&location.anchor), bytes(&location.below))
}

fn read_location((anchor, below): (&[u8], &[u8])) -> Location {
    Location {
        anchor: Arc::from(path(anchor)),
        below: path(below),
    }
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

fn path(bytes: &[u8]) -> PathBuf {
    text(bytes).into()
}

#[cfg(unix)]
fn text(bytes: &[u8]) -> OsString {
    <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).to_os_string()
}

/// Elsewhere nothing is cached, so nothing that is no text is lost.
#[cfg(not(unix))]
fn text(bytes: &[u8]) -> OsString {
    OsStr::new(&*String::from_utf8_lossy(bytes)).to_os_string()
}
