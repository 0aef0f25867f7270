use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::{
    sample::{catalog, overlap},
    testing::Tree,
};

const LONG: &str = "description: Fills in PDF forms and checks them against the rules of each office, so that nothing comes back. Use it for taxes. It also knows letters, permits, visas and everything else that has boxes.\n";

fn skills() -> Catalog {
    catalog(&[
        ("alpha", "description: First.\n", ""),
        ("forms", LONG, ""),
        ("omega", "description: |\n  Last of <all>\n  & more.\n", ""),
    ])
}

fn check(budget: &str, query: Option<&str>, pins: &[&str], names_only: &[&str], expected: &Expect) {
    let catalog = skills();
    let prompt = catalog.prompt(&PromptOptions {
        budget: Some(budget.parse().unwrap()),
        query,
        pins,
        names_only,
        policy: Policy {
            top_k: 2,
            ..overlap()
        },
        form: Form::Lines,
        ..PromptOptions::default()
    });
    let report = serde_json::to_string(&prompt.report).unwrap();
    expected.assert_eq(&format!("{}{report}\n", prompt.text));
}

#[test]
fn all_of_it_stands_while_there_is_room() {
    check(
        "1000c",
        None,
        &[],
        &["omega"],
        &expect![[r#"
        - alpha: First.
        - forms: Fills in PDF forms and checks them against the rules of each office, so that nothing comes back. Use it for taxes. It also knows letters, permits, visas and everything else that has boxes.
        - omega
        {"budget":1000,"used":222,"unit":"characters","counter":"characters","skills":3,"full":2,"trimmed":[],"name_only":["omega"],"hidden":[],"unknown_pins":[]}
    "#]],
    );
}

#[test]
fn descriptions_are_trimmed_then_names_stand_then_a_count() {
    check(
        "230c",
        None,
        &[],
        &[],
        &expect![[r#"
            - alpha: First.
            - forms: Fills in PDF forms and checks them against the rules of each office, so that nothing comes back. Use it for taxes.
            - omega: Last of <all> & more.
            {"budget":230,"used":171,"unit":"characters","counter":"characters","skills":3,"full":2,"trimmed":["forms"],"name_only":[],"hidden":[],"unknown_pins":[]}
        "#]],
    );
    check(
        "80c",
        None,
        &[],
        &[],
        &expect![[r#"
        - alpha: First.
        - forms
        - omega
        {"budget":80,"used":32,"unit":"characters","counter":"characters","skills":3,"full":1,"trimmed":[],"name_only":["forms","omega"],"hidden":[],"unknown_pins":[]}
    "#]],
    );
    check(
        "60c",
        None,
        &[],
        &[],
        &expect![[r#"
            - alpha: First.
            - forms
            - omega
            {"budget":60,"used":32,"unit":"characters","counter":"characters","skills":3,"full":1,"trimmed":[],"name_only":["forms","omega"],"hidden":[],"unknown_pins":[]}
        "#]],
    );
    check(
        "3c",
        None,
        &[],
        &[],
        &expect![[r#"
        {"budget":3,"used":0,"unit":"characters","counter":"characters","skills":3,"full":0,"trimmed":[],"name_only":[],"hidden":["alpha","forms","omega"],"unknown_pins":[]}
    "#]],
    );
}

#[test]
fn a_query_decides_the_order_and_who_is_cut() {
    check(
        "244c",
        Some("pdf forms"),
        &[],
        &[],
        &expect![[r#"
            - forms: Fills in PDF forms and checks them against the rules of each office, so that nothing comes back. Use it for taxes. It also knows letters, permits, visas and everything else that has boxes.
            - alpha: First.
            - omega
            {"budget":244,"used":222,"unit":"characters","counter":"characters","skills":3,"full":2,"trimmed":[],"name_only":["omega"],"hidden":[],"unknown_pins":[]}
        "#]],
    );
}

#[test]
fn pins_are_cut_last() {
    check(
        "244c",
        None,
        &["forms", "nope"],
        &[],
        &expect![[r#"
            - alpha: First.
            - forms: Fills in PDF forms and checks them against the rules of each office, so that nothing comes back. Use it for taxes. It also knows letters, permits, visas and everything else that has boxes.
            - omega
            {"budget":244,"used":222,"unit":"characters","counter":"characters","skills":3,"full":2,"trimmed":[],"name_only":["omega"],"hidden":[],"unknown_pins":["nope"]}
        "#]],
    );
}

#[test]
fn without_a_budget_it_is_the_plain_list() {
    let catalog = skills();
    let prompt = catalog.prompt(&PromptOptions::default());
    assert_eq!(prompt.text, catalog.format_for_prompt());
    expect![[r#"
        <available_skills>
          <skill>
            <name>alpha</name>
            <description>First.</description>
            <location>alpha/SKILL.md</location>
          </skill>
          <skill>
            <name>forms</name>
            <description>Fills in PDF forms and checks them against the rules of each office, so that nothing comes back. Use it for taxes. It also knows letters, permits, visas and everything else that has boxes.</description>
            <location>forms/SKILL.md</location>
          </skill>
          <skill>
            <name>omega</name>
            <description>Last of &lt;all&gt; &amp; more.</description>
            <location>omega/SKILL.md</location>
          </skill>
        </available_skills>"#]].assert_eq(&prompt.text);
    let none = crate::sample::catalog(&[]);
    assert_eq!(none.prompt(&PromptOptions::default()).text, "");
}

#[test]
fn budgets_are_read_and_written() {
    for text in ["8000c", "2000t"] {
        assert_eq!(text.parse::<Budget>().unwrap().to_string(), text);
    }
    assert_eq!("12".parse(), Ok(Budget::characters(12)));
    let error = "12x".parse::<Budget>().unwrap_err();
    expect!["`12x` is not a budget; write characters like `8000c` or tokens like `2000t`"]
        .assert_eq(&error.to_string());
}

fn any_catalog() -> impl Strategy<Value = Catalog> {
    let description = prop_oneof![
        "[a-z .<>&]{1,40}",
        "([A-Za-z ,]{5,30}\\. ){1,12}",
        "[\\x01-\\x1f\u{fffe}äß填 a]{1,30}",
    ];
    prop::collection::vec(description, 0..12).prop_map(|descriptions| {
        let skills: Vec<(String, String)> = descriptions
            .iter()
            .enumerate()
            .map(|(at, text)| {
                let text = serde_json::to_string(&format!("d {text}")).unwrap();
                (format!("skill-{at}"), format!("description: {text}\n"))
            })
            .collect();
        let told: Vec<_> = skills
            .iter()
            .map(|(name, text)| (&**name, &**text, ""))
            .collect();
        catalog(&told)
    })
}

proptest! {
    #[test]
    fn the_budget_holds_and_pins_are_cut_last_and_it_is_xml(
        catalog in any_catalog(),
        amount in 0_usize..1500,
        tokens in any::<bool>(),
        pins in prop::collection::vec("skill-[0-9]", 0..3),
        query in prop::option::of("[a-z]{1,6}"),
        lines in any::<bool>(),
    ) {
        let budget = if tokens { Budget::tokens(amount / 4) } else { Budget::characters(amount) };
        let pins: Vec<&str> = pins.iter().map(String::as_str).collect();
        let options = PromptOptions {
            budget: Some(budget),
            query: query.as_deref(),
            pins: &pins,
            form: if lines { Form::Lines } else { Form::Xml },
            ..PromptOptions::default()
        };
        let CatalogPrompt { text, report } = catalog.prompt(&options);
        prop_assert!(budget.measure(&text) <= budget.amount, "{}", text);
        prop_assert_eq!(report.used, budget.measure(&text));
        let cut = |name: &str| {
            [&report.trimmed, &report.name_only, &report.hidden]
                .iter()
                .any(|names| names.contains(&name))
        };
        if pins.iter().any(|pin| cut(pin)) {
            let whole_pins: HashSet<_> = pins
                .iter()
                .filter(|pin| !cut(pin) && !report.unknown_pins.iter().any(|name| name == *pin))
                .collect();
            prop_assert_eq!(report.full, whole_pins.len());
        }
        if !lines && !text.is_empty() {
            let xml = roxmltree::Document::parse(&text).expect("a real reader takes it");
            let names: Vec<_> = xml
                .descendants()
                .filter(|node| node.has_tag_name("name"))
                .filter_map(|node| node.text())
                .collect();
            prop_assert_eq!(names.len() + report.hidden.len(), report.skills);
            prop_assert!(query.is_some() || names.is_sorted());
            let hidden = xml.descendants().find(|node| node.has_tag_name("hidden"));
            let counted = hidden.and_then(|node| node.attribute("count"));
            let expected = (!report.hidden.is_empty()).then(|| report.hidden.len().to_string());
            prop_assert_eq!(counted.map(str::to_owned), expected);
        }
    }
}

#[test]
fn skills_are_listed_by_name_and_escaped() {
    let tree = Tree::new()
        .skill("skills/pdf")
        .file(
            "skills/escape/SKILL.md",
            "---\nname: escape\ndescription: Uses <tags> & \"quotes\" of 'all' kinds\n---\n",
        )
        .file("skills/broken/SKILL.md", "no")
        .file(
            "skills/hidden/SKILL.md",
            "---\nname: hidden\ndescription: D\ntrigger: true\n---\n",
        );
    let block = Catalog::from_dirs([tree.at("skills")]).format_for_prompt();
    expect![[r#"
        <available_skills>
          <skill>
            <name>escape</name>
            <description>Uses &lt;tags&gt; &amp; &quot;quotes&quot; of &apos;all&apos; kinds</description>
            <location>/home/ada/skills/escape/SKILL.md</location>
          </skill>
          <skill>
            <name>pdf</name>
            <description>Does pdf. Use when pdf is asked for.</description>
            <location>/home/ada/skills/pdf/SKILL.md</location>
          </skill>
        </available_skills>"#]].assert_eq(&block.replace(&tree.root().display().to_string(), "/home/ada"));
}

#[test]
fn no_skills_make_no_block() {
    assert_eq!(Catalog::default().format_for_prompt(), "");
}
