//! Who wins a name, who is hidden, and what is said about it.

use std::num::NonZeroUsize;

use expect_test::{Expect, expect};
use proptest::prelude::*;
use prowess_format::Profile;

use super::{Catalog, Filter, LoadError, LoadOptions, NameFrom, OnError, Precedence};
use crate::{
    DiskSource, Environment, MemorySource, Places, Scope, Skill, Source, TrustAll,
    testing::{Tree, skill_text},
};

fn named(name: &str, note: &str) -> String {
    format!("---\nname: \"{name}\"\ndescription: D\n---\n{note}\n")
}

fn load(sources: Vec<MemorySource>, options: &LoadOptions<'_>) -> Catalog {
    let sources: Vec<Box<dyn Source>> = sources
        .into_iter()
        .map(|source| Box::new(source) as Box<dyn Source>)
        .collect();
    Catalog::load(&sources, options).unwrap()
}

fn trusting() -> LoadOptions<'static> {
    LoadOptions {
        trust: &TrustAll,
        ..LoadOptions::default()
    }
}

fn check(sources: Vec<MemorySource>, options: &LoadOptions<'_>, expect: &Expect) {
    expect.assert_eq(&Tree::new().tell(&load(sources, options)));
}

/// One source for each scope and text, with one skill called `review`.
fn reviews(scopes: &[(Scope, &str)]) -> Vec<MemorySource> {
    scopes
        .iter()
        .map(|(scope, text)| {
            MemorySource::new("memory")
                .scope(*scope)
                .skill(format!("{scope}/{text}"), named("review", text))
        })
        .collect()
}

