//! `cargo xtask clients`: clients that nobody here wrote, against `prowess serve`.
//!
//! MCP Inspector and the official SDKs for Python and TypeScript are installed below `target/`,
//! pinned, and each talks to the server over standard streams and over HTTP.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context as _, Result, ensure};
use clap::Args;

use crate::{
    conformance::{fixture, npm},
    serving::{Serving, build, target},
};

const INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0";
const TYPESCRIPT: &str = "@modelcontextprotocol/sdk@1.32.2";
const NODE: &str = "node@22";
const PYTHON: &str = "mcp==2.3.0";

/// Let clients that nobody here wrote talk to `prowess serve`
#[derive(Debug, Args)]
pub(crate) struct Clients {}

/// How the server is reached: an address, or a command.
struct Reach {
    name: &'static str,
    target: Vec<String>,
}

impl Clients {
    /// Runs every client both ways; the code is 1 where one was not content.
    #[expect(clippy::unused_self, reason = "it has no options yet")]
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let home = target().join("clients");
        let packages = [NODE, INSPECTOR, TYPESCRIPT].map(str::to_owned);
        npm(&home, &packages)?;
        let python = python(&home)?;
        let program = build(false)?;
        let skills = home.join("skills");
        fixture::write(&skills)?;
        let server = Serving::start(&program, &skills)?;
        let command = [
            program.display().to_string(),
            "serve".to_owned(),
            "--local".to_owned(),
            "--no-project".to_owned(),
            "--dir".to_owned(),
            skills.display().to_string(),
        ];
        let reaches = [
            Reach {
                name: "stdio",
                target: command.to_vec(),
            },
            Reach {
                name: "http",
                target: vec![server.url.clone()],
            },
        ];
        let scripts = crate::workspace().join("xtask/clients");
        let node = home.join("node_modules/node/bin/node");
        // A module is looked for beside the script.
        let typescript = home.join("typescript_client.mjs");
        fs::copy(scripts.join("typescript_client.mjs"), &typescript)?;
        let mut run = Run::default();
        for reach in &reaches {
            for mode in ["legacy", "auto"] {
                let mut client = Command::new(&python);
                client.arg(scripts.join("python_client.py"));
                client.arg(mode).arg(&skills).args(&reach.target);
                run.client(
                    &format!("Python SDK, {mode}, {}", reach.name),
                    &mut client,
                    "ok",
                );
            }
            let mut client = Command::new(&node);
            client.arg(&typescript).arg(&skills).args(&reach.target);
            run.client(
                &format!("TypeScript SDK, {}", reach.name),
                &mut client,
                "ok",
            );
            for era in ["legacy", "modern"] {
                for (call, expected) in INSPECTIONS {
                    let mut client = Command::new(&node);
                    client.arg(home.join("node_modules/.bin/mcp-inspector"));
                    client.arg("--cli").args(&reach.target);
                    // The options of the server end where those of the client begin.
                    client.args(["--protocol-era", era, "--quiet", "--format", "json"]);
                    client.args(*call);
                    let name = format!("Inspector, {era}, {}: {}", reach.name, call[1]);
                    run.client(&name, &mut client, expected);
                }
            }
        }
        println!("{} runs, {} failed", run.count, run.failed);
        Ok(ExitCode::from(u8::from(run.failed > 0)))
    }
}

/// What Inspector is asked, and what must stand in its answer.
const INSPECTIONS: &[(&[&str], &str)] = &[
    (&["--method", "skills/list", "--verify"], "a-rich-skill"),
    (
        &[
            "--method",
            "skills/get",
            "--uri",
            "skill://a-rich-skill/SKILL.md",
            "--verify",
        ],
        "verified",
    ),
    (
        &[
            "--method",
            "resources/directory/read",
            "--uri",
            "skill://a-rich-skill",
        ],
        "inode/directory",
    ),
    (
        &[
            "--method",
            "resources/read",
            "--uri",
            "skill://a-rich-skill/references/guide.md",
        ],
        "# Guide",
    ),
    (
        &["--method", "resources/list"],
        "skill://a-rich-skill/SKILL.md",
    ),
    (&["--method", "tools/list", "--strict"], "search_skills"),
    (
        &[
            "--method",
            "tools/call",
            "--tool-name",
            "load_skill",
            "--tool-arg",
            "skill_name=a-rich-skill",
        ],
        "# Everything",
    ),
    (&["--method", "prompts/list"], "a-rich-skill"),
    (
        &[
            "--method",
            "prompts/get",
            "--prompt-name",
            "a-rich-skill",
            "--prompt-args",
            "arguments=form.pdf",
        ],
        "form.pdf",
    ),
];

#[derive(Default)]
struct Run {
    count: usize,
    failed: usize,
}

impl Run {
    /// Runs a client; it is content when it ends well and said what was expected.
    fn client(&mut self, name: &str, client: &mut Command, expected: &str) {
        self.count += 1;
        let output = client.stdin(Stdio::null()).output();
        let told = match output {
            Err(error) => Err(error.to_string()),
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                if output.status.success() && text.contains(expected) {
                    Ok(text)
                } else {
                    let errors = String::from_utf8_lossy(&output.stderr);
                    let told: String = text.chars().take(2_000).collect();
                    Err(format!("{}\n{told}\n{errors}", output.status))
                }
            }
        };
        match told {
            Ok(text) if expected == "ok" => println!("{name}: {}", text.trim()),
            Ok(_) => println!("{name}: ok"),
            Err(why) => {
                self.failed += 1;
                println!("{name}: FAILED {why}");
            }
        }
    }
}

/// The Python of an environment of its own, with the SDK.
fn python(home: &Path) -> Result<PathBuf> {
    venv(&home.join("venv"), &[PYTHON])
}

/// Makes an environment with these packages, unless it is there already.
pub(crate) fn venv(place: &Path, packages: &[&str]) -> Result<PathBuf> {
    let python = place.join("bin/python");
    let stamp = place.join("installed.txt");
    let wanted = packages.join("\n");
    if fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        return Ok(python);
    }
    let made = Command::new("python3")
        .args(["-m", "venv"])
        .arg(place)
        .status();
    ensure!(
        made.context("cannot start python3")?.success(),
        "python3 cannot make an environment"
    );
    let installed = Command::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(packages)
        .status()?;
    ensure!(installed.success(), "pip could not install {wanted}");
    fs::write(stamp, wanted)?;
    Ok(python)
}
