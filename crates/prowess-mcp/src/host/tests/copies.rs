//! Copies that stand in for a server that does not answer.

use super::*;

#[test]
fn a_server_that_is_gone_is_stood_in_for_by_checked_copies() {
    let home = Home::new();
    let script = Script::serving([
        Skill::new("pdf").file("forms.md", "Boxes."),
        Skill::new("docx"),
    ]);
    let start = || Host::start(vec![server("acme", &script)], home.options()).unwrap();
    let host = start();
    let skill = catalog_of(&host)
        .get("pdf")
        .unwrap()
        .loaded()
        .unwrap()
        .into_owned();
    skill
        .read_resource("forms.md", 0, &Limits::default())
        .unwrap();
    drop(host);
    script.end();
    let host = start();
    let catalog = catalog_of(&host);
    let told = seen(&catalog);
    assert!(
        told.contains("pdf remote acme active: Does pdf. (from the MCP server `acme`, a copy "),
        "{told}"
    );
    assert!(
        told.contains("[server-copies] the MCP server `acme` cannot be reached: "),
        "{told}"
    );
    assert!(told.contains(" old are used for 2 of its skills"), "{told}");
    let skill = catalog.get("pdf").unwrap().loaded().unwrap();
    assert_eq!(skill.instructions(), "Do pdf.");
    let page = skill.read_resource("forms.md", 0, &Limits::default());
    assert_eq!(page.unwrap().size, 6);
    // What was never fetched cannot be had now.
    let error = catalog.get("docx").unwrap().loaded().unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the MCP server `acme` cannot be reached"),
        "{error}"
    );
}

#[test]
fn a_copy_is_as_untrusted_as_its_server() {
    let home = Home::new();
    let script = Script::serving([Skill::new("pdf")]);
    let start = || Host::start(vec![server("acme", &script)], home.options()).unwrap();
    let host = start();
    catalog_of(&host).get("pdf").unwrap().loaded().unwrap();
    drop(host);
    let folder = std::fs::read_dir(home.0.path().join("cache"))
        .unwrap()
        .next();
    let files = std::fs::read_dir(folder.unwrap().unwrap().path()).unwrap();
    let file = files
        .map(|file| file.unwrap().path())
        .find(|path| path.extension().is_none())
        .unwrap();
    let evil = std::fs::read_to_string(&file).unwrap().replace("Do", "No");
    std::fs::write(&file, evil).unwrap();
    // The copy is thrown away and the server is asked again.
    let host = start();
    let catalog = catalog_of(&host);
    let skill = catalog.get("pdf").unwrap().loaded().unwrap();
    assert_eq!(skill.instructions(), "Do pdf.");
    drop(host);
    // A list that was damaged is no list.
    script.end();
    let list = file.with_file_name("list.json");
    std::fs::write(&list, "{\"version\":1,").unwrap();
    let host = start();
    assert_eq!(catalog_of(&host).skills().len(), 0);
}

#[test]
fn files_of_skills_that_are_gone_are_forgotten() {
    let home = Home::new();
    let (script, skills) = changing(vec![Skill::new("pdf"), Skill::new("docx")]);
    let start = || Host::start(vec![server("acme", &script)], home.options()).unwrap();
    let host = start();
    for skill in catalog_of(&host).skills() {
        skill.loaded().unwrap();
    }
    drop(host);
    let count = || {
        let folder = std::fs::read_dir(home.0.path().join("cache"))
            .unwrap()
            .next();
        std::fs::read_dir(folder.unwrap().unwrap().path())
            .unwrap()
            .count()
    };
    assert_eq!(count(), 3, "a list and two files");
    skills.lock().unwrap().pop();
    let host = start();
    catalog_of(&host);
    assert_eq!(count(), 2);
}

#[test]
fn another_server_that_is_given_the_label_has_none_of_the_copies() {
    let home = Home::new();
    let first = Script::serving([Skill::new("pdf")]);
    let host = Host::start(vec![server("acme", &first)], home.options()).unwrap();
    catalog_of(&host).get("pdf").unwrap().loaded().unwrap();
    drop(host);
    let other = Script::new(|_, _| Reply::Raw(500, "text/plain", Vec::new()));
    let host = Host::start(vec![server("acme", &other)], home.options()).unwrap();
    expect![[r"
        [server-unreachable] the MCP server `acme` answers with HTTP 500 (see whether its `url` is right and the server runs)
    "]]
    .assert_eq(&seen(&catalog_of(&host)));
}
