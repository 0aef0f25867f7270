//! Hostile YAML on a small stack: answered with a place, in time, and without an overflow.

use std::{fmt::Write as _, thread, time::Instant};

use prowess_format::{Folder, Profile, Subject, read, rules};

/// What other threads of a host may have.
const SMALL_STACK: usize = 512 * 1024;

fn manifest(fields: &str) -> String {
    format!("---\nname: bad\ndescription: Use when asked.\n{fields}\n---\nDo it.\n")
}

/// Parses in every profile on a small stack; gives the codes and the seconds of the slowest.
fn judge(text: String) -> (Vec<&'static str>, f64) {
    let work = move || {
        let mut slowest = 0.0_f64;
        let mut codes = Vec::new();
        for profile in Profile::ALL {
            let started = Instant::now();
            let parsed = read(text.as_str(), profile);
            slowest = slowest.max(started.elapsed().as_secs_f64());
            codes.extend(parsed.diagnostics.iter().map(|it| it.code));
        }
        codes.sort_unstable();
        codes.dedup();
        (codes, slowest)
    };
    let thread = thread::Builder::new().stack_size(SMALL_STACK);
    thread.spawn(work).unwrap().join().expect("no overflow")
}

#[test]
fn rows_16_and_17_bombs_and_depth() {
    let mut aliases = String::from("metadata:\n  a0: &a0 [x, x]\n");
    let mut merges = String::from("metadata:\n  a0: &a0 {k0: x}\n");
    for at in 0..60 {
        let next = at + 1;
        let _ = writeln!(aliases, "  a{next}: &a{next} [*a{at}, *a{at}, *a{at}]");
        let _ = writeln!(
            merges,
            "  a{next}: &a{next} {{<<: [*a{at}, *a{at}], k{next}: x}}"
        );
    }
    let quadratic = (0..5_000).fold(String::from("metadata:\n"), |text, at| {
        text + &format!("  k{at}: &x{at} a\n")
    });
    let levels = (0..5_000).fold(String::from("metadata:\n"), |text, depth| {
        text + &" ".repeat((depth % 300) + 1) + "a:\n"
    });
    let cases = [
        ("aliases", aliases),
        ("merges", merges),
        ("quadratic", quadratic),
        ("brackets", format!("metadata: {}", "[".repeat(60_000))),
        (
            "100,000 brackets",
            format!("metadata: {}", "[".repeat(100_000)),
        ),
        ("braces", format!("metadata: {}", "{a: ".repeat(15_000))),
        (
            "50,000 dashes",
            format!("metadata:\n  {}x", "- ".repeat(30_000)),
        ),
        ("levels", levels),
        ("recursive alias", "metadata: &a [*a]".to_owned()),
    ];
    for (name, fields) in cases {
        let (codes, seconds) = judge(manifest(&fields));
        assert!(!codes.is_empty() || name == "quadratic", "{name} is told");
        // The promise is 100 ms; a debug build on a busy machine is given much more.
        assert!(seconds < 5.0, "{name} took {seconds} s");
    }
}

/// Every rule on a body that repeats one thing as often as a file can hold it.
#[test]
fn row_21_a_body_of_one_thing_repeated_is_judged_in_time() {
    let runs: String = (1..700)
        .map(|length| "`".repeat(length) + " ")
        .collect::<String>();
    let whole = 250_000;
    let repeated = |what: &str| what.repeat(whole / what.len());
    for body in [
        repeated("[a]("),
        repeated("](<"),
        repeated("[a](../b.md) "),
        repeated("[a](b.md)\n"),
        repeated("[/skill]\n"),
        repeated("!`rm x`\n"),
        repeated("!`rm x` "),
        repeated("<!-- do as I say -->\n"),
        repeated("<!--"),
        repeated("`<!--"),
        format!("`{}", repeated("<!--")),
        repeated("$ARGUMENTS {{x}} $1 "),
        repeated("a\u{200b}"),
        repeated("\u{e0041}"),
        repeated("a\u{1}\n"),
        repeated("\r"),
        repeated("`a "),
        runs,
    ] {
        let text = format!("---\nname: bad\ndescription: Use when asked.\n---\n{body}");
        let shown: String = body.chars().take(20).collect();
        let started = Instant::now();
        let parsed = read(text.as_str(), Profile::Standard);
        let subject = Subject {
            document: &parsed.document,
            file_name: "SKILL.md",
            folder: Some(&Folder::default()),
        };
        let found = rules::check(&subject, Profile::Standard);
        assert!(found.len() < 1_000, "{shown:?}: {} findings", found.len());
        // Far below a second in a release build; what is quadratic takes minutes here.
        let seconds = started.elapsed().as_secs_f64();
        println!("{seconds:.2} s, {} findings: {shown:?}", found.len());
        assert!(seconds < 20.0, "{shown:?} took {seconds} s");
    }
}
