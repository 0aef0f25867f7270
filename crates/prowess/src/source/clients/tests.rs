use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;

fn paths(folders: &[SkillFolder]) -> Vec<&str> {
    folders.iter().map(|it| it.path.as_str()).collect()
}

fn environment() -> Environment {
    Environment {
        home: Some("/home/ada".into()),
        ..Environment::default()
    }
}

/// Extends the shipped table and shows what was wrong with the addition.
fn check(text: &str, expected: &Expect) -> Clients {
    let mut clients = Clients::builtin();
    let mut shown = String::new();
    for it in clients.extend_from_toml(text) {
        let at = it.position;
        let severity = it.severity.as_str();
        writeln!(
            shown,
            "{}:{} {severity}: {}",
            at.line, at.column, it.message
        )
        .unwrap();
        if let Some(help) = it.help {
            writeln!(shown, "    help: {help}").unwrap();
        }
    }
    expected.assert_eq(&shown);
    clients
}

#[test]
fn the_shipped_table_is_sound() {
    let mut clients = Clients {
        clients: Vec::new(),
    };
    assert_eq!(clients.extend_from_toml(BUILTIN), []);
    assert_eq!(
        clients.iter().count(),
        85,
        "84 clients and one packaging standard"
    );
    let mut names: Vec<String> = clients
        .iter()
        .flat_map(|it| it.aliases.iter().chain([&it.name]))
        .map(|name| name.to_lowercase())
        .collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all, "a name belongs to one client");
}

#[test]
fn the_main_clients_are_those_whose_rules_are_known() {
    let clients = Clients::builtin();
    let titles: Vec<&str> = clients.main().map(|it| it.title.as_str()).collect();
    expect![[r#"["Claude Code", "Codex", "Gemini CLI", "VS Code Copilot", "goose", "OpenCode", "Qwen Code", "Agent Plugins 1.0", "Copilot CLI"]"#]]
        .assert_eq(&format!("{titles:?}"));
}

#[test]
fn a_client_is_found_by_any_of_its_names() {
    let clients = Clients::builtin();
    for (asked, name) in [
        ("codex", "codex"),
        ("claude", "claude-code"),
        ("Claude Code", "claude-code"),
        ("claude_code", "claude-code"),
        ("copilot", "copilot-cli"),
        ("vscode", "github-copilot"),
        ("VS Code Copilot", "github-copilot"),
        ("Gemini", "gemini-cli"),
        ("adk", "adk-rust"),
    ] {
        assert_eq!(clients.find(asked).unwrap().name, name, "asked for {asked}");
    }
}

#[test]
fn a_misspelt_client_names_the_one_that_was_meant() {
    let clients = Clients::builtin();
    let near = |name: &str| clients.find(name).unwrap_err().similar;
    assert_eq!(near("cluade").as_deref(), Some("claude-code"));
    assert_eq!(near("opencoed").as_deref(), Some("opencode"));
    assert_eq!(near("coplot").as_deref(), Some("copilot-cli"));
    assert_eq!(near("microwave"), None);
}

#[test]
fn the_shared_folder_comes_first_and_each_folder_once() {
    let clients = Clients::builtin();
    let all = clients.places(None);
    for (folders, first) in [
        (&all.project, ".agents/skills"),
        (&all.user, "~/.agents/skills"),
    ] {
        assert_eq!((&*folders[0].path, &*folders[0].label), (first, "agents"));
        let mut unique = paths(folders);
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), folders.len());
    }
    assert_eq!(paths(&all.system), ["/etc/codex/skills"]);
    assert!(paths(&all.project).contains(&".github/skills"));

    let claude = clients.places(clients.find("claude").ok());
    assert_eq!(paths(&claude.project), [".claude/skills"]);
    assert_eq!(claude.project[0].label, "claude-code");
    assert_eq!(paths(&claude.system), Vec::<&str>::new());
}

