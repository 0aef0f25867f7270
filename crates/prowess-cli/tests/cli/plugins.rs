//! Repositories with marketplaces and plugins, as a user meets them.

use expect_test::expect;

use crate::{
    install::{commit, git, run},
    world::{World, skill},
};

/// A marketplace with two plugins that have a skill of one name, and others elsewhere.
fn marketplace() -> World {
    let world = World::new();
    world.file(
        "upstream/.claude-plugin/marketplace.json",
        r#"{"name": "m", "owner": {"name": "o"}, "plugins": [
            {"name": "office", "source": "./plugins/office"},
            {"name": "web", "source": "./plugins/web"},
            {"name": "far", "source": {"source": "github", "repo": "acme/far", "sha": "0123456789012345678901234567890123456789"}},
            {"name": "out", "source": "../secret"}
        ]}"#,
    );
    for (plugin, name, what) in [
        ("office", "word", "Writes letters"),
        ("office", "style", "Checks style of letters"),
        ("web", "style", "Checks style of pages"),
    ] {
        let path = format!("upstream/plugins/{plugin}/skills/{name}/SKILL.md");
        world.file(&path, skill(name, what));
    }
    git(&world, "init -q -b main");
    commit(&world);
    world
}

#[test]
fn a_marketplace_shows_its_plugins_and_their_skills() {
    let world = marketplace();
    let url = format!("file://{}", world.path("upstream").display());
    let told = |line: &str| {
        let (code, text) = run(&world, &line.replace("URL", &url));
        format!("{}: {}", code.unwrap(), text.replace(&url, "URL"))
    };
    expect![[r#"
        2: warning: the plugin `out` lies at "../secret", which is no path in this repository, so it is left out
        error: `URL` has 3 skills: `office:style`, `word` in the plugin office; `web:style` in the plugin web; 1 plugin in other repositories
        hint: name those you want with `--skill NAME`, those of a plugin with `--skill 'PLUGIN:*'`, or take `--all`
    "#]].assert_eq(&told("add URL"));
    expect![[r#"
        1: warning: the plugin `out` lies at "../secret", which is no path in this repository, so it is left out
        error: 2 skills are called `style`
        hint: name one with `--skill`: `office:style`, `web:style`
    "#]].assert_eq(&told("add URL --skill style"));
    expect![[r#"
        1: warning: the plugin `out` lies at "../secret", which is no path in this repository, so it is left out
        error: the plugin `far` of `URL` lies in another repository
        hint: bring it with `prowess add acme/far#0123456789012345678901234567890123456789`
    "#]].assert_eq(&told("add URL --skill far"));
}

#[test]
fn two_skills_of_one_name_in_two_plugins_both_stay() {
    let world = marketplace();
    let url = format!("file://{}", world.path("upstream").display());
    let fine = |line: &str| {
        let (code, text) = run(&world, line);
        assert_eq!(code, Some(0), "{line}: {text}");
        text
    };
    fine(&format!("add {url} --skill office:* --yes"));
    fine(&format!("add {url} --skill web:style --yes"));
    let lock = world.read("work/prowess.lock");
    for path in [
        "plugins/office/skills/style",
        "plugins/office/skills/word",
        "plugins/web/skills/style",
    ] {
        assert!(lock.contains(&format!("path = \"{path}\"")), "{lock}");
    }
    assert!(
        world
            .path("work/.agents/skills/web-style/SKILL.md")
            .exists()
    );
    fine("sync --frozen --offline");
    // Again changes nothing.
    fine(&format!("add {url} --skill web:style --yes"));
    assert_eq!(world.read("work/prowess.lock"), lock);
    fine("remove web-style");
    assert!(!world.read("work/prowess.toml").contains("plugins/web"));
    assert!(world.path("work/.agents/skills/style/SKILL.md").exists());
    fine("sync --frozen --offline");
}

/// Two owners with one name: both are there, listed, shown and removed by `owner/name`.
#[test]
fn two_owners_with_one_name_both_stay() {
    let world = World::new();
    for owner in ["acme", "zeta"] {
        let path = format!("{owner}/kit/skills/pdf/SKILL.md");
        world.file(&path, skill("pdf", &format!("Fills the forms of {owner}")));
    }
    let fine = |line: &str| {
        let (code, text) = run(&world, line);
        assert_eq!(code, Some(0), "{line}: {text}");
        text
    };
    fine("add ../acme/kit --skill pdf --yes");
    fine("add ../zeta/kit --skill pdf --yes");
    expect![[r#"
        NAME      SCOPE    STATE  AT            FROM
        pdf       project  same   8b02ee600fea  ../acme/kit skills/pdf
        zeta-pdf  project  same   2bb29d95406c  ../zeta/kit skills/pdf
        2 skills, as locked
    "#]]
    .assert_eq(&fine("list --installed"));
    expect![[r#"
        NAME  SCOPE    TOKENS  DESCRIPTION
        pdf   project       4  Fills the forms of acme. Use when asked.
        1 skill; not shown: 1 shadowed (`prowess list --all` shows it)
    "#]]
    .assert_eq(&fine("list"));
    assert!(fine("show zeta/pdf").contains("forms of zeta"));
    assert!(fine("show acme/pdf").contains("forms of acme"));
    fine("sync --frozen --offline");
    fine("remove zeta/pdf");
    assert!(world.path("work/.agents/skills/pdf/SKILL.md").exists());
    assert!(!world.path("work/.agents/skills/zeta-pdf").exists());
    fine("remove acme/pdf");
}
