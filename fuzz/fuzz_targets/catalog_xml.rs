//! A real XML parser reads the catalog back: every skill once, with its own name and nothing of
//! one skill in another, and the other form has one line for each skill.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prowess::{
    Budget, Catalog, LoadOptions, MemorySource, PromptOptions, Record, Source, prompt::Form,
};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let mut source = MemorySource::new("fuzz");
    for (at, part) in text.split('\u{1}').take(4).enumerate() {
        let quoted = serde_json::to_string(part).expect("text is JSON");
        // A name of the parser's choice for the first, names of ours for the others.
        let name = if at == 0 {
            quoted.clone()
        } else {
            format!("\"skill-{at}\"")
        };
        source.push(Record {
            path: format!("{at}/SKILL.md").into(),
            text: format!("---\nname: {name}\ndescription: {quoted}\n---\nDo it.\n"),
            ..Record::default()
        });
    }
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    let catalog = Catalog::load(&sources, &LoadOptions::default()).expect("lenient loads");
    let offered: Vec<_> = catalog.model_visible().collect();
    for budget in [None, Some(Budget::characters(bytes.len()))] {
        let options = PromptOptions {
            budget,
            ..PromptOptions::default()
        };
        let prompt = catalog.prompt(&options);
        if prompt.text.is_empty() {
            // A budget may be too small for even a count of what is left out.
            assert!(offered.is_empty() || budget.is_some());
            continue;
        }
        let tree = roxmltree::Document::parse(&prompt.text).expect("well-formed");
        let root = tree.root_element();
        assert_eq!(root.tag_name().name(), "available_skills");
        let skills = root.children().filter(|it| it.has_tag_name("skill"));
        let names: Vec<_> = skills
            .filter_map(|it| it.children().find(|it| it.has_tag_name("name")))
            .map(|it| it.text().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(names.len() + prompt.report.hidden.len(), offered.len());
        if budget.is_none() {
            for (read, skill) in names.iter().zip(&offered) {
                let plain = |char: char| char.is_ascii_alphanumeric() || char == '-';
                assert!(!skill.name().chars().all(plain) || read == skill.name());
            }
        }
        let lines = catalog.prompt(&PromptOptions {
            form: Form::Lines,
            budget,
            ..PromptOptions::default()
        });
        let more = usize::from(!lines.report.hidden.is_empty());
        let shown = offered.len() - lines.report.hidden.len();
        assert_eq!(lines.text.lines().count(), shown + more);
    }
});
