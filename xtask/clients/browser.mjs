// The page of `prowess ui` in Chromium, as a person uses it.
//
// Usage: browser.mjs PROWESS CHROMIUM HOME [STEP | --pictures SKILLS TO | --speed SKILLS]
// PROWESS is the command, CHROMIUM the browser. Below HOME it writes the skills that it looks at
// (`skills`) and a picture of each view (`screenshots`). With STEP only steps whose name has it. Ends with 1
// where a step fails. `--pictures` draws the views over a folder of skills for the documentation,
// `--speed` measures the page over a large one.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import axe from "axe-core";
import { chromium } from "playwright-core";

const [prowess, executablePath, home, only, ...rest] = process.argv.slice(2);
const pictures = join(home, "screenshots");
const skills = join(home, "skills");
const ill = join(home, "hostile");
/** A change on the disk is seen on the page within this time, in milliseconds. */
const AT_ONCE = 1000;
/** For everything else a busy machine has time. */
const PATIENCE = 20_000;

/** @param {string} file @param {string} text */
function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Skills that are as they should be, and a few with faults a person would look for here. */
function writeSkills() {
  const skill = (name, description, more = "", body = "# Steps\n\nDo it.\n") =>
    write(join(skills, name, "SKILL.md"), `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n${body}`);
  skill("pdf-forms", "Fills in PDF forms and extracts their fields. Use when a user has a form to complete.", "tags: [pdf, office]\n",
    "# Fill a form\n\n1. Read [the guide](references/guide.md).\n2. Run `scripts/fill.py`.\n\n| field | value |\n|---|---|\n| a | b |\n");
  write(join(skills, "pdf-forms/references/guide.md"), "# The guide\n\nEvery field has a name.\n");
  write(join(skills, "pdf-forms/scripts/fill.py"), "print('filled')\n");
  write(join(skills, "pdf-forms/evals/evals.json"), JSON.stringify([
    { query: "complete the fields of this PDF form", should_trigger: true },
    { query: "scale a recipe for bread", should_trigger: false },
  ]));
  skill("form-helper", "Completes PDF forms for the user and checks every field.");
  skill("sql-review", "Reviews SQL queries for speed and safety.", "tags: [sql]\n");
  skill("bread", "Scales recipes for bread, with hydration and baking times.");
  skill("release-notes", "Writes release notes from commits. Use when a version is about to ship.");
  // One error and one warning, both with a fix.
  write(join(skills, "Bad_Name/SKILL.md"), "---\nname: Bad_Name\ndescription: Sorts photographs by the place: and the day.\n---\n\nSort them.\n");
  for (let at = 0; at < 150; at += 1) skill(`plain-${String(at).padStart(3, "0")}`, `Does the plain thing number ${at}.`);
}

/** Texts that would do harm where they were taken for markup. */
const HARM = [
  `<script>window.ran = "script"</script>`,
  `<img src=x onerror="window.ran = 'img'">`,
  `<svg onload="window.ran = 'svg'"><script>window.ran = 'svg script'</script></svg>`,
  `<style>* { display: none !important }</style>`,
  `<iframe srcdoc="<script>parent.ran = 'frame'</script>"></iframe>`,
  `"><b onmouseover=window.ran='quote'>'"\`\${window.ran = "template"}`,
  `</textarea></pre></title><base href="//elsewhere.example/">`,
];

/** Skills that somebody wrote to harm whoever looks at them. */
function writeHostile() {
  const skill = (folder, name, description, more, body) =>
    write(join(ill, folder, "SKILL.md"), `---\nname: ${JSON.stringify(name)}\ndescription: ${JSON.stringify(description)}\n${more}---\n\n${body}\n`);
  HARM.forEach((harm, at) => {
    skill(`harm-${at}`, harm, `Hostile words ${harm} for a request`, `tags: [${JSON.stringify(harm)}]\n${JSON.stringify(harm)}: ${JSON.stringify(harm)}\n`,
      `# ${harm}\n\n${harm}\n\n- [press](javascript:window.ran='link')\n- [data](data:text/html,${encodeURIComponent(HARM[0])})\n- ![picture](http://elsewhere.example/x.png)\n- <a href="javascript:window.ran='a'">here</a>\n\n\`\`\`html\n${harm}\n\`\`\``);
    write(join(ill, `harm-${at}/references/<img src=x onerror=window.ran=1>.md`), harm);
    write(join(ill, `harm-${at}/evals/evals.json`), JSON.stringify([{ query: `${harm} hostile words`, should_trigger: true }]));
  });
  skill("bidi", "\u202egnp.exe\u2066 bidi \u200b\u200d", `Turns \u202e around \u2069 hostile words \u{e0041}\u{e0042}`, "tags: [\"\u202etag\"]\n", "# \u202eheading\n\nlines \u202e backwards\n");
  skill("long-name", "n".repeat(2_000), `hostile ${"w".repeat(20_000)}`, "", "x".repeat(1_000_000));
  skill("long-line", "long-line", `hostile words ${"word ".repeat(200)}`, "", `\`\`\`\n${"y".repeat(1_000_000)}\n\`\`\`\n\n${"[".repeat(20_000)}\n\n${"> ".repeat(3_000)}deep`);
  write(join(ill, "broken/SKILL.md"), `---\nname: [${HARM[0]}\ndescription: {${HARM[1]}\n---\n`);
}

