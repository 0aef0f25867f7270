//! Skills from web sites: an index, archives, and servers that misbehave.

use std::{
    collections::HashMap,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use expect_test::expect;
use prowess::ContentHash;

use crate::{
    schema::fits,
    world::{World, skill},
};

/// A site on loopback; each path answers with what stands there, the first line its status.
struct Site {
    address: String,
    pages: Arc<Mutex<HashMap<String, Page>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

#[derive(Clone)]
enum Page {
    Text(Vec<u8>),
    Status(&'static str),
    Redirect(String),
    /// Fewer bytes than promised.
    Cut(Vec<u8>),
}

impl Site {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let site = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            pages: Arc::default(),
            asked: Arc::default(),
        };
        let (pages, asked) = (Arc::clone(&site.pages), Arc::clone(&site.asked));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, asked) = (Arc::clone(&pages), Arc::clone(&asked));
                thread::spawn(move || answer(&stream, &pages, &asked));
            }
        });
        site
    }

    fn page(&self, path: &str, page: Page) {
        self.pages.lock().unwrap().insert(path.to_owned(), page);
    }

    fn text(&self, path: &str, text: impl Into<Vec<u8>>) {
        self.page(path, Page::Text(text.into()));
    }
}

fn answer(
    mut stream: &TcpStream,
    pages: &Mutex<HashMap<String, Page>>,
    asked: &Mutex<Vec<String>>,
) -> Option<()> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next()?;
    let head: Vec<String> = lines.take_while(|it| !it.is_empty()).collect();
    let path = first.split(' ').nth(1)?.to_owned();
    let login = head
        .iter()
        .find(|it| it.to_lowercase().starts_with("authorization"));
    let seen = format!("{path}{}", login.map_or("", |_| " with a password"));
    asked.lock().unwrap().push(seen);
    let page = pages.lock().unwrap().get(&path).cloned();
    let (status, more, body) = match page.unwrap_or(Page::Status("404 Not Found")) {
        Page::Text(body) => ("200 OK", format!("content-length: {}", body.len()), body),
        Page::Status(status) => (status, "content-length: 0".to_owned(), Vec::new()),
        Page::Redirect(to) => (
            "302 Found",
            format!("content-length: 0\r\nlocation: {to}"),
            vec![],
        ),
        Page::Cut(body) => (
            "200 OK",
            format!("content-length: {}", body.len() + 9),
            body,
        ),
    };
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\n{more}\r\nconnection: close\r\n\r\n"
    );
    let _ = stream.write_all(&body);
    Some(())
}

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", ContentHash::of(bytes))
}

fn index(entries: &[(&str, &str, &str, String)]) -> String {
    let entries = entries.iter().map(|(name, kind, url, digest)| {
        serde_json::json!({"name": name, "type": kind, "description": "Does.", "url": url, "digest": digest})
    });
    serde_json::json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": entries.collect::<Vec<_>>(),
    })
    .to_string()
}

/// What a run shows, with the site's address left out.
fn seen(world: &World, site: &Site, line: &str) -> String {
    world.run(line).replace(&site.address, "SITE")
}

const INDEX: &str = "/.well-known/agent-skills/index.json";

