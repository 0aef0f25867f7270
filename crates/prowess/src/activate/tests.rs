use expect_test::{Expect, expect};

use super::*;
use crate::sample::{catalog, overlap};

const SKILLS: &[(&str, &str, &str)] = &[
    ("pdf", "description: Reads PDF files.\n", "Read."),
    ("pdf-forms", "description: Fills forms.\n", "Fill."),
    (
        "rust",
        "description: Writes Rust.\ntriggers:\n  globs: ['*.rs', 'Cargo.toml']\n  keywords: [clippy, borrow checker]\n",
        "Write.",
    ),
    (
        "docs",
        "description: Writes docs.\npaths: docs/**\n",
        "Write.",
    ),
    (
        "listed",
        "description: Web.\ntriggers: ['web/**/*.ts']\n",
        "Web.",
    ),
    (
        "style",
        "description: House style.\nalways: true\n",
        "Be brief.",
    ),
    (
        "manual",
        "description: By name.\ntrigger: true\nalways: true\ntriggers:\n  keywords: [manual]\n",
        "Manual.",
    ),
    (
        "quiet",
        "description: Not for users.\nuser-invocable: false\n",
        "Quiet.",
    ),
    (
        "own",
        "description: By the user.\ndisable-model-invocation: true\n",
        "Own.",
    ),
    ("path", "description: Paths.\n", "Paths."),
];

fn check(turn: &Turn<'_>, expected: &Expect) {
    let catalog = catalog(SKILLS);
    let triggers = Triggers::new(&catalog);
    assert!(triggers.findings().is_empty());
    let lines: Vec<_> = triggers
        .activate(&catalog, turn, None)
        .iter()
        .map(|activation| {
            let mut line = format!("{}: {}", activation.name, activation.reason.as_str());
            for detail in [&activation.evidence, &activation.arguments]
                .into_iter()
                .flatten()
            {
                line.push_str(" | ");
                line.extend(detail.escape_debug());
            }
            line + "\n"
        })
        .collect();
    expected.assert_eq(&lines.concat());
}

fn check_message(message: &str, expected: &Expect) {
    check(
        &Turn {
            message,
            ..Turn::default()
        },
        expected,
    );
}