/** One `prowess ui` over a folder. */
async function open(folder, ...flags) {
  return openFrom(home, folder, ...flags);
}

/** The same, started in another folder. */
async function openFrom(cwd, folder, ...flags) {
  const child = spawn(prowess, ["ui", "--no-open", "--local", "--no-project", "--dir", folder, ...flags],
    { cwd, env: { PATH: process.env.PATH, HOME: join(home, "user") }, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (it) => { said += it; });
  process.once("exit", () => child.kill());
  const address = await new Promise((found, fail) => {
    createInterface({ input: child.stdout }).once("line", found);
    child.once("exit", (code) => fail(new Error(`prowess ui ended with ${code}: ${said}`)));
  });
  const url = new URL(address);
  return { address, origin: url.origin, port: url.port, end: () => child.kill("SIGINT"), said: () => said };
}

/** A tab whose every error, request and violation is noted. */
async function tab(context, origin) {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  /** @type {string[]} */
  const faults = [];
  page.on("console", (it) => { if (["error", "warning"].includes(it.type())) faults.push(`console: ${it.text()}`); });
  page.on("pageerror", (it) => faults.push(`error: ${it.message}`));
  page.on("dialog", (it) => { faults.push(`dialog: ${it.message()}`); it.dismiss(); });
  page.on("request", (it) => { if (!it.url().startsWith(`${origin}/`)) faults.push(`asked for ${it.url().slice(0, 200)}`); });
  page.on("response", (it) => { if (it.status() >= 400) faults.push(`${it.status()} for ${it.url()}`); });
  await page.addInitScript(() => addEventListener("securitypolicyviolation", (it) => console.error(`violates ${it.violatedDirective}: ${it.sample}`)));
  await page.addInitScript(axe.source);
  return Object.assign(page, { faults });
}

/** No fault was noted, nothing of a skill ran, and the page is no wider than its window. */
async function calm(page, what) {
  assert.deepEqual(page.faults, [], what);
  assert.equal(await page.evaluate(() => /** @type {any} */ (window).ran), undefined, `${what}: a skill's text ran`);
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= room, `${what}: ${wide} pixels wide in ${room}`);
}

/** What axe finds by the rules of WCAG 2.2 AA, and its best practices. */
async function accessible(page, what) {
  const found = await page.evaluate(() => /** @type {any} */ (window).axe.run(document, { preload: false, resultTypes: ["violations"] }));
  const told = found.violations.map((it) => `${it.id}: ${it.help}\n    ${it.nodes.slice(0, 3).map((node) => `${node.target} ${node.any?.[0]?.message ?? ""}`).join("\n    ")}`);
  assert.deepEqual(told, [], `axe, ${what}`);
}

/** A picture of a view, once for each width and theme. */
async function picture(page, name) {
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    await page.emulateMedia({ colorScheme });
    for (const width of [360, 1280, 2560]) {
      await page.setViewportSize({ width, height: width === 360 ? 740 : 900 });
      await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`) });
      await calm(page, `${name} at ${width}`);
      if (width !== 2560) await accessible(page, `${name} at ${width}, ${colorScheme}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 900 });
}

/** Waits until a text stands on the page; gives the time it took. */
async function seen(page, text) {
  const began = Date.now();
  await page.getByText(text).filter({ visible: true }).first().waitFor();
  return Date.now() - began;
}

/** One HTTP request with any headers. */
const plain = (port, path, options = {}) => new Promise((done, fail) => {
  const { method = "GET", headers = {}, body = "" } = options;
  const sent = request({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
    let text = "";
    answer.on("data", (it) => { text += it; }).on("end", () => done({ status: answer.statusCode, text }));
  });
  sent.on("error", fail).end(body);
});