#[test]
fn a_site_with_an_index_is_a_source() {
    let (world, site) = (World::new(), Site::new());
    let text = skill("pdf", "Fills forms");
    site.text("/s/pdf.md", text.clone());
    let bad = skill("bad", "Is other than promised");
    site.text("/s/bad.md", bad);
    site.text(
        INDEX,
        index(&[
            ("pdf", "skill-md", "/s/pdf.md", digest(text.as_bytes())),
            ("bad", "skill-md", "/s/bad.md", digest(b"other")),
            ("Odd Name", "skill-md", "/s/odd.md", digest(b"")),
            ("task", "task", "/s/task.md", digest(b"")),
            ("short", "archive", "/s/short.zip", "sha256:12".to_owned()),
        ]),
    );
    let add = |name: &str| format!("add {} --skill {name} --yes", site.address);
    expect![[r#"
        pdf: Fills forms. Use when asked.
          from      SITE/
          files     SKILL.md (76 bytes)
        -- stderr
        warning: the entry `Odd Name` is left out: `O` is a capital letter
        warning: the entry `task` is left out: its type `task` is not known
        warning: the entry `short` is left out: its `digest` is not `sha256:` and 64 small hex digits
        installed `pdf` in `.agents/skills/pdf`
        hint: commit `prowess.toml` and `prowess.lock`, so that `prowess sync` gives others the same files
        -- exit 0
    "#]].assert_eq(&seen(&world, &site, &add("pdf")));
    expect![[r#"
        -- stderr
        warning: the entry `Odd Name` is left out: `O` is a capital letter
        warning: the entry `task` is left out: its type `task` is not known
        warning: the entry `short` is left out: its `digest` is not `sha256:` and 64 small hex digits
        error: the skill in `bad` cannot be taken: the index promises sha256:d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa, and `SITE/s/bad.md` has sha256:badbe76efdd9b6edb328e95bec2235a3e011f4f46470e2d58a55b05ec8f75d19
        -- exit 3
    "#]].assert_eq(&seen(&world, &site, &add("bad")));
    assert!(!world.path("work/.agents/skills/bad").exists());
    let lock = world.read("work/prowess.lock");
    fs::remove_dir_all(world.path("work/.agents")).unwrap();
    fs::remove_dir_all(world.path("home")).unwrap();
    expect![[r#"
        -- stderr
        put back `pdf` in `.agents/skills/pdf`
        -- exit 0
    "#]]
    .assert_eq(&seen(&world, &site, "sync --frozen --trust"));
    assert_eq!(world.read("work/prowess.lock"), lock);
    assert_eq!(world.read("work/.agents/skills/pdf/SKILL.md"), text);
    let new = skill("pdf", "Fills more forms");
    site.text("/s/pdf.md", new.clone());
    site.text(
        INDEX,
        index(&[("pdf", "skill-md", "/s/pdf.md", digest(new.as_bytes()))]),
    );
    assert_eq!(world.output("update --yes").status.code(), Some(0));
    assert_eq!(world.read("work/.agents/skills/pdf/SKILL.md"), new);
}

#[test]
fn an_index_of_the_first_form_is_read_and_not_called_verified() {
    let (world, site) = (World::new(), Site::new());
    let entry = serde_json::json!({"name": "pdf", "description": "x", "files": ["SKILL.md", "notes/a b.md"]});
    let hostile = serde_json::json!({"name": "up", "description": "x", "files": ["../SKILL.md"]});
    let index = serde_json::json!({"skills": [entry, hostile]});
    site.text("/.well-known/skills/index.json", index.to_string());
    site.text(
        "/.well-known/skills/pdf/SKILL.md",
        skill("pdf", "Fills forms"),
    );
    site.text("/.well-known/skills/pdf/notes/a%20b.md", "b\n");
    expect![[r#"
        pdf: Fills forms. Use when asked.
          from      SITE/
          files     SKILL.md (76 bytes)
                    notes/a b.md (2 bytes)
        -- stderr
        warning: the index is of form 0.1.0, which has no digests: what comes is not verified
        warning: the entry `up` is left out: the path `../SKILL.md` has a part `.` or `..`
        installed `pdf` in `.agents/skills/pdf`
        hint: commit `prowess.toml` and `prowess.lock`, so that `prowess sync` gives others the same files
        -- exit 0
    "#]]
    .assert_eq(&seen(
        &world,
        &site,
        &format!("add {} --all --yes", site.address),
    ));
    assert_eq!(world.read("work/.agents/skills/pdf/notes/a b.md"), "b\n");
}

#[test]
fn servers_that_misbehave_change_nothing() {
    let (world, site) = (World::new(), Site::new());
    let address = site.address.clone();
    let port = address.rsplit(':').next().unwrap().to_owned();
    site.page("/gone.zip", Page::Status("500 Internal Server Error"));
    site.page("/secret.zip", Page::Status("401 Unauthorized"));
    site.page("/cut.zip", Page::Cut(b"PK".to_vec()));
    site.page("/loop.zip", Page::Redirect("/loop.zip".to_owned()));
    site.page(
        "/local.zip",
        Page::Redirect(format!("http://localhost:{port}/x.zip")),
    );
    site.page("/file.zip", Page::Redirect("file:///etc/passwd".to_owned()));
    site.page(
        "/meta.zip",
        Page::Redirect("https://169.254.169.254/x".to_owned()),
    );
    site.text("/none.zip", "no archive");
    site.text("/bad/.well-known/agent-skills/index.json", "{");
    site.text(
        "/new/.well-known/agent-skills/index.json",
        "{\"$schema\": \"https://schemas.agentskills.io/discovery/9/schema.json\", \"skills\": []}",
    );
    let mut text = String::new();
    for path in [
        "gone.zip",
        "secret.zip",
        "cut.zip",
        "loop.zip",
        "local.zip",
        "file.zip",
        "meta.zip",
        "none.zip",
        "empty",
        "bad",
        "new",
    ] {
        let shown = seen(&world, &site, &format!("add {address}/{path} --all --yes"));
        text.extend([path, "\n", &shown.replace(&port, "PORT")]);
    }
    expect![[r#"
        gone.zip
        -- stderr
        error: `SITE/gone.zip` answered 500 Internal Server Error
        -- exit 3
        secret.zip
        -- stderr
        error: `SITE/secret.zip` answered 401 Unauthorized
        hint: nobody is asked for a password; put it into your `.netrc`
        -- exit 3
        cut.zip
        -- stderr
        error: the answer of `SITE/cut.zip` broke off
          cause: request or response body error
          cause: error reading a body from connection
          cause: end of file before message length reached
        -- exit 3
        loop.zip
        -- stderr
        error: `SITE/loop.zip` is not asked: it leads on more than three times
        -- exit 3
        local.zip
        -- stderr
        error: `http://localhost:PORT/x.zip` is not asked: it is not encrypted
        -- exit 3
        file.zip
        -- stderr
        error: `file:///etc/passwd` is not asked: it is neither `https` nor `http`
        -- exit 3
        meta.zip
        -- stderr
        error: `https://169.254.169.254/x` is not asked: it is a private address that nobody named
        -- exit 3
        none.zip
        -- stderr
        error: nothing is taken from `SITE/none.zip`
          cause: it is no zip, tar, tar.gz or tar.zst
        hint: nothing was changed; ask whoever made it for one with plain files only
        -- exit 3
        empty
        -- stderr
        error: `SITE/empty` publishes no skills: nothing is at `SITE/empty/.well-known/agent-skills/index.json` and `SITE/empty/.well-known/skills/index.json`
        hint: name a git repository, an archive, or a site with `/.well-known/agent-skills/index.json`
        -- exit 3
        bad
        -- stderr
        error: the index `SITE/bad/.well-known/agent-skills/index.json` is not taken: EOF while parsing an object at line 1 column 1
        -- exit 3
        new
        -- stderr
        error: the index `SITE/new/.well-known/agent-skills/index.json` is not taken: its form `https://schemas.agentskills.io/discovery/9/schema.json` is not known
        -- exit 3
    "#]].assert_eq(&text);
    assert!(!world.path("work/.agents").exists());
    assert!(!world.path("work/prowess.lock").exists());
}

#[test]
fn a_password_goes_to_its_own_host_and_nowhere_else() {
    let (world, site, other) = (World::new(), Site::new(), Site::new());
    world.file("home/.netrc", "machine 127.0.0.1 login me password hush\n");
    let text = skill("pdf", "Fills forms");
    let target = format!("{}/pdf/SKILL.md", other.address);
    site.page("/pdf/SKILL.md", Page::Redirect(target));
    other.text("/pdf/SKILL.md", text);
    let line = format!("add {}/pdf/SKILL.md --yes", site.address);
    let shown = seen(&world, &site, &line);
    assert!(!shown.contains("hush"), "{shown}");
    assert_eq!(
        *site.asked.lock().unwrap(),
        ["/pdf/SKILL.md with a password"]
    );
    // Another port is another origin, and unencrypted only the named one is asked.
    assert!(other.asked.lock().unwrap().is_empty());
}

#[test]
fn what_is_published_installs_on_another_machine() {
    let (author, user, site) = (World::new(), World::new(), Site::new());
    author.file("work/skills/pdf/SKILL.md", skill("pdf", "Fills forms"));
    author.file("work/skills/pdf/notes/a.md", "one\r\n");
    author.file("work/skills/sql/SKILL.md", skill("sql", "Asks tables"));
    author.file("work/skills/bad/SKILL.md", "---\nname: bad\n---\nGo.\n");
    expect![[r#"
        -- stderr
        error: `bad`: `bad` cannot be offered to a model without a description [missing-description]
        hint: nothing was published; `prowess check` shows every finding
        -- exit 1
    "#]]
    .assert_eq(&author.run("publish skills --well-known site"));
    assert!(!author.path("work/site").exists());
    let line = "publish skills --well-known site --skill pdf --skill sql";
    expect![[r#"
        -- stderr
        published 2 skills in `site/.well-known/agent-skills`
        hint: once it is served, `prowess add https://HOST --all` installs them and checks every digest
        -- exit 0
    "#]].assert_eq(&author.run(line));
    let place = author.path("work/site/.well-known/agent-skills");
    let files =
        || ["index.json", "pdf.tar.gz", "sql/SKILL.md"].map(|it| fs::read(place.join(it)).unwrap());
    let once = files();
    fits(&author, "publish", &format!("{line} --json"));
    assert_eq!(files(), once, "the same bytes");
    for (path, bytes) in ["index.json", "pdf.tar.gz", "sql/SKILL.md"]
        .iter()
        .zip(once)
    {
        site.text(&format!("/.well-known/agent-skills/{path}"), bytes);
    }
    let (address, world) = (&site.address, &user);
    let output = world.output(&format!("add {address} --all --yes"));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(user.read("work/.agents/skills/pdf/notes/a.md"), "one\r\n");
    author.file("work/site/.well-known/agent-skills/index.json", "x");
    fs::remove_file(place.join("index.json")).unwrap();
    expect![[r#"
        -- stderr
        error: `[..]/work/site/.well-known/agent-skills` is there already and holds no index, so it is left alone
        hint: move it away, or name another folder
        -- exit 3
    "#]].assert_eq(&author.run(line));
}
