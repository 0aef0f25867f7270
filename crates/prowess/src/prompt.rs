//! The list of skills as a model reads it.

use std::borrow::Cow;

use crate::{budget::PromptOptions, catalog::Catalog};

impl Catalog {
    /// The `<available_skills>` block for a system prompt, sorted by name; empty for no skills.
    pub fn format_for_prompt(&self) -> String {
        self.prompt(&PromptOptions::default()).text
    }
}

/// Writes one skill of the block.
pub(crate) fn put_skill(block: &mut String, name: &str, description: &str, location: Option<&str>) {
    block.push_str("  <skill>\n");
    let location = location.map(|location| ("location", location));
    for (tag, text) in [("name", name), ("description", description)]
        .into_iter()
        .chain(location)
    {
        block.extend(["    <", tag, ">", &escape_xml(text), "</", tag, ">\n"]);
    }
    block.push_str("  </skill>\n");
}

/// Text that can stand inside an XML element or a quoted attribute.
pub fn escape_xml(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            _ => escaped.push(char),
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::{Catalog, testing::Tree};

    #[test]
    fn skills_are_listed_by_name_and_escaped() {
        let tree = Tree::new()
            .skill("skills/pdf")
            .file(
                "skills/escape/SKILL.md",
                "---\nname: escape\ndescription: Uses <tags> & \"quotes\" of 'all' kinds\n---\n",
            )
            .file("skills/broken/SKILL.md", "no")
            .file(
                "skills/hidden/SKILL.md",
                "---\nname: hidden\ndescription: D\ntrigger: true\n---\n",
            );
        let block = Catalog::from_dirs([tree.at("skills")]).format_for_prompt();
        expect![[r#"
            <available_skills>
              <skill>
                <name>escape</name>
                <description>Uses &lt;tags&gt; &amp; &quot;quotes&quot; of &apos;all&apos; kinds</description>
                <location>/home/ada/skills/escape/SKILL.md</location>
              </skill>
              <skill>
                <name>pdf</name>
                <description>Does pdf. Use when pdf is asked for.</description>
                <location>/home/ada/skills/pdf/SKILL.md</location>
              </skill>
            </available_skills>"#]].assert_eq(&block.replace(&tree.root().display().to_string(), "/home/ada"));
    }

    #[test]
    fn no_skills_make_no_block() {
        assert_eq!(Catalog::default().format_for_prompt(), "");
    }
}