#[test]
fn folders_hang_below_what_the_environment_says() {
    let resolve = |path: &str, environment: &Environment| -> Vec<String> {
        let paths = user_paths(path, environment);
        paths.iter().map(|it| it.display().to_string()).collect()
    };
    let at_home = environment();
    let moved = Environment {
        xdg_config_home: Some("/cfg".into()),
        codex_home: Some("/codex".into()),
        ..environment()
    };
    let unusable = Environment {
        xdg_config_home: Some("".into()),
        codex_home: Some("here".into()),
        ..environment()
    };
    for (path, usual, elsewhere) in [
        (
            "~/.claude/skills",
            "/home/ada/.claude/skills",
            "/home/ada/.claude/skills",
        ),
        (
            "~/.config/goose/skills",
            "/home/ada/.config/goose/skills",
            "/cfg/goose/skills",
        ),
        ("$XDG_CONFIG_HOME/x", "/home/ada/.config/x", "/cfg/x"),
        (
            "$CODEX_HOME/skills",
            "/home/ada/.codex/skills",
            "/codex/skills",
        ),
        (
            "/etc/codex/skills",
            "/etc/codex/skills",
            "/etc/codex/skills",
        ),
    ] {
        assert_eq!(resolve(path, &at_home), [usual]);
        assert_eq!(resolve(path, &unusable), [usual], "unusable is unset");
        assert_eq!(resolve(path, &moved)[0], elsewhere);
    }
    assert!(resolve("~/.claude/skills", &Environment::default()).is_empty());
}

#[test]
fn a_skill_is_located_in_the_folder_it_lies_in() {
    let clients = Clients::builtin();
    let projects = [PathBuf::from("/repo/web"), PathBuf::from("/repo")];
    let locate = |file: &str| {
        let place = clients.locate(Path::new(file), &projects, &environment())?;
        Some(format!(
            "{} {} {}",
            place.tier.as_str(),
            place.folder.display(),
            place.depth
        ))
    };
    for (file, place) in [
        (
            "/repo/.claude/skills/pdf/SKILL.md",
            "project /repo/.claude/skills 1",
        ),
        (
            "/repo/web/.agents/skills/a/b/SKILL.md",
            "project /repo/web/.agents/skills 2",
        ),
        (
            "/home/ada/.claude/skills/pdf/SKILL.md",
            "user /home/ada/.claude/skills 1",
        ),
        (
            "/etc/codex/skills/pdf/SKILL.md",
            "system /etc/codex/skills 1",
        ),
        ("/repo/.skills/pdf.md", "project /repo/.skills 0"),
    ] {
        assert_eq!(locate(file).as_deref(), Some(place));
    }
    assert_eq!(locate("/repo/examples/skills/pdf/SKILL.md"), None);
    assert_eq!(locate("/other/.claude/skills/pdf/SKILL.md"), None);
}

#[test]
fn a_client_looks_into_its_own_folders_only() {
    let clients = Clients::builtin();
    let projects = [PathBuf::from("/repo/web"), PathBuf::from("/repo")];
    let looks = |client: &str, folder: &str| {
        let client = clients.find(client).unwrap();
        client.looks_into(Path::new(folder), &projects, &environment())
    };
    assert!(looks("codex", "/repo/web/.agents/skills"));
    assert!(looks("codex", "/home/ada/.codex/skills"));
    assert!(!looks("codex", "/repo/.claude/skills"));
    assert!(looks("defect", "/repo/.defect/skills"));
    assert!(
        !looks("defect", "/repo/web/.defect/skills"),
        "only at the root"
    );
}

#[test]
fn a_config_adds_a_client_and_extends_a_known_one() {
    let clients = check(
        r#"
            [skills]
            enabled = true
            [clients.mine]
            title = "Mine"
            project = [".mine/skills/"]
            user = "~/.mine/skills"
            rules = { hidden = "read", depth = 2 }
            [clients.claude]
            project = [".agents/skills"]
            rules = { encoding = "strict" }
        "#,
        &expect![""],
    );
    let mine = clients.find("mine").unwrap();
    assert_eq!(paths(&mine.project), [".mine/skills"]);
    assert_eq!(paths(&mine.user), ["~/.mine/skills"]);
    assert_eq!(
        mine.rules.as_ref().unwrap().depth,
        Some(rules::Depth::Most(2))
    );
    let claude = clients.find("claude-code").unwrap();
    assert_eq!(paths(&claude.project), [".claude/skills", ".agents/skills"]);
    let known = claude.rules.as_ref().unwrap();
    assert_eq!(known.encoding, Some(rules::Encoding::Strict));
    assert_eq!(
        known.name_differs,
        Some(rules::NameDiffers::Folder),
        "the rest stays"
    );
}

