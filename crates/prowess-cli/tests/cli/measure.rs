//! `rank`, `eval`, `drift` and `rivals`: figures for authors, teams and their CI.

use std::{fmt::Write as _, process::Command};

use expect_test::expect;

use crate::world::{World, described as skill};

const FORMS: &str = "Fills in PDF forms. Use when there is a form to complete.";
const MERGE: &str = "Merges several PDF files into one document.";
const SQL: &str = "Reviews PostgreSQL queries for speed.";

fn world() -> World {
    World::with(&[
        ("skills/pdf-forms/SKILL.md", &skill("pdf-forms", FORMS)),
        ("skills/pdf-merge/SKILL.md", &skill("pdf-merge", MERGE)),
        ("skills/sql-review/SKILL.md", &skill("sql-review", SQL)),
    ])
}

const CATALOG: &str = r#"{"id":"forms@1","name":"pdf","description":"Fills in PDF forms."}
{"id":"merge@1","name":"pdf","description":"Merges PDF files."}
{"id":"sql@1","name":"sql","description":"Reviews SQL queries."}
"#;

#[test]
fn rank_answers_each_line_in_its_order() {
    let world = world();
    world.file("work/catalog.jsonl", CATALOG);
    world.file(
        "work/q.jsonl",
        "{\"qid\":\"b\",\"query\":\"merge pdf\",\"group\":\"all\"}\n{\"query\":\"sql\",\"group\":\"few\"}\nnonsense\n{\"qid\":7,\"query\":\"tea\",\"group\":\"all\"}\n",
    );
    world.file(
        "work/groups.json",
        r#"{"all":{"c3":["forms@1","merge@1","sql@1"]},"few":{"c3":["forms@1"]}}"#,
    );
    expect![[r#"
        "b" ["merge@1","forms@1"] with 2 scores
        2 ["sql@1"] with 1 scores
        7 [] with 0 scores
        -- stderr
        warning: line 3 is not a request and is left out: expected ident
        -- exit 1
    "#]]
    .assert_eq(&ranked(
        &world.run("rank --catalog catalog.jsonl --queries q.jsonl --top 2"),
    ));
    // A request is ranked within the skills of its group.
    expect![[r#"
        "b" ["merge@1","forms@1"] with 2 scores
        2 [] with 0 scores
        7 [] with 0 scores
        -- stderr
        warning: line 3 is not a request and is left out: expected ident
        -- exit 1
    "#]]
    .assert_eq(&ranked(&world.run(
        "rank --catalog catalog.jsonl --queries q.jsonl --catalogs groups.json --size c3",
    )));
    world.session(&expect![[r#"
        $ prowess rank --catalog catalog.jsonl --queries nowhere.jsonl
        -- stderr
        error: cannot read the requests `nowhere.jsonl`
          cause: No such file or directory (os error 2)
        -- exit 3
    "#]]);
    let one = world.run("rank --catalog catalog.jsonl --queries q.jsonl --threads 1");
    assert_eq!(
        one,
        world.run("rank --catalog catalog.jsonl --queries q.jsonl --threads 7")
    );
}

/// Scores change with the ranker; their number and order is what is promised here.
fn ranked(shown: &str) -> String {
    let mut out = String::new();
    for line in shown.lines() {
        match serde_json::from_str::<serde_json::Value>(line) {
            Ok(value) => {
                let count = value["scores"].as_array().unwrap().len();
                let sure = value["confidence"].as_f64().unwrap();
                assert!((0.0..=1.0).contains(&sure));
                let (qid, ranking) = (&value["qid"], &value["ranking"]);
                writeln!(out, "{qid} {ranking} with {count} scores").unwrap();
            }
            Err(_) => writeln!(out, "{line}").unwrap(),
        }
    }
    out
}

const CASES: &str = r#"{"query":"fill in this pdf form","expect":["pdf-forms"]}
{"query":"merge several files into one document","expect":["pdf-forms"]}
{"query":"is this postgres query fast","expect":["sql-review"]}
{"query":"merge several pdf files","not":["pdf-merge"]}
{"query":"what a nice day","expect":[]}
"#;

#[test]
fn eval_tells_what_is_found_and_who_is_taken_for_whom() {
    let world = world();
    world.file("work/cases.jsonl", CASES);
    world.session(&expect![[r#"
        $ prowess eval cases.jsonl --dir skills
        5 requests, 3 with a right skill: hit@1 0.667, recall@5 0.667, MRR 0.667; 1 of 2 fired a skill they should not

        SKILL       REQUESTS  HIT@1  RECALL    MRR  FALSE FIRES
        pdf-forms          2  0.500   0.500  0.500  0 of 0
        pdf-merge          0      -       -      -  1 of 1
        sql-review         1  1.000   1.000  1.000  0 of 0

        Taken for another:
        EXPECTED   CAME FIRST  TIMES  FOR EXAMPLE
        pdf-forms  pdf-merge       1  merge several files into one document

        Fired and should not:
        SKILL      REQUEST
        pdf-merge  merge several pdf files
        $ prowess eval cases.jsonl --dir skills --format junit --min-hit1 0.9 --max-false-fires 0
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="prowess eval" tests="5" skipped="0" failures="2" errors="0">
            <testsuite name="no skill" tests="1" skipped="0" errors="0" failures="0">
                <testcase name="5: what a nice day" classname="no skill"/>
            </testsuite>
            <testsuite name="pdf-forms" tests="2" skipped="0" errors="0" failures="1">
                <testcase name="1: fill in this pdf form" classname="pdf-forms"/>
                <testcase name="2: merge several files into one document" classname="pdf-forms">
                    <failure message="`pdf-forms` was expected, `pdf-merge` came first" type="missed">request: merge several files into one document
        found: pdf-merge
        rank: none
        decision: confident</failure>
                </testcase>
            </testsuite>
            <testsuite name="pdf-merge" tests="1" skipped="0" errors="0" failures="1">
                <testcase name="4: merge several pdf files" classname="pdf-merge">
                    <failure message="`pdf-merge` fired and should not" type="false-fire">request: merge several pdf files
        found: pdf-merge, pdf-forms
        rank: none
        decision: confident</failure>
                </testcase>
            </testsuite>
            <testsuite name="sql-review" tests="1" skipped="0" errors="0" failures="0">
                <testcase name="3: is this postgres query fast" classname="sql-review"/>
            </testsuite>
        </testsuites>
        -- stderr
        failed: hit@1 is 0.667, below 0.9
        failed: 1 false fire, more than 0
        -- exit 1
    "#]]);
    let shown =
        world.json("eval cases.jsonl --dir skills --json --min-hit1 0.5 --max-false-fires 1");
    assert_eq!(shown["passed"], true);
    assert_eq!(shown["cases"], 5);
}

#[test]
fn eval_writes_xml_whatever_a_request_holds() {
    let world = world();
    let query = "fill <&> \u{fffe} \u{ffff} \u{1b}[31m \u{9b} \u{202e} ]]>";
    let case = serde_json::json!({"query": query, "expect": ["sql\u{fffe}"]});
    world.file("work/cases.jsonl", case.to_string());
    let output = world.output("eval cases.jsonl --dir skills --format junit");
    let xml = String::from_utf8(output.stdout).unwrap();
    let read = roxmltree::Document::parse(&xml).unwrap();
    let failure = read.descendants().find(|it| it.has_tag_name("failure"));
    assert!(
        failure.unwrap().text().unwrap().contains("fill <&>"),
        "{xml}"
    );
}

#[test]
fn eval_reads_what_lies_in_the_skills_folders() {
    let world = world();
    world.file(
        "work/skills/pdf-forms/evals/triggers.json",
        r#"[{"query":"complete this form","should_trigger":true},{"query":"merge several files into one document","should_trigger":false}]"#,
    );
    world.file(
        "work/skills/sql-review/evals/evals.json",
        r#"{"skill_name":"sql-review","evals":[{"id":1,"prompt":"review my queries","expected_output":"a list","files":["evals/files/a.sql"]}]}"#,
    );
    world.file(
        "work/skills/sql-review/evals/fixture.json",
        r#"{"rows":[1,2]}"#,
    );
    world.session(&expect![[r#"
        $ prowess eval --dir skills
        3 requests, 2 with a right skill: hit@1 1.000, recall@5 1.000, MRR 1.000; 0 of 1 fired a skill they should not

        SKILL       REQUESTS  HIT@1  RECALL    MRR  FALSE FIRES
        pdf-forms          1  1.000   1.000  1.000  0 of 1
        sql-review         1  1.000   1.000  1.000  0 of 0
        $ prowess eval skills/sql-review/evals/fixture.json --dir skills
        -- stderr
        error: cannot read the cases of `skills/sql-review/evals/fixture.json`
          cause: case 1 has no request; give it a `query` or a `prompt`
        -- exit 3
        $ prowess eval skills/pdf-forms/evals/triggers.json
        2 requests, 1 with a right skill: hit@1 0.000, recall@5 0.000, MRR 0.000; 1 answered with no skill; 0 of 1 fired a skill they should not

        SKILL      REQUESTS  HIT@1  RECALL    MRR  FALSE FIRES
        pdf-forms         1  0.000   0.000  0.000  0 of 1

        Taken for another:
        EXPECTED   CAME FIRST  TIMES  FOR EXAMPLE
        pdf-forms  nothing         1  complete this form
        -- stderr
        hint: 3 skills of an untrusted project are left out; look at the project, then run `prowess trust`
        warning: 1 expected skill cannot be chosen here, and the requests for it count as missed: `pdf-forms`
        hint: `--dir` or `--catalog` names the skills, `--include-manual` adds those called by name
    "#]]);
    World::new().session(&expect![[r#"
        $ prowess eval
        -- stderr
        error: there is nothing to evaluate: no requests were found
        hint: name a file, or put `evals/evals.json` into a skill's folder
        -- exit 1
    "#]]);
}

#[test]
fn drift_tells_what_moved_and_what_was_lost() {
    let world = world();
    let base = world.output("export --dir skills").stdout;
    world.file("work/base.jsonl", &base);
    world.session(&expect![[r#"
        $ prowess drift --base base.jsonl --dir skills
        -- stderr
        6 requests: 6 the same, 0 lost, 0 moved, 0 changed, 0 gained
    "#]]);
    world.described("work/skills/pdf-forms", "Helps with paper.");
    world.file(
        "work/skills/office/SKILL.md",
        skill(
            "office",
            "Fills in PDF forms and merges files. Use when there is a form to complete.",
        ),
    );
    world.session(&expect![[r#"
        $ prowess drift --base base.jsonl --dir skills
        WHAT  SKILL      RANK   DECISION     FIRST NOW  REQUEST
        lost  pdf-forms  1 → 2  100 % → 5 %  office     Fills in PDF forms.
        -- stderr
        6 requests: 5 the same, 1 lost, 0 moved, 0 changed, 0 gained
        only now: `office`
        -- exit 1
    "#]]);
    world.file("work/q.jsonl", "{\"query\":\"is this query fast\"}\n");
    world.session(&expect![[r#"
        $ prowess drift --base base.jsonl --dir skills --queries q.jsonl
        -- stderr
        1 request: 1 the same, 0 lost, 0 moved, 0 changed, 0 gained
        only now: `office`
    "#]]);
    let output = world.output("drift --dir skills");
    assert_eq!(output.status.code(), Some(2), "a base is needed");
}

#[test]
fn drift_reads_a_git_revision() {
    let world = world();
    let git = |line: &str| {
        let done = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
            .args(line.split(' '))
            .current_dir(world.path("work"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output();
        done.is_ok_and(|done| done.status.success())
    };
    if !(git("init -q") && git("add .") && git("commit -qm first")) {
        println!("skipped: there is no git here");
        return;
    }
    std::fs::remove_dir_all(world.path("work/skills/sql-review")).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let run = |line: &str| {
        let output = world.command(line).env("PATH", &path).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        format!(
            "{}-- exit {}\n",
            String::from_utf8(text).unwrap(),
            output.status.code().unwrap()
        )
    };
    expect![[r#"
        WHAT  SKILL       RANK   DECISION          FIRST NOW  REQUEST
        lost  sql-review  1 → -  confident → none  nothing    sql review
        lost  sql-review  1 → -  confident → none  nothing    Reviews PostgreSQL querie…
        6 requests: 4 the same, 2 lost, 0 moved, 0 changed, 0 gained
        only before: `sql-review`
        -- exit 1
    "#]]
    .assert_eq(&run("drift --base-rev HEAD --dir skills"));
    expect![[r#"
        error: unexpected argument '--upload-pack' found

        Usage: prowess drift [OPTIONS]

        For more information, try '--help'.
        -- exit 2
    "#]]
    .assert_eq(&run("drift --base-rev --upload-pack=x --dir skills"));
    expect![[r#"
        error: git has no revision `nowhere`
        -- exit 3
    "#]]
    .assert_eq(&run("drift --base-rev nowhere --dir skills"));
}

#[test]
fn eval_collects_requests_of_ones_own() {
    let world = world();
    let add = |request: &str, rest: &str| {
        let mut command = world.command("eval --dir skills --add");
        command.arg(request).args(rest.split(' '));
        let output = command.output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    expect![[r#"
        added to `evals.jsonl`, which has 1 request
        hint: `prowess eval evals.jsonl` measures them
    "#]]
    .assert_eq(&add("fill in \"this\" form", "pdf-forms"));
    expect![[r#"
        `evals.jsonl` has it already
    "#]]
    .assert_eq(&add("fill in \"this\" form", "pdf-forms"));
    expect![[r#"
        added to `evals.jsonl`, which has 2 requests
        hint: `prowess eval evals.jsonl` measures them
    "#]]
    .assert_eq(&add("why is this query slow", "sql-review evals.jsonl"));
    expect![[r#"
        {"query":"fill in \"this\" form","expect":["pdf-forms"]}
        {"query":"why is this query slow","expect":["sql-review"]}
    "#]]
    .assert_eq(&world.read("work/evals.jsonl"));
    expect![[r#"
        error: no skill named `pdf-form`
        hint: did you mean `pdf-forms`? `prowess list` shows all 3
    "#]]
    .assert_eq(&add("fill", "pdf-form"));
    world.file("work/list.json", "[]\n");
    expect![[r#"
        error: cannot add to `list.json`
        hint: it is one JSON value; `--add` writes a line for each request
    "#]]
    .assert_eq(&add("fill", "pdf-forms list.json"));
    assert_eq!(world.read("work/list.json"), "[]\n");
    #[cfg(unix)]
    {
        let link = world.path("work/link.jsonl");
        std::os::unix::fs::symlink("evals.jsonl", link).unwrap();
        expect![[r#"
            error: cannot add to `link.jsonl`
            hint: it is a link: name the file it leads to
        "#]]
        .assert_eq(&add("fill", "pdf-forms link.jsonl"));
    }
}

/// Row 66: an object is missing, and the repository says how to get it, and what else to run.
#[cfg(unix)]
#[test]
fn drift_runs_nothing_that_a_repository_names() {
    let world = World::with(&[(
        ".agents/skills/pdf/SKILL.md",
        &skill("pdf", "Fills PDF forms"),
    )]);
    let git = |line: &str| {
        let done = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
            .args(line.split(' '))
            .current_dir(world.path("work"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output();
        done.is_ok_and(|done| done.status.success())
    };
    if !(git("init -q") && git("add .") && git("commit -qm first")) {
        println!("skipped: there is no git here");
        return;
    }
    let remote = world.path("remote");
    assert!(git(&format!("clone -q --bare . {}", remote.display())));
    let ran = world.path("ran");
    let run = format!("touch {}; false", ran.display());
    for (key, value) in [
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", &format!("file://{}", remote.display())),
        ("remote.origin.uploadpack", &run),
        ("protocol.allow", "always"),
        ("protocol.file.allow", "always"),
        ("core.fsmonitor", &run),
        ("core.pager", &run),
        ("core.editor", &run),
        ("core.askPass", &run),
        ("core.sshCommand", &run),
        ("core.alternateRefsCommand", &run),
        ("credential.helper", &format!("!{run}")),
        ("alias.cat-file", &format!("!{run}")),
        ("filter.x.smudge", &run),
        ("diff.x.textconv", &run),
    ] {
        let mut command = Command::new("git");
        command.args(["config", key, value]);
        let set = command.current_dir(world.path("work")).status().unwrap();
        assert!(set.success(), "{key}");
    }
    world.file("work/.gitattributes", "* filter=x diff=x\n");
    let hook = world.path("work/.git/hooks/reference-transaction");
    world.file(
        "work/.git/hooks/reference-transaction",
        format!("#!/bin/sh\n{run}\n"),
    );
    std::fs::set_permissions(hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let output = Command::new("git")
        .args(["rev-parse", "HEAD:.agents/skills/pdf/SKILL.md"])
        .current_dir(world.path("work"))
        .output()
        .unwrap();
    let id = String::from_utf8(output.stdout).unwrap();
    let object = format!("work/.git/objects/{}/{}", &id[..2], id[2..].trim());
    std::fs::remove_file(world.path(&object)).unwrap();

    // The trap works: without a closed environment a look at the object springs it.
    let _ = Command::new("git")
        .args(["cat-file", "-p", id.trim()])
        .current_dir(world.path("work"))
        .output();
    assert!(ran.exists(), "this git fetches nothing by itself");
    std::fs::remove_file(&ran).unwrap();

    let path = std::env::var_os("PATH").unwrap_or_default();
    let drift = |line: &str| {
        let output = world.command(line).env("PATH", &path).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    expect![[r#"
        error: the history of `.` is not read: nothing there is trusted
        hint: look at the project, then run `prowess trust`, or use `--trust` for one run
    "#]]
    .assert_eq(&drift("drift --base-rev HEAD"));
    let missing = expect![[r#"
        error: `.agents/skills/pdf/SKILL.md` of this revision is not here: the clone has a part of its history only
        hint: fetch it with `git`, if you trust the remote, or name what was exported with `--base`
    "#]];
    missing.assert_eq(&drift("drift --base-rev HEAD --dir .agents/skills"));
    missing.assert_eq(&drift("drift --base-rev HEAD --trust"));
    world.run("trust");
    missing.assert_eq(&drift("drift --base-rev HEAD"));
    assert!(!ran.exists(), "something of the repository ran");
}

#[test]
fn rivals_are_told_with_the_words_they_share() {
    let world = world();
    world.session(&expect![[r#"
        $ prowess rivals --dir skills
        -- stderr
        no rivals among 3 skills
    "#]]);
    world.described(
        "work/skills/form-helper",
        "Completes PDF forms for the user.",
    );
    world.session(&expect![[r#"
        $ prowess rivals --dir skills
        SKILL        RIVAL      STRENGTH  SHARED WORDS
        form-helper  pdf-forms      0.52  form, completes, pdf
        -- stderr
        1 pair among 4 skills
        hint: say in one of two what it is not for, and name the other; `prowess eval` measures it
    "#]]);
    world.file(
        "work/skills/form-helper/SKILL.md",
        skill(
            "form-helper",
            "Completes PDF forms. Not for PDF forms that are to be filled in, see pdf-forms.",
        ),
    );
    world.session(&expect![[r#"
        $ prowess rivals --dir skills --least 0.2
        -- stderr
        no rivals among 4 skills; 1 more told apart by a "not for" (`--all` shows them)
        $ prowess rivals --dir skills --all --least 0.2
        SKILL        RIVAL      STRENGTH  TOLD APART BY  SHARED WORDS
        form-helper  pdf-forms      0.63  form-helper    form, completes, pdf
        -- stderr
        1 pair among 4 skills
    "#]]);
}
