//! `select` and `why --query`, as a newcomer uses them and as bad input meets them.

use std::{
    io::Write as _,
    process::Stdio,
    time::{Duration, Instant},
};

use expect_test::expect;
use serde_json::Value;

use crate::world::{World, described as skill, repository};

const LEAK: &str = "water runs through the kitchen ceiling";

fn world() -> World {
    World::with(&[
        (
            "skills/pipe-repair/SKILL.md",
            &skill("pipe-repair", "Mends pipes and taps that drip."),
        ),
        (
            "skills/ceiling-paint/SKILL.md",
            &skill("ceiling-paint", "Paints a kitchen ceiling or a wall."),
        ),
        (
            "skills/wall-art/SKILL.md",
            &skill("wall-art", "Hangs pictures on a wall."),
        ),
        (
            "skills/bisect/SKILL.md",
            "---\nname: bisect\ndescription: Finds the commit that broke a build.\ndisable-model-invocation: true\ntags: [git]\n---\n",
        ),
    ])
}

#[test]
fn the_first_command_of_the_readme_finds_the_plumber() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_prowess"))
        .args(["select", "water is coming through the kitchen ceiling"])
        .args(["--dir", "examples/skills"])
        .current_dir(repository())
        .env_clear()
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let first = shown.lines().nth(1).unwrap_or_default();
    assert!(first.contains("1  plumbing-triage"), "{shown}");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told, "confident: `plumbing-triage` answers this\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn matches_come_with_score_confidence_and_words() {
    let world = world();
    world.session(&expect![[r#"
        $ prowess select a picture for the wall --dir skills
        RANK  NAME           SCORE  CONFIDENCE  WORDS
           1  wall-art       10.81        99 %  description: picture; name: wall
           2  ceiling-paint   4.15         0 %  description: wall
        -- stderr
        confident: `wall-art` answers this
        $ prowess select 'a picture for the wall' --dir skills --explain --top-k 1
        1. wall-art  score 10.81, confidence 99 %
           picture           ███████████▎               1.88  description 1.88
           wall              ███████▏                   1.19  name 0.87, description 0.…
           name              ███▏                       0.51  the request covers the na…
           pairs             ███▏                       0.53  words stand together as i…
           words hit         ████████████████████████   4.00  words the metadata has
           background cover  ██████████████████         3.00  covers what is rare
           foreign name                                -0.30  a word nobody asked for
        -- stderr
        confident: `wall-art` answers this
    "#]]);
}

#[test]
fn nothing_that_fits_says_what_to_try() {
    let world = world();
    world.session(&expect![[r#"
        $ prowess select 'boil an egg' --dir skills
        -- stderr
        none: nothing fits among 3 skills
        hint: try the words a description would use; `prowess list` shows them all
        -- exit 1
        $ prowess select tea
        -- stderr
        hint: 4 skills of an untrusted project are left out; look at the project, then run `prowess trust`
        none: there are no skills to choose from
        hint: `prowess list --all` shows the skills that are here, and why each is left out
        -- exit 1
        $ prowess select 'which commit broke the build' --dir skills
        -- stderr
        none: nothing fits among 3 skills
        hint: try the words a description would use; `prowess list` shows them all
        hint: `bisect` fits better, but it asks to be used only when called by name (`--include-manual`)
        -- exit 1
    "#]]);
}

#[test]
fn the_json_has_exactly_the_published_fields() {
    let world = world();
    let shown = world.json("select 'hang a picture' --dir skills --json");
    let keys = |value: &Value| {
        let keys = value.as_object().unwrap().keys();
        keys.map(String::as_str).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(keys(&shown), "query ranker decision matches elapsed_us");
    let first = &shown["matches"][0];
    assert_eq!(
        keys(first),
        "rank id name path score confidence allowed_tools explain"
    );
    assert_eq!(first["name"], "wall-art");
    assert_eq!(first["path"], "skills/wall-art/SKILL.md");
    let explained = world.json("select 'hang a picture' --dir skills --json --explain");
    let explained = &explained["matches"][0];
    let lists = ["words", "signals"].map(|key| explained["explain"][key].as_array().unwrap());
    let sum: f64 = lists
        .iter()
        .flat_map(|list| list.iter())
        .map(|it| it["added"].as_f64().unwrap())
        .sum();
    let sum = ["name", "pairs"].iter().fold(sum, |sum, key| {
        sum + explained["explain"][key].as_f64().unwrap()
    });
    assert!((sum - explained["score"].as_f64().unwrap()).abs() < 1e-4);
}

#[test]
fn flags_decide_who_may_be_chosen() {
    let world = world();
    let first = |line: &str| world.json(line)["matches"][0]["name"].clone();
    assert_eq!(first("select commit --dir skills --json"), Value::Null);
    assert_eq!(
        first("select commit --dir skills --json --include-manual"),
        "bisect"
    );
    assert_eq!(
        first("select commit --dir skills --json --include-manual --not-tag GIT"),
        Value::Null
    );
    assert_eq!(
        first("select wall --dir skills --json --tag git"),
        Value::Null
    );
    let overlap = world.json("select wall --dir skills --json --ranker overlap");
    assert_eq!(overlap["ranker"], "overlap");
    assert_eq!(overlap["matches"][0]["name"], "wall-art");
    expect![[r#"
        -- stderr
        error: invalid value 'best' for '--ranker <RANKER>'
          [possible values: lexical, overlap]"#]]
    .assert_eq(
        &world
            .run("select wall --dir skills --ranker best")
            .lines()
            .take(3)
            .collect::<Vec<_>>()
            .join("\n"),
    );
}

/// Wrong pick, the words that decided, a better description, right pick.
#[test]
fn the_config_names_the_ranker_and_a_flag_stands_over_it() {
    let world = world();
    world.file("work/prowess.toml", "[select]\nranker = \"overlap\"\n");
    world.file(
        "work/requests.jsonl",
        "{\"qid\":\"1\",\"query\":\"wall\"}\n",
    );
    let ranker = |line: &str| world.json(line)["ranker"].clone();
    assert_eq!(ranker("select wall --dir skills --json"), "overlap");
    assert_eq!(
        ranker("select wall --dir skills --json --ranker lexical"),
        "lexical"
    );
    let why = "why wall-art --query wall --dir skills --json";
    assert_eq!(ranker(why), "overlap");
    assert_eq!(ranker(&format!("{why} --ranker lexical")), "lexical");
    // `rank` prints no ranker; its scores tell.
    let score = |flag: &str| {
        let rank = "rank --queries requests.jsonl --dir skills";
        let line = world.run(&format!("{rank}{flag}"));
        let line: Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
        line["scores"][0].as_f64().unwrap()
    };
    let named = score(" --ranker overlap");
    assert!((score("") - named).abs() < 1e-9);
    assert!((score(" --ranker lexical") - named).abs() > 1e-3);
}

#[test]
fn an_author_mends_a_wrong_pick() {
    let world = world();
    let first = |world: &World| {
        let shown = world.json(&format!("select '{LEAK}' --dir skills --json"));
        shown["matches"][0]["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(first(&world), "ceiling-paint");
    expect![[r#"
        pipe-repair for `water runs through the kitchen ceiling`
          rank      none: it shares no word with the request
          request   confident: the first match answers it
          behind    ceiling-paint with 6.75, by `ceiling` +0.95 and `kitchen` +0.80
          change    say `water`, `runs` and `kitchen` in its description: rank 1, score
                    8.56, confidence 95 %
                    one word alone: `water` rank 2, `kitchen` rank 2, `runs` rank 2
        -- exit 0
    "#]]
    .assert_eq(&world.run(&format!("why pipe-repair --query '{LEAK}' --dir skills")));
    let why = world.json(&format!(
        "why pipe-repair --query '{LEAK}' --dir skills --json"
    ));
    let words: Vec<&str> = why["change"]["words"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word.as_str().unwrap())
        .collect();
    let description = format!(
        "Mends pipes and taps that drip. Use for {}.",
        words.join(" or ")
    );
    world.file(
        "work/skills/pipe-repair/SKILL.md",
        skill("pipe-repair", &description),
    );
    assert_eq!(first(&world), "pipe-repair");
    let shown = world.run(&format!("why pipe-repair --query '{LEAK}' --dir skills"));
    assert!(
        shown.contains("change    nothing: it comes first"),
        "{shown}"
    );
}

#[test]
fn why_tells_of_skills_no_request_can_reach() {
    let world = world();
    world.session(&expect![[r#"
        $ prowess why bisect --query 'broken build' --dir skills
        bisect for `broken build`
          here      never chosen by itself: it asks to be used only when called by name
          rank      1 of 1 with a word of the request, score 10.48, confidence 99 %
          request   confident: the first match answers it
          change    nothing: it comes first

           build             ██████████▌                1.75  description 1.75
           broken            ████████▍                  1.40  description 1.40
           pairs             ████▋                      0.76  words stand together as i…
           words hit         ████████████████████████   4.00  words the metadata has
           background cover  ██████████████████         3.00  covers what is rare
           foreign name                                -0.43  a word nobody asked for
    "#]]);
    world.described("work/.agents/skills/tea", "Makes tea.");
    world.session(&expect![[r#"
        $ prowess why tea --query 'make tea'
        -- stderr
        hint: 5 skills of an untrusted project are left out; look at the project, then run `prowess trust`
        error: `tea` is untrusted and is not ranked for any request: its project is not trusted; look at it, then run `prowess trust`
        hint: `--trust` ranks it for this run
        -- exit 1
        $ prowess why teas --query 'make tea' --dir skills
        -- stderr
        error: no skill named `teas`
        hint: did you mean `tea`? `prowess list` shows all 5
        hint: looked at 5 skills in `skills` and `.agents/skills`
        -- exit 1
    "#]]);
}

#[test]
fn any_request_gets_a_sensible_answer_in_little_time() {
    let world = world();
    let long: Vec<String> = (0..1_500_000).map(|at| format!("w{at} ")).collect();
    let requests: [(&str, Vec<u8>, i32); 9] = [
        ("empty", Vec::new(), 1),
        ("10 MB of words", long.concat().into_bytes(), 1),
        ("10 MB without a space", vec![b'x'; 10_000_000], 1),
        (
            "one word a million times",
            "wall ".repeat(1_000_000).into_bytes(),
            0,
        ),
        ("only stop words", b"what is it and how are you".to_vec(), 1),
        ("only emoji", "🦀🎉🚰".as_bytes().to_vec(), 1),
        (
            "bidi controls",
            "\u{202e}llaw eht\u{202c}\u{200f}".as_bytes().to_vec(),
            1,
        ),
        ("no UTF-8", b"\xff\xfe\x00 \x1b[31m".to_vec(), 1),
        (
            "a pasted file",
            format!(
                "hang a picture on the wall\n{}",
                "lorem ipsum {}\n".repeat(100_000)
            )
            .into_bytes(),
            0,
        ),
    ];
    for ranker in ["lexical", "overlap"] {
        for (what, request, exit) in &requests {
            // The formula counts every word; one huge request is enough to see that it ends.
            if ranker == "overlap" && *what == "10 MB of words" {
                continue;
            }
            let started = Instant::now();
            let mut child = world
                .command(&format!("select - --dir skills --json --ranker {ranker}"))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut stdin = child.stdin.take().unwrap();
            let request = request.clone();
            let writer = std::thread::spawn(move || stdin.write_all(&request));
            let output = child.wait_with_output().unwrap();
            writer.join().unwrap().unwrap();
            let shown: Value = serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|error| panic!("{ranker}, {what}: {error}"));
            if *what == "no UTF-8" {
                expect!["warning: the request is not UTF-8 at byte 1; what is no text is read as `\u{FFFD}`\n"]
                    .assert_eq(&String::from_utf8(output.stderr).unwrap());
            }
            if ranker == "lexical" {
                assert_eq!(
                    output.status.code(),
                    Some(*exit),
                    "{what}: {}",
                    shown["matches"]
                );
            }
            // Loose, for a busy machine; nothing here grows faster than the request.
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "{ranker}, {what}"
            );
        }
    }
}

#[test]
fn odd_limits_have_plain_answers() {
    let world = world();
    let count = |flags: &str| {
        let shown = world.json(&format!("select wall --dir skills --json {flags}"));
        shown["matches"].as_array().unwrap().len()
    };
    assert_eq!(count("--top-k 0"), 0);
    // The decision stands without its list.
    let decided = world.output("select wall --dir skills --top-k 0");
    assert_eq!(decided.status.code(), Some(0));
    assert_eq!(count("--top-k 18446744073709551615"), 2);
    assert_eq!(count("--min-score inf"), 0);
    assert_eq!(count("--min-score -inf"), 2);
    assert_eq!(count("--min-score=-1"), 2);
    for flags in [
        "--min-score NaN",
        "--top-k -1",
        "--top-k 1e9",
        "--min-score x",
    ] {
        let output = world.output(&format!("select wall --dir skills {flags}"));
        assert_eq!(output.status.code(), Some(2), "{flags}");
    }
    expect![[r#"
        -- stderr
        error: invalid value 'NaN' for '--min-score <X>': nothing is more or less than `NaN`; give a number"#]].assert_eq(
        &world
            .run("select wall --dir skills --min-score NaN")
            .lines()
            .take(2)
            .collect::<Vec<_>>()
            .join("\n"),
    );
}

#[test]
fn explanations_fit_and_name_each_word_once() {
    let long = "architecture ".repeat(12);
    let world = World::with(&[
        (
            "skills/draw/SKILL.md",
            &skill("draw", &format!("画一个系统架构图 for PostgreSQL, {long}")),
        ),
        (
            "skills/body/SKILL.md",
            "---\nname: body\ndescription: Draws. Use when asked.\n---\nWater and PostgreSQL.\n",
        ),
    ]);
    let query = "'画一个系统架构图 postgresql PostgreSQL architecture architecture water'";
    for line in [
        format!("select {query} --explain --dir skills"),
        format!("why draw --query {query} --dir skills"),
        format!("why body --query {query} --dir skills"),
    ] {
        let shown = String::from_utf8(world.output(&line).stdout).unwrap();
        for line in shown.lines() {
            let columns: usize = line.chars().map(|c| 1 + usize::from(c >= '\u{2e80}')).sum();
            assert!(columns <= 80, "{columns}: {line}\n{shown}");
        }
        let body = line.starts_with("why body");
        let weak = "only in the instructions: water";
        assert!(!body || shown.contains(weak), "{shown}");
        assert!(!shown.contains("(confident)"), "{shown}");
        let words = shown.matches("   architecture  ").count();
        assert!(words <= shown.matches("score").count(), "{shown}");
    }
}
