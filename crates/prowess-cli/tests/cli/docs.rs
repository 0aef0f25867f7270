//! Every flag is in `--help`, in the manual page and in `docs/CLI.md`.

use std::fmt::Write as _;

use expect_test::expect_file;

use crate::world::{World, repository, skill};

/// The verbs, in the order of the help.
fn verbs(help: &str) -> Vec<String> {
    let verbs = help.split("\nOptions:").next().unwrap();
    let verbs = verbs.split("Usage:").nth(1).unwrap();
    verbs
        .lines()
        // A line that goes on starts further in.
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|verb| !verb.is_empty())
        .map(str::to_owned)
        .collect()
}

fn help(world: &World, line: &str) -> String {
    let output = world.command(line).env("COLUMNS", "100").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The part of a verb's help that is its own: what every verb has is told once.
fn own(help: &str) -> String {
    let own = help.split("\nWhere to look:").next().unwrap();
    own.trim_end().to_owned()
}

#[test]
fn the_page_says_what_the_command_says() {
    let world = World::new();
    let whole = help(&world, "--help");
    let mut page = String::from(
        "# The command line\n\nWritten by `UPDATE_EXPECT=1 cargo test -p prowess-cli docs`; a test holds it against `--help`.\n\n",
    );
    // Writing to a string does not fail.
    let _ = write!(page, "```text\n{}\n```\n", whole.trim_end());
    for verb in verbs(&whole) {
        // The drop-in has the reference's own help.
        let told = own(&help(&world, &format!("{verb} --help")));
        let _ = write!(page, "\n## `prowess {verb}`\n\n```text\n{told}\n```\n");
    }
    expect_file![repository().join("docs/CLI.md")].assert_eq(&page);
}

#[test]
fn every_flag_is_in_the_manual() {
    let world = World::new();
    let manual = help(&world, "man").replace("\\-", "-");
    let whole = help(&world, "--help");
    let mut helps = vec![whole.clone()];
    for verb in verbs(&whole).iter().filter(|verb| *verb != "skills-ref") {
        assert!(manual.contains(&format!("prowess {verb}")), "{verb}");
        helps.push(help(&world, &format!("{verb} --help")));
    }
    let mut flags = 0;
    for help in helps {
        for word in help
            .split([' ', '\n', ',', '`', '[', ']'])
            .filter(|word| word.starts_with("--") && word.len() > 2)
        {
            let flag = word.trim_end_matches(['.', ')', ';']);
            assert!(manual.contains(flag), "{flag} is not in the manual");
            flags += 1;
        }
    }
    assert!(flags > 50, "{flags}");
}

#[test]
fn every_shell_completes_verbs_skills_clients_and_rules() {
    let world = World::with(&[(
        ".agents/skills/pdf-forms/SKILL.md",
        &skill("pdf-forms", "Fills forms"),
    )]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = world.output(&format!("completions {shell}")).stdout;
        let script = String::from_utf8(script).unwrap();
        assert!(script.contains("PROWESS_COMPLETE"), "{shell}: {script}");
        for (words, completed) in [
            ("reso", "resources"),
            ("show pd", "pdf-forms"),
            ("trust pd", "pdf-forms"),
            ("remove pd", "pdf-forms"),
            ("list --client claude", "claude-code"),
            ("explain repaired", "repaired-yaml"),
            ("check --rule vague", "vague-description"),
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            let mut command = world.command("");
            command
                .args(["--", "prowess"])
                .args(&words)
                .env("PROWESS_COMPLETE", shell)
                .env("_CLAP_COMPLETE_INDEX", words.len().to_string())
                .env("_CLAP_IFS", "\n");
            let output = command.output().unwrap();
            let shown = String::from_utf8(output.stdout).unwrap();
            assert!(shown.contains(completed), "{shell} {words:?}: {shown}");
            assert!(output.stderr.is_empty());
        }
    }
}

#[test]
fn the_walks_name_functions_that_are_there() {
    let page = std::fs::read_to_string(repository().join("docs/ARCHITECTURE.md")).unwrap();
    let walks = page.split("\n## Three walks\n").nth(1).unwrap();
    let walks = walks.split("\n## ").next().unwrap();
    let mut steps = 0;
    for line in walks
        .lines()
        .filter(|it| it.starts_with(|c: char| c.is_ascii_digit()))
    {
        let mut quoted = line.split('`').skip(1).step_by(2);
        let (function, file) = (quoted.next().unwrap(), quoted.next().unwrap());
        let text = std::fs::read_to_string(repository().join("crates").join(file)).unwrap();
        let found = [format!("fn {function}("), format!("fn {function}<")];
        assert!(found.iter().any(|it| text.contains(it)), "{line}");
        steps += 1;
    }
    assert_eq!(steps, 33 + 11 + 11);
}