#[test]
fn the_nearest_scope_wins_and_the_others_stay_as_shadowed() {
    let scopes = [
        (Scope::Remote, "r"),
        (Scope::System, "s"),
        (Scope::User, "u"),
        (Scope::Project, "near"),
        (Scope::Project, "far"),
    ];
    check(
        reviews(&scopes),
        &trusting(),
        &expect![[r#"
        shadowed review project/far
          warning[shadowed] the project skill `review` is hidden by the project skill of the same name at `project/near`
        active review project/near
        shadowed review remote/r
          warning[shadowed] the remote skill `review` is hidden by the project skill of the same name at `project/near`
        shadowed review system/s
          warning[shadowed] the system skill `review` is hidden by the project skill of the same name at `project/near`
        shadowed review user/u
          warning[shadowed] the user skill `review` is hidden by the project skill of the same name at `project/near`
    "#]],
    );
}

#[test]
fn the_later_explicit_folder_wins() {
    let catalog = load(
        reviews(&[(Scope::Explicit, "one"), (Scope::Explicit, "two")]),
        &trusting(),
    );
    assert_eq!(catalog.get("review").unwrap().instructions(), "two");
}

#[test]
fn an_untrusted_project_skill_never_wins() {
    check(
        reviews(&[(Scope::Project, "theirs"), (Scope::User, "mine")]),
        &LoadOptions::default(),
        &expect![[r#"
            untrusted review project/theirs
              warning[untrusted] the project skill `review` is not given to a model: its project is not trusted
            active review user/mine
        "#]],
    );
}

#[test]
fn the_same_bytes_twice_are_one_skill_and_a_duplicate() {
    let catalog = load(
        reviews(&[(Scope::Project, "x"), (Scope::User, "x")]),
        &trusting(),
    );
    expect![[r#"
        active review project/x
        shadowed review user/x
          warning[duplicate] the user skill `review` is a copy of `project/x` and is listed once
    "#]]
    .assert_eq(&Tree::new().tell(&catalog));
    let [a, b] = catalog.skills() else { panic!() };
    assert_eq!(a.id(), b.id());
    assert_eq!(catalog.by_id(a.id().unwrap()).unwrap().path(), a.path());
}

#[test]
fn a_broken_skill_does_not_take_a_name_from_a_good_one() {
    let broken = MemorySource::new("memory").skill("broken", "---\nname: review\n---\n");
    let mut sources = reviews(&[(Scope::User, "mine")]);
    sources.push(broken);
    let catalog = load(sources, &trusting());
    assert_eq!(catalog.get("review").unwrap().instructions(), "mine");
    assert_eq!(catalog.named("review").len(), 2);
}

#[expect(clippy::unicode_not_nfc, reason = "that is what the test is about")]
#[test]
fn look_alike_names_are_told_and_the_less_trusted_one_gives_way() {
    let user = MemorySource::new("user")
        .scope(Scope::User)
        .skill("u/paypal", named("paypal", "1"))
        .skill("u/modem", named("modem", "2"))
        .skill("u/cafe", named("caf\u{e9}", "3"))
        .skill("u/docs", named("docs", "4"));
    let project = MemorySource::new("project")
        .scope(Scope::Project)
        .skill("p/paypal", named("p\u{430}ypal", "5"))
        .skill("p/modern", named("modern", "6"))
        .skill("p/cafe", named("cafe\u{301}", "7"))
        .skill("p/docs", named("Docs", "8"));
    let catalog = load(vec![user, project], &trusting());
    expect![[r#"
        shadowed Docs p/docs
          warning[invalid-name] `Docs` is not a skill name: `D` is a capital letter
          warning[confusable-name] the name `Docs` looks like `docs` at `u/docs`, which is trusted more and stays in use
        shadowed cafe\u{301} p/cafe
          warning[invalid-name] `café` is not a skill name: `\u{301}` is no letter, digit or hyphen
          warning[confusable-name] the name `cafe\u{301}` looks like `caf\u{e9}` at `u/cafe`, which is trusted more and stays in use
        active caf\u{e9} u/cafe
        active docs u/docs
        active modem u/modem
        active modern p/modern
          warning[confusable-name] the name `modern` looks like `modem` at `u/modem`
        active paypal u/paypal
        shadowed p\u{430}ypal p/paypal
          warning[confusable-name] the name `p\u{430}ypal` looks like `paypal` at `u/paypal`, which is trusted more and stays in use
    "#]].assert_eq(&Tree::new().tell(&catalog));
}

#[test]
fn names_that_are_paths_are_only_labels() {
    let source = MemorySource::new("memory")
        .skill("a", named("../../etc/passwd", ""))
        .skill("b", named("C:\\\\windows", ""))
        .skill("c", named("-rf", ""));
    let catalog = load(vec![source], &trusting());
    let ids: Vec<_> = catalog
        .skills()
        .iter()
        .map(|skill| skill.id().unwrap().rsplit_once('-').unwrap().0)
        .collect();
    assert_eq!(ids, ["-rf", "etcpasswd", "cwindows"]);
}

#[test]
fn a_filter_and_a_policy_compare_tags_alike() {
    let source = || {
        MemorySource::new("memory").skill(
            "a",
            "---\nname: a\ndescription: Translates letters.\ntags: [Übersetzung]\n---\n",
        )
    };
    let wanted = vec!["übersetzung".to_owned()];
    let filter = Filter {
        tags: wanted.clone(),
        ..Filter::default()
    };
    let options = LoadOptions {
        filter,
        ..trusting()
    };
    let listed = load(vec![source()], &options);
    assert_eq!(listed.model_visible().count(), 1);
    let policy = crate::Policy {
        include_tags: wanted,
        ..crate::Policy::default()
    };
    let all = load(vec![source()], &trusting());
    assert_eq!(all.select("translate", &policy).matches.len(), 1);
}

#[test]
fn filters_hide_and_say_what_hides() {
    let skills = || {
        MemorySource::new("memory")
            .skill("a", "---\nname: a\ndescription: D\ntags: [Web, api]\n---\n")
            .skill("b", "---\nname: b\ndescription: D\n---\n")
            .skill(
                "c",
                "---\nname: c\ndescription: D\ndisable-model-invocation: true\n---\n",
            )
            .skill("d", "---\nname: d\ndescription: D\ntrigger: true\n---\n")
    };
    let states = |filter: Filter| {
        let catalog = load(
            vec![skills()],
            &LoadOptions {
                filter,
                ..trusting()
            },
        );
        let states: Vec<_> = catalog
            .skills()
            .iter()
            .map(|skill| format!("{:?}", skill.state()))
            .collect();
        states.join(" ")
    };
    let filter = Filter::default();
    expect!["Active Active Hidden(Itself) Hidden(Itself)"].assert_eq(&states(filter.clone()));
    expect!["Hidden(Disabled) Hidden(Disabled) Hidden(Disabled) Hidden(Disabled)"].assert_eq(
        &states(Filter {
            enabled: false,
            ..filter.clone()
        }),
    );
    expect!["Hidden(Names) Active Hidden(Itself) Hidden(Names)"].assert_eq(&states(Filter {
        allowed: Some(vec!["b".into(), "c".into()]),
        ..filter.clone()
    }));
    expect!["Active Hidden(Tags) Hidden(Tags) Hidden(Tags)"].assert_eq(&states(Filter {
        tags: vec!["web".into()],
        ..filter
    }));

    let catalog = load(vec![skills()], &trusting());
    assert!(catalog.get("c").is_some(), "it answers to its name");
    assert_eq!(catalog.model_visible().count(), 2);
}

#[test]
fn the_strict_profile_loads_all_or_none() {
    let tree = Tree::new()
        .skill("good")
        .file("bad/SKILL.md", "no frontmatter");
    let sources: Vec<Box<dyn Source>> = vec![Box::new(crate::DiskSource::new(tree.root()))];
    let options = LoadOptions {
        profile: prowess_format::Profile::Strict,
        ..trusting()
    };
    let error = Catalog::load(&sources, &options).unwrap_err();
    let LoadError::Broken { findings } = &error else {
        panic!("{error}");
    };
    assert!(
        findings
            .iter()
            .all(|finding| finding.path == tree.at("bad/SKILL.md"))
    );
    assert!(
        findings
            .iter()
            .any(|finding| finding.diagnostic.code == "missing-frontmatter")
    );
}

/// What an application sees through `?`: each path with line, rule and reason.
#[test]
fn a_load_that_failed_says_why_and_where() {
    let source = crate::MemorySource::new("test")
        .skill("a/SKILL.md", "no frontmatter")
        .skill(
            "b/SKILL.md",
            "---\nname: b\nlicence: MIT\ndescription: Does b.\n---\nDo.\n",
        );
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let options = LoadOptions {
        profile: Profile::Strict,
        ..trusting()
    };
    let error: Box<dyn std::error::Error> = Catalog::load(&sources, &options).unwrap_err().into();
    expect![[r#"
        2 errors in the skills, so none is loaded
          a/SKILL.md:1:1: error[missing-frontmatter]: the file has no frontmatter, so the skill has no name and no description
          b/SKILL.md:3:1: error[misspelt-field]: `licence` is not read; did you mean `license`?"#]].assert_eq(&error.to_string());
}

/// Between lenient and all or none: `phi_core` fails on a missing field and takes an unquoted colon.
#[test]
fn a_host_chooses_what_becomes_of_a_skill_with_an_error() {
    let colon = "---\nname: git\ndescription: Git operations: commit, push\n---\nDo.\n";
    let load = |text: &str, profile: Profile, on_error: OnError| {
        let source = crate::MemorySource::new("test")
            .skill("git/SKILL.md", colon)
            .skill("bad/SKILL.md", text);
        let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
        let options = LoadOptions {
            profile,
            on_error,
            ..trusting()
        };
        let loaded = Catalog::load(&sources, &options);
        loaded.map(|it| it.model_visible().count()).ok()
    };
    let bare = "---\nname: bad\n---\nDo.\n";
    let good = "---\nname: bad\ndescription: Does it.\n---\nDo.\n";
    let (lenient, strict) = (Profile::Lenient, Profile::Strict);
    assert_eq!(load(bare, lenient, OnError::AsProfile), Some(1));
    assert_eq!(load(bare, lenient, OnError::Fail), None);
    assert_eq!(
        load(good, lenient, OnError::Fail),
        Some(2),
        "a colon passes"
    );
    assert_eq!(load(good, strict, OnError::AsProfile), None);
    assert_eq!(load(good, strict, OnError::Fail), None);
    assert_eq!(
        load(good, strict, OnError::Refuse),
        Some(1),
        "the rest loads"
    );
}

#[test]
fn a_host_chooses_whose_name_counts_and_which_folder_wins() {
    let tree = Tree::new()
        .file("one/folder/SKILL.md", named("own", "first"))
        .file("two/folder/SKILL.md", named("own", "second"));
    let load = |name_from: NameFrom, precedence: Precedence| {
        let source =
            |name: &str| Box::new(crate::DiskSource::new(tree.at(name))) as Box<dyn Source>;
        let options = LoadOptions {
            name_from,
            precedence,
            ..trusting()
        };
        let catalog = Catalog::load(&[source("one"), source("two")], &options).unwrap();
        let skill = catalog.model_visible().next().unwrap();
        format!("{} {}", skill.name(), skill.instructions())
    };
    assert_eq!(load(NameFrom::Frontmatter, Precedence::Last), "own second");
    assert_eq!(load(NameFrom::Frontmatter, Precedence::First), "own first");
    assert_eq!(load(NameFrom::Folder, Precedence::First), "folder first");
}

#[test]
fn folders_merge_and_the_later_one_wins() {
    let tree = Tree::new()
        .file("one/weather/SKILL.md", named("weather", "old"))
        .skill("one/git")
        .file("two/weather/SKILL.md", named("weather", "new"))
        .skill("two/docker");
    let both = Catalog::from_dirs([tree.at("one"), tree.at("two")]);
    let merged = Catalog::from_dirs([tree.at("one")]).merge(Catalog::from_dirs([tree.at("two")]));
    assert_eq!(tree.tell(&both), tree.tell(&merged));
    assert_eq!(both.get("weather").unwrap().instructions(), "new");
    assert_eq!(
        both.by_path(&tree.at("one/git/SKILL.md")).unwrap().name(),
        "git"
    );
    assert!(both.by_path(&tree.at("one/got/SKILL.md")).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Whatever the tree, the catalog is the same with any number of threads.
    #[test]
    fn order_does_not_depend_on_threads(
        paths in prop::collection::btree_set("[a-c]{1,2}(/[a-c]{1,2}){0,3}", 1..60),
    ) {
        let mut tree = Tree::new();
        for path in &paths {
            tree = tree.file(&format!("{path}/SKILL.md"), skill_text(&path[..1]));
        }
        let told = |threads| {
            let sources: Vec<Box<dyn Source>> = vec![Box::new(crate::DiskSource::new(tree.root()))];
            let options = LoadOptions { threads: NonZeroUsize::new(threads), ..trusting() };
            tree.tell(&Catalog::load(&sources, &options).unwrap())
        };
        let alone = told(1);
        prop_assert_eq!(&alone, &told(2));
        prop_assert_eq!(&alone, &told(7));
    }
}

/// What installers leave behind: one client's folder holds the skill, another's a link to it or a
/// copy of it.
#[cfg(unix)]
#[test]
fn a_skill_that_is_mirrored_for_other_clients_is_one_skill_and_no_fault() {
    let tree = Tree::new()
        .skill("home/.agents/skills/pdf")
        .skill("home/.agents/skills/sql")
        .link("home/.claude/skills/pdf", "../../.agents/skills/pdf")
        .skill("home/.claude/skills/sql");
    let known = [
        tree.at("home/.claude/skills"),
        tree.at("home/.agents/skills"),
    ];
    let source = |client: &str| {
        let root = tree.at(&format!("home/.{client}/skills"));
        let source = DiskSource::new(root).scope(Scope::User).label(client);
        Box::new(source.allow_places(&known)) as Box<dyn Source>
    };
    let sources = [source("claude"), source("agents")];
    let catalog = Catalog::load(&sources, &trusting()).unwrap();
    expect![[r#"
        active pdf home/.agents/skills/pdf/SKILL.md
          also at home/.claude/skills/pdf/SKILL.md
        shadowed sql home/.agents/skills/sql/SKILL.md
        active sql home/.claude/skills/sql/SKILL.md
    "#]]
    .assert_eq(&tree.tell(&catalog));
    let link = tree.at("home/.claude/skills/pdf/SKILL.md");
    assert_eq!(catalog.by_path(&link).map(Skill::name), Some("pdf"));
}

#[cfg(unix)]
#[test]
fn a_link_in_a_project_does_not_hide_the_skill_of_the_user() {
    let tree = Tree::new().skill("home/.agents/skills/pdf").link(
        "work/.agents/skills/pdf",
        "../../../home/.agents/skills/pdf",
    );
    let known = [tree.at("home/.agents/skills")];
    let project = DiskSource::new(tree.at("work/.agents/skills")).scope(Scope::Project);
    let user = DiskSource::new(tree.at("home/.agents/skills")).scope(Scope::User);
    let sources: [Box<dyn Source>; 2] = [Box::new(project.allow_places(&known)), Box::new(user)];
    let catalog = Catalog::load(&sources, &LoadOptions::default()).unwrap();
    expect![[r#"
        active pdf home/.agents/skills/pdf/SKILL.md
          also at work/.agents/skills/pdf/SKILL.md
    "#]]
    .assert_eq(&tree.tell(&catalog));
}

#[test]
fn the_skill_of_a_package_is_no_conflict_with_that_of_the_repository() {
    let text = |body: &str| skill_text("lint") + body;
    let tree = Tree::new()
        .skill(".agents/skills/lint")
        .file("packages/web/.agents/skills/lint/SKILL.md", text("Web.\n"))
        .file(".agents/skills/style/SKILL.md", text("Twice.\n"));
    expect![[r#"
        active lint ./.agents/skills/lint/SKILL.md
        shadowed lint ./.agents/skills/style/SKILL.md
          warning[name-differs-from-folder] the skill is called `lint` and its folder `style`; clients differ in which they use
          warning[shadowed] the explicit skill `lint` is hidden by the explicit skill of the same name at `./.agents/skills/lint/SKILL.md`
        shadowed lint ./packages/web/.agents/skills/lint/SKILL.md
    "#]]
    .assert_eq(&tree.load("."));
}

/// A repository publishes `skills` and keeps versions for clients beside it; of two clients' folders
/// some clients read both, so that different texts there are a conflict.
#[test]
fn what_a_repository_publishes_is_no_conflict_with_what_a_client_reads_there() {
    let text = |body: &str| skill_text("lint") + body;
    let tree = Tree::new()
        .file("skills/lint/SKILL.md", text("Published.\n"))
        .file(".kiro/skills/lint/SKILL.md", text("Kiro.\n"))
        .file(".cursor/skills/lint/SKILL.md", text("Published.\n"));
    expect![[r#"
        shadowed lint ./.cursor/skills/lint/SKILL.md
        shadowed lint ./.kiro/skills/lint/SKILL.md
        active lint ./skills/lint/SKILL.md
    "#]]
    .assert_eq(&tree.load("."));
    let tree = Tree::new()
        .file(".kiro/skills/lint/SKILL.md", text("Kiro.\n"))
        .file(".cursor/skills/lint/SKILL.md", text("Cursor.\n"));
    expect![[r#"
        active lint ./.cursor/skills/lint/SKILL.md
        shadowed lint ./.kiro/skills/lint/SKILL.md
          warning[shadowed] the explicit skill `lint` is hidden by the explicit skill of the same name at `./.cursor/skills/lint/SKILL.md`
    "#]].assert_eq(&tree.load("."));
}

#[test]
fn the_nearest_convention_file_wins() {
    let tree = Tree::new()
        .folder("repo/.git")
        .file("repo/AGENTS.md", "# All\n")
        .file("repo/packages/web/AGENTS.md", "# Web\n");
    let environment = Environment {
        working_directory: tree.at("repo/packages/web"),
        ..Environment::default()
    };
    let wanted = Places {
        conventions: true,
        ..Places::default()
    };
    let sources = crate::places(&wanted, &environment).into_iter();
    let sources: Vec<Box<dyn Source>> = sources.map(|it| Box::new(it) as _).collect();
    let catalog = Catalog::load(&sources, &trusting()).unwrap();
    expect![[r#"
        shadowed agents repo/AGENTS.md
        active agents repo/packages/web/AGENTS.md
    "#]]
    .assert_eq(&tree.tell(&catalog));
}
