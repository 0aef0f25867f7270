//! `read`, `resources`, `new`.

use expect_test::expect;

use crate::world::{World, skill};

fn with_files() -> World {
    World::with(&[
        ("skills/pdf/SKILL.md", &skill("pdf", "Fills forms")),
        ("skills/pdf/references/notes.md", "Größe\n"),
        ("skills/pdf/scripts/go.sh", "echo go\n"),
        ("secret.txt", "secret"),
    ])
}

#[test]
fn files_are_listed_and_read() {
    let world = with_files();
    world.session(&expect![[r#"
        $ prowess resources pdf --dir skills
           SIZE  RUN  PATH
        8 bytes       references/notes.md
        8 bytes       scripts/go.sh
        -- stderr
        2 files beside the instructions of `pdf`
        $ prowess read pdf references/notes.md --dir skills
        Größe
        $ prowess read pdf references/note.md --dir skills
        -- stderr
        error: the skill `pdf` has no file `references/note.md`
        hint: did you mean `references/notes.md`? `prowess resources pdf` lists its files
        -- exit 1
    "#]]);
}

#[test]
fn nothing_outside_is_read() {
    let world = with_files();
    for path in [
        "../../secret.txt",
        "/etc/passwd",
        "a/../../../secret.txt",
        "%2e%2e/secret.txt",
        "..\\secret.txt",
    ] {
        let told = world.run(&format!("read pdf {path} --dir skills"));
        assert!(told.starts_with("-- stderr\nerror: `"), "{told}");
        assert!(
            told.ends_with("-- exit 3\n") && !told.contains("secret\n"),
            "{told}"
        );
    }
}

#[test]
fn pages_end_between_characters() {
    let world = with_files();
    world.file("work/prowess.toml", "[limits]\npage-bytes = 3\n");
    world.session(&expect![[r#"
        $ prowess read pdf references/notes.md --dir skills --page 2
        ö-- stderr
        hint: `--page 3` goes on
        $ prowess read pdf references/notes.md --dir skills --page 9
        -- stderr
        error: `references/notes.md` has 4 pages
        -- exit 1
    "#]]);
    assert_eq!(
        world.run("read pdf references/notes.md --dir skills"),
        "Größe\n-- exit 0\n"
    );
}

#[test]
fn bytes_come_out_as_they_are() {
    let world = with_files();
    let bytes: Vec<u8> = (0..=255).collect();
    world.file("work/skills/pdf/assets/all.bin", &bytes);
    assert_eq!(
        world.output("read pdf assets/all.bin --dir skills").stdout,
        bytes
    );
}

#[test]
fn a_new_skill_passes_check() {
    let world = World::new();
    let description = "'Fills: forms. Use when \"asked\" to.'";
    expect![[r#"
        .agents/skills/pdf-forms/SKILL.md
        -- stderr
        hint: fill in the steps, then `prowess check .agents/skills/pdf-forms`
        -- exit 0
    "#]]
    .assert_eq(&world.run(&format!("new pdf-forms --description {description}")));
    expect![[r#"
        ---
        name: pdf-forms
        description: "Fills: forms. Use when \"asked\" to."
        ---

        # Pdf forms

        ## Steps

        1. Look at what was asked and at what is there.
        2. Do the work, one step at a time.
        3. Check the result before you report it.
    "#]]
    .assert_eq(&world.read("work/.agents/skills/pdf-forms/SKILL.md"));
    for template in ["plain", "script", "reference"] {
        let made = world.run(&format!(
            "new a-{template} --dir made --template {template} --description {description}"
        ));
        assert!(made.ends_with("-- exit 0\n"), "{made}");
    }
    world.session(&expect![[r#"
        $ prowess check made --profile strict --hints
        -- stderr
        3 skills checked (strict profile): nothing wrong
        $ prowess check made --profile skills-ref
        -- stderr
        3 skills checked (skills-ref profile): nothing wrong
    "#]]);
}

#[test]
fn a_new_skill_needs_a_good_name_and_a_free_place() {
    let world = with_files();
    world.session(&expect![[r#"
        $ prowess new 'PDF Forms' --description x
        -- stderr
        error: `PDF Forms` is not a skill name: `P` is a capital letter
        hint: did you mean `pdf-forms`?
        -- exit 2
        $ prowess new pdf --dir skills --description x
        -- stderr
        error: `skills/pdf` is there already and stays as it is
        hint: take another name, or look at it with `prowess show`
        -- exit 3
        $ prowess new other
        -- stderr
        error: a skill needs a description
        hint: add `--description "What it does. Use when …"`
        -- exit 2
        $ prowess new vague --description 'Fills in the forms of the office.'
        .agents/skills/vague/SKILL.md
        -- stderr
        warning[vague-description]: the description says what the skill does but not when to use it, so a model may pass it over
         --> .agents/skills/vague/SKILL.md:3:14
          |
        3 | description: Fills in the forms of the office.
          |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          = help: add a sentence that starts with `Use when`

        hint: fill in the steps, then `prowess check .agents/skills/vague`
    "#]]);
}

#[test]
fn an_export_goes_where_a_folder_is() {
    let world = World::with(&[("skills/pdf/SKILL.md", &skill("pdf", "Fills forms"))]);
    world.session(&expect![[r#"
        $ prowess export --dir skills -o out/catalog.jsonl
        -- stderr
        error: cannot write `out/catalog.jsonl`
        hint: there is no folder `out`
        -- exit 3
    "#]]);
}

#[test]
fn json_holds_nothing_that_disturbs_a_terminal() {
    let name = "a\u{9b}31m\u{202e}b";
    let world = World::with(&[("skills/pdf/SKILL.md", &skill("pdf", name))]);
    for line in ["list --json", "show pdf --json", "export", "config --json"] {
        let shown = world.output(&format!("{line} --dir skills")).stdout;
        let shown = String::from_utf8(shown).unwrap();
        let bad = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!shown.contains(bad), "{line}: {shown}");
    }
    let shown = world.json("list --json --all --dir skills");
    let description = shown["skills"][0]["description"].as_str().unwrap();
    assert!(description.starts_with(name), "{description}");
}
