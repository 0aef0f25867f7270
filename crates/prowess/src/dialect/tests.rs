use std::fmt::Write as _;

use expect_test::{Expect, expect};
use prowess_format::{Profile, parse};

use super::*;
use crate::testing::Tree;

fn environment(tree: &Tree) -> Environment {
    Environment {
        home: Some(tree.at("home")),
        working_directory: tree.at("repo"),
        ..Environment::default()
    }
}

/// Asks one client about a file of a tree.
fn judge(tree: &Tree, client: &Client, clients: &Clients, path: &str) -> Verdict {
    let environment = environment(tree);
    let path = tree.at(path);
    let bytes = scan::read(&path).unwrap_or_default();
    let parsed = parse(bytes, Profile::Lenient);
    let folder = path.parent().and_then(Path::file_name);
    let folder = folder.map(|it| it.to_string_lossy().into_owned());
    let name = parsed.document.name().or(folder.as_deref());
    View::new(client, clients, &environment).judge(&Subject {
        path: Some(&path),
        text: parsed.document.text(),
        name: name.unwrap_or_default(),
        description: parsed.document.description().unwrap_or_default(),
        folder: folder.as_deref(),
    })
}

/// Asks every client about a file that lies where the client finds it, and shows what decided.
fn check_file(below: &str, text: impl AsRef<[u8]>, expected: &Expect) {
    let clients = Clients::builtin();
    let mut shown = String::new();
    for client in clients.main() {
        let folder = match client.name.as_str() {
            "claude-code" => ".claude",
            _ => ".agents",
        };
        let path = format!("repo/{folder}/skills/{below}");
        let tree = Tree::new()
            .folder("repo/.git")
            .folder("home")
            .file(&path, text.as_ref());
        writeln!(
            shown,
            "{}: {}",
            client.name,
            decided(&judge(&tree, client, &clients, &path))
        )
        .unwrap();
    }
    expected.assert_eq(&shown);
}

/// The outcome and what decided it.
fn decided(verdict: &Verdict) -> String {
    let outcome = format!("{:?}", verdict.outcome).to_lowercase();
    match verdict.findings.first() {
        Some(finding) => format!("{outcome} [{}] {}", finding.rule, finding.message),
        None => outcome,
    }
}

/// The same for a text in a folder of its own.
fn check(text: &str, expected: &Expect) {
    check_file("pdf/SKILL.md", text, expected);
}

/// Shows what one client says about files of a tree.
fn check_tree(tree: &Tree, client: &str, paths: &[&str], expected: &Expect) {
    let clients = Clients::builtin();
    let client = clients.find(client).unwrap();
    let mut shown = String::new();
    for path in paths {
        writeln!(
            shown,
            "{path}: {}",
            decided(&judge(tree, client, &clients, path))
        )
        .unwrap();
    }
    let root = format!("{}/", tree.root().display());
    expected.assert_eq(&shown.replace(&root, ""));
}

