//! Everything there is to say about one skill, and about the plugin manifests around skills.

use std::path::Path;

use prowess_format::{Diagnostic, Folder, FolderFile, Profile, Script, Subject, rules};

use crate::{
    limits::Limits,
    resource::{Content, Resource},
    skill::Skill,
    source::{Layout, note},
};

mod plugins;

pub use self::plugins::check_plugins;

/// Judges a skill by every rule, with its folder at hand. The skill comes from a catalog that was
/// loaded with the same profile; what was noticed then is reported again.
pub fn check(skill: &Skill, profile: Profile, limits: &Limits) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = skill.diagnostics().cloned().collect();
    // A file that could not be read, or is whole without frontmatter, has nothing more to judge.
    if skill.hash().is_some() && skill.layout() != Layout::Convention {
        // A load judges by the rules that decide it, and knows the folder only by its path. Here
        // the same rules see the folder itself, so that their word is the one that counts.
        diagnostics.retain(|it| rules::find(it.code).is_none_or(|rule| rule.check.is_none()));
        let folder = match skill.all_files(limits) {
            Ok((files, false)) => folder(skill, files),
            Ok((_, true)) => {
                diagnostics.extend(too_many_files(profile, limits));
                None
            }
            Err(_) => None,
        };
        let file_name = skill.path().file_name().unwrap_or_default();
        let subject = Subject {
            document: skill.document(),
            file_name: &file_name.to_string_lossy(),
            folder: folder.as_ref(),
        };
        diagnostics.extend(rules::check(&subject, profile));
    }
    diagnostics.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
    diagnostics
}

/// The skill's folder with all its files; `None` for a skill without one, and where it could not
/// be seen whole: a file that was not looked at must not be called missing.
pub fn folder_of(skill: &Skill, limits: &Limits) -> Option<Folder> {
    match skill.all_files(limits) {
        Ok((files, false)) => folder(skill, files),
        _ => None,
    }
}

fn folder(skill: &Skill, files: Vec<Resource>) -> Option<Folder> {
    let directory = skill.directory()?;
    let name = Path::new(&directory).file_name()?;
    Some(Folder {
        name: name.to_string_lossy().into_owned(),
        files: files
            .into_iter()
            .map(|file| {
                let mut file = FolderFile {
                    path: file.path,
                    executable: file.executable,
                    size: file.size,
                    script: None,
                };
                if file.is_script() && file.size <= SCRIPT_BYTES {
                    file.script = script(skill, &file.path);
                }
                file
            })
            .collect(),
    })
}

/// A longer script is a program that came along; its text is not looked at.
const SCRIPT_BYTES: u64 = 256 * 1024;

fn script(skill: &Skill, path: &str) -> Option<Script> {
    let limits = Limits {
        page_bytes: SCRIPT_BYTES as usize,
        ..Limits::default()
    };
    match skill.read_resource(path, 0, &limits).ok()?.content {
        Content::Text(text) => Some(Script::read(text.as_bytes())),
        Content::Base64(_) => None,
    }
}

fn too_many_files(profile: Profile, limits: &Limits) -> Option<Diagnostic> {
    note(
        &rules::scan_limit::RULE,
        profile,
        format!(
            "the skill has more than {} files or {} bytes, so links to its files are not checked",
            limits.skill_files, limits.skill_bytes
        ),
        "move what is not needed out of the skill, or raise the limit",
    )
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::{Catalog, DiskSource, LoadOptions, Source, testing::Tree};

    fn judge(tree: &Tree, profile: Profile, limits: &Limits, expect: &Expect) {
        let sources: Vec<Box<dyn Source>> = vec![Box::new(DiskSource::new(tree.root()))];
        let options = LoadOptions {
            profile,
            ..LoadOptions::default()
        };
        let catalog = Catalog::load(&sources, &options).unwrap();
        let told: Vec<_> = catalog
            .skills()
            .iter()
            .flat_map(|skill| check(skill, profile, limits))
            .map(|it| {
                format!(
                    "{}:{} {}[{}] {}\n",
                    it.position.line,
                    it.position.column,
                    it.severity.as_str(),
                    it.code,
                    it.message
                )
            })
            .collect();
        expect.assert_eq(
            &told
                .concat()
                .replace(&tree.root().display().to_string(), "."),
        );
    }

    const TEXT: &str = "---\nname: pdf\ndescription: Fills PDF forms. Use when a form must be filled.\n---\nRun `scripts/fill.py`, see [more](references/more.md).\n";

    #[test]
    fn the_folder_is_at_hand() {
        let tree = Tree::new()
            .file("pdf/SKILL.md", TEXT)
            .file("pdf/references/more.md", "more");
        judge(
            &tree,
            Profile::Standard,
            &Limits::default(),
            &expect![[r#"
                5:6 warning[missing-file] `scripts/fill.py` is not in the skill
            "#]],
        );
    }

    #[test]
    fn a_folder_that_was_not_seen_whole_has_no_missing_files() {
        let tree = Tree::new()
            .file("pdf/SKILL.md", TEXT)
            .file("pdf/a", "")
            .file("pdf/b", "");
        let limits = Limits {
            skill_files: 1,
            ..Limits::default()
        };
        judge(
            &tree,
            Profile::Standard,
            &limits,
            &expect![[r#"
            1:1 warning[scan-limit] the skill has more than 1 files or 67108864 bytes, so links to its files are not checked
        "#]],
        );
    }

    #[test]
    fn what_was_noticed_on_loading_is_told_once() {
        let tree = Tree::new().file("Pdf/SKILL.md", "---\ndescription: D\n---\nDo it.\n");
        judge(
            &tree,
            Profile::Lenient,
            &Limits::default(),
            &expect![[r#"
                2:1 warning[missing-name] the skill has no name; its folder's name `Pdf` is used
            "#]],
        );
    }
}