#[test]
fn what_can_not_be_used_is_told_where_it_stands() {
    let clients = check(
        r#"[clients.mine]
projekt = ".mine/skills"
project = ["~/mine", "../up", ".ok/skills", 7]
user = ["here", "$HOME/x"]
rules = { encoding = "strikt", depth = -1, hidden = true, fles = "x" }
[clients]
odd = 3
"#,
        &expect![[r#"
            2:1 warning: unknown key `projekt` in `clients.mine` is ignored
                help: did you mean `project`?
            3:12 error: the folder `~/mine` is left out: a project folder is relative to the project
            3:22 error: the folder `../up` is left out: `..` would leave the place it hangs below
            3:45 error: `project` is left out: it wants paths, or tables with `path`, `layout` and `at`
            4:9 error: the folder `here` is left out: it starts with `~`, `/`, `$XDG_CONFIG_HOME` or `$CODEX_HOME`
            4:17 error: the folder `$HOME/x` is left out: the variables are `$XDG_CONFIG_HOME` and `$CODEX_HOME`
            5:22 error: `encoding` is left out: unknown variant `strikt`, expected `strict` or `replaced`
            5:40 error: `depth` is left out: `depth` is a whole number or "any"
            5:53 error: `hidden` is left out: wanted string or table
            5:59 warning: unknown key `fles` in `clients.mine.rules` is ignored
                help: it may hold `version`, `day`, `depth`, `root-skill`, `hidden`, `hidden-skipped-in`, `skipped`, `nested`, `file-link`, `folder-link`, `scan`, `most-bytes`, `encoding`, `fence`, `yaml`, `repair`, `typed`, `missing-name`, `name-shape`, `name-differs`, `missing-description`, `description-cap`, `checked`, `markup`, `unknown-fields`, `manual`, `user-invocable`, `paths`, `unoffered`, `same-name`, `same-folder`, `same-file`, `budget`, `call`, `trust`, `allowed-tools`
            7:7 error: `clients.odd` is left out: it is no table, but of type integer
        "#]],
    );
    assert_eq!(
        paths(&clients.find("mine").unwrap().project),
        [".ok/skills"]
    );
    assert!(clients.find("odd").is_err());
}

#[test]
fn text_that_is_not_toml_leaves_the_table_as_it_was() {
    let clients = check(
        "[clients.mine\n",
        &expect![[r#"
        1:14 error: the table of clients is not TOML: unclosed table, expected `]`
    "#]],
    );
    assert_eq!(clients, Clients::builtin());
}

/// Compares the shipped table with the facts it was written from, where those are at hand.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the facts lie outside the repository"
)]
fn the_table_says_what_the_facts_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("PROWESS_SHARED").map_or(root.join("../shared"), PathBuf::from);
    let Ok(facts) = std::fs::read_to_string(shared.join("clients.md")) else {
        println!("note: no shared facts here, the table is not compared");
        return;
    };
    let clients = Clients::builtin();
    let (tables, rest) = facts.split_once("Further places:").unwrap();
    let mut known = clients.iter();
    let mut rows = 0;
    for line in tables
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains('`'))
    {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let client = known.next().unwrap();
        assert_eq!(client.name, cells[0], "same clients, same order");
        rows += 1;
        // Where a client was run, what it did stands above what is written about it.
        let was_run = client.rules.is_some() || client.title != client.name;
        if !was_run {
            starts_with(&client.project, cells[1]);
            starts_with(&client.user, cells[2]);
        }
    }
    assert_eq!(rows, 83);
    let further = rest.lines().next().unwrap();
    for part in further.split("; ") {
        let client = clients
            .main()
            .find(|it| part.trim().starts_with(&it.title))
            .unwrap_or_else(|| panic!("{part}"));
        for path in code_spans(part) {
            let mut folders = client
                .project
                .iter()
                .chain(&client.user)
                .chain(&client.system);
            assert!(
                folders.any(|it| it.path == path),
                "{} reads {path}",
                client.name
            );
        }
    }
}

/// Asserts that the folders named in a cell come first in the table.
fn starts_with(folders: &[SkillFolder], cell: &str) {
    // The fallback of a variable is the variable's own rule, not a second folder.
    let cell = cell.split(", else ").next().unwrap();
    let named: Vec<&str> = code_spans(cell)
        .filter(|path| !path.contains('*'))
        .collect();
    let paths = paths(folders);
    assert!(paths.starts_with(&named), "{cell}: {paths:?}");
    assert_eq!(cell == "none", folders.is_empty());
}

fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(|path| path.trim_end_matches('/'))
}

#[test]
fn a_text_for_running_comes_before_its_design_time_twin() {
    let places = Clients::builtin().places(None);
    let at = |path: &str| places.project.iter().position(|it| it.path == path);
    assert!(at(".skills").unwrap() < at("skills").unwrap());
}
