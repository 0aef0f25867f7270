//! `cargo xtask clients`: clients and servers that nobody here wrote, against ours.
//!
//! MCP Inspector, the official SDKs for Python and TypeScript and fastmcp are installed below
//! `target/`, pinned. Each talks to `prowess serve` over standard streams and over HTTP, those with
//! a reader of skills take every entry with their defaults, and servers on each SDK publish a tree
//! of difficult skills that our host lists, loads and verifies.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use clap::Args;

use crate::{
    conformance::{build_host, fixture, npm},
    serving::{Serving, build, target},
};

const INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0";
const TYPESCRIPT: &str = "@modelcontextprotocol/sdk@1.32.2";
const SKILLS_CLIENT: &str = "@modelcontextprotocol/client@2.4.0";
const SKILLS_SERVER: &str = "@modelcontextprotocol/server@2.4.0";
const NODE: &str = "node@22";
const PYTHON: [&str; 2] = ["mcp==2.3.0", "fastmcp==4.1.2"];

/// Of the difficult skills every server takes at least so many, whatever its reader lacks.
const LEAST: usize = 20;

/// How long a server may take to start on a busy machine, with ten thousand skills.
const PATIENCE: Duration = Duration::from_secs(300);

/// Let clients that nobody here wrote talk to `prowess serve`
#[derive(Debug, Args)]
pub(crate) struct Clients {}

/// How the server is reached: by a command or an address.
type Reach = (&'static str, Vec<String>);

impl Clients {
    /// Runs every client both ways; the code is 1 where one was not content.
    #[expect(clippy::unused_self, reason = "it has no options yet")]
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let home = target().join("clients");
        let packages = [NODE, INSPECTOR, TYPESCRIPT, SKILLS_CLIENT, SKILLS_SERVER];
        let packages = packages.map(str::to_owned);
        npm(&home, &packages)?;
        let python = venv(&home.join("venv"), &PYTHON)?;
        let program = build(false)?;
        let skills = home.join("skills");
        fixture::write(&skills)?;
        let server = Serving::start(&program, &skills)?;
        let reaches = reaches(&program, &skills, &server);
        let scripts = crate::workspace().join("xtask/clients");
        let node = home.join("node_modules/node/bin/node");
        // A module is looked for beside the script.
        for name in ["client", "server", "skills"] {
            let name = format!("typescript_{name}.mjs");
            fs::copy(scripts.join(&name), home.join(&name))?;
        }
        let typescript = home.join("typescript_client.mjs");
        let mut run = Run::default();
        let difficult = home.join("difficult");
        fixture::write_difficult(&difficult)?;
        for folder in [&difficult, &crate::workspace().join("examples/skills")] {
            let server = Serving::start(&program, folder)?;
            for (way, target) in self::reaches(&program, folder, &server) {
                for mode in ["auto", "legacy"] {
                    let mut client = Command::new(&node);
                    client.arg(home.join("typescript_skills.mjs")).arg(mode);
                    let name = format!("TypeScript SDK 2, every entry, {mode}, {way}");
                    run.client(&name, client.args(&target), "ok");
                }
                let mut client = Command::new(&python);
                client.arg(scripts.join("fastmcp_skills.py"));
                let name = format!("fastmcp, every entry, {way}");
                run.client(&name, client.args(&target), "ok");
            }
        }
        let host = build_host()?;
        for (name, program, script) in [
            (
                "TypeScript SDK 2",
                &node,
                home.join("typescript_server.mjs"),
            ),
            ("Python SDK", &python, scripts.join("python_server.py")),
            ("fastmcp", &python, scripts.join("fastmcp_skills_server.py")),
        ] {
            let mut client = Command::new(&host);
            client.arg(program).arg(&script).arg(&difficult);
            run.host(&format!("our host, {name}, stdio"), &mut client);
            let server = Other::start(program, &script, &difficult)?;
            let client = &mut Command::new(&host);
            run.host(&format!("our host, {name}, http"), client.arg(&server.url));
        }
        for (way, target) in &reaches {
            for mode in ["legacy", "auto"] {
                let mut client = Command::new(&python);
                client.arg(scripts.join("python_client.py"));
                client.arg(mode).arg(&skills).args(target);
                run.client(&format!("Python SDK, {mode}, {way}"), &mut client, "ok");
            }
            let mut client = Command::new(&node);
            client.arg(&typescript).arg(&skills).args(target);
            run.client(&format!("TypeScript SDK, {way}"), &mut client, "ok");
            for era in ["legacy", "modern"] {
                for (call, expected) in INSPECTIONS {
                    let mut client = Command::new(&node);
                    client.arg(home.join("node_modules/.bin/mcp-inspector"));
                    client.arg("--cli").args(target);
                    // The options of the server end where those of the client begin.
                    client.args(["--protocol-era", era, "--quiet", "--format", "json"]);
                    client.arg("--method").args(call.split(' '));
                    let method = call.split(' ').next().unwrap_or(call);
                    let name = format!("Inspector, {era}, {way}: {method}");
                    run.client(&name, &mut client, expected);
                }
            }
        }
        println!("{} runs, {} failed", run.count, run.failed);
        Ok(ExitCode::from(u8::from(run.failed > 0)))
    }
}