const steps = {
  async "nothing answers without the token"({ port }) {
    for (const [path, method] of [["/", "GET"], ["/?token=guess", "GET"], ["/main.js", "GET"], ["/api/events", "GET"], ["/api/list", "POST"], ["/nothing", "GET"]]) {
      const { status, text } = await plain(port, path, { method, headers: { "content-type": "application/json" }, body: method === "POST" ? "{}" : "" });
      assert.equal(status, 401, `${method} ${path}`);
      assert.ok(!text.includes("pdf-forms"), path);
    }
  },

  async "the address works once"({ page, address, browser }) {
    await page.goto(address);
    await seen(page, "pdf-forms");
    assert.ok(!page.url().includes("token"), "the token stays in the address");
    const other = await browser.newContext();
    const again = await other.newPage();
    assert.equal((await again.goto(address)).status(), 401);
    assert.match(await again.textContent("body"), /works once/);
    await other.close();
  },

  async "another site can neither read nor write"({ browser, page, context, origin, port }) {
    const cookie = (await context.cookies()).map((it) => `${it.name}=${it.value}`).join("; ");
    const json = { "content-type": "application/json", cookie };
    const right = await plain(port, "/api/about", { method: "POST", headers: { ...json, host: `127.0.0.1:${port}` }, body: "{}" });
    assert.equal(right.status, 200);
    // A name that leads here (rebinding), an origin that is not ours, and a form's kinds of body.
    for (const wrong of [{ host: `evil.example:${port}` }, { origin: "http://evil.example" }, { origin: "null" }, { origin: `http://127.0.0.1:${Number(port) + 1}` }, { "sec-fetch-site": "same-site" }]) {
      for (const [path, method] of [["/api/about", "POST"], ["/api/events", "GET"], ["/", "GET"]]) {
        const { status } = await plain(port, path, { method, headers: { ...json, host: `127.0.0.1:${port}`, ...wrong }, body: method === "POST" ? "{}" : "" });
        assert.equal(status, 403, `${path} ${JSON.stringify(wrong)}`);
      }
    }
    for (const kind of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const { status } = await plain(port, "/api/about", { method: "POST", headers: { cookie, "content-type": kind }, body: "{}" });
      assert.equal(status, 415, kind);
    }
    // The same by a browser that has the cookie, from a page on another port.
    const site = createServer((_, answer) => answer.setHeader("content-type", "text/html").end("<title>other</title>")).listen(0, "127.0.0.1");
    await new Promise((ready) => site.once("listening", ready));
    const foreign = await context.newPage();
    await foreign.goto(`http://127.0.0.1:${site.address().port}/`);
    const got = await foreign.evaluate(async (ours) => {
      const tried = {};
      for (const mode of ["cors", "no-cors"]) {
        tried[mode] = await fetch(`${ours}/api/list`, { method: "POST", mode, credentials: "include", body: "{}" }).then((it) => it.text(), () => "refused");
      }
      tried.events = await new Promise((done) => {
        const events = new EventSource(`${ours}/api/events`, { withCredentials: true });
        events.onmessage = () => done("read");
        events.onerror = () => { events.close(); done("refused"); };
      });
      tried.socket = await new Promise((done) => {
        const socket = new WebSocket(`${ours.replace("http", "ws")}/api/events`);
        socket.onopen = () => done("open");
        socket.onerror = () => done("refused");
      });
      tried.frame = await new Promise((done) => {
        const frame = document.createElement("iframe");
        frame.src = ours;
        frame.onload = () => { try { done(frame.contentDocument ? "read" : "refused"); } catch { done("refused"); } };
        document.body.append(frame);
      });
      tried.script = await new Promise((done) => {
        const script = document.createElement("script");
        script.onload = () => done("ran");
        script.onerror = () => done("refused");
        script.src = `${ours}/main.js`;
        document.head.append(script);
      });
      return tried;
    }, origin);
    assert.deepEqual(got, { cors: "refused", "no-cors": "refused", events: "refused", socket: "refused", frame: "refused", script: "refused" });
    await foreign.close();
    site.close();
    await calm(page, "after another site tried");
  },

  async "catalog: every skill, filtered, narrowed down, sorted"({ page }) {
    await seen(page, "156 skills");
    await page.getByLabel("Filter", { exact: true }).fill("forms pdf");
    await seen(page, "2 of 156 skills");
    assert.deepEqual(await page.locator(".space .name").allTextContents(), ["form-helper", "pdf-forms"]);
    await page.getByRole("button", { name: "Skill" }).click();
    assert.deepEqual(await page.locator(".space .name").allTextContents(), ["pdf-forms", "form-helper"]);
    assert.match(page.url(), /q=forms/);
    await page.reload();
    await seen(page, "2 of 156 skills");
    await page.getByLabel("Filter", { exact: true }).fill("no such thing");
    await seen(page, "No skill fits.");
    await page.getByLabel("Filter", { exact: true }).fill("");
    await page.getByLabel("errors").check();
    await seen(page, "1 of 156 skills");
    await page.getByLabel("errors").uncheck();
    await page.getByLabel("as seen by").selectOption({ index: 1 });
    await seen(page, /\d+ skills?/);
    await page.getByLabel("as seen by").selectOption("");
    // A long list is drawn where it is looked at.
    await seen(page, "156 skills");
    assert.ok((await page.locator(".space .row").count()) < 60, "every row is drawn");
    await page.locator(".rows").evaluate((it) => { it.scrollTop = it.scrollHeight; });
    await seen(page, "sql-review");
    await page.locator(".rows").evaluate((it) => { it.scrollTop = 0; });
    await picture(page, "catalog");
  },

  async "catalog and skill count the same findings"({ page }) {
    await page.getByLabel("Filter", { exact: true }).fill("photographs");
    const row = page.locator(".space .row");
    await row.locator(".c-findings .badge").first().waitFor();
    const listed = await row.locator(".c-findings .badge").allTextContents();
    await row.getByRole("link").click();
    await page.locator(".findings .badge").first().waitFor();
    const words = await page.locator(".findings .badge").allTextContents();
    const counted = ["error", "warning"].map((kind) => [words.filter((it) => it === kind).length, kind]).filter(([number]) => number > 0);
    assert.deepEqual(listed, counted.map(([number, kind]) => `${number} ${kind}${number === 1 ? "" : "s"}`));
  },

  async "skill: its text, files, findings, and a fix that is written"({ page, origin }) {
    await page.goto(`${origin}/#/`);
    await page.getByLabel("Filter", { exact: true }).fill("pdf-forms");
    await page.getByRole("link", { name: "pdf-forms", exact: true }).click();
    await page.getByRole("heading", { name: "pdf-forms", level: 1 }).waitFor();
    await page.getByRole("heading", { name: "Fill a form" }).waitFor();
    await page.locator(".findings").getByText("hint").first().waitFor();
    await page.getByRole("button", { name: "Raw" }).click();
    await seen(page, "name: pdf-forms");
    await page.getByRole("button", { name: "references/guide.md" }).click();
    await seen(page, "Every field has a name.");
    await picture(page, "skill");
    await page.goto(`${origin}/#/?q=photographs`);
    await page.locator(".space .row").getByRole("link").click();
    const file = join(skills, "Bad_Name/SKILL.md");
    const before = readFileSync(file, "utf8");
    await page.getByRole("button", { name: /^Fix: / }).first().click();
    await page.getByRole("group", { name: "Changes" }).waitFor();
    assert.equal(readFileSync(file, "utf8"), before, "a look at a fix writes nothing");
    await picture(page, "fix");
    await page.getByRole("button", { name: "Write the file" }).click();
    await seen(page, "the file is written");
    assert.notEqual(readFileSync(file, "utf8"), before, "a fix writes the file");
    writeFileSync(file, before);
    await calm(page, "after a fix");
  },

  async "try: ranked while typing, explained, decided, and kept in the address"({ page, origin }) {
    await page.goto(`${origin}/#/try`);
    await page.getByLabel("Request").pressSequentially("complete the fields of this PDF form");
    await page.locator(".answer").first().waitFor();
    await seen(page, /Confident|Ambiguous/);
    assert.ok((await page.locator(".answer .name").allTextContents()).slice(0, 2).includes("pdf-forms"));
    await page.getByText("What each word added").first().click();
    await page.getByRole("columnheader", { name: "skills with it" }).first().waitFor();
    await page.getByLabel("Confident from").fill("0.99");
    await seen(page, "Ambiguous");
    await page.getByLabel("Confident from").fill("0.5");
    await seen(page, "Confident \u2013");
    // What is not relevant is not taken either.
    await page.getByLabel("Relevant from").fill("0.99");
    await seen(page, "nothing fits well enough");
    assert.equal(await page.getByLabel("Confident from").inputValue(), "0.99");
    await page.getByLabel("Relevant from").fill("0.1");
    await page.getByLabel("A skill you expected").fill("bread");
    await seen(page, "Step:");
    const address = page.url();
    await picture(page, "try");
    await page.goto("about:blank");
    await page.goto(address);
    await page.locator(".answer").first().waitFor();
    assert.equal(await page.getByLabel("Request").inputValue(), "complete the fields of this PDF form");
    assert.equal(await page.getByLabel("A skill you expected").inputValue(), "bread");
    await seen(page, "Step:");
  },

  async "tune: requests move while a description is typed, and saving writes the file"({ page, origin }) {
    const file = join(skills, "pdf-forms/SKILL.md");
    const before = readFileSync(file, "utf8");
    await page.goto(`${origin}/#/tune`);
    await page.getByLabel("Skill", { exact: true }).fill("pdf-forms");
    await page.getByRole("button", { name: "Tune it" }).click();
    const field = page.getByRole("textbox", { name: "Description" });
    await seen(page, "2 of 2 requests answered as they should be.");
    assert.match(await field.inputValue(), /^Fills in PDF forms/);
    const save = page.getByRole("button", { name: "Save" });
    assert.ok(await save.isDisabled(), "there is nothing to save");
    await field.fill("");
    await field.pressSequentially("Scales recipes for bread.");
    await seen(page, "broken by this");
    await seen(page, /[01] of 2 requests answered as they should be, 2 with the file as it is/);
    await page.getByLabel("Another request").fill("bake a loaf of rye");
    await page.getByRole("button", { name: "Add" }).click();
    await seen(page, "bake a loaf of rye");
    await field.fill("Fills in PDF forms: every field. Use when a user has rye loaf to bake.");
    await seen(page, "fixed by this");
    await page.getByText("How the file would differ").click();
    await page.getByRole("group", { name: "Changes" }).waitFor();
    assert.equal(readFileSync(file, "utf8"), before, "typing writes nothing");
    await picture(page, "tune");
    // The draft is in the address.
    const address = page.url();
    await page.goto("about:blank");
    await page.goto(address);
    await seen(page, "fixed by this");
    // Somebody else changes the file: nothing is overwritten unseen.
    const other = before.replace("Fills in", "Completes");
    writeFileSync(file, other);
    await seen(page, "The file changed meanwhile.");
    assert.ok(await save.isDisabled(), "a file that changed is not overwritten");
    await page.getByRole("button", { name: "Keep mine" }).click();
    await save.click();
    await seen(page, "The file is written");
    assert.equal(readFileSync(file, "utf8"), other.replace(/^description: .*$/m, 'description: "Fills in PDF forms: every field. Use when a user has rye loaf to bake."'));
    await save.and(page.locator(":disabled")).waitFor();
    // What is written elsewhere is followed while nothing is typed here.
    writeFileSync(file, before);
    await page.waitForFunction(() => /** @type {any} */ (document.getElementById("description")).value.startsWith("Fills in PDF forms and"));
    await calm(page, "after a description was saved");
  },

  async "budget: the window shrinks, and what is left out is named"({ page, origin }) {
    await page.goto(`${origin}/#/budget?size=8000`);
    await seen(page, /156 skills take/);
    await page.getByRole("slider", { name: "Window" }).fill("2");
    await seen(page, "left out is found with");
    await page.getByText(/\d+ left out$/).first().click();
    await page.getByRole("slider", { name: "Window" }).fill("80");
    await seen(page, "156 whole");
    await page.getByLabel("counted in").selectOption("tokens");
    await seen(page, /of [\d\s]+ tokens/);
    await page.getByRole("slider", { name: "Window" }).fill("15");
    await page.getByLabel("Task").fill("scale a recipe for bread");
    await seen(page, /by the client.s own rules/i);
    await picture(page, "budget");
  },

  async "rivals: a map of those that compete, and two side by side"({ page, origin }) {
    await page.goto(`${origin}/#/rivals`);
    await page.getByRole("button", { name: "form-helper and pdf-forms" }).click();
    await page.getByRole("heading", { name: "Side by side" }).waitFor();
    assert.ok((await page.locator("mark").allTextContents()).some((it) => /form/i.test(it)), "shared words are marked");
    assert.ok((await page.locator(".map text").allTextContents()).includes("pdf-forms"));
    const address = page.url();
    await picture(page, "rivals");
    await page.goto("about:blank");
    await page.goto(address);
    await page.getByRole("heading", { name: "Side by side" }).waitFor();
    await page.getByRole("link", { name: "Ask for it by its own words" }).first().click();
    await page.locator(".answer").first().waitFor();
  },

  async "evaluate: the figures of the requests beside the skills, and what moved"({ page, origin }) {
    await page.goto(`${origin}/#/evaluate`);
    await seen(page, "hit@1");
    await seen(page, "Every request is answered as it should be.");
    const file = join(skills, "pdf-forms/evals/evals.json");
    const before = readFileSync(file, "utf8");
    // The request is right for another skill, so the page must say that it went wrong.
    writeFileSync(file, JSON.stringify([{ query: "scale a recipe for bread", should_trigger: true }]));
    await page.reload();
    await page.getByRole("heading", { name: "What went wrong" }).waitFor();
    await seen(page, "missed");
    await page.getByLabel("Git revision").fill("no-such-revision");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("alert").filter({ hasText: /git|repository/ }).waitFor();
    page.faults.splice(0, page.faults.length, ...page.faults.filter((it) => !it.includes("422")));
    await picture(page, "evaluate");
    writeFileSync(file, before);
  },

  async "evaluate: what moved since a commit"({ browser }) {
    const repository = join(home, "repository");
    rmSync(repository, { recursive: true, force: true });
    const put = (name, description) => write(join(repository, "skills", name, "SKILL.md"), `---\nname: ${name}\ndescription: ${description}\n---\n\nDo it.\n`);
    put("pdf-forms", "Fills in PDF forms and extracts their fields.");
    put("bread", "Scales recipes for bread.");
    write(join(repository, "skills/pdf-forms/evals/evals.json"), JSON.stringify([{ query: "water the plants", should_trigger: true }]));
    const git = (...words) => execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...words], { cwd: repository, stdio: "pipe", env: { PATH: process.env.PATH, HOME: join(home, "user") } });
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "--message", "first");
    put("pdf-forms", "Waters plants.");
    put("tea", "Brews tea.");
    const server = await openFrom(repository, "skills", "--trust");
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await tab(context, server.origin);
    await page.goto(server.address);
    await seen(page, "3 skills");
    await page.goto(`${server.origin}/#/evaluate`);
    await page.getByLabel("Git revision").fill("HEAD");
    await page.getByRole("button", { name: "Compare" }).click();
    await seen(page, /1 request: .*1 gained/);
    const row = page.getByRole("group", { name: "What moved" }).getByRole("row").nth(1);
    assert.match(await row.innerText(), /gained[^]*pdf-forms[^]*\u2192 1[^]*water the plants/);
    await seen(page, "Only now: tea");
    assert.match(page.url(), /since=HEAD/);
    await picture(page, "evaluate-drift");
    await context.close();
    server.end();
  },

  async "the page follows the disk within a second"({ page, origin }) {
    const file = join(skills, "bread/SKILL.md");
    const before = readFileSync(file, "utf8");
    await page.goto(`${origin}/#/?q=bread`);
    await seen(page, "Scales recipes for bread");
    const took = [];
    const change = async (text, shown) => {
      writeFileSync(file, text);
      took.push(await seen(page, shown));
    };
    await change(before.replace("Scales recipes", "Doubles recipes"), "Doubles recipes for bread");
    await page.getByRole("link", { name: "bread" }).click();
    await seen(page, "Do it.");
    await change(before.replace("Do it.", "Knead it well."), "Knead it well.");
    await page.goto(`${origin}/#/try?q=knead%20sourdough`);
    await seen(page, "Request");
    await change(before.replace("Scales recipes", "Kneads sourdough, scales recipes"), "bread");
    writeFileSync(file, before);
    write(join(skills, "brand-new/SKILL.md"), "---\nname: brand-new\ndescription: Came while somebody looked.\n---\n\nHello.\n");
    await page.goto(`${origin}/#/`);
    took.push(await seen(page, "157 skills"));
    rmSync(join(skills, "brand-new"), { recursive: true });
    took.push(await seen(page, "156 skills"));
    console.log(`    seen after ${took.join(", ")} ms`);
    // One look may fall into a pause of a busy machine.
    assert.ok(took.sort((a, b) => a - b)[2] <= AT_ONCE, "the page is slow to follow");
    await calm(page, "after changes");
  },

  async "by keyboard alone"({ page, origin }) {
    await page.goto("about:blank");
    await page.goto(origin);
    await seen(page, "156 skills");
    const key = (...keys) => keys.reduce((before, it) => before.then(() => page.keyboard.press(it)), Promise.resolve());
    const focus = () => page.evaluate(() => document.activeElement?.textContent || document.activeElement?.id);
    await key("Tab");
    assert.equal(await focus(), "Skip to content");
    await key("?");
    await page.getByRole("dialog").waitFor();
    await accessible(page, "the keys");
    await key("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await key("/");
    await page.keyboard.type("forms pdf");
    await key("ArrowDown");
    assert.equal(await focus(), "form-helper");
    await key("j");
    assert.equal(await focus(), "pdf-forms");
    await key("Enter");
    await page.getByRole("heading", { name: "pdf-forms", level: 1 }).waitFor();
    // From there to the question why it does not fire.
    for (let at = 0; at < 40 && (await focus()) !== "Why does it fire, or not?"; at += 1) await key("Tab");
    await key("Enter");
    await page.getByRole("heading", { name: "Try a request" }).waitFor();
    await page.keyboard.type("scale a recipe");
    await seen(page, "Step:");
    await key("Escape", "1");
    await page.getByLabel("Filter", { exact: true }).waitFor();
    for (const [at, heading] of [["2", "Try a request"], ["3", "Tune a description"], ["4", "Budget"], ["5", "Rivals"], ["6", "Evaluate"]]) {
      await key(at);
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      await key("Escape");
    }
    await calm(page, "after keys");
  },

  async "a page that only reads writes nothing"({ browser }) {
    const only = await open(skills, "--read-only");
    const context = await browser.newContext();
    const page = await tab(context, only.origin);
    await page.goto(only.address);
    await page.getByLabel("Filter", { exact: true }).fill("photographs");
    await page.locator(".space .row").getByRole("link").click();
    const file = join(skills, "Bad_Name/SKILL.md");
    const before = readFileSync(file, "utf8");
    await page.getByRole("button", { name: /^Fix: / }).first().click();
    await seen(page, "This page only reads");
    assert.equal(await page.getByRole("button", { name: "Write the file" }).count(), 0);
    await calm(page, "a page that only reads");
    const path = new URL(page.url()).hash.match(/path=([^&]*)/)[1];
    for (const [name, what] of WRITES) {
      const status = await page.evaluate(([name, what]) => fetch(`api/${name}`, { method: "POST", headers: { "content-type": "application/json" }, body: what }).then((it) => it.status),
        [name, JSON.stringify({ path: decodeURIComponent(path), ...what })]);
      assert.equal(status, 403, name);
    }
    assert.equal(readFileSync(file, "utf8"), before);
    await context.close();
    only.end();
  },

  async "an export shows the same without the program, by a web server and from a folder"({ browser }) {
    for (const [folder, number] of [[skills, 156], [ill, 11]]) {
      const site = join(home, "site");
      rmSync(site, { recursive: true, force: true });
      execFileSync(prowess, ["ui", "--export", site, "--local", "--no-project", "--dir", folder], { cwd: home, env: { PATH: process.env.PATH, HOME: join(home, "user") }, stdio: "pipe" });
      const kinds = { html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml" };
      const server = createServer((asked, answer) => {
        try {
          const name = asked.url === "/" ? "/index.html" : asked.url;
          answer.setHeader("content-type", kinds[name.split(".").pop()]).end(readFileSync(join(site, name)));
        } catch { answer.writeHead(404).end(); }
      }).listen(0, "127.0.0.1");
      await new Promise((ready) => server.once("listening", ready));
      for (const place of [`http://127.0.0.1:${server.address().port}`, `file://${site}`]) {
        const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
        const page = await tab(context, place);
        await page.goto(`${place}/${place.startsWith("file") ? "index.html" : ""}`);
        await seen(page, `${number} skills`);
        await seen(page, /^exported 20\d\d-.*UTC/);
        assert.deepEqual(await page.locator("#views a").allTextContents(), ["Catalog", "Rivals", "Evaluate"]);
        const links = (await page.locator(".space .row a").evaluateAll((all) => all.map((it) => it.getAttribute("href")))).slice(0, 12);
        for (const link of links) {
          await page.evaluate((hash) => { location.hash = hash; }, link);
          await page.getByRole("heading", { name: "Facts" }).waitFor();
          await calm(page, `${place} ${link}`);
          await page.evaluate(() => { location.hash = "#/"; });
          await page.getByLabel("Filter", { exact: true }).waitFor();
        }
        await page.getByLabel("Filter", { exact: true }).fill(number === 156 ? "forms pdf" : "long-line");
        await seen(page, / of \d+ skills/);
        await page.getByRole("link", { name: "Rivals" }).click();
        await page.locator(".pairs button").first().click();
        await page.getByRole("heading", { name: "Side by side" }).waitFor();
        await picture(page, `export-rivals-${number}`);
        await page.getByRole("link", { name: "Evaluate" }).click();
        await seen(page, "hit@1");
        await picture(page, `export-evaluate-${number}`);
        await context.close();
      }
      server.close();
    }
  },

  async "hostile skills are shown and do nothing"({ browser }) {
    const server = await open(ill);
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await tab(context, server.origin);
    await page.goto(server.address);
    await seen(page, "11 skills");
    await page.getByLabel("Filter", { exact: true }).fill("<");
    await seen(page, /of 11 skills/);
    await page.getByLabel("Filter", { exact: true }).fill("");
    await picture(page, "hostile-catalog");
    const links = await page.locator(".space .row a").evaluateAll((all) => all.map((it) => it.getAttribute("href")));
    assert.equal(links.length, 11);
    for (const [at, link] of links.entries()) {
      for (const raw of ["", "&raw="]) {
        await page.goto(`${server.origin}/${link}${raw}`);
        await page.getByRole("heading", { level: 1 }).filter({ hasNotText: /^Skill$/ }).waitFor();
        await page.getByRole("heading", { name: "Facts" }).waitFor();
        await page.setViewportSize({ width: 360, height: 740 });
        await calm(page, `hostile skill ${link} at 360`);
        await page.setViewportSize({ width: 1280, height: 900 });
        await calm(page, `hostile skill ${link}`);
      }
      // What can be pressed is pressed.
      for (const button of await page.locator("main button").all()) if (await button.isVisible()) await button.click();
      for (const summary of await page.locator("main summary").all()) await summary.click();
      for (const it of await page.locator(".markdown .link, .markdown .image, .markdown .html").all()) await it.click({ timeout: 500 }).catch(() => {});
      await accessible(page, `hostile skill ${link}`);
      await calm(page, `hostile skill ${link}, pressed`);
      if (at === 0) await picture(page, "hostile-skill");
    }
    for (const [at, link] of links.entries()) {
      await page.goto(`${server.origin}/${link.replace("#/skill", "#/tune")}&yes=${encodeURIComponent(HARM[at % HARM.length])}`);
      await page.getByText(/answered as they should|not ranked/).first().waitFor();
      page.faults.splice(0, page.faults.length, ...page.faults.filter((it) => !it.includes("422")));
      if (await page.locator("main ol.answers").count()) {
        await page.getByRole("textbox", { name: "Description" }).fill(`${HARM[at % HARM.length]} \u202e ${"w".repeat(3_000)}`);
        await page.getByText("How the file would differ").click();
        await page.getByRole("group", { name: "Changes" }).waitFor();
        await page.setViewportSize({ width: 360, height: 740 });
      }
      await calm(page, `hostile description ${link}`);
      if (at === 0) await picture(page, "hostile-tune");
      await page.setViewportSize({ width: 1280, height: 900 });
    }
    for (const query of [...HARM, "hostile words", "\u202e hostile", "x".repeat(5_000)]) {
      await page.goto(`${server.origin}/#/try?q=${encodeURIComponent(query)}`);
      await page.locator(".answers > li").first().waitFor();
      await page.getByLabel("A skill you expected").fill(HARM[0]);
      await seen(page, /Step:|does not answer/);
      await calm(page, `hostile request ${query.slice(0, 40)}`);
    }
    for (const summary of await page.locator("main summary").all()) await summary.click();
    await page.goto(`${server.origin}/#/try?q=hostile%20words`);
    await page.locator(".answer").first().waitFor();
    await picture(page, "hostile-try");
    for (const view of ["budget?size=300", "rivals", "evaluate?since=--help"]) {
      await page.goto(`${server.origin}/#/${view}`);
      await page.getByText(/Window|among|hit@1/).first().waitFor();
      await page.waitForTimeout(300);
      for (const it of await page.locator("main summary, main .pairs button").all()) await it.click();
      page.faults.splice(0, page.faults.length, ...page.faults.filter((it) => !it.includes("422")));
      await picture(page, `hostile-${view.split("?")[0]}`);
    }
    // The address is somebody's text too.
    for (const hash of ["#/skill?path=<script>window.ran=1</script>", "#/nothing?<b>", "#javascript:window.ran=1"]) {
      await page.goto(`${server.origin}/${hash}`);
      await page.getByRole("heading", { level: 1 }).waitFor({ state: "attached" });
      page.faults.splice(0, page.faults.length, ...page.faults.filter((it) => !it.includes("404")));
      await calm(page, hash);
    }
    await context.close();
    server.end();
  },
};

/** Questions that change a file, each with what it needs beside the path. */
const WRITES = [["fix", { write: true }], ["save", { description: "Other words.", hash: "0".repeat(64) }]];

/** Pictures for the documentation, small: each view in both themes, two of them at each width. */
async function drawPictures(browser, from, to) {
  const gallery = join(home, "gallery");
  rmSync(gallery, { recursive: true, force: true });
  cpSync(from, join(gallery, ".agents/skills"), { recursive: true });
  mkdirSync(to, { recursive: true });
  const asked = { "pdf-forms": ["fill in this PDF form", "complete the fields of this application"], "csv-cleaning": ["clean up this table of addresses", "the columns of this CSV are mixed up"], "git-bisect": ["which commit broke the build"], "sql-review": ["is this query safe to run"], "plain-writing": ["make this letter easier to read"] };
  for (const [name, queries] of Object.entries(asked)) write(join(gallery, ".agents/skills", name, "evals/evals.json"), JSON.stringify(queries.map((query) => ({ query, should_trigger: true }))));
  // Started beside the skills, so that no path of this machine is shown.
  const server = await openFrom(gallery, ".agents/skills");
  const context = await browser.newContext();
  const page = await tab(context, server.origin);
  await page.goto(server.address);
  await page.locator(".space .row").first().waitFor();
  const press = await context.newPage();
  /** The same picture as WebP, which a browser can write. */
  const webp = (png, scale) => press.evaluate(async ([png, scale]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width * scale, image.height * scale];
    const pen = canvas.getContext("2d");
    pen.imageSmoothingQuality = "high";
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/webp", 0.75).split(",")[1];
  }, [png.toString("base64"), scale]);
  const request = encodeURIComponent("fill in this PDF form");
  const views = {
    catalog: ["", ".space .row"],
    skill: ["skill?path=.agents/skills/pdf-forms/SKILL.md", "text=What each client does"],
    try: [`try?q=${request}&skill=.agents/skills/contract-summary/SKILL.md`, ".answer"],
    tune: [`tune?path=.agents/skills/pdf-forms/SKILL.md&yes=${encodeURIComponent("complete this application form")}&no=${encodeURIComponent("clean a CSV table")}`, ".answer"],
    budget: ["budget?size=1200", ".client-share"],
    rivals: ["rivals", "main .card, main .banner"],
    evaluate: ["evaluate", ".tile, main .card"],
  };
  for (const [name, [hash, ready]] of Object.entries(views)) {
    await page.goto("about:blank");
    await page.goto(`${server.origin}/#/${hash}`);
    await page.locator(ready).first().waitFor();
    await page.waitForTimeout(800);
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      await page.emulateMedia({ colorScheme });
      for (const width of name === "catalog" || name === "try" ? [360, 1280, 2560] : [1280]) {
        await page.setViewportSize({ width, height: width === 360 ? 740 : width === 1280 ? 800 : 1300 });
        await page.waitForTimeout(200);
        await calm(page, `${name} at ${width}`);
        const text = await page.locator("body").innerText();
        assert.ok(!text.includes(home), `${name} shows a path of this machine`);
        writeFileSync(join(to, `${name}-${width}-${colorScheme}.webp`), Buffer.from(await webp(await page.screenshot({ path: join(pictures, `doc-${name}-${width}-${colorScheme}.png`) }), width === 2560 ? 0.5 : 1), "base64"));
      }
    }
  }
  await context.close();
  server.end();
}

