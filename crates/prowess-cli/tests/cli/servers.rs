//! Skills of MCP servers: a shell script plays the server, honest or not.

use expect_test::expect;
use prowess::ContentHash;
use serde_json::{Value, json};

use crate::{schema::fits, world::World};

/// A server with one skill that asks for a tool, and one file beside it.
fn server(body: &str) -> String {
    served(body, None)
}

/// The same with a script.
fn served(body: &str, script: Option<&str>) -> String {
    let text = format!(
        "---\nname: pdf\ndescription: Fills forms. Use when asked.\nallowed-tools: Read\n---\n{body}\n"
    );
    let listed = |path: &str, text: &str| {
        let digest = format!("sha256:{}", ContentHash::of(text.as_bytes()));
        json!({"uri": format!("skill://pdf/{path}"), "digest": digest, "size": text.len()})
    };
    let mut files = vec![listed("SKILL.md", &text), listed("notes.md", "Notes.\n")];
    files.extend(script.map(|script| listed("scripts/count.sh", script)));
    let entry = json!({
        "uri": "skill://pdf/SKILL.md",
        "frontmatter": {
            "name": "pdf", "description": "Fills forms. Use when asked.", "allowed-tools": "Read",
        },
        "resources": files,
    });
    let contents = |path: &str, text: &str| json!({"contents": [{"uri": format!("skill://pdf/{path}"), "text": text}]});
    let hello = json!({
        "protocolVersion": "2025-11-25", "serverInfo": {"name": "sh", "version": "1"},
        "capabilities": {"resources": {}, "extensions": {"io.modelcontextprotocol/skills": {}}},
    });
    format!(
        r#"
        answer() {{ printf '{{"jsonrpc":"2.0","id":%s,"%s":' "$id" "$1"; printf '%s}}\n' "$2"; }}
        while read -r line; do
            id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
            case "$line" in
                *server/discover*) answer error '{{"code":-32601,"message":"no"}}';;
                *'"initialize"'*) answer result '{hello}';;
                *skills/list*) answer result '{list}';;
                *skills/get*) answer result '{get}';;
                *SKILL.md*) answer result '{own}';;
                *notes.md*) answer result '{notes}';;
                *count.sh*) answer result '{run}';;
            esac
        done
        "#,
        list = json!({"skills": [entry]}),
        get = json!({"skill": entry}),
        own = contents("SKILL.md", &text),
        notes = contents("notes.md", "Notes.\n"),
        run = contents("scripts/count.sh", script.unwrap_or_default()),
    )
}

// The machine may have much else to do.
const CONFIG: &str =
    "[servers.acme]\ncommand = \"/bin/sh\"\nargs = [\"server.sh\"]\ntimeout = 60\n";

fn world() -> World {
    let world = World::new();
    world.file("work/server.sh", server("Do it."));
    world.file("home/.config/prowess/config.toml", CONFIG);
    world
}