/// Both ways to reach `prowess serve` over a folder.
fn reaches(program: &Path, folder: &Path, server: &Serving) -> [Reach; 2] {
    let command = ["serve", "--local", "--no-project", "--dir"].map(str::to_owned);
    let mut stdio = vec![program.display().to_string()];
    stdio.extend(command);
    stdio.push(folder.display().to_string());
    [("stdio", stdio), ("http", vec![server.url.clone()])]
}

/// A server that nobody here wrote, on a port of this machine; it ends when this is dropped.
pub(crate) struct Other {
    child: Child,
    pub(crate) url: String,
}

impl Other {
    pub(crate) fn start(program: &Path, script: &Path, folder: &Path) -> Result<Self> {
        // Free a moment ago; somebody else may take it, and then the chore is run again.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let child = Command::new(program)
            .arg(script)
            .arg(folder)
            .arg(port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", script.display()))?;
        let url = format!("http://127.0.0.1:{port}/mcp");
        let server = Self { child, url };
        let until = Instant::now() + PATIENCE;
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            ensure!(
                Instant::now() < until,
                "{} does not listen",
                script.display()
            );
            thread::sleep(Duration::from_millis(100));
        }
        Ok(server)
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What Inspector is asked, as on its command line, and what must stand in its answer.
const INSPECTIONS: [(&str, &str); 9] = [
    ("skills/list --verify", "a-rich-skill"),
    (
        "skills/get --uri skill://a-rich-skill/SKILL.md --verify",
        "verified",
    ),
    (
        "resources/directory/read --uri skill://a-rich-skill",
        "inode/directory",
    ),
    (
        "resources/read --uri skill://a-rich-skill/references/guide.md",
        "# Guide",
    ),
    ("resources/list", "skill://a-rich-skill/SKILL.md"),
    ("tools/list --strict", "search_skills"),
    (
        "tools/call --tool-name open_skill --tool-arg skill_name=a-rich-skill",
        "# Everything",
    ),
    ("prompts/list", "a-rich-skill"),
    (
        "prompts/get --prompt-name a-rich-skill --prompt-args arguments=form.pdf",
        "form.pdf",
    ),
];

#[derive(Default)]
struct Run {
    count: usize,
    failed: usize,
}

impl Run {
    /// Runs our host; it is content when it loaded all that a server lists, and that was enough.
    fn host(&mut self, name: &str, client: &mut Command) {
        let Some(text) = self.client(name, client, "ok ") else {
            return;
        };
        let count = text.split("ok ").last().and_then(|rest| {
            let count = rest.split(' ').next()?;
            count.parse::<usize>().ok()
        });
        if count.is_none_or(|count| count < LEAST) {
            self.failed += 1;
            println!("{name}: FAILED, the server published too few skills");
        }
    }

    /// Runs a client; it is content when it ends well and said what was expected.
    fn client(&mut self, name: &str, client: &mut Command, expected: &str) -> Option<String> {
        self.count += 1;
        let (why, text) = match client.stdin(Stdio::null()).output() {
            Err(error) => (Some(error.to_string()), String::new()),
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                let failed = !output.status.success() || !text.contains(expected);
                let why = failed.then(|| {
                    let errors = String::from_utf8_lossy(&output.stderr);
                    let start: String = text.chars().take(2_000).collect();
                    format!("{}\n{start}\n{errors}", output.status)
                });
                (why, text)
            }
        };
        if let Some(why) = why {
            self.failed += 1;
            println!("{name}: FAILED {why}");
            return None;
        }
        let last = text.trim().lines().last();
        let last = last.filter(|_| expected.starts_with("ok"));
        println!("{name}: {}", last.unwrap_or("ok"));
        Some(text)
    }
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
    pip(&python, packages)?;
    fs::write(stamp, wanted)?;
    Ok(python)
}

/// Installs packages; those that are there already cost nothing.
pub(crate) fn pip(python: &Path, packages: &[&str]) -> Result<()> {
    let installed = Command::new(python)
        .args(["-m", "pip", "install", "--quiet"])
        .arg("--disable-pip-version-check")
        .args(packages)
        .status()?;
    let wanted = packages.join(" ");
    ensure!(installed.success(), "pip could not install {wanted}");
    Ok(())
}
