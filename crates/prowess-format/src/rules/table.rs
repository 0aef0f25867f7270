//! Rules without a check of their own: something else finds them, and they are declared here.
//!
//! Each becomes a module with a `RULE`, like the rules that look at a skill, so that both are
//! called the same way: `rules::untrusted::RULE`.

macro_rules! declared {
    ($($(#[$why:meta])* $module:ident $code:literal $levels:expr, $summary:literal;)*) => {
        $(
            $(#[$why])*
            pub mod $module {
                use crate::rules::{Levels, Rule};

                /// Declared in the table of rules.
                pub static RULE: Rule = Rule {
                    code: $code,
                    summary: $summary,
                    levels: $levels,
                    check: None,
                };
            }
        )*

        /// Every rule of this table.
        pub(super) static DECLARED: &[&super::Rule] = &[$(&$module::RULE),*];
    };
}

declared! {
    // Found while one file is read.

    /// Readers that look only at the first line find no frontmatter.
    blank_before_frontmatter "blank-before-frontmatter" Levels::LOST,
        "the opening fence is the first line";

    /// At least one popular client does not see the fence behind the mark.
    byte_order_mark "byte-order-mark" Levels::LOST,
        "the file starts with its fence, without a byte order mark";

    /// A NUL cuts the text short in some readers, an escape changes what a terminal shows.
    control_character "control-character" Levels::LOUD,
        "the text holds no control characters";

    /// Readers differ in which of the two they keep, so the author's intent is lost in some of
    /// them.
    duplicate_field "duplicate-field" Levels::SPECIFICATION,
        "each field stands once";

    /// An empty file is usually a save that went wrong.
    empty_file "empty-file" Levels::ERROR,
        "the file holds a skill";

    /// Real frontmatter is about 1 KiB; more is a body behind a lost fence, or an attack.
    frontmatter_too_large "frontmatter-too-large" Levels::ERROR,
        "the frontmatter is at most 64 KiB";

    /// TOML is never repaired: its readers agree on what is wrong.
    invalid_toml "invalid-toml" Levels::ERROR,
        "frontmatter between `+++` lines is TOML that can be read";

    /// Bytes in some other encoding would reach the model as different text.
    invalid_utf8 "invalid-utf8" Levels::ERROR,
        "the file is UTF-8";

    /// What can be fixed without guessing is `repaired-yaml`; this is the rest.
    invalid_yaml "invalid-yaml" Levels::ERROR,
        "the frontmatter is YAML that can be read";

    /// A lone carriage return ends no line for most clients, so that they find no frontmatter.
    carriage_returns "carriage-returns" Levels::LOST,
        "lines do not end in a carriage return alone";

    /// Gemini CLI takes a fence only without blanks behind it.
    fence_space "fence-space" Levels::LOST,
        "nothing stands behind a fence";

    /// Carriage returns are read everywhere, but scripts copied out of the body stop working.
    line_endings "line-endings" Levels::HINT,
        "every line ends with a line feed";

    /// YAML 1.2 asks for the indent; readers built on libyaml do not, so the file loads in some
    /// clients only.
    loose_quotes "loose-quotes" Levels::HINT,
        "a quoted text over several lines is indented";

    /// A file without fields has no name and no description, so there is nothing to offer a
    /// model.
    missing_frontmatter "missing-frontmatter" Levels::ERROR,
        "a skill starts with fields between two `---` lines";

    /// Fields after a second document mark are read by some clients and dropped by others.
    multiple_documents "multiple-documents" Levels::ERROR,
        "the frontmatter is one YAML document";

    /// A list or a single text has no field that could be a name or a description.
    not_a_map "not-a-map" Levels::ERROR,
        "the frontmatter is a map of fields";

    /// Other readers refuse what is repaired here, so the exact replacement is always shown.
    repaired_yaml "repaired-yaml" Levels::SPECIFICATION,
        "the frontmatter is read as written, without a repair";

    /// Without the closing fence nobody can tell fields from instructions; the body is never
    /// guessed.
    unclosed_frontmatter "unclosed-frontmatter" Levels::ERROR,
        "the frontmatter ends with the fence it starts with";

    /// Its author meant some other text, and nobody can tell which.
    unknown_alias "unknown-alias" Levels::SPECIFICATION,
        "an alias stands for a text that is there";

    /// Editors on Windows still save UTF-16; naming the encoding tells the author what to change.
    wrong_encoding "wrong-encoding" Levels::ERROR,
        "the file is UTF-8, not UTF-16 or UTF-32";

    /// The reference validator refuses them, and no real skill needs one.
    yaml_alias "yaml-alias" Levels::CHECKED_LOUD,
        "the frontmatter uses no anchors and aliases";

    /// Reading stops at the limit, so that a hostile file costs no more than a good one.
    yaml_limit "yaml-limit" Levels::ERROR,
        "the frontmatter stays within the limits for nodes, nesting and aliases";

    /// A tag asks a reader to build an object; here it is never obeyed and the value stays text.
    yaml_tag "yaml-tag" Levels::LOUD,
        "the frontmatter uses no YAML tags";

    // Found while folders are searched.

    /// A link whose target was moved or deleted is a skill that silently went missing.
    broken_link "broken-link" Levels::ERROR,
        "a link leads to something that is there";

    /// Most clients look for exactly this spelling and pass over `skill.md` without a word.
    file_name "file-name" Levels::LOST,
        "the file is called `SKILL.md`";

    /// A file far beyond any real skill is a mistake or an attack; it is not read past the limit.
    file_too_large "file-too-large" Levels::ERROR,
        "a skill's file stays below the size limit";

    /// A file of another owner that also lives elsewhere can be changed from there, unseen.
    hard_link "hard-link" Levels::WARNING,
        "a skill's file belongs to whoever installed the skill";

    /// Folders of build output and version control are not searched, so a skill inside is not
    /// found.
    ignored_folder "ignored-folder" Levels::WARNING,
        "a skill does not lie in a folder that is passed over";

    /// Ninety-nine of a hundred real skills are below 34 KB; a much larger one floods a context.
    large_file "large-file" Levels::WARNING,
        "a skill's file is of ordinary size";

    /// Following it again would never end; the folder is searched once.
    link_loop "link-loop" Levels::HINT,
        "a link does not lead back to a folder it lies in";

    /// A Markdown file with frontmatter next to skill folders looks like a skill to its author,
    /// and to few clients.
    loose_file "loose-file" Levels::HINT,
        "a skill lies in a folder of its own";

    /// A misspelt `--dir` would otherwise look like an empty catalog.
    missing_folder "missing-folder" Levels::WARNING,
        "a folder that was named is there";

    /// A `SKILL.md` among a skill's own files is one of its resources, not a skill to be offered.
    nested_skill "nested-skill" Levels::HINT,
        "a skill inside another one lies below a `skills` folder";

    /// A pipe or a device may never end; a folder has no text.
    not_regular_file "not-regular-file" Levels::ERROR,
        "a skill's file is a regular file";

    /// What lies beyond a limit was not looked at, so the answer is partial.
    scan_limit "scan-limit" Levels::WARNING,
        "a folder can be searched to its end";

    /// A link can point a skill at any file of its reader; it is followed outside only when
    /// allowed.
    symlink_outside "symlink-outside" Levels::ERROR,
        "a link stays inside the folder or the repository it was found in";

    /// Missing rights or a failing disk concern this skill alone.
    unreadable_file "unreadable-file" Levels::ERROR,
        "a skill's file can be read";

    // Found while many skills are put together.

    /// Trust holds for the files a user looked at. Once one of them changes, the skill waits
    /// again.
    changed_skill "changed-skill" Levels::WARNING,
        "a trusted skill stays as it was trusted";

    /// Names that differ only in case, in composed accents or in look-alike letters let one skill
    /// pass for another.
    confusable_name "confusable-name" Levels::WARNING,
        "no two skills have names that look alike";

    /// The same bytes in two places are one skill; the second copy only costs context.
    duplicate "duplicate" Levels::WARNING,
        "a skill is catalogued once";

    /// Of two skills with one name only one can be offered; the other stays in the catalog.
    shadowed "shadowed" Levels::WARNING,
        "a skill's name is its own";

    /// A skill is text that steers a model; one from a stranger's repository waits for a word.
    untrusted "untrusted" Levels::WARNING,
        "a project's skills are used after the project is trusted";

    // Found while the manifests around skills are checked.

    /// A plugin that does not load takes its skills with it, and its author sees them on disk.
    plugin_manifest "plugin-manifest" Levels::LOST,
        "a plugin manifest is one that Claude Code loads, and its paths are there";

    /// What the plugin says itself is believed, so the other text is never used.
    plugin_mismatch "plugin-mismatch" Levels::CHECKED_LOUD,
        "a marketplace and its plugins agree on names and versions";

    // Found while a catalog of lines is read.

    /// One bad line leaves the others in use.
    invalid_line "invalid-line" Levels::ERROR,
        "every line of a catalog file is one skill as a JSON object";

    // Found while skills are watched.

    /// A file that is saved half-done must not take a working skill away from a running agent.
    stale "stale" Levels::WARNING,
        "what is in use is what the file says";

    // Found by looking at what would run a script (feature `run` of the crate `prowess`).

    /// The script may be fine, and fails here all the same.
    missing_interpreter "missing-interpreter"
        Levels::new(None, Some(crate::Severity::Hint), Some(crate::Severity::Hint)),
        "the program that runs a script is installed here";

    /// A model that is told to run it has to guess how, and `prowess run` refuses it.
    unknown_interpreter "unknown-interpreter"
        Levels::new(None, Some(crate::Severity::Warning), Some(crate::Severity::Warning)),
        "a script says which known program runs it";
}
