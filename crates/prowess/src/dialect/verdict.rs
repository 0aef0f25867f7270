//! Puts what a client does with a skill into words.

use std::path::Path;

use prowess_format::{Profile, Severity, SkillName, read, rules as checks};

use super::{
    Finding, Outcome, Subject, Verdict, View,
    budget::{self, Share},
    listing::{Listed, Rivals},
    loader::{self, DescriptionFrom, Entry, Refusal},
    scan::{self, SKILL},
};
use crate::source::clients::rules::{
    AllowedTools, Answer, Budget, Depth, Markup, NameDiffers, Over, RootSkill, Rules, Tier, Yaml,
};

fn changed(rule: &'static str, message: String) -> Finding {
    finding(rule, Outcome::Changed, message)
}

fn unknown(rule: &'static str, message: String) -> Finding {
    finding(rule, Outcome::Unknown, message)
}

fn dropped(rule: &'static str, message: String) -> Finding {
    finding(rule, Outcome::Dropped, message)
}

fn finding(rule: &'static str, outcome: Outcome, message: String) -> Finding {
    Finding {
        rule,
        outcome,
        message,
        help: None,
    }
}

impl Finding {
    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl View<'_> {
    /// Says what the client makes of a skill.
    pub fn judge(&self, subject: &Subject<'_>) -> Verdict {
        let mut findings = Vec::new();
        let mut notes = Vec::new();
        let mut call = None;
        match self.rules() {
            None => {
                let title = &self.client.title;
                findings.extend(self.misplaced(subject));
                let message = format!("only the folders of {title} are known, not its rules");
                findings.push(unknown("rules", message));
            }
            Some(rules) if rules.yaml == Some(Yaml::Standard) => {
                findings.extend(self.by_the_standard(rules, subject));
            }
            Some(rules) => {
                let listed = self.listed(subject);
                let alone;
                let reading = match listed {
                    Some(listed) => listed.reading.as_ref(),
                    None => {
                        alone = Self::read_alone(rules, subject);
                        findings.extend(self.unreached(rules, subject));
                        alone.as_ref()
                    }
                };
                match reading {
                    None => findings.push(unknown(
                        "rules",
                        format!("how {} reads a skill is not known", self.client.title),
                    )),
                    Some(Err(refusal)) => findings.push(self.refused(refusal)),
                    Some(Ok(entry)) => {
                        findings.extend(self.differences(rules, entry, subject));
                        let listed = listed.filter(|it| it.rivals != Rivals::None);
                        findings.extend(listed.and_then(|it| self.rivalry(it)));
                        let mark = rules.call.as_ref().filter(|_| entry.user);
                        call = mark.map(|mark| format!("{mark}{}", entry.name));
                    }
                }
                findings.extend(listed.and_then(|listed| self.room(rules, listed)));
                let entry = reading.and_then(|it| it.as_ref().ok());
                notes = self.notes(rules, subject, entry);
            }
        }
        // The sort is stable: among equals the order of the questions stays.
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.outcome));
        let outcome = findings.first().map_or(Outcome::Loads, |it| it.outcome);
        Verdict {
            client: self.client.name.clone(),
            title: self.client.title.clone(),
            outcome,
            // Nobody calls a skill that is not there.
            call: call.filter(|_| outcome != Outcome::Dropped),
            findings,
            notes,
        }
    }

    /// The file as the client finds it: at this path, or by a link that leads to it.
    fn listed(&self, subject: &Subject<'_>) -> Option<&Listed> {
        let path = subject.path?;
        let exact = self.files().iter().find(|it| it.found.path == path);
        // A file that was taken from elsewhere already is judged as it stands there.
        let exact = exact.map(|it| match it.rivals {
            Rivals::Again { from } => &self.files()[from],
            _ => it,
        });
        exact.or_else(|| {
            let real = scan::real(path);
            // Of several ways to one file, the one that counts.
            let mut same: Vec<&Listed> = (self.files().iter())
                .filter(|it| it.found.real == real)
                .collect();
            same.sort_by_key(|it| !it.is_offered());
            same.first().copied()
        })
    }

    /// Reads a file that the client does not find, to say what else is the matter with it.
    fn read_alone(rules: &Rules, subject: &Subject<'_>) -> Option<loader::Reading> {
        let bytes = subject.path.and_then(scan::read);
        let bytes = bytes.as_deref().unwrap_or(subject.text.as_bytes());
        let folder = subject.folder.unwrap_or(subject.name);
        loader::read(rules, bytes, folder)
    }

    /// Whether the skill lies in no folder that the client looks into.
    fn misplaced(&self, subject: &Subject<'_>) -> Option<Finding> {
        let path = subject.path?;
        let roots = scan::roots(self.client, &self.projects, self.environment);
        if roots.iter().any(|root| path.starts_with(&root.path)) {
            return None;
        }
        // A file outside of all skills folders is found by nobody.
        let beside = || path.parent().and_then(Path::parent);
        let place = self.place(path).or_else(beside)?;
        let title = &self.client.title;
        let first = self.client.project.first()?;
        Some(
            dropped(
                "folders",
                format!("{title} does not look into `{}` from here", place.display()),
            )
            .help(format!("put the skill into `{}` for {title}", first.path)),
        )
    }

    /// The skills folder that a file lies in, by the shape of its path or by a user's folder.
    fn place<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        let roots = scan::roots(self.client, &self.projects, self.environment);
        let home = self.environment.home.as_deref();
        path.ancestors().skip(1).find(|ancestor| {
            let own = roots.iter().any(|root| root.path == **ancestor);
            let shaped = self.known.iter().any(|folder| ancestor.ends_with(folder))
                && ancestor.components().count() > 2;
            let at_home = home.is_some_and(|home| {
                ancestor.starts_with(home) && ancestor.file_name().is_some_and(|it| it == "skills")
            });
            own || shaped || at_home
        })
    }

    /// Why the client's loader does not come to a file.
    fn unreached(&self, rules: &Rules, subject: &Subject<'_>) -> Option<Finding> {
        let path = subject.path?;
        let title = &self.client.title;
        if let Some(finding) = self.misplaced(subject) {
            return Some(finding);
        }
        let roots = scan::roots(self.client, &self.projects, self.environment);
        let known = roots.iter().find(|root| path.starts_with(&root.path))?;
        let root = known.path.as_path();
        let below = path.strip_prefix(root).ok()?;
        let parts: Vec<String> = below
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let (name, folders) = parts.split_last()?;
        let own_folder = "keep each skill in a folder of its own, directly in the skills folder";
        if name != SKILL {
            let message = format!("{title} reads exactly `{SKILL}`, and this is `{name}`");
            return Some(dropped("file", message).help(format!("rename the file to `{SKILL}`")));
        }
        if !path.is_file() {
            return Some(dropped(
                "file",
                format!("`{name}` is no file that can be read"),
            ));
        }
        if folders.is_empty() {
            let message = format!("{title} reads no `{SKILL}` in the skills folder itself");
            return Some(dropped("root-skill", message).help(own_folder));
        }
        if let Some(hidden) = folders.iter().find(|it| it.starts_with('.'))
            && scan::skips_hidden(rules, known)
        {
            let message = format!("{title} passes over `{hidden}`: its name starts with a dot");
            return Some(dropped("hidden", message).help("give the folder a name without a dot"));
        }
        let skipped = rules.skipped.iter().flatten();
        if let Some(skipped) = skipped.into_iter().find(|it| folders.contains(it)) {
            let message = format!("{title} passes over folders named `{skipped}`");
            return Some(dropped("skipped", message).help("move the skill out of it"));
        }
        if let Some(Depth::Most(most)) = rules.depth
            && folders.len() > most as usize
        {
            let message = format!(
                "it lies {} below the skills folder, and {title} looks only {} down",
                folders_deep(folders.len()),
                folders_deep(most as usize)
            );
            return Some(dropped("depth", message).help(own_folder));
        }
        if rules.file_link == Some(Answer::Skipped) && path.is_symlink() {
            let message = format!("its file is a link, and {title} does not follow it");
            return Some(
                dropped("file-link", message)
                    .help("link the folder instead, or put a copy in its place"),
            );
        }
        if rules.root_skill == Some(RootSkill::Alone) && root.join(SKILL).is_file() {
            let message = format!(
                "a `{SKILL}` lies in the skills folder itself, and {title} reads only that"
            );
            return Some(
                dropped("root-skill", message).help("move that one into a folder of its own"),
            );
        }
        if rules.nested == Some(Answer::Skipped) {
            let message = format!("it lies below another skill, where {title} does not look");
            return Some(dropped("nested", message).help(own_folder));
        }
        Some(unknown(
            "folders",
            format!("why {title} does not come to this file is not known"),
        ))
    }

    fn refused(&self, refusal: &Refusal) -> Finding {
        let title = &self.client.title;
        let message = format!("{}, and {title} drops such skills", refusal.what);
        let help = match refusal.rule {
            "yaml" => "run `prowess check --fix`",
            "duplicate-key" => "keep one of the two fields",
            "fence" => "start the file with a line `---`, and end the frontmatter with another",
            "encoding" => "save the file as UTF-8",
            "most-bytes" => "move what is seldom needed into files beside it",
            "missing-name" => "add `name:` to the frontmatter",
            "name-shape" => "use at most 64 lower-case letters, digits and single hyphens",
            "missing-description" => {
                "add `description:` to the frontmatter: what the skill does and when to use it"
            }
            "description-cap" => "say what and when first, and shorten the rest",
            "typed" => "put the value into quotes",
            _ => "write the value as the field wants it",
        };
        dropped(refusal.rule, message).help(help)
    }

    /// How the entry differs from what its author wrote, as it is read here.
    fn differences(&self, rules: &Rules, entry: &Entry, subject: &Subject<'_>) -> Vec<Finding> {
        let title = &self.client.title;
        let mut findings = Vec::new();
        if entry.name != subject.name {
            let folder = subject.folder == Some(entry.name.as_str());
            let why = if folder { " after its folder" } else { "" };
            let rule = match (folder, rules.name_differs) {
                (true, Some(NameDiffers::Folder)) => "name-differs",
                (true, _) => "missing-name",
                _ => "name-shape",
            };
            let message = format!(
                "{title} calls it `{}`{why}, and not `{}`",
                entry.name, subject.name
            );
            findings.push(changed(rule, message).help(format!(
                "give name and folder the same name, such as `{}`",
                plain_name(&entry.name)
            )));
        }
        if subject.text.is_empty() && !entry.description.is_empty() {
            let message = format!("{title} reads the file, which cannot be read here as it is");
            findings.push(changed("encoding", message).help("save it as UTF-8, below 1 MiB"));
        } else if entry.from != DescriptionFrom::Field
            || !same_text(&entry.description, subject.description)
        {
            findings.push(self.description(rules, entry, subject));
        }
        let manual = says(subject, "disable-model-invocation", "true");
        if manual && entry.model {
            let finding = match rules.manual {
                Some(Answer::Skipped) => changed(
                    "manual",
                    format!(
                        "`disable-model-invocation` means nothing to {title}: the model is told about it and may use it"
                    ),
                ),
                _ => unknown(
                    "manual",
                    format!("whether {title} minds `disable-model-invocation` is not known"),
                ),
            };
            findings.push(finding.help(format!("keep it out of the folders that {title} reads")));
        }
        if !entry.model && !entry.user {
            let message = format!("{title} offers it neither to the model nor to the user");
            let outcome = match rules.unoffered {
                Some(Answer::Read) => Outcome::Changed,
                _ => Outcome::Dropped,
            };
            findings.push(finding("user-invocable", outcome, message).help(
                "take out `user-invocable` or `disable-model-invocation`, whichever is not meant",
            ));
        } else if entry.model && !entry.user && rules.user_invocable == Some(Answer::Read) {
            let message =
                format!("only the model can call it in {title}, as `user-invocable` says");
            findings.push(changed("user-invocable", message));
        }
        if entry.waits {
            let message = format!(
                "{title} tells the model about it only once a file that `paths` names is touched"
            );
            findings.push(changed("paths", message));
        }
        findings
    }

    fn description(&self, rules: &Rules, entry: &Entry, subject: &Subject<'_>) -> Finding {
        let title = &self.client.title;
        let shown = shortened(&entry.description);
        match entry.from {
            DescriptionFrom::Body => changed(
                "missing-description",
                format!("{title} finds no description, and lists `{shown}` from the instructions"),
            )
            .help("add `description:` to the frontmatter: what the skill does and when to use it"),
            DescriptionFrom::Nowhere if !entry.model => changed(
                "missing-description",
                format!(
                    "{title} finds no description: the model is not told, calling it by name works"
                ),
            )
            .help("add `description:` to the frontmatter: what the skill does and when to use it"),
            DescriptionFrom::Nowhere => changed(
                "missing-description",
                format!("{title} finds no description, and lists it without one"),
            )
            .help("add `description:` to the frontmatter: what the skill does and when to use it"),
            DescriptionFrom::Field if entry.description.is_empty() => changed(
                "missing-description",
                format!("{title} lists it without a description"),
            ),
            DescriptionFrom::Field => {
                let length = subject.description.chars().count();
                let listed = entry.description.chars().count();
                let cut = rules.description_cap.is_some()
                    && listed < length
                    && subject
                        .description
                        .starts_with(entry.description.get(..20).unwrap_or("\0"));
                if cut && listed >= 1_000 {
                    return changed(
                        "description-cap",
                        format!("its description has {length} characters, and {title} lists the first {listed}"),
                    )
                    .help("say what and when first, and shorten the rest");
                }
                let is_cut = rules.markup == Some(Markup::FirstLine)
                    && subject.description.trim().contains('\n');
                let rule = if is_cut || rules.markup.is_some() && subject.description.contains('<')
                {
                    "markup"
                } else if entry.repaired {
                    "repair"
                } else {
                    "yaml"
                };
                changed(rule, format!("{title} reads its description as `{shown}`"))
                    .help("put the description into double quotes, and keep it plain")
            }
        }
    }

    fn rivalry(&self, listed: &Listed) -> Option<Finding> {
        let title = &self.client.title;
        let shown = |at: usize| self.files()[at].found.path.display().to_string();
        let finding = match listed.rivals {
            Rivals::None | Rivals::Again { .. } => return None,
            Rivals::Both => changed(
                "same-name",
                format!(
                    "another skill has its name; {title} keeps both, and the name is ambiguous"
                ),
            ),
            Rivals::Lost { to } => dropped(
                "same-name",
                format!("`{}` has its name, and {title} keeps that one", shown(to)),
            ),
            Rivals::Unknown => unknown(
                "same-name",
                format!(
                    "another skill has its name, and which one {title} keeps changes or is not known"
                ),
            ),
        };
        Some(finding.help("give one of them another name"))
    }

    fn room(&self, rules: &Rules, listed: &Listed) -> Option<Finding> {
        let Some(Budget::Room(room)) = &rules.budget else {
            return None;
        };
        if listed.share == Share::Whole {
            return None;
        }
        let title = &self.client.title;
        let needed = budget::needed(room, self.files());
        let all = room.characters;
        let what = match (listed.share, room.over) {
            (Share::Part(most), _) => {
                format!("about {most} characters of this description are shown")
            }
            (Share::Nothing, _) => "this one is left out".to_owned(),
            (_, Over::Shortened) => "this one is listed without its description".to_owned(),
            _ => "of this one only the name is listed".to_owned(),
        };
        let message = format!(
            "the list of skills needs {needed} characters, and {title} has {all} for it ({}): {what}",
            room.share
        );
        Some(changed("budget", message).help("install fewer skills, or shorten descriptions"))
    }

    /// What a follower of the standard makes of it: nothing that breaks a rule.
    fn by_the_standard(&self, rules: &Rules, subject: &Subject<'_>) -> Vec<Finding> {
        let title = &self.client.title;
        let mut findings = Vec::new();
        let file = subject.path.and_then(Path::file_name);
        let linked = subject.path.is_some_and(Path::is_symlink);
        if file.is_some_and(|it| it != SKILL) || linked {
            let message = format!("{title} wants a regular file `{SKILL}`");
            findings.push(dropped("file", message));
        }
        if let Some(path) = subject.path
            && let Some(place) = self.place(path)
            && let Ok(below) = path.strip_prefix(place)
            && below.components().count() != 2
        {
            let message = format!("{title} reads immediate children of the skills folder only");
            findings.push(dropped("depth", message));
        }
        let parsed = read(subject.text.as_bytes(), Profile::Standard);
        let about = checks::Subject {
            document: &parsed.document,
            file_name: SKILL,
            folder: None,
        };
        let found = checks::check(&about, Profile::Standard);
        let fault = parsed
            .diagnostics
            .iter()
            .chain(&found)
            .find(|it| it.severity == Severity::Error);
        if let Some(fault) = fault {
            let message = format!(
                "{title} skips skills that break the standard: {}",
                fault.message
            );
            findings.push(dropped("standard", message).help("fix what `prowess check` reports"));
        }
        if rules.name_differs == Some(NameDiffers::Refused)
            && let (Some(name), Some(folder)) = (parsed.document.name(), subject.folder)
            && name != folder
        {
            let message = format!("its name is `{name}` and its folder's `{folder}`");
            findings.push(dropped("name-differs", message).help("give both the same name"));
        }
        findings
    }

    /// What is worth knowing and decides nothing.
    fn notes(&self, rules: &Rules, subject: &Subject<'_>, entry: Option<&Entry>) -> Vec<String> {
        let title = &self.client.title;
        let mut notes = Vec::new();
        if let (Some(version), Some(day)) = (&rules.version, &rules.day) {
            notes.push(format!("as {title} {version} did on {day}"));
        }
        let tier = self.listed(subject).map(|it| it.found.tier);
        if tier == Some(Tier::Project) {
            notes.push(match &rules.trust {
                Some(trust) => format!("trust: {trust}"),
                None => format!("when {title} trusts project skills is not known"),
            });
        }
        if entry.is_some_and(|entry| !entry.model) && rules.manual == Some(Answer::Read) {
            notes.push(
                "the model is not told about it, as `disable-model-invocation` says".to_owned(),
            );
        }
        let parsed = read(subject.text.as_bytes(), Profile::Lenient);
        let names = ["allowed-tools", "allowed_tools"];
        let mut fields = parsed.document.fields().iter();
        if fields.any(|field| names.contains(&&*field.key)) {
            notes.push(match rules.allowed_tools {
                Some(AllowedTools::Ignored) => format!("{title} ignores `allowed-tools`"),
                Some(AllowedTools::Approved) => {
                    format!("{title} approves the tools in `allowed-tools` beforehand")
                }
                Some(AllowedTools::Approvals) => {
                    format!("{title} takes `allowed-tools` into its tool approvals")
                }
                None => format!("what {title} does with `allowed-tools` is not known"),
            });
        }
        notes
    }
}

/// Whether a field of the skill says this word, as it is read here.
fn says(subject: &Subject<'_>, name: &str, word: &str) -> bool {
    let parsed = read(subject.text.as_bytes(), Profile::Lenient);
    parsed.document.text_of(name) == Some(word)
}

/// Whether two texts differ in white space only.
fn same_text(left: &str, right: &str) -> bool {
    left.split_whitespace().eq(right.split_whitespace())
}

fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > 60 {
        line.chars().take(59).collect::<String>() + "…"
    } else {
        line
    }
}

/// A name that every client takes, made from one that some do not.
fn plain_name(name: &str) -> String {
    let plain = crate::normalized(name);
    match SkillName::new(&plain) {
        Ok(_) => plain,
        Err(_) => "my-skill".to_owned(),
    }
}

fn folders_deep(count: usize) -> String {
    match count {
        0 => "no folder".to_owned(),
        1 => "1 folder".to_owned(),
        _ => format!("{count} folders"),
    }
}
