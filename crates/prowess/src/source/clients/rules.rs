//! What a client does with the skills it finds: one field per question, `None` where nobody knows.

/// A choice that is written as a word in the table.
pub(super) trait Word: Clone + 'static {
    /// Every word and what it means, in the order a message lists them.
    const WORDS: &'static [(&'static str, Self)];
}

/// Declares an enum whose variants are words of the table, so that each is spelled once.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl Word for $name {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant)),+];
        }
    };
}

words! {
    /// Which file is a skill.
    FileRule {
        /// `SKILL.md`, letter for letter.
        Exact = "exact",
        /// `SKILL.md`, letter for letter, and a regular file.
        ExactRegular = "exact, regular",
        /// `SKILL.md`; whether case matters is not known.
        Named = "named",
        /// `SKILL.md`, and any `*.md` beside the skill folders.
        Flat = "flat",
    }
}

words! {
    /// What happens to a skill without a name.
    MissingName {
        /// It is called after its folder.
        Folder = "folder",
        /// It is refused.
        Refused = "refused",
        /// It is refused without a word.
        SilentlyRefused = "silently refused",
    }
}

words! {
    /// What happens where name and folder differ.
    NameDiffers {
        /// The name in the file counts.
        Loads = "loads",
        /// The folder's name counts.
        Folder = "folder",
        /// The skill is refused.
        Refused = "refused",
    }
}

words! {
    /// What happens to fields the standard does not know.
    UnknownFields {
        /// They are ignored.
        Ignored = "ignored",
        /// The skill is skipped if it breaks the standard.
        Standard = "standard",
    }
}

words! {
    /// What happens to frontmatter that is not YAML.
    BrokenYaml {
        /// Values with `: ` or an odd start are quoted, and it is read again.
        Quoted = "quoted",
        /// Only the `name:` and `description:` lines are taken.
        Lines = "lines",
        /// The skill is refused.
        Refused = "refused",
    }
}

words! {
    /// What happens to a file that starts with a byte order mark.
    ByteOrderMark {
        /// It is read.
        Accepted = "accepted",
        /// It is refused.
        Refused = "refused",
    }
}

words! {
    /// What happens to `---` inside a value.
    FenceInValue {
        /// Only a line of its own closes the frontmatter.
        LineAnchored = "line-anchored",
        /// The frontmatter ends there.
        Cut = "cut",
    }
}

words! {
    /// Which symbolic links count.
    Links {
        /// Linked folders are followed.
        Folders = "folders",
        /// All links are followed.
        Followed = "followed",
        /// Only links that stay inside.
        Contained = "contained",
    }
}

words! {
    /// What `allowed-tools` means.
    AllowedTools {
        /// Nothing.
        Ignored = "ignored",
        /// The tools need no further approval while the skill is in use.
        Approved = "approved beforehand",
        /// It feeds the client's own tool approvals.
        Approvals = "tool approvals",
    }
}

words! {
    /// The shelf a skill stands on.
    Tier {
        /// Set by an organization.
        Enterprise = "enterprise",
        /// In the user's home.
        User = "user",
        /// Beside the code.
        Project = "project",
        /// On the machine, for all users.
        System = "system",
        /// Brought by an extension.
        Extension = "extension",
        /// Part of the client.
        BuiltIn = "built-in",
    }
}

impl Tier {
    /// The word of the table.
    pub fn as_str(self) -> &'static str {
        Self::WORDS
            .iter()
            .find(|(_, tier)| *tier == self)
            .map_or("", |(word, _)| word)
    }
}

/// How far below its folder a client looks; a skill at `<folder>/<name>/SKILL.md` is one deep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DepthRule {
    /// At any depth.
    Any,
    /// Immediate children and nothing else.
    Children,
    /// At most this deep.
    Most(u32),
    /// At most this deep at the start, deeper ones when they are needed.
    OnDemandBelow(u32),
}

/// Where a client stops looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanRule {
    /// After this many folders.
    pub folders: u32,
    /// After this many entries.
    pub entries: u32,
}

/// Which names are taken, and how they are changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameShape {
    /// Any text.
    Any,
    /// Only names that follow the standard.
    Standard,
    /// Only names that follow the standard; others go without a word.
    StandardSilently,
    /// At most this many characters, runs of whitespace made one space.
    Collapsed {
        /// The longest name taken.
        most: u32,
    },
    /// Each of these characters becomes `-`.
    Replaced(String),
}

/// What happens where two skills have one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SameName {
    /// Both stay, and the name is ambiguous.
    Both,
    /// The one read first wins.
    First,
    /// The one read last wins.
    Last,
    /// The higher shelf wins; highest first.
    Order(Vec<Tier>),
}

/// How much room the list of skills has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Budget {
    /// As much as it takes.
    Unlimited,
    /// A share of the context.
    Share {
        /// Hundredths of the context.
        percent: u32,
        /// The room where the context's size is not known.
        characters: Option<u32>,
        /// What happens beyond, in the client's favourite order.
        over: String,
    },
}

/// How long a description may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DescriptionCap {
    /// Any length.
    Unlimited,
    /// The list shows this many characters.
    Cut {
        /// How many.
        characters: u32,
        /// A field that counts towards them too.
        with: Option<String>,
    },
    /// Longer ones are refused.
    Refused {
        /// How many are still taken.
        characters: u32,
    },
}

/// Everything known about one client; `None` is not known, and `why` says so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// Whether this comes from reports instead of the client's own source.
    pub second_hand: bool,
    /// Which file is a skill.
    pub file: Option<FileRule>,
    /// How deep a client looks.
    pub depth: Option<DepthRule>,
    /// Where it stops looking.
    pub scan: Option<ScanRule>,
    /// A skill without a name.
    pub missing_name: Option<MissingName>,
    /// Which names are taken.
    pub name_shape: Option<NameShape>,
    /// A name unlike its folder's.
    pub name_differs: Option<NameDiffers>,
    /// Fields the standard does not know.
    pub unknown_fields: Option<UnknownFields>,
    /// Frontmatter that is not YAML.
    pub broken_yaml: Option<BrokenYaml>,
    /// A byte order mark.
    pub byte_order_mark: Option<ByteOrderMark>,
    /// `---` inside a value.
    pub fence_in_value: Option<FenceInValue>,
    /// Symbolic links.
    pub links: Option<Links>,
    /// Two skills of one name.
    pub same_name: Option<SameName>,
    /// The room for the list.
    pub budget: Option<Budget>,
    /// The length of a description.
    pub description_cap: Option<DescriptionCap>,
    /// What a user types before the name.
    pub call: Option<String>,
    /// When project skills are trusted, as a sentence.
    pub trust: Option<String>,
    /// What `allowed-tools` means.
    pub allowed_tools: Option<AllowedTools>,
}
