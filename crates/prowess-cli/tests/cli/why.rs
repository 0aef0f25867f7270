//! `why`: what happened to a skill, and which rule decided.

use expect_test::expect;

use crate::world::{World, skill};

fn rivals() -> World {
    let world = World::with(&[
        (
            ".agents/skills/review/SKILL.md",
            &skill("review", "Reviews code"),
        ),
        (
            ".claude/skills/mended/SKILL.md",
            "---\ndescription: Mends: things. Use when asked.\n---\nGo.\n",
        ),
    ]);
    world.skill("home/.agents/skills/review", "Reviews texts");
    world
}

#[test]
fn both_skills_of_a_name_are_told_apart() {
    rivals().session(&expect![[r#"
        $ prowess why review --trust
        review
          found     .agents/skills/review/SKILL.md
                    project scope, in .agents/skills (agents)
          read      YAML frontmatter, 2 fields
          here      active: a model is told about it
          clients   Claude Code        dropped  Claude Code does not look into `[..]/work/.agents/skills` from here
                    Codex              changed  another skill has its name; Codex keeps both, and the name is ambiguous
                    Gemini CLI         loads
                    VS Code Copilot    loads    call it with /review
                    goose              loads
                    OpenCode           unknown  another skill has its name, and which one OpenCode keeps changes or is not known
                    Qwen Code          loads    call it with /review
                    Agent Plugins 1.0  loads
                    Copilot CLI        loads    call it with /review
          steps     put the skill into `.claude/skills` for Claude Code
                    give one of them another name

        review
          found     ~/.agents/skills/review/SKILL.md
                    user scope, in ~/.agents/skills (agents)
          read      YAML frontmatter, 2 fields
          here      shadowed: `.agents/skills/review/SKILL.md` is in use
          clients   Claude Code        dropped  Claude Code does not look into `[..]/home/.agents/skills` from here
                    Codex              changed  another skill has its name; Codex keeps both, and the name is ambiguous
                    Gemini CLI         dropped  `[..]/work/.agents/skills/review/SKILL.md` has its name, and Gemini CLI keeps that one
                    VS Code Copilot    dropped  `[..]/work/.agents/skills/review/SKILL.md` has its name, and VS Code Copilot keeps that one
                    goose              dropped  `[..]/work/.agents/skills/review/SKILL.md` has its name, and goose keeps that one
                    OpenCode           unknown  another skill has its name, and which one OpenCode keeps changes or is not known
                    Qwen Code          dropped  `[..]/work/.agents/skills/review/SKILL.md` has its name, and Qwen Code keeps that one
                    Agent Plugins 1.0  loads
                    Copilot CLI        dropped  `[..]/work/.agents/skills/review/SKILL.md` has its name, and Copilot CLI keeps that one
          steps     put the skill into `.claude/skills` for Claude Code
                    give one of them another name
    "#]]);
}

#[test]
fn one_client_tells_everything() {
    rivals().session(&expect![[r#"
        $ prowess why mended --client codex
        mended
          found     .claude/skills/mended/SKILL.md
                    project scope, in .claude/skills (claude-code)
          read      YAML frontmatter, 1 field, named after its folder, 1 repair while reading
                    line 2: `description` is not valid YAML and was repaired here: a colon inside an unquoted value starts a new field; goose and Copilot CLI drop the skill (write `description: "Mends: things. Use when asked."`)
          here      untrusted: its project is not trusted; look at it, then run `prowess trust`
                    warning 2:1 the skill has no name; its folder's name `mended` is used
          clients   Codex  dropped  Codex does not look into `[..]/work/.claude/skills` from here
                                    as Codex 0.166.0 did on 2026-11-17
          steps     put the skill into `.agents/skills` for Codex
    "#]]);
}

#[test]
fn a_name_that_is_nowhere_says_where_was_looked() {
    rivals().session(&expect![[r#"
        $ prowess why reveiw
        -- stderr
        error: no skill named `reveiw`
        hint: did you mean `review`? `prowess list` shows all 3
        hint: looked at 3 skills in `.agents/skills`, `.claude/skills` and `~/.agents/skills`
        -- exit 1
    "#]]);
    World::new().session(&expect![[r#"
        $ prowess why review
        -- stderr
        error: no skill named `review`
        hint: there are no skills here; `prowess new NAME` makes one
        hint: none of the folders that clients use is here; `--dir DIR` looks elsewhere
        -- exit 1
    "#]]);
}

#[test]
fn a_path_is_as_good_as_a_name() {
    let world = rivals();
    world.skill("work/elsewhere/other", "Is elsewhere");
    world.session(&expect![[r#"
        $ prowess why elsewhere/other --client claude
        other
          found     elsewhere/other/SKILL.md
                    explicit scope, in elsewhere/other (dir)
          read      YAML frontmatter, 2 fields
          here      active: a model is told about it
          clients   Claude Code  dropped  Claude Code does not look into `[..]/work/elsewhere` from here
                                          as Claude Code 2.1.325 did on 2026-11-17
          steps     put the skill into `.claude/skills` for Claude Code
    "#]]);
    world.file(
        "work/elsewhere/loose/SKILL.md",
        "---\nname: loose\ndescription: Use when: asked\n---\nDo it.\n",
    );
    world.session(&expect![[r#"
        $ prowess why elsewhere/loose
        loose
          found     elsewhere/loose/SKILL.md
                    explicit scope, in elsewhere/loose (dir)
          read      YAML frontmatter, 2 fields, 1 repair while reading
                    line 3: `description` is not valid YAML and was repaired here: a colon inside an unquoted value starts a new field; goose and Copilot CLI drop the skill (write `description: "Use when: asked"`)
          here      active: a model is told about it
          mcp       no entry for hosts: its frontmatter is not clean YAML (`repaired-yaml`); `prowess check --fix` fixes it
          clients   Claude Code        dropped  Claude Code does not look into `[..]/work/elsewhere` from here
                    Codex              dropped  Codex does not look into `[..]/work/elsewhere` from here
                    Gemini CLI         dropped  Gemini CLI does not look into `[..]/work/elsewhere` from here
                    VS Code Copilot    dropped  VS Code Copilot does not look into `[..]/work/elsewhere` from here
                    goose              dropped  goose does not look into `[..]/work/elsewhere` from here
                                                its YAML is broken, and goose drops such skills
                    OpenCode           dropped  OpenCode does not look into `[..]/work/elsewhere` from here
                    Qwen Code          dropped  Qwen Code does not look into `[..]/work/elsewhere` from here
                    Agent Plugins 1.0  dropped  Agent Plugins 1.0 skips skills that break the standard: `description` is not valid YAML and was repaired here: a colon inside an unquoted value starts a new field; goose and Copilot CLI drop the skill
                    Copilot CLI        dropped  Copilot CLI does not look into `[..]/work/elsewhere` from here
                                                its YAML is broken, and Copilot CLI drops such skills
          steps     put it into a folder that these clients read: `prowess clients` lists them
                    run `prowess check --fix`
                    fix what `prowess check` reports
    "#]]);
    let by_name = world.run("why mended");
    assert_eq!(world.run("why .claude/skills/mended"), by_name);
    assert_eq!(world.run("why .claude/skills/mended/SKILL.md"), by_name);
}