#[test]
fn a_plain_skill_loads_everywhere() {
    check(
        "---\nname: pdf\ndescription: Fills forms.\n---\n# Steps\n",
        &expect![[r#"
            claude-code: loads
            codex: loads
            gemini-cli: loads
            github-copilot: loads
            goose: loads
            opencode: loads
            qwen-code: loads
            agent-plugins: loads
            copilot-cli: loads
        "#]],
    );
}

#[test]
fn a_lower_case_file_name() {
    check_file(
        "pdf/skill.md",
        "---\nname: pdf\ndescription: Fills forms.\n---\n",
        &expect![[r#"
            claude-code: dropped [file] Claude Code reads exactly `SKILL.md`, and this is `skill.md`
            codex: dropped [file] Codex reads exactly `SKILL.md`, and this is `skill.md`
            gemini-cli: dropped [file] Gemini CLI reads exactly `SKILL.md`, and this is `skill.md`
            github-copilot: dropped [file] VS Code Copilot reads exactly `SKILL.md`, and this is `skill.md`
            goose: dropped [file] goose reads exactly `SKILL.md`, and this is `skill.md`
            opencode: dropped [file] OpenCode reads exactly `SKILL.md`, and this is `skill.md`
            qwen-code: dropped [file] Qwen Code reads exactly `SKILL.md`, and this is `skill.md`
            agent-plugins: dropped [file] Agent Plugins 1.0 wants a regular file `SKILL.md`
            copilot-cli: dropped [file] Copilot CLI reads exactly `SKILL.md`, and this is `skill.md`
        "#]],
    );
}

#[test]
fn a_flat_file() {
    check_file(
        "pdf.md",
        "---\nname: pdf\ndescription: Fills forms.\n---\n",
        &expect![[r#"
            claude-code: dropped [file] Claude Code reads exactly `SKILL.md`, and this is `pdf.md`
            codex: dropped [file] Codex reads exactly `SKILL.md`, and this is `pdf.md`
            gemini-cli: dropped [file] Gemini CLI reads exactly `SKILL.md`, and this is `pdf.md`
            github-copilot: dropped [file] VS Code Copilot reads exactly `SKILL.md`, and this is `pdf.md`
            goose: dropped [file] goose reads exactly `SKILL.md`, and this is `pdf.md`
            opencode: dropped [file] OpenCode reads exactly `SKILL.md`, and this is `pdf.md`
            qwen-code: dropped [file] Qwen Code reads exactly `SKILL.md`, and this is `pdf.md`
            agent-plugins: dropped [file] Agent Plugins 1.0 wants a regular file `SKILL.md`
            copilot-cli: dropped [file] Copilot CLI reads exactly `SKILL.md`, and this is `pdf.md`
        "#]],
    );
}

#[test]
fn a_nested_skill() {
    check_file(
        "group/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Fills forms.\n---\n",
        &expect![[r#"
            claude-code: dropped [depth] it lies 2 folders below the skills folder, and Claude Code looks only 1 folder down
            codex: loads
            gemini-cli: dropped [depth] it lies 2 folders below the skills folder, and Gemini CLI looks only 1 folder down
            github-copilot: dropped [depth] it lies 2 folders below the skills folder, and VS Code Copilot looks only 1 folder down
            goose: loads
            opencode: loads
            qwen-code: dropped [depth] it lies 2 folders below the skills folder, and Qwen Code looks only 1 folder down
            agent-plugins: dropped [depth] Agent Plugins 1.0 reads immediate children of the skills folder only
            copilot-cli: loads
        "#]],
    );
}

#[test]
fn no_name() {
    check(
        "---\ndescription: Fills forms.\n---\n",
        &expect![[r#"
        claude-code: loads
        codex: loads
        gemini-cli: dropped [missing-name] it has no name, and Gemini CLI drops such skills
        github-copilot: loads
        goose: dropped [missing-name] it has no name, and goose drops such skills
        opencode: dropped [missing-name] it has no name, and OpenCode drops such skills
        qwen-code: dropped [missing-name] it has no name, and Qwen Code drops such skills
        agent-plugins: dropped [standard] Agent Plugins 1.0 skips skills that break the standard: the skill has no name; clients that follow the standard drop it
        copilot-cli: loads
    "#]],
    );
}

#[test]
fn a_name_unlike_the_folder() {
    check(
        "---\nname: forms\ndescription: Fills forms.\n---\n",
        &expect![[r#"
            claude-code: changed [name-differs] Claude Code calls it `pdf` after its folder, and not `forms`
            codex: loads
            gemini-cli: loads
            github-copilot: changed [name-differs] VS Code Copilot calls it `pdf` after its folder, and not `forms`
            goose: loads
            opencode: loads
            qwen-code: loads
            agent-plugins: dropped [name-differs] its name is `forms` and its folder's `pdf`
            copilot-cli: loads
        "#]],
    );
}

#[test]
fn an_odd_name() {
    check(
        "---\nname: PDF  förms\ndescription: Fills forms.\n---\n",
        &expect![[r#"
            claude-code: changed [name-differs] Claude Code calls it `pdf` after its folder, and not `PDF  förms`
            codex: changed [name-shape] Codex calls it `PDF förms`, and not `PDF  förms`
            gemini-cli: loads
            github-copilot: changed [name-differs] VS Code Copilot calls it `pdf` after its folder, and not `PDF  förms`
            goose: loads
            opencode: loads
            qwen-code: dropped [name-shape] the name `PDF  förms` holds a character that is not taken, and Qwen Code drops such skills
            agent-plugins: dropped [standard] Agent Plugins 1.0 skips skills that break the standard: `PDF  förms` is not a skill name: `P` is a capital letter
            copilot-cli: dropped [name-shape] the name `PDF  förms` holds a character that is not taken, and Copilot CLI drops such skills
        "#]],
    );
}

#[test]
fn fields_outside_the_standard() {
    check(
        "---\nname: pdf\ndescription: Fills forms.\ntags: [a]\n---\n",
        &expect![[r#"
            claude-code: loads
            codex: loads
            gemini-cli: loads
            github-copilot: loads
            goose: loads
            opencode: loads
            qwen-code: loads
            agent-plugins: loads
            copilot-cli: loads
        "#]],
    );
}

#[test]
fn an_unquoted_colon() {
    check(
        "---\nname: pdf\ndescription: Use when: a form is there\n---\n",
        &expect![[r#"
            claude-code: loads
            codex: loads
            gemini-cli: loads
            github-copilot: loads
            goose: dropped [yaml] its YAML is broken, and goose drops such skills
            opencode: loads
            qwen-code: loads
            agent-plugins: dropped [standard] Agent Plugins 1.0 skips skills that break the standard: `description` is not valid YAML and was repaired here: a colon inside an unquoted value starts a new field; goose and Copilot CLI drop the skill
            copilot-cli: dropped [yaml] its YAML is broken, and Copilot CLI drops such skills
        "#]],
    );
}

#[test]
fn a_value_with_an_odd_start() {
    check(
        "---\nname: pdf\ndescription: **Fills** forms\n---\n",
        &expect![[r#"
            claude-code: loads
            codex: dropped [yaml] its YAML is broken, and Codex drops such skills
            gemini-cli: loads
            github-copilot: loads
            goose: dropped [yaml] its YAML is broken, and goose drops such skills
            opencode: dropped [yaml] its YAML is broken, and OpenCode drops such skills
            qwen-code: loads
            agent-plugins: dropped [standard] Agent Plugins 1.0 skips skills that break the standard: `description` is not valid YAML and was repaired here: a value that starts with `*` needs quotes; Codex, OpenCode, goose and Copilot CLI drop the skill
            copilot-cli: dropped [yaml] its YAML is broken, and Copilot CLI drops such skills
        "#]],
    );
}

#[test]
fn a_field_twice() {
    check(
        "---\nname: pdf\ndescription: one\ndescription: two\n---\n",
        &expect![[r#"
            claude-code: changed [yaml] Claude Code reads its description as `two`
            codex: dropped [duplicate-key] a field stands twice, and Codex drops such skills
            gemini-cli: changed [repair] Gemini CLI reads its description as `two`
            github-copilot: loads
            goose: dropped [duplicate-key] a field stands twice, and goose drops such skills
            opencode: dropped [duplicate-key] a field stands twice, and OpenCode drops such skills
            qwen-code: changed [repair] Qwen Code reads its description as `two`
            agent-plugins: dropped [standard] Agent Plugins 1.0 skips skills that break the standard: `description` stands twice; the first, in line 3, counts
            copilot-cli: dropped [duplicate-key] a field stands twice, and Copilot CLI drops such skills
        "#]],
    );
}

#[test]
fn toml_frontmatter() {
    check(
        "+++\nname = \"pdf\"\ndescription = \"Fills forms.\"\n+++\n",
        &expect![[r#"
            claude-code: changed [missing-description] Claude Code finds no description, and lists `+++` from the instructions
            codex: dropped [fence] its first line is not `---`, and Codex drops such skills
            gemini-cli: dropped [fence] its first line is not `---`, and Gemini CLI drops such skills
            github-copilot: changed [missing-description] VS Code Copilot finds no description: the model is not told, calling it by name works
            goose: dropped [fence] it has no two `---`, and goose drops such skills
            opencode: dropped [fence] its first line is not `---`, and OpenCode drops such skills
            qwen-code: dropped [fence] its first line is not `---`, and Qwen Code drops such skills
            agent-plugins: dropped [standard] Agent Plugins 1.0 skips skills that break the standard: the frontmatter is TOML, and clients that follow the standard see none
            copilot-cli: dropped [fence] its first line is not `---`, and Copilot CLI drops such skills
        "#]],
    );
}

#[test]
fn a_blank_line_before_the_fence() {
    check(
        "\n---\nname: pdf\ndescription: Fills forms.\n---\n# Steps\n",
        &expect![[r#"
            claude-code: changed [missing-description] Claude Code finds no description, and lists `---` from the instructions
            codex: dropped [fence] its first line is not `---`, and Codex drops such skills
            gemini-cli: dropped [fence] its first line is not `---`, and Gemini CLI drops such skills
            github-copilot: changed [missing-description] VS Code Copilot finds no description: the model is not told, calling it by name works
            goose: loads
            opencode: dropped [fence] its first line is not `---`, and OpenCode drops such skills
            qwen-code: dropped [fence] its first line is not `---`, and Qwen Code drops such skills
            agent-plugins: dropped [standard] Agent Plugins 1.0 skips skills that break the standard: blank lines stand before the frontmatter; Codex, Gemini CLI, OpenCode and Copilot CLI then drop the skill, Claude Code and VS Code lose its text
            copilot-cli: dropped [fence] its first line is not `---`, and Copilot CLI drops such skills
        "#]],
    );
}

#[test]
fn a_byte_order_mark() {
    check(
        "\u{feff}---\nname: pdf\ndescription: Fills forms.\n---\n",
        &expect![[r#"
            claude-code: loads
            codex: dropped [fence] the file starts with a byte order mark, and Codex drops such skills
            gemini-cli: dropped [fence] the file starts with a byte order mark, and Gemini CLI drops such skills
            github-copilot: changed [missing-description] VS Code Copilot finds no description: the model is not told, calling it by name works
            goose: loads
            opencode: loads
            qwen-code: loads
            agent-plugins: dropped [standard] Agent Plugins 1.0 skips skills that break the standard: the file starts with a byte order mark; Codex and Gemini CLI then drop the skill, VS Code loses its text
            copilot-cli: loads
        "#]],
    );
}

#[test]
fn dashes_inside_a_value() {
    check(
        "---\nname: pdf\ndescription: Fills forms --- all\n---\n",
        &expect![[r#"
            claude-code: changed [yaml] Claude Code reads its description as `Fills forms`
            codex: loads
            gemini-cli: loads
            github-copilot: loads
            goose: changed [yaml] goose reads its description as `Fills forms`
            opencode: loads
            qwen-code: loads
            agent-plugins: dropped [standard] Agent Plugins 1.0 skips skills that break the standard: `---` in a value ends the frontmatter early for Claude Code and goose, and the rest is lost
            copilot-cli: loads
        "#]],
    );
}

#[test]
fn no_description() {
    check(
        "---\nname: pdf\n---\n# Fill forms\n\nDo it.\n",
        &expect![[r#"
            claude-code: changed [missing-description] Claude Code finds no description, and lists `Fill forms` from the instructions
            codex: dropped [missing-description] it has no description, and Codex drops such skills
            gemini-cli: dropped [missing-description] it has no description, and Gemini CLI drops such skills
            github-copilot: changed [missing-description] VS Code Copilot finds no description: the model is not told, calling it by name works
            goose: changed [missing-description] goose finds no description, and lists it without one
            opencode: changed [missing-description] OpenCode finds no description: the model is not told, calling it by name works
            qwen-code: dropped [missing-description] it has no description, and Qwen Code drops such skills
            agent-plugins: dropped [standard] Agent Plugins 1.0 skips skills that break the standard: `pdf` cannot be offered to a model without a description
            copilot-cli: changed [missing-description] Copilot CLI finds no description, and lists `Do it.` from the instructions
        "#]],
    );
}

#[test]
fn a_long_description() {
    let text = format!(
        "---\nname: pdf\ndescription: {}\n---\n",
        "Fills forms. ".repeat(150)
    );
    check(
        &text,
        &expect![[r#"
            claude-code: changed [description-cap] its description has 1949 characters, and Claude Code lists the first 1536
            codex: changed [description-cap] its description has 1949 characters, and Codex lists the first 1024
            gemini-cli: loads
            github-copilot: changed [description-cap] its description has 1949 characters, and VS Code Copilot lists the first 1024
            goose: loads
            opencode: loads
            qwen-code: loads
            agent-plugins: dropped [standard] Agent Plugins 1.0 skips skills that break the standard: the description has 1949 characters, and every client cuts it, at 1,024 or 1,536
            copilot-cli: dropped [description-cap] its description has 1949 characters, more than 1024, and Copilot CLI drops such skills
        "#]],
    );
}

#[test]
fn bytes_that_are_no_text_are_not_a_missing_name() {
    let text = b"---\nname: pdf\ndescription: Fills forms.\n---\nPr\xfcfen\n";
    check_file(
        "pdf/SKILL.md",
        text,
        &expect![[r#"
            claude-code: changed [encoding] Claude Code reads the file, which cannot be read here as it is
            codex: dropped [encoding] the file is not UTF-8, and Codex drops such skills
            gemini-cli: changed [encoding] Gemini CLI reads the file, which cannot be read here as it is
            github-copilot: changed [encoding] VS Code Copilot reads the file, which cannot be read here as it is
            goose: dropped [encoding] the file is not UTF-8, and goose drops such skills
            opencode: changed [encoding] OpenCode reads the file, which cannot be read here as it is
            qwen-code: changed [encoding] Qwen Code reads the file, which cannot be read here as it is
            agent-plugins: dropped [standard] Agent Plugins 1.0 skips skills that break the standard: the file is empty, so there is no skill to load
            copilot-cli: changed [encoding] Copilot CLI reads the file, which cannot be read here as it is
        "#]],
    );
}

#[test]
fn a_skill_for_the_user_alone() {
    let text = "---\nname: pdf\ndescription: Deploys.\ndisable-model-invocation: true\n---\n";
    check(
        text,
        &expect![[r#"
            claude-code: loads
            codex: changed [manual] `disable-model-invocation` means nothing to Codex: the model is told about it and may use it
            gemini-cli: changed [manual] `disable-model-invocation` means nothing to Gemini CLI: the model is told about it and may use it
            github-copilot: loads
            goose: changed [manual] `disable-model-invocation` means nothing to goose: the model is told about it and may use it
            opencode: changed [manual] `disable-model-invocation` means nothing to OpenCode: the model is told about it and may use it
            qwen-code: loads
            agent-plugins: loads
            copilot-cli: unknown [manual] whether Copilot CLI minds `disable-model-invocation` is not known
        "#]],
    );
}

#[test]
fn no_step_takes_a_safety_field_away() {
    let text = "---\nname: pdf\ndescription: Deploys.\ndisable-model-invocation: true\n---\n";
    let tree = Tree::new()
        .folder("repo/.git")
        .file("repo/.agents/skills/pdf/SKILL.md", text);
    let clients = Clients::builtin();
    for client in clients.main() {
        let verdict = judge(&tree, client, &clients, "repo/.agents/skills/pdf/SKILL.md");
        for help in verdict.findings.iter().filter_map(|it| it.help.as_deref()) {
            assert!(!help.contains("metadata"), "{}: {help}", client.name);
        }
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_as_each_client_does() {
    let tree = Tree::new()
        .folder("repo/.git")
        .skill("store/pdf")
        .link("repo/.agents/skills/pdf", "../../../store/pdf")
        .skill("store/csv")
        .link(
            "repo/.agents/skills/csv/SKILL.md",
            "../../../../store/csv/SKILL.md",
        );
    let paths = [
        "repo/.agents/skills/pdf/SKILL.md",
        "repo/.agents/skills/csv/SKILL.md",
    ];
    check_tree(
        &tree,
        "codex",
        &paths,
        &expect![[r#"
        repo/.agents/skills/pdf/SKILL.md: loads
        repo/.agents/skills/csv/SKILL.md: dropped [file-link] its file is a link, and Codex does not follow it
    "#]],
    );
    check_tree(
        &tree,
        "goose",
        &paths,
        &expect![[r#"
        repo/.agents/skills/pdf/SKILL.md: loads
        repo/.agents/skills/csv/SKILL.md: loads
    "#]],
    );
}

#[cfg(unix)]
#[test]
fn a_file_is_judged_by_the_link_that_leads_to_it() {
    let tree = Tree::new()
        .folder("repo/.git")
        .skill("repo/.agents/skills/pdf")
        .link("repo/.claude/skills/pdf", "../../.agents/skills/pdf");
    check_tree(
        &tree,
        "claude",
        &["repo/.agents/skills/pdf/SKILL.md"],
        &expect![[r#"
            repo/.agents/skills/pdf/SKILL.md: loads
        "#]],
    );
    // Whichever of the two OpenCode keeps, it is the same file.
    check_tree(
        &tree,
        "opencode",
        &[
            "repo/.agents/skills/pdf/SKILL.md",
            "repo/.claude/skills/pdf/SKILL.md",
        ],
        &expect![[r#"
            repo/.agents/skills/pdf/SKILL.md: loads
            repo/.claude/skills/pdf/SKILL.md: loads
        "#]],
    );
}

#[test]
fn the_same_name_twice() {
    let tree = Tree::new()
        .folder("repo/.git")
        .skill("repo/.agents/skills/pdf")
        .skill("repo/.claude/skills/pdf")
        .skill("home/.agents/skills/pdf")
        .skill("home/.claude/skills/pdf");
    let paths = [
        "repo/.agents/skills/pdf/SKILL.md",
        "repo/.claude/skills/pdf/SKILL.md",
        "home/.agents/skills/pdf/SKILL.md",
        "home/.claude/skills/pdf/SKILL.md",
    ];
    for client in ["claude", "codex", "gemini", "opencode", "vscode"] {
        let expected = match client {
            "claude" => expect![[r#"
                repo/.agents/skills/pdf/SKILL.md: dropped [folders] Claude Code does not look into `repo/.agents/skills` from here
                repo/.claude/skills/pdf/SKILL.md: dropped [same-name] `home/.claude/skills/pdf/SKILL.md` has its name, and Claude Code keeps that one
                home/.agents/skills/pdf/SKILL.md: dropped [folders] Claude Code does not look into `home/.agents/skills` from here
                home/.claude/skills/pdf/SKILL.md: loads
            "#]],
            "codex" => expect![[r#"
                repo/.agents/skills/pdf/SKILL.md: changed [same-name] another skill has its name; Codex keeps both, and the name is ambiguous
                repo/.claude/skills/pdf/SKILL.md: dropped [folders] Codex does not look into `repo/.claude/skills` from here
                home/.agents/skills/pdf/SKILL.md: changed [same-name] another skill has its name; Codex keeps both, and the name is ambiguous
                home/.claude/skills/pdf/SKILL.md: dropped [folders] Codex does not look into `home/.claude/skills` from here
            "#]],
            "gemini" => expect![[r#"
                repo/.agents/skills/pdf/SKILL.md: loads
                repo/.claude/skills/pdf/SKILL.md: dropped [folders] Gemini CLI does not look into `repo/.claude/skills` from here
                home/.agents/skills/pdf/SKILL.md: dropped [same-name] `repo/.agents/skills/pdf/SKILL.md` has its name, and Gemini CLI keeps that one
                home/.claude/skills/pdf/SKILL.md: dropped [folders] Gemini CLI does not look into `home/.claude/skills` from here
            "#]],
            "opencode" => expect![[r#"
                repo/.agents/skills/pdf/SKILL.md: unknown [same-name] another skill has its name, and which one OpenCode keeps changes or is not known
                repo/.claude/skills/pdf/SKILL.md: unknown [same-name] another skill has its name, and which one OpenCode keeps changes or is not known
                home/.agents/skills/pdf/SKILL.md: unknown [same-name] another skill has its name, and which one OpenCode keeps changes or is not known
                home/.claude/skills/pdf/SKILL.md: unknown [same-name] another skill has its name, and which one OpenCode keeps changes or is not known
            "#]],
            _ => expect![[r#"
                repo/.agents/skills/pdf/SKILL.md: loads
                repo/.claude/skills/pdf/SKILL.md: dropped [same-name] `repo/.agents/skills/pdf/SKILL.md` has its name, and VS Code Copilot keeps that one
                home/.agents/skills/pdf/SKILL.md: dropped [same-name] `repo/.agents/skills/pdf/SKILL.md` has its name, and VS Code Copilot keeps that one
                home/.claude/skills/pdf/SKILL.md: dropped [same-name] `repo/.agents/skills/pdf/SKILL.md` has its name, and VS Code Copilot keeps that one
            "#]],
        };
        check_tree(&tree, client, &paths, &expected);
    }
}

#[test]
fn a_file_is_judged_in_its_place() {
    let tree = Tree::new()
        .folder("repo/.git")
        .skill("repo/pkg/.agents/skills/pdf")
        .skill("repo/.agents/skills/.hidden")
        .skill(".agents/skills/above")
        .skill("repo/examples/pdf");
    let paths = [
        "repo/pkg/.agents/skills/pdf/SKILL.md",
        "repo/.agents/skills/.hidden/SKILL.md",
        ".agents/skills/above/SKILL.md",
        "repo/examples/pdf/SKILL.md",
    ];
    check_tree(
        &tree,
        "codex",
        &paths,
        &expect![[r#"
        repo/pkg/.agents/skills/pdf/SKILL.md: dropped [folders] Codex does not look into `repo/pkg/.agents/skills` from here
        repo/.agents/skills/.hidden/SKILL.md: dropped [hidden] Codex passes over `.hidden`: its name starts with a dot
        .agents/skills/above/SKILL.md: dropped [folders] Codex does not look into `.agents/skills` from here
        repo/examples/pdf/SKILL.md: dropped [folders] Codex does not look into `repo/examples` from here
    "#]],
    );
}

#[test]
fn a_list_beyond_its_room() {
    let mut tree = Tree::new().folder("repo/.git");
    for number in 0..40 {
        let text = format!(
            "---\nname: s{number}\ndescription: {}\n---\n",
            "word ".repeat(100)
        );
        tree = tree.file(&format!("repo/.claude/skills/s{number}/SKILL.md"), text);
    }
    let paths = [
        "repo/.claude/skills/s0/SKILL.md",
        "repo/.claude/skills/s9/SKILL.md",
    ];
    check_tree(
        &tree,
        "claude",
        &paths,
        &expect![[r#"
        repo/.claude/skills/s0/SKILL.md: loads
        repo/.claude/skills/s9/SKILL.md: changed [budget] the list of skills needs 25464 characters, and Claude Code has 8000 for it (1 % of a context of 200,000 tokens): of this one only the name is listed
    "#]],
    );
}

#[test]
fn a_client_without_rules_is_not_guessed() {
    let tree = Tree::new()
        .folder("repo/.git")
        .skill("repo/.agents/skills/pdf");
    check_tree(
        &tree,
        "zed",
        &["repo/.agents/skills/pdf/SKILL.md"],
        &expect![[r#"
            repo/.agents/skills/pdf/SKILL.md: unknown [rules] only the folders of zed are known, not its rules
        "#]],
    );
}

#[test]
fn everything_known_is_reported_as_data() {
    let text = "---\nname: forms\ndescription: Fills forms.\nallowed-tools: Read\n---\n";
    let tree = Tree::new()
        .folder("repo/.git")
        .file("repo/.claude/skills/pdf/SKILL.md", text);
    let clients = Clients::builtin();
    let claude = clients.find("claude").unwrap();
    let verdict = judge(&tree, claude, &clients, "repo/.claude/skills/pdf/SKILL.md");
    expect![[r#"
        {
          "client": "claude-code",
          "title": "Claude Code",
          "outcome": "changed",
          "findings": [
            {
              "rule": "name-differs",
              "outcome": "changed",
              "message": "Claude Code calls it `pdf` after its folder, and not `forms`",
              "help": "give name and folder the same name, such as `pdf`"
            }
          ],
          "call": "/pdf",
          "notes": [
            "as Claude Code 2.1.325 did on 2026-11-17",
            "trust: project skills load once the workspace is trusted",
            "Claude Code approves the tools in `allowed-tools` beforehand"
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&verdict).unwrap());
}

#[test]
fn what_is_offered_is_the_clients_own_list() {
    let tree = Tree::new()
        .folder("repo/.git")
        .file(
            "repo/.claude/skills/pdf/SKILL.md",
            "---\nname: forms\ndescription: Fills <b>forms</b>.\n---\n",
        )
        .file(
            "home/.claude/skills/csv/SKILL.md",
            "---\nname: csv\ndescription: The user's.\n---\n",
        )
        .file(
            "repo/.claude/skills/csv/SKILL.md",
            "---\nname: csv\ndescription: The project's.\n---\n",
        )
        .file(
            "repo/.claude/skills/deep/er/SKILL.md",
            "---\nname: er\ndescription: Deep.\n---\n",
        );
    let clients = Clients::builtin();
    let environment = environment(&tree);
    let view = View::new(clients.find("claude").unwrap(), &clients, &environment);
    let offered: Vec<_> = view
        .offered()
        .iter()
        .map(|it| format!("{}: {}", it.name(), it.description()))
        .collect();
    assert_eq!(
        offered,
        ["csv: The user's.", "pdf: Fills &lt;b&gt;forms&lt;/b&gt;."]
    );
}