#[test]
fn a_spoken_name_wakes_a_skill_with_its_arguments() {
    check_message(
        "/pdf-forms fill tax.pdf\nand save it",
        &expect![[r"
            pdf-forms: explicit | /pdf-forms | fill tax.pdf\nand save it
            style: always
        "]],
    );
    check_message(
        "Use @pdf, then $manual for the rest.\nThanks (@PDF-Forms).",
        &expect![[r"
            pdf: explicit | @pdf | then $manual for the rest.
            manual: explicit | $manual | for the rest.
            pdf-forms: explicit | @PDF-Forms
            style: always
        "]],
    );
    check_message(
        "请用@pdf处理",
        &expect![[r"
            pdf: explicit | @pdf | 处理
            style: always
        "]],
    );
}

#[test]
fn code_addresses_paths_and_variables_wake_nothing() {
    for message in [
        "run `@pdf` or ``/pdf ` x``",
        "```sh\n/pdf\n$pdf\n```",
        "~~~\n@pdf\n",
        "joe@pdf and me@pdf.com, @pdf.com",
        "https://x.org/pdf https://x.org/?q=(@pdf)",
        "/usr/pdf /pdf/x ./pdf ../pdf /pdf.txt @pdf/x",
        "$PATH $path_x ${path} $path=1 \\$path",
        "@pdfs @pdf-x @pdf_x @quiet /quiet",
        "splinterclippyx borrow checkers manual",
    ] {
        check_message(
            message,
            &expect![[r"
                style: always
            "]],
        );
    }
}

#[test]
fn an_open_backtick_hides_nothing() {
    check_message(
        "it`s @pdf",
        &expect![[r"
            pdf: explicit | @pdf
            style: always
        "]],
    );
}

#[test]
fn files_and_paths_in_the_message_wake_by_glob() {
    check(
        &Turn {
            message: "please look at `web/app/main.ts:12`",
            files: &["/home/me/p/src/lib.rs", "docs\\a\\b.md"],
            root: Some("/home/me/p"),
            ..Turn::default()
        },
        &expect![[r"
            rust: trigger-glob | `/home/me/p/src/lib.rs` fits `*.rs`
            docs: trigger-glob | `docs\\a\\b.md` fits `docs/**`
            listed: trigger-glob | `web/app/main.ts` fits `web/**/*.ts`
            style: always
        "]],
    );
}

#[test]
fn keywords_wake_as_whole_words() {
    check_message(
        "CLIPPY and the Borrow\nChecker complain",
        &expect![[r"
            rust: trigger-keyword | clippy
            style: always
        "]],
    );
}

#[test]
fn the_model_wakes_what_it_may_see_and_the_strongest_reason_counts() {
    check(
        &Turn {
            message: "@rust",
            files: &["a.rs"],
            invoked: &["docs", "own", "nope", "rust"],
            ..Turn::default()
        },
        &expect![[r"
            rust: explicit | @rust
            docs: invoked
            style: always
        "]],
    );
}

#[test]
fn a_skill_is_chosen_by_the_message_only_when_the_host_says_so() {
    let catalog = catalog(SKILLS);
    let triggers = Triggers::new(&catalog);
    let reasons = |select: Option<&Selecting>| -> Vec<(String, Reason)> {
        let turn = Turn {
            message: "fill these pdf forms",
            select,
            ..Turn::default()
        };
        let woken = triggers.activate(&catalog, &turn, None);
        woken.into_iter().map(|a| (a.name, a.reason)).collect()
    };
    let always = ("style".to_owned(), Reason::Always);
    assert_eq!(reasons(None), std::slice::from_ref(&always));
    let selecting = |confidence| Selecting {
        policy: overlap(),
        confidence,
    };
    assert_eq!(
        reasons(Some(&selecting(1.1))),
        std::slice::from_ref(&always)
    );
    assert_eq!(
        reasons(Some(&selecting(0.0))),
        [always, ("pdf-forms".to_owned(), Reason::Selected)]
    );
}

#[test]
fn the_ledger_tells_what_is_there_already() {
    let catalog = catalog(SKILLS);
    let triggers = Triggers::new(&catalog);
    let mut ledger = Ledger::default();
    ledger.load(catalog.get("style").unwrap(), Reason::Always);
    let turn = Turn {
        message: "@pdf",
        ..Turn::default()
    };
    let woken = triggers.activate(&catalog, &turn, Some(&ledger));
    let told: Vec<_> = woken.iter().map(|a| (&*a.name, a.already_active)).collect();
    assert_eq!(told, [("pdf", false), ("style", true)]);
}

#[test]
fn a_bad_glob_is_told_at_its_line() {
    let catalog = catalog(&[(
        "web",
        "description: Web.\ntriggers:\n  globs:\n    - 'a/*.ts'\n    - 'src/['\n",
        "Web.",
    )]);
    let triggers = Triggers::new(&catalog);
    let told: Vec<_> = triggers
        .findings()
        .iter()
        .map(|finding| {
            let diagnostic = &finding.diagnostic;
            format!(
                "{}:{}:{} {}: {}",
                finding.path.display(),
                diagnostic.position.line,
                diagnostic.position.column,
                diagnostic.code,
                diagnostic.message
            )
        })
        .collect();
    expect!["web/SKILL.md:7:7 bad-glob: `src/[` is not a glob and matches no file: unclosed character class; missing ']'"]
        .assert_eq(&told.join("\n"));
    let turn = Turn {
        files: &["a/b.ts"],
        ..Turn::default()
    };
    assert_eq!(
        triggers.activate(&catalog, &turn, None).len(),
        1,
        "the good glob works"
    );
}
