//! Skills that `npx skills` or `gh skill` brought, in layouts and locks of the same form.

use std::{fs, os::unix::fs::symlink};

use expect_test::expect;

use crate::{
    install::{commit, git, run, upstream},
    schema::fits,
    world::{World, skill},
};

/// A project as `npx skills` 1.7.4 leaves it: canonical copies, links, a lock without commits.
fn npx_project() -> World {
    let world = upstream();
    world.file("upstream/skills/sql/metadata.json", "{}");
    git(&world, "init -q -b main");
    commit(&world);
    for (name, what) in [("pdf", "Fills forms"), ("sql", "Asks tables")] {
        let folder = format!("work/.agents/skills/{name}");
        world.file(&format!("{folder}/SKILL.md"), skill(name, what));
    }
    world.file("work/.agents/skills/pdf/notes.md", "one\r\ntwo\n");
    fs::create_dir_all(world.path("work/.claude/skills")).unwrap();
    for name in ["pdf", "sql"] {
        let link = world.path(&format!("work/.claude/skills/{name}"));
        symlink(format!("../../.agents/skills/{name}"), link).unwrap();
    }
    let url = format!("file://{}", world.path("upstream").display());
    let entry = |name: &str, hash: &str| {
        format!(
            r#""{name}": {{"source": "{url}", "sourceUrl": "{url}", "sourceType": "git",
            "skillPath": "skills/{name}/SKILL.md", "computedHash": "{hash}"}}"#
        )
    };
    // The hashes that the installer's own recipe gives the folders upstream.
    let (pdf, sql, gone) = (entry("pdf", PDF), entry("sql", SQL), entry("gone", SQL));
    let lock = format!(r#"{{"version": 1, "skills": {{{gone}, {pdf}, {sql}}}}}"#);
    world.file("work/skills-lock.json", lock);
    world
}

const PDF: &str = "a27877a1881b39b4a76f99ae6a32288fbfa9cda267ab1be79ee7e1a14f4ffafa";
const SQL: &str = "ca2605cc1741ec5d112dadc2026413b3f54a257c28402ca371d0d442e463e084";

/// The output with what is new in every run left out.
fn told(world: &World, line: &str) -> (Option<i32>, String) {
    let (code, text) = run(world, line);
    let url = format!("file://{}", world.path("upstream").display());
    let text = text.replace(&url, "URL");
    let words = text.split_inclusive([' ', '\n']).map(|word| {
        let id = word.trim_end_matches([' ', '\n', ',']);
        let is_id = id.len() == 12 && id.bytes().all(|it| it.is_ascii_hexdigit());
        if is_id {
            word.replace(id, "ID")
        } else {
            word.to_owned()
        }
    });
    (code, words.collect())
}

#[test]
fn a_project_of_npx_skills_is_locked_as_it_is() {
    let world = npx_project();
    let (code, text) = told(&world, "import --dry-run");
    assert_eq!(code, Some(1), "one is missing: {text}");
    expect![[r#"
        gone: named in `skills-lock.json`, and not here

        pdf: from URL skills/pdf, says `skills-lock.json`
          proved      its files have the hash in `skills-lock.json`, which covers names and bytes, and neither modes nor `node_modules`
          proved      `URL` at ID still has what it was installed from
          proved      every file is the one of `URL` at ID

        sql: from URL skills/sql, says `skills-lock.json`
          proved      `URL` at ID still has what it was installed from
          not proved  its files do not have the hash in `skills-lock.json`: they were changed, or the installer left out some that the source has
          not proved  it differs from `URL` at ID in `metadata.json`, so no commit is locked; `prowess update` shows the diff
        nothing was changed; 2 skills would be locked
    "#]].assert_eq(&text);
    assert!(!world.path("work/prowess.lock").exists());
    fits(&world, "import", "import --dry-run --json");
    let (code, text) = told(&world, "import");
    assert_eq!(code, Some(1), "{text}");
    let lock = world.read("work/prowess.lock");
    assert_eq!(lock.matches("commit = ").count(), 1, "{lock}");
    assert_eq!(
        lock.matches(r#"clients = ["claude-code"]"#).count(),
        2,
        "{lock}"
    );
    for line in ["verify --full", "sync --frozen --offline"] {
        let (code, text) = run(&world, line);
        assert_eq!(code, Some(0), "{line}: {text}");
    }
    assert!(world.path("work/.claude/skills/pdf").is_symlink());
    // From here on it is a skill like any other.
    let (code, text) = run(&world, "update sql --yes");
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(world.read("work/.agents/skills/sql/metadata.json"), "{}");
    assert_eq!(run(&world, "remove pdf").0, Some(0));
    assert!(!world.path("work/.claude/skills/pdf").is_symlink());
}

#[test]
fn without_its_source_a_skill_is_locked_and_no_commit_is_claimed() {
    let world = npx_project();
    fs::remove_dir_all(world.path("upstream")).unwrap();
    assert_eq!(run(&world, "import").0, Some(1));
    let lock = world.read("work/prowess.lock");
    assert!(!lock.contains("commit = "), "{lock}");
    assert_eq!(run(&world, "verify").0, Some(0));
}

#[test]
fn what_gh_wrote_into_a_skill_is_read_and_compared() {
    let world = upstream();
    git(&world, "init -q -b main");
    commit(&world);
    let url = format!("file://{}", world.path("upstream").display());
    let text = skill("pdf", "Fills forms").replace(
        "---\n#",
        &format!("metadata:\n    github-path: skills/pdf\n    github-ref: refs/heads/main\n    github-repo: {url}\n    github-tree-sha: {}\n---\n#", "0".repeat(40)),
    );
    world.file("work/.claude/skills/pdf/SKILL.md", text);
    world.file("work/.claude/skills/pdf/notes.md", "one\r\ntwo\n");
    let (code, text) = told(&world, "import");
    assert_eq!(code, Some(0), "{text}");
    expect![[r#"
        pdf: from URL skills/pdf, says `SKILL.md`
          proved      apart from what gh changed in `SKILL.md` and in modes, every file is the one of `URL` at ID
          not proved  gh rewrote `SKILL.md` when it installed it, so its files cannot be the git tree ID that it names
          not proved  `URL` at ID has other files than it was installed from
        locked 1 skill in `prowess.lock`; no file of theirs was changed
        hint: look at them, then let them reach a model with `prowess trust`
    "#]].assert_eq(&text);
    assert!(
        world
            .read("work/prowess.lock")
            .contains(r#"folder = ".claude/skills/pdf""#)
    );
    assert!(!world.path("work/.agents/skills/pdf").exists());
    assert_eq!(run(&world, "update --yes").0, Some(0));
    assert!(
        !world
            .read("work/.claude/skills/pdf/SKILL.md")
            .contains("github-")
    );
    assert_eq!(run(&world, "remove pdf").0, Some(0));
    assert!(!world.path("work/.claude/skills/pdf").exists());
}

#[test]
fn a_lock_of_others_that_cannot_be_read_stops_everything() {
    let world = npx_project();
    world.file("work/skills-lock.json", "{");
    let (code, text) = run(&world, "import");
    assert_eq!(code, Some(3), "{text}");
    assert!(!world.path("work/prowess.lock").exists());
    assert_eq!(world.read("work/skills-lock.json"), "{");
}