/** A share of the values is at most this. */
const quantile = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.ceil(values.length * share) - 1)];

/** How fast the page is over many skills, and what the tab takes; 1 where a bound of the issue does not hold. */
async function measure(browser, folder) {
  const server = await open(folder);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await tab(context, server.origin);
  await page.goto(server.address);
  await page.locator(".space .row").first().waitFor();
  /** @type {number[]} */
  const drawn = [];
  for (let at = 0; at < 7; at += 1) {
    await page.goto("about:blank");
    await page.goto(`${server.origin}/#/`);
    await page.waitForFunction(() => performance.getEntriesByName("catalog drawn").length > 0);
    // From the first byte of the page to a frame that shows rows.
    drawn.push(await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now() - performance.getEntriesByType("navigation")[0].responseStart), 0)))));
  }
  await page.waitForTimeout(5000);
  await page.goto(`${server.origin}/#/try`);
  for (const query of ["fill in the fields of this form", "review my database migration", "why is the build so slow today", "write release notes for the new version"]) {
    await page.getByLabel("Request").fill("");
    await page.getByLabel("Request").pressSequentially(query, { delay: 60 });
    await page.waitForTimeout(300);
  }
  const keys = await page.evaluate(() => performance.getEntriesByName("keystroke to answers").map((it) => it.duration));
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const memory = processInfo.filter((it) => it.type === "renderer").map((it) => Number(readFileSync(`/proc/${it.id}/smaps_rollup`, "utf8").match(/^Pss:\s+(\d+)/m)[1]) / 1000);
  const heap = await (await context.newCDPSession(page)).send("Runtime.getHeapUsage");
  const rows = [
    ["catalog drawn, median, from the first byte of the page", quantile(drawn, 0.5), 150, "ms"],
    [`keystroke to answers, p95 of ${keys.length}`, quantile(keys, 0.95), 30, "ms"],
    ["memory of the tab (PSS)", Math.max(...memory), 150, "MB"],
  ];
  for (const [what, value, most, unit] of rows) console.log(`${what}: ${value.toFixed(1)} ${unit} (at most ${most} asked)`);
  console.log(`keystroke to answers, median: ${quantile(keys, 0.5).toFixed(1)} ms; script heap ${(heap.usedSize / 1e6).toFixed(1)} MB`);
  await context.close();
  server.end();
  return rows.every(([, value, most]) => value <= most) ? 0 : 1;
}

if (only?.startsWith("--")) {
  mkdirSync(join(home, "user"), { recursive: true });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  const code = only === "--speed" ? await measure(browser, rest[0]) : await drawPictures(browser, rest[0], rest[1]);
  await browser.close();
  process.exit(code ?? 0);
}

for (const folder of [skills, ill, pictures, join(home, "user")]) rmSync(folder, { recursive: true, force: true });
for (const folder of [pictures, join(home, "user")]) mkdirSync(folder, { recursive: true });
writeSkills();
writeHostile();
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const server = await open(skills);
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const page = await tab(context, server.origin);
let failed = 0;
// Whoever looks comes in by the address.
const chosen = Object.entries(steps).filter(([name]) => !only || name.includes(only) || name === "the address works once");
for (const [name, step] of chosen) {
  const began = Date.now();
  try {
    await step({ ...server, browser, context, page });
    console.log(`ok      ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}\n${error.stack}`);
    await page.screenshot({ path: join(pictures, `failed-${failed}.png`) });
    page.faults.length = 0;
  }
}
await browser.close();
server.end();
console.log(`${chosen.length} steps, ${failed} failed; pictures in ${pictures}`);
process.exit(failed > 0 ? 1 : 0);
