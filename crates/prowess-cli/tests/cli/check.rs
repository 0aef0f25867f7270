//! `check` in all its forms.

use expect_test::expect;

use crate::world::{World, skill};

const BROKEN: &str = "---\r\nname: Pdf_Forms # mine\r\ndesciption: \"Fills forms. Use when asked.\"\r\n---\r\nRun `scripts/go.sh`.\r\n";

fn broken() -> World {
    World::with(&[
        ("skills/pdf-forms/SKILL.md", BROKEN),
        ("skills/good/SKILL.md", &skill("good", "Is fine")),
    ])
}

#[test]
fn findings_show_the_line_and_the_step() {
    broken().session(&expect![[r#"
        $ prowess check skills
        error[missing-description]: `Pdf_Forms` cannot be offered to a model without a description
         --> skills/pdf-forms/SKILL.md:2:1
          |
        2 | name: Pdf_Forms # mine
          | ^^^^^^^^^^^^^^^ rename `desciption` to `description`

        error[invalid-name]: `Pdf_Forms` is not a skill name: `P` is a capital letter
         --> skills/pdf-forms/SKILL.md:2:7
          |
        2 | name: Pdf_Forms # mine
          |       ^^^^^^^^^ call it `pdf-forms`

        warning[misspelt-field]: `desciption` is not read; did you mean `description`?
         --> skills/pdf-forms/SKILL.md:3:1
          |
        3 | desciption: "Fills forms. Use when asked."
          | ^^^^^^^^^^ rename it to `description`

        warning[missing-file]: `scripts/go.sh` is not in the skill
         --> skills/pdf-forms/SKILL.md:5:6
          |
        5 | Run `scripts/go.sh`.
          |      ^^^^^^^^^^^^^ add the file, or take the mention out

        -- stderr
        2 skills checked (standard profile): 2 errors, 2 warnings and 1 hint
        hint: `--hints` shows the hints
        hint: `prowess explain missing-description` says more; each code has its page
        hint: 2 of these can be fixed by `--fix`; `--fix --dry-run` shows how
        -- exit 1
    "#]]);
}

#[test]
fn a_file_a_skill_and_a_folder_can_be_named() {
    let world = broken();
    for path in ["skills/good/SKILL.md", "skills/good", "skills/good/"] {
        let told = world.run(&format!("check {path}"));
        assert_eq!(
            told,
            "-- stderr\n1 skill checked (standard profile): nothing wrong\n-- exit 0\n"
        );
    }
}

#[test]
fn nothing_found_nothing_there_and_partly_checked_are_three_answers() {
    let world = broken();
    world.file("work/empty/notes.txt", "x");
    world.file("work/prowess.toml", "[limits]\nentries = 2\n");
    world.session(&expect![[r#"
        $ prowess check empty
        -- stderr
        nothing was checked: no skill in `empty`
        hint: a skill is a folder with a `SKILL.md`; `prowess new NAME` makes one
        -- exit 1
        $ prowess check nowhere
        -- stderr
        error: cannot check `nowhere`
          cause: No such file or directory (os error 2)
        -- exit 3
    "#]]);
    let partly = world.run("check skills --quiet --json");
    assert!(partly.contains("\"partial\": true"), "{partly}");
    assert!(world.run("check skills").contains("hint: partly checked"));
}

#[test]
fn a_fix_changes_only_what_it_names() {
    let world = broken();
    world.session(&expect![[r#"
        $ prowess check skills --fix --dry-run
        --- skills/pdf-forms/SKILL.md
        +++ skills/pdf-forms/SKILL.md
        @@ -1,5 +1,5 @@
         ---\r
        -name: Pdf_Forms # mine\r
        -desciption: "Fills forms. Use when asked."\r
        +name: pdf-forms # mine\r
        +description: "Fills forms. Use when asked."\r
         ---\r
         Run `scripts/go.sh`.\r
        -- stderr
        2 skills checked (standard profile): 2 errors, 2 warnings and 1 hint
        hint: `--hints` shows the hints
        hint: `prowess explain missing-description` says more; each code has its page
        hint: `--fix` without `--dry-run` changes 1 file
        -- exit 1
    "#]]);
    assert_eq!(
        world.read("work/skills/pdf-forms/SKILL.md"),
        BROKEN,
        "a dry run changes nothing"
    );
    world.session(&expect![[r#"
        $ prowess check skills --fix
        warning[missing-file]: `scripts/go.sh` is not in the skill
         --> skills/pdf-forms/SKILL.md:5:6
          |
        5 | Run `scripts/go.sh`.
          |      ^^^^^^^^^^^^^ add the file, or take the mention out

        -- stderr
        2 skills checked (standard profile): 1 warning and 1 hint
        hint: `--hints` shows the hints
        hint: `prowess explain missing-file` says more; each code has its page
        hint: 1 file fixed
    "#]]);
    assert_eq!(
        world.read("work/skills/pdf-forms/SKILL.md"),
        BROKEN
            .replace("Pdf_Forms", "pdf-forms")
            .replace("desciption", "description")
    );
    world.session(&expect![[r#"
        $ prowess check skills --fix
        warning[missing-file]: `scripts/go.sh` is not in the skill
         --> skills/pdf-forms/SKILL.md:5:6
          |
        5 | Run `scripts/go.sh`.
          |      ^^^^^^^^^^^^^ add the file, or take the mention out

        -- stderr
        2 skills checked (standard profile): 1 warning and 1 hint
        hint: `--hints` shows the hints
        hint: `prowess explain missing-file` says more; each code has its page
        hint: there was nothing `--fix` can fix
    "#]]);
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_skill_is_never_written() {
    let world = broken();
    world.file("elsewhere/SKILL.md", BROKEN);
    std::fs::create_dir_all(world.path("work/skills/linked")).unwrap();
    std::os::unix::fs::symlink(
        world.path("elsewhere/SKILL.md"),
        world.path("work/skills/linked/SKILL.md"),
    )
    .unwrap();
    let told = world.run("check skills/linked --fix --allow-link ../elsewhere");
    assert!(
        told.contains("is not fixed: it is a link that leads out of the skill"),
        "{told}"
    );
    assert_eq!(world.read("elsewhere/SKILL.md"), BROKEN);
}

#[test]
fn the_reference_has_its_own_words() {
    broken().session(&expect![[r#"
        $ prowess check skills --profile skills-ref
        error[skills-ref]: Unexpected fields in frontmatter: desciption. Only ['allowed-tools', 'compatibility', 'description', 'license', 'metadata', 'name'] are allowed.
         --> skills/pdf-forms/SKILL.md:3:1
          |
        3 | desciption: "Fills forms. Use when asked."
          | ^^^^^^^^^^

        error[skills-ref]: Skill name 'Pdf_Forms' must be lowercase
         --> skills/pdf-forms/SKILL.md:2:7
          |
        2 | name: Pdf_Forms # mine
          |       ^^^^^^^^^

        error[skills-ref]: Skill name 'Pdf_Forms' contains invalid characters. Only letters, digits, and hyphens are allowed.
         --> skills/pdf-forms/SKILL.md:2:7
          |
        2 | name: Pdf_Forms # mine
          |       ^^^^^^^^^

        error[skills-ref]: Directory name 'pdf-forms' must match skill name 'Pdf_Forms'
         --> skills/pdf-forms/SKILL.md:2:7
          |
        2 | name: Pdf_Forms # mine
          |       ^^^^^^^^^

        error[skills-ref]: Missing required field in frontmatter: description
         --> skills/pdf-forms/SKILL.md:1:1
          |
        1 | ---
          | ^^^

        -- stderr
        2 skills checked (skills-ref profile): 5 errors
        -- exit 1
    "#]]);
}

#[test]
fn the_strict_profile_fails_the_list() {
    let world = World::with(&[(
        "skills/odd/SKILL.md",
        "---\nname: odd\ndescription: Is odd. Use when asked.\nfoo: bar\n---\nGo.\n",
    )]);
    assert_eq!(
        world.output("list --local --dir skills").status.code(),
        Some(0)
    );
    assert_eq!(
        world
            .output("list --local --dir skills --profile strict")
            .status
            .code(),
        Some(1)
    );
}

#[test]
fn github_turns_findings_into_annotations() {
    broken().session(&expect![[r#"
        $ prowess check skills --format github
        ::error file=skills/pdf-forms/SKILL.md,line=2,col=1,endColumn=16,title=missing-description::`Pdf_Forms` cannot be offered to a model without a description; rename `desciption` to `description`
        ::error file=skills/pdf-forms/SKILL.md,line=2,col=7,endColumn=16,title=invalid-name::`Pdf_Forms` is not a skill name: `P` is a capital letter; call it `pdf-forms`
        ::warning file=skills/pdf-forms/SKILL.md,line=3,col=1,endColumn=11,title=misspelt-field::`desciption` is not read; did you mean `description`? rename it to `description`
        ::warning file=skills/pdf-forms/SKILL.md,line=5,col=6,endColumn=19,title=missing-file::`scripts/go.sh` is not in the skill; add the file, or take the mention out
        -- stderr
        2 skills checked (standard profile): 2 errors, 2 warnings and 1 hint
        hint: `--hints` shows the hints
        hint: `prowess explain missing-description` says more; each code has its page
        hint: 2 of these can be fixed by `--fix`; `--fix --dry-run` shows how
        -- exit 1
    "#]]);
}

#[test]
fn sarif_holds_rules_results_and_fixes() {
    let sarif = broken().json("check skills --format sarif");
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    for result in run["results"].as_array().unwrap() {
        let at = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(run["tool"]["driver"]["rules"][at]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(
            place["artifactLocation"]["uri"],
            "skills/pdf-forms/SKILL.md"
        );
        let region = &place["region"];
        assert!(region["startLine"].as_u64() <= region["endLine"].as_u64());
    }
    let fixed = run["results"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["ruleId"] == "misspelt-field")
        .unwrap();
    let change = &fixed["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(change["deletedRegion"]["startLine"], 3);
    assert_eq!(change["insertedContent"]["text"], "description");
}
