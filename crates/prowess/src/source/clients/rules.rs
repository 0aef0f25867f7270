//! What a client does with the skills it finds: one field per question, `None` where nobody knows.
//!
//! The words are those of `clients.toml`. A word that stands for a way of reading names it after
//! what it does; the code that does it is in [`dialect`](crate::dialect).

use serde::Deserialize;

/// Declares the rules with one list, so that a config can replace them one by one.
macro_rules! rules {
    ($($(#[$doc:meta])* $field:ident $key:literal: $type:ty,)+) => {
        /// Everything known about one client; `None` is not known, and `why` says so.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields)]
        #[non_exhaustive]
        pub struct Rules { $($(#[$doc])* #[serde(default)] pub $field: Option<$type>,)+ }

        impl Rules {
            /// Every key of the table, in its order.
            pub(super) const KEYS: &'static [&'static str] = &[$($key),+];

            /// Takes over what another set of rules says.
            pub(super) fn extend(&mut self, other: Self) {
                $(if other.$field.is_some() { self.$field = other.$field; })+
            }
        }
    };
}

rules! {
    /// The version that was run.
    version "version": String,
    /// The day it was run, as `2026-11-17`.
    day "day": String,
    /// How deep below its folder a skill may lie; `<folder>/<name>/SKILL.md` is one deep.
    depth "depth": Depth,
    /// A `SKILL.md` in the skills folder itself.
    root_skill "root-skill": RootSkill,
    /// Folders whose name starts with a dot.
    hidden "hidden": Answer,
    /// Folders that hide theirs all the same; a part of their path.
    hidden_skipped_in "hidden-skipped-in": Vec<String>,
    /// Names of folders that are not looked into.
    skipped "skipped": Vec<String>,
    /// Skills below the folder of another skill.
    nested "nested": Answer,
    /// A `SKILL.md` that is a symbolic link.
    file_link "file-link": Answer,
    /// A folder that is a symbolic link.
    folder_link "folder-link": Answer,
    /// Where the client stops looking.
    scan "scan": Scan,
    /// The largest file it reads, in bytes.
    most_bytes "most-bytes": u64,
    /// Bytes that are not UTF-8.
    encoding "encoding": Encoding,
    /// How the frontmatter is cut out of the file.
    fence "fence": Fence,
    /// What reads the frontmatter.
    yaml "yaml": Yaml,
    /// What is tried where that fails.
    repair "repair": Repair,
    /// A name or description that YAML takes for a number, a boolean or nothing.
    typed "typed": Typed,
    /// A skill without a name.
    missing_name "missing-name": MissingName,
    /// Which names are taken, and how they are changed.
    name_shape "name-shape": NameShape,
    /// A name unlike its folder's.
    name_differs "name-differs": NameDiffers,
    /// A skill without a description.
    missing_description "missing-description": MissingDescription,
    /// The length of a description.
    description_cap "description-cap": DescriptionCap,
    /// Further fields whose values are checked.
    checked "checked": Vec<FieldCheck>,
    /// What the list does to the text of a description.
    markup "markup": Markup,
    /// Fields the standard does not know.
    unknown_fields "unknown-fields": UnknownFields,
    /// `disable-model-invocation`.
    manual "manual": Answer,
    /// `user-invocable`.
    user_invocable "user-invocable": Answer,
    /// `paths`.
    paths "paths": Answer,
    /// A skill for neither the model nor the user, in the list that its settings show.
    unoffered "unoffered": Answer,
    /// Two skills of one name.
    same_name "same-name": SameName,
    /// Two skills of one name in one folder.
    same_folder "same-folder": SameName,
    /// One file that is found twice, by links.
    same_file "same-file": Answer,
    /// The room for the list.
    budget "budget": Budget,
    /// What a user types before the name.
    call "call": String,
    /// When project skills are trusted, as a sentence.
    trust "trust": String,
    /// What `allowed-tools` means.
    allowed_tools "allowed-tools": AllowedTools,
}

/// Declares an enum of plain words.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ })+) => {
        $(
            $(#[$about])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
            #[non_exhaustive]
            pub enum $name { $($(#[$doc])* #[serde(rename = $word)] $variant,)+ }
        )+
    };
}

words! {
    /// Whether something is taken into account.
    Answer {
        /// It is.
        Read = "read",
        /// It is not.
        Skipped = "skipped",
    }

    /// A `SKILL.md` in the skills folder itself.
    RootSkill {
        /// It is a skill beside the others.
        Read = "read",
        /// It is not read.
        Skipped = "skipped",
        /// It is the only skill of that folder.
        Alone = "alone",
    }

    /// Bytes that are not UTF-8.
    Encoding {
        /// The file is refused.
        Strict = "strict",
        /// They become replacement characters.
        Replaced = "replaced",
    }

    /// How the frontmatter is cut out of the file.
    Fence {
        /// From a first line `---` to the next such line; white space around them is no matter.
        TrimmedLines = "trimmed lines",
        /// From a first line `---` to the next line that is `---` from its start.
        WholeLines = "whole lines",
        /// From `---` and a line break to the next line that starts with `---`.
        LineStart = "line start",
        /// The same, after line ends are made `\n`, and the closing line is `---` alone.
        Normalized = "normalized",
        /// From `---` to the next `---` anywhere.
        FirstDashes = "first dashes",
        /// Between the first two `---` of the file, wherever they stand.
        Split = "split",
        /// From a first line `---` to a line that starts with `---`, or to the end of the file.
        OrEnd = "or end",
        /// From a first line `---` to the next one, or to the end of the file.
        LinesOrEnd = "lines or end",
        /// As the standard says.
        Standard = "standard",
    }

    /// What reads the frontmatter.
    Yaml {
        /// libyaml, through `serde_yaml`.
        LibYaml = "libyaml",
        /// The same into fields of fixed types: `name`, `description` and a map `metadata`.
        LibYamlFields = "libyaml fields",
        /// `js-yaml` 3.
        JsYaml3 = "js-yaml 3",
        /// `js-yaml` 4.
        JsYaml4 = "js-yaml 4",
        /// `yaml` with the core schema.
        Yaml = "yaml",
        /// `Bun.YAML`.
        Bun = "bun",
        /// A reader that never fails: VS Code's.
        Tolerant = "tolerant",
        /// As the standard says.
        Standard = "standard",
    }

    /// What is tried where reading fails.
    Repair {
        /// Nothing; the skill is dropped.
        Refused = "refused",
        /// Values with `: `, or with `[`, `{`, `@` or a backtick in front, are put into quotes.
        Quotes = "quotes",
        /// Values with a character of YAML are put into quotes, tabs become spaces; where that
        /// fails too, the skill loads without its fields.
        QuotesOrNothing = "quotes or nothing",
        /// `name:` and `description:` lines are taken as they stand.
        Lines = "lines",
        /// Values with a colon become block text.
        Blocks = "blocks",
        /// Lines `key: value` are taken as they stand.
        Pairs = "pairs",
    }

    /// A name or description that is no text to YAML.
    Typed {
        /// It is read as the text that stands there.
        Text = "text",
        /// It is what JavaScript prints for the value.
        Printed = "printed",
        /// The same, and a list is its values with commas between them.
        Joined = "printed, lists joined",
        /// The skill is refused.
        Refused = "refused",
    }

    /// A skill without a name.
    MissingName {
        /// It is called after its folder.
        Folder = "folder",
        /// It is refused.
        Refused = "refused",
    }

    /// A name unlike its folder's.
    NameDiffers {
        /// The name in the file counts.
        Loads = "loads",
        /// The folder's name counts.
        Folder = "folder",
        /// The skill is refused.
        Refused = "refused",
    }

    /// A skill without a description.
    MissingDescription {
        /// It is refused, and so is an empty one.
        Refused = "refused",
        /// It is refused; an empty one is listed.
        Required = "required",
        /// It is listed without one.
        Empty = "empty",
        /// It is kept from the model, and works when called by name.
        ByName = "by name",
        /// The first line of the instructions stands in.
        FirstLine = "first line",
        /// The first paragraph of the instructions stands in.
        FirstParagraph = "first paragraph",
    }

    /// Further fields whose values are checked; one that does not pass drops the skill.
    FieldCheck {
        /// `short-description` in `metadata` is a text.
        ShortDescription = "short-description",
        /// `allowed-tools` is a text or a list of texts.
        AllowedTools = "allowed-tools",
        /// `argument-hint` is a text or nothing.
        ArgumentHint = "argument-hint",
        /// `disable-model-invocation` and `user-invocable` are booleans.
        Booleans = "booleans",
        /// `allowedTools` is a list, `model` a text, `paths` a list of relative globs.
        QwenFields = "allowedTools, model, paths",
    }

    /// What the list does to the text of a description.
    Markup {
        /// Only its first line is shown.
        FirstLine = "first line",
        /// `<tags>` are removed.
        Removed = "removed",
        /// `<` and `>` become entities.
        Escaped = "escaped",
    }

    /// Fields the standard does not know.
    UnknownFields {
        /// They are ignored.
        Ignored = "ignored",
        /// The skill is skipped if it breaks the standard.
        Standard = "standard",
    }

    /// What `allowed-tools` means.
    AllowedTools {
        /// Nothing.
        Ignored = "ignored",
        /// The tools need no further approval while the skill is in use.
        Approved = "approved beforehand",
        /// It feeds the client's own tool approvals.
        Approvals = "tool approvals",
    }

    /// Two skills of one name.
    SameName {
        /// Both stay, and the name is ambiguous.
        Both = "both",
        /// The one in the folder that stands first in the table wins.
        First = "first",
        /// The one in the folder that stands last in the table wins.
        Last = "last",
        /// The user's wins over the project's.
        UserFirst = "user first",
        /// It changes from run to run.
        Varies = "varies",
    }

    /// The shelf a skill stands on.
    Tier {
        /// In the user's home.
        User = "user",
        /// Beside the code.
        Project = "project",
        /// On the machine, for all users.
        System = "system",
    }
}

impl Tier {
    /// The word of the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::System => "system",
        }
    }
}

/// How far below its folder a client looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "`depth` is a whole number or \"any\"")]
pub enum Depth {
    /// At most this deep.
    Most(u32),
    /// At any depth.
    Any(Any),
}

words! {
    /// No bound.
    Any {
        /// The word itself.
        Any = "any",
    }

    /// No rule.
    Nothing {
        /// The word itself.
        None = "none",
    }
}

/// Where a client stops looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scan {
    /// After this many folders.
    pub folders: u32,
    /// After this many entries.
    pub entries: u32,
}

/// Which names are taken, and how they are changed; what is left out is no matter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct NameShape {
    /// The longest name taken.
    pub most: Option<u32>,
    /// Runs of white space become this.
    pub spaces: Option<String>,
    /// Each of these characters becomes `-`.
    pub replaced: String,
    /// A name with one of these characters is refused.
    pub refused: String,
    /// Only letters, digits and these are taken.
    pub marks: Option<String>,
    /// Letters and digits beyond ASCII are not taken.
    pub ascii: bool,
    /// The first character is a letter or digit.
    pub starts: bool,
    /// Names that break the standard are refused.
    pub standard: bool,
}

/// How much room the list of skills has.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "`budget` is a table or \"none\"")]
pub enum Budget {
    /// As much as it takes.
    Unlimited(Nothing),
    /// A number of characters.
    Room(Room),
}

/// A list that has only so much room.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Room {
    /// So many characters, with the context that most people have.
    pub characters: u32,
    /// So many of them are taken by the client's own skills.
    #[serde(default)]
    pub taken: u32,
    /// So many go to each skill beside its name and description.
    #[serde(default)]
    pub each: u32,
    /// Whether the path of the file counts too.
    #[serde(default)]
    pub path: bool,
    /// How the number comes about.
    pub share: String,
    /// What happens beyond.
    pub over: Over,
}

words! {
    /// What happens to a list that outgrows its room.
    Over {
        /// A description is shown whole or not at all; those that fit come first.
        WholeOrNothing = "whole or nothing",
        /// Descriptions are shortened in turn, then skills are left out.
        Shortened = "shortened in turn",
        /// The skills that do not fit are listed by name.
        NamesOnly = "names only",
    }

    /// What happens to a description that is too long.
    TooLong {
        /// It is cut.
        Cut = "cut",
        /// The skill is refused.
        Refused = "refused",
    }
}

/// How long a description may be.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "`description-cap` is a table or \"none\"")]
pub enum DescriptionCap {
    /// Any length.
    Unlimited(Nothing),
    /// So many characters.
    Most(Cap),
}

/// A number of characters for a description.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cap {
    /// How many.
    pub characters: u32,
    /// What happens beyond.
    pub over: TooLong,
    /// What is put at the end of a description that was cut; it counts.
    #[serde(default)]
    pub mark: String,
    /// A field that is appended and counts too.
    #[serde(default)]
    pub with: Option<String>,
}