#[test]
fn a_servers_skills_stand_beside_the_others() {
    let world = world();
    world.skill("home/.agents/skills/tea", "Makes tea");
    world.session(&expect![[r#"
        $ prowess list
        NAME  SCOPE        TOKENS  DESCRIPTION
        pdf   remote acme      22  Fills forms. Use when asked.
        tea   user              4  Makes tea. Use when asked.
        -- stderr
        2 skills
        $ prowess list --no-servers
        NAME  SCOPE  TOKENS  DESCRIPTION
        tea   user        4  Makes tea. Use when asked.
        -- stderr
        1 skill
        $ prowess show acme/pdf
        pdf
          Fills forms. Use when asked.

        state      active
        file       skill://pdf/SKILL.md
        scope      remote (acme)
        id         pdf-74a943021260
        hash       sha256:74a94302126040c98490ec6ab19916910bf271bf28662bd65e9eb75e0e954647
        origin     from the MCP server `acme`
        approved   no; without effect until `prowess approve acme/pdf`: `allowed-tools`
        size       in the catalog 8 tokens, 31 bytes
                   instructions 2 tokens, 6 bytes
                   resources about 2 tokens, 7 bytes
        resources  notes.md (7 bytes)

        $ prowess activate pdf
        # Skill: pdf

        Origin: from the MCP server `acme`, skill://pdf/SKILL.md
        Note: the user has not approved this skill, so these fields of it have no effect: allowed-tools.
        Resources, to be read with `read_skill_resource`:
        - notes.md (7 bytes)

        ## Instructions

        Do it.
        -- stderr
        explicit: `pdf`
        $ prowess context --name pdf
        [skill:pdf]

        # pdf
        Fills forms. Use when asked. (from the MCP server `acme`)

        ## Instructions
        Do it.

        [/skill]
        -- stderr
        context: `pdf`, without tools
    "#]]);
}

#[test]
fn what_others_read_of_a_servers_skill() {
    let world = world();
    world.session(&expect![[r#"
        $ prowess prompt pdf
        <available_skills>
          <skill>
            <name>pdf</name>
            <description>Fills forms. Use when asked. (from the MCP server `acme`)</description>
            <location>skill://pdf/SKILL.md</location>
          </skill>
        </available_skills>
        $ prowess why pdf
        pdf
          found     skill://pdf/SKILL.md
                    remote scope, in /bin/sh (acme)
          read      YAML frontmatter, 2 fields
          here      active: a model is told about it
          mcp       no entry for hosts: it is of the MCP server `acme` and is not passed on; connect the client to that
        $ prowess read pdf notes.md
        Notes.
        $ prowess read pdf other.md
        -- stderr
        error: `skill://pdf/other.md` of the MCP server `acme` is not used: it is not in the list of the skill's files
        hint: ask for a file that the skill lists
        -- exit 3
    "#]]);
    let call = r#"tool call read_skill_resource '{"skill_name":"pdf","path":"notes.md"}'"#;
    expect![[r#"
        (notes.md, from the MCP server `acme`)
        Notes.
        -- stderr
        Read notes.md of skill pdf
        -- exit 0
    "#]]
    .assert_eq(&world.run(call));
    let listed = world.json("list --json");
    let pdf = &listed["skills"][0];
    assert_eq!(
        (&pdf["scope"], &pdf["origin"]),
        (&json!("remote"), &json!("acme"))
    );
    assert_eq!(
        world.json("select forms --json")["matches"][0]["name"],
        "pdf"
    );
}

#[test]
fn a_server_is_named_on_the_command_line() {
    let world = world();
    world.file("home/.config/prowess/config.toml", "");
    world.session(&expect![[r#"
        $ prowess list --server 'mine=/bin/sh server.sh'
        NAME  SCOPE        TOKENS  DESCRIPTION
        pdf   remote mine      22  Fills forms. Use when asked.
        -- stderr
        1 skill
        $ prowess list --server mine
        -- stderr
        error: `mine` names no server
        hint: write a URL, `LABEL=URL` or `'LABEL=COMMAND ARGS'`
        -- exit 2
        $ prowess list --local --no-servers
        -- stderr
        no skills: none of the folders that clients use is here
        hint: `prowess new NAME` makes one, `--dir DIR` looks elsewhere, `prowess clients` shows the usual places
    "#]]);
}

#[test]
fn an_approval_shows_what_it_is_for_and_is_gone_when_that_changes() {
    let world = world();
    world.session(&expect![[r#"
        $ prowess approve acme/pdf
        -- stderr
        pdf: Fills forms. Use when asked.
          from    the MCP server `acme` at /bin/sh
          address skill://pdf/SKILL.md
          asks    allowed-tools: Read
          files   SKILL.md (87 bytes)
                  notes.md (7 bytes)
        error: nobody can be asked here
        hint: look at the above, then add `--yes`
        -- exit 2
        $ prowess approve acme/pdf --yes
        -- stderr
        pdf: Fills forms. Use when asked.
          from    the MCP server `acme` at /bin/sh
          address skill://pdf/SKILL.md
          asks    allowed-tools: Read
          files   SKILL.md (87 bytes)
                  notes.md (7 bytes)
        `acme/pdf` is approved as it is now
        hint: `prowess approve acme/pdf --revoke` takes that back
        $ prowess approve --list
        acme/pdf  skill://pdf/SKILL.md
    "#]]);
    for (name, line) in [
        ("approve", "approve --list --json"),
        ("show", "show pdf --json"),
        ("list", "list --json"),
        ("why", "why pdf --json"),
        ("resources", "resources pdf --json"),
        (
            "tool-result",
            r#"tool call skill '{"skill_name":"pdf"}' --json"#,
        ),
        ("config", "config --json"),
    ] {
        fits(&world, name, line);
    }
    let tools = |world: &World| world.json("show pdf --json")["tools"].clone();
    assert_eq!(tools(&world), json!(["Read"]));
    world.file("work/server.sh", server("Do something else."));
    world.session(&expect![[r#"
        $ prowess list
        NAME  SCOPE        TOKENS  DESCRIPTION
        pdf   remote acme      25  Fills forms. Use when asked.
        -- stderr
        warning[approval-revoked]: `skill://pdf/SKILL.md` of the MCP server `acme` has changed since it was approved, so the approval is taken back
         --> /bin/sh
          = help: look at it, then run `prowess approve acme/pdf`

        1 skill
    "#]]);
    assert_eq!(tools(&world), Value::Array(Vec::new()));
    world.file("work/server.sh", server("Do it."));
    assert_eq!(
        tools(&world),
        Value::Array(Vec::new()),
        "it does not come back"
    );
    world.session(&expect![[r#"
        $ prowess approve acme/pdf --revoke
        -- stderr
        error: `acme/pdf` is not approved
        hint: `prowess approve --list` shows what is
        -- exit 1
        $ prowess approve acme/pfd --yes
        -- stderr
        error: the MCP server `acme` lists no skill `pfd`
        hint: did you mean `pdf`?
        -- exit 1
        $ prowess approve other/pdf
        -- stderr
        error: no server named `other`
        hint: the config names `acme`
        -- exit 1
    "#]]);
}

#[test]
fn a_liar_and_a_dead_server_cost_their_own_skills_only() {
    let world = world();
    let lie = server("Do it.").replace("Do it.\\n", "Do no.\\n");
    world.file("work/server.sh", lie);
    world.skill("home/.agents/skills/tea", "Makes tea");
    world.session(&expect![[r#"
        $ prowess activate pdf
        -- stderr
        error: the skill `pdf` was not loaded: `skill://pdf/SKILL.md` of the MCP server `acme` is not used: its digest is not the one in the list
        -- exit 1
        $ prowess context --name pdf
        -- stderr
        warning: `skill://pdf/SKILL.md` of the MCP server `acme` is not used: its digest is not the one in the list
        none: no skill fits what was asked
        hint: `prowess select QUERY` shows what comes near
        -- exit 1
    "#]]);
    world.file("work/server.sh", "echo broken >&2; exit 1");
    let run = world.run("list");
    assert!(run.contains("warning[server-copies]: the MCP server `acme` ended before it answered; it says: broken, so copies "), "{run}");
    std::fs::remove_dir_all(world.path("home/.cache")).ok();
    world.session(&expect![[r#"
        $ prowess list
        NAME  SCOPE  TOKENS  DESCRIPTION
        tea   user        4  Makes tea. Use when asked.
        -- stderr
        warning[server-unreachable]: the MCP server `acme` ended before it answered; it says: broken
         --> /bin/sh
          = help: start its command by hand and see what it says

        1 skill
    "#]]);
}

#[test]
fn a_repository_starts_nothing_before_it_is_trusted() {
    let world = World::new();
    world.file(
        "work/prowess.toml",
        "[servers.evil]\ncommand = \"/bin/sh\"\nargs = [\"-c\", \"echo > ran\"]\n",
    );
    for line in [
        "list",
        "select x",
        "prompt",
        "tool describe",
        "approve evil/x",
    ] {
        let run = world.run(line);
        let hint = "hint: 1 server of this project (`evil`) is not contacted; look at its `prowess.toml`, then copy it to your config, or use `--trust` for one run";
        assert!(run.contains(hint), "{line}: {run}");
        assert!(!world.path("work/ran").exists(), "{line} started it");
    }
    world.run("list --trust");
    assert!(world.path("work/ran").exists(), "a trusted project may");
    std::fs::remove_file(world.path("work/ran")).unwrap();
    let whole = "[trust]\nprojects = [\"~/../work\"]\n";
    world.file("home/.config/prowess/config.toml", whole);
    world.run("list");
    assert!(
        world.path("work/ran").exists(),
        "so may one of the user's own"
    );
}

#[test]
fn a_server_is_no_folder() {
    let world = World::new();
    world.session(&expect![[r#"
        $ prowess list --server acme=prowess-no-such-program
        -- stderr
        warning[server-unreachable]: the MCP server `acme` cannot be started: `prowess-no-such-program`: No such file or directory (os error 2)
         --> prowess-no-such-program
          = help: see whether `command` names a program that is installed

        no skills from 1 server
        hint: `prowess new NAME` makes one, `--dir DIR` looks elsewhere, `prowess clients` shows the usual places
    "#]]);
}

#[test]
fn scripts_of_a_server_run_after_an_approval_that_says_so() {
    let world = world();
    world.file(
        "work/server.sh",
        served("Do it.", Some("echo \"$#\" words\n")),
    );
    world.session(&expect![[r#"
        $ prowess run pdf scripts/count.sh --yes -- a b
        -- stderr
        error: scripts of `pdf` of the MCP server `acme` do not run: nobody approved that
        hint: look at its scripts, then run `prowess approve acme/pdf --run`
        -- exit 3
        $ prowess approve acme/pdf --run --yes
        -- stderr
        pdf: Fills forms. Use when asked.
          from    the MCP server `acme` at /bin/sh
          address skill://pdf/SKILL.md
          asks    allowed-tools: Read
          files   SKILL.md (87 bytes)
                  notes.md (7 bytes)
                  scripts/count.sh (16 bytes)
          runs    scripts/count.sh by bash
        `acme/pdf` is approved as it is now, and its scripts may run
        hint: `prowess approve acme/pdf --revoke` takes that back
        $ prowess approve --list
        acme/pdf  skill://pdf/SKILL.md  its scripts may run
        $ prowess run pdf
        scripts/count.sh
        $ prowess run pdf scripts/count.sh --yes -- a b
        2 words
        $ prowess tool --allow-run call run_skill_script '{"skill_name":"pdf","script":"scripts/count.sh"}'
        Error: `scripts/count.sh` was not run: it needs the user's yes, and nobody can be asked here; go on without it and say so
        -- exit 1
    "#]]);
    for (name, line) in [
        ("approve", "approve --list --json"),
        ("show", "show pdf --json"),
    ] {
        fits(&world, name, line);
    }
    assert_eq!(world.json("show pdf --json")["remote"]["run"], true);
    // What a person approved runs without a question where the policy is `trusted`.
    let trusted = format!("{CONFIG}[run]\npolicy = \"trusted\"\n");
    world.file("home/.config/prowess/config.toml", trusted);
    world.session(&expect![[r#"
        $ prowess run pdf scripts/count.sh
        0 words
    "#]]);
    // Another script is another skill: it asks again.
    world.file("work/server.sh", served("Do it.", Some("echo hello\n")));
    world.session(&expect![[r#"
        $ prowess run pdf scripts/count.sh --yes
        -- stderr
        warning[approval-revoked]: `skill://pdf/SKILL.md` of the MCP server `acme` has changed since it was approved, so the approval is taken back
         --> /bin/sh
          = help: look at it, then run `prowess approve acme/pdf`

        error: scripts of `pdf` of the MCP server `acme` do not run: nobody approved that
        hint: look at its scripts, then run `prowess approve acme/pdf --run`
        -- exit 3
    "#]]);
    world.file("work/server.sh", server("Do it."));
    world.session(&expect![[r#"
        $ prowess approve acme/pdf --run --yes
        -- stderr
        pdf: Fills forms. Use when asked.
          from    the MCP server `acme` at /bin/sh
          address skill://pdf/SKILL.md
          asks    allowed-tools: Read
          files   SKILL.md (87 bytes)
                  notes.md (7 bytes)
        error: `pdf` has no script that could run
        hint: approve it without `--run`
        -- exit 3
    "#]]);
}
