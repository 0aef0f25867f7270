//! The skills that the suite looks at: enough for several pages, with everything a folder can hold.

use std::{fs, path::Path};

use anyhow::Result;

/// More than stand on one page of `skills/list`.
const PLAIN: usize = 120;

/// Writes the skills anew.
pub(crate) fn write(home: &Path) -> Result<()> {
    if home.exists() {
        fs::remove_dir_all(home)?;
    }
    // The suite takes the first skill for its directory checks.
    let rich = home.join("a-rich-skill");
    for folder in ["references/deep", "scripts", "empty"] {
        fs::create_dir_all(rich.join(folder))?;
    }
    fs::write(
        rich.join("SKILL.md"),
        "---\nname: a-rich-skill\ndescription: >-\n  Holds one of everything: text, bytes,\n  folders. Use it to test.\n\
         license: MIT\nversion: 1.10\nx-quoted: '1.10'\nx-yes: yes\nx-true: true\nx-nothing: ~\n\
         argument-hint: '[file]'\nmetadata:\n  author: \"Ada \\u2603\"\n  tags: [a, 2, {b: c}]\n---\n\n# Everything\n\nRead `references/guide.md`.\n",
    )?;
    fs::write(rich.join("references/guide.md"), "# Guide\n")?;
    fs::write(rich.join("references/deep/größe 100%.txt"), "groß\n")?;
    fs::write(rich.join("scripts/run.py"), "print('hello')\n")?;
    fs::write(rich.join("logo.png"), [0x89, b'P', b'N', b'G', 0, 0xff])?;
    for number in 0..PLAIN {
        let folder = home.join(format!("plain-{number:03}"));
        fs::create_dir_all(&folder)?;
        let text = format!(
            "---\nname: plain-{number:03}\ndescription: Does the plain thing number {number}.\n---\n\nDo it.\n"
        );
        fs::write(folder.join("SKILL.md"), text)?;
    }
    Ok(())
}
