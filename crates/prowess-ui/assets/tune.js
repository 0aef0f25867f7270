// A description beside the requests it should answer and those it should not.
"use strict";

/** Requests of other skills that are kept in sight. */
const MOST_OTHERS = 20;
/** A longer draft is not kept in the address. */
const MOST_KEPT = 4000;

/** Whether a request leads to the skill. @param {any} it */
const fires = (it) => it.rank === 1 && it.decision !== "none";

/** @param {number | null} rank */
const rankWord = (rank) => (rank === null ? "no rank" : `rank ${rank}`);

/** One bar of confidence. @param {string} label @param {any} it @param {string} tone */
function sure(label, it, tone) {
  const part = el("span", { class: `part t-${tone}` });
  part.style.width = `${Math.round(it.confidence * 100)}%`;
  return el("div", { class: "sure" }, el("span", { class: "faint small", text: label }),
    el("div", { class: "bar-line", role: "img", "aria-label": `${label}: confidence ${percent(it.confidence)}` }, part),
    el("span", { class: "small number", text: `${rankWord(it.rank)}, ${percent(it.confidence)}` }));
}

/** @param {URLSearchParams} given */
function tuneView(given) {
  const state = new URLSearchParams(given);
  const path = state.get("path") ?? "";
  const node = el("div", { class: "view tune" }, el("h1", { text: "Tune a description" }));
  if (!catalog.skills.some((it) => it.path === path)) {
    const names = el("datalist", { id: "tune-names" }, catalog.skills.slice(0, 2000).map((it) => el("option", { value: visible(it.name) })));
    const name = el("input", { id: "tune-skill", list: "tune-names", placeholder: "name of a skill", autocomplete: "off", "data-search": "" });
    const go = () => {
      const found = skillCalled(name.value.trim());
      if (found) location.hash = `#/tune?path=${encodeURIComponent(found.path)}`;
      else toast(`No skill is called \u201c${visible(name.value).slice(0, 100)}\u201d`, "bad");
    };
    node.append(el("p", { class: "lead", text: "Change what a skill says about itself, and see at once which requests find it." }),
      el("form", { class: "ask", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); go(); } },
        el("label", { for: "tune-skill", text: "Skill" }), name, names, el("button", { type: "submit", class: "main", text: "Tune it" })));
    return { title: "Tune", node, focus: name };
  }

  const text = el("textarea", { id: "description", rows: "7", spellcheck: "true", "data-search": "" });
  const length = el("p", { class: "small faint", role: "status" });
  const beside = el("div", { "aria-live": "polite" });
  const rows = el("div");
  const summary = el("p", { class: "lead", role: "status", text: "Asking\u2026" });
  const save = el("button", { type: "button", class: "main", disabled: true, onclick: () => write() }, "Save");
  const reset = el("button", { type: "button", disabled: true, onclick: () => { text.value = told.description; changed(); } }, "As in the file");
  /** What the engine said last, and the file that was seen when the text was begun. @type {any} */
  let told = null;
  /** @type {string | null} */
  let seen = null;
  /** @type {Array<{query: string, wanted: boolean, of: string | null}>} */
  let requests = [];
  /** What somebody typed here, kept in the address. @type {(wanted: boolean) => string[]} */
  const typed = (wanted) => state.getAll(wanted ? "yes" : "no");

  /** The requests of the `evals` folders that are about this skill, or come near it. */
  const collect = async () => {
    const own = catalog.skills.find((it) => it.path === path)?.name;
    /** @type {typeof requests} */
    const found = [...typed(true).map((query) => ({ query, wanted: true, of: null })), ...typed(false).map((query) => ({ query, wanted: false, of: null }))];
    try {
      const others = [];
      for (const it of (await ask("eval")).outcomes) {
        const right = it.expected.skills?.flat() ?? [];
        if (right.includes(own)) found.push({ query: it.query, wanted: true, of: own });
        else if (it.expected.not?.includes(own)) found.push({ query: it.query, wanted: false, of: own });
        else if (it.found.includes(own)) others.push({ query: it.query, wanted: false, of: right[0] ?? null });
      }
      found.push(...others.slice(0, MOST_OTHERS));
    } catch (error) { toast(/** @type {Error} */ (error).message, "bad"); }
    const known = new Set();
    requests = found.filter((it) => !known.has(it.query) && known.add(it.query)).slice(0, 100);
  };

  const address = () => {
    const edited = told && text.value.trim() !== told.description.trim();
    if (edited && text.value.length <= MOST_KEPT) state.set("d", text.value); else state.delete("d");
    history.replaceState(null, "", `#/tune?${state}`);
  };

  let busy = false;
  let again = false;
  /** One question at a time: what was typed meanwhile is asked next. */
  const run = async () => {
    if (busy) { again = true; return; }
    busy = true;
    try {
      do {
        again = false;
        const began = performance.now();
        const answer = await ask("draft", { path, description: told === null && !state.has("d") ? null : text.value, requests: requests.map((it) => it.query) });
        if (told === null) {
          seen = answer.hash;
          if (!state.has("d")) text.value = answer.description;
        } else if (text.value.trim() === told.description.trim() && answer.description !== told.description) {
          // Nothing was typed here, so the page follows the file.
          text.value = answer.description;
          again = true;
        }
        if (answer.description.trim() === text.value.trim()) seen = answer.hash;
        told = answer;
        draw();
        performance.measure("keystroke to requests", { start: began });
      } while (again);
    } catch (error) { fill(beside, unanswered(error)); summary.textContent = ""; } finally { busy = false; }
  };
  const changed = () => { address(); run(); };

  const write = async () => {
    if (save.disabled) return;
    try {
      const done = await ask("save", { path, description: text.value, hash: seen });
      toast(done.written ? "The file is written" : "The file says so already", "good");
      if (done.written) seen = null;
      state.delete("d");
    } catch (error) {
      const { message, help } = /** @type {Unanswered} */ (error);
      toast(help ? `${message}; ${help}` : message, "bad");
    }
    run();
  };

  const draw = () => {
    const edited = text.value.trim() !== told.description.trim();
    // What was just written here comes back as the file.
    if (!edited) seen = told.hash;
    const conflict = edited && seen !== null && told.hash !== seen;
    const only = catalog.about.read_only;
    save.disabled = !edited || only || told.refused !== null || conflict || told.diff === "";
    reset.disabled = !edited;
    length.textContent = `${count(told.characters, "character")}, about ${count(told.tokens, "token")} in every list${told.characters > 1024 ? "; the standard allows 1\u202f024 characters" : ""}`;
    fill(beside,
      conflict ? el("div", { class: "card fault", role: "alert" }, el("p", { class: "strong", text: "The file changed meanwhile. It says now:" }), el("p", { text: visible(told.description).slice(0, 3000) }),
        el("p", { class: "actions" }, el("button", { type: "button", onclick: () => { seen = told.hash; draw(); } }, "Keep mine"), el("button", { type: "button", onclick: () => { text.value = told.description; seen = told.hash; changed(); } }, "Take the file\u2019s"))) : null,
      only && edited ? el("p", { class: "faint small", text: "This page only reads; start `prowess ui` without `--read-only` to save." }) : null,
      told.refused !== null ? el("p", { class: "banner warn", text: `It cannot be saved: ${visible(told.refused)}` }) : null,
      told.findings.map((/** @type {any} */ it) => el("p", { class: `banner ${it.severity === "error" ? "bad" : "warn"}` }, el("code", { text: it.code }), ` ${visible(it.message)}`, it.help ? `; ${visible(it.help)}` : "")),
      told.gone.length ? el("p", { class: "banner good" }, "No longer found: ", told.gone.map((/** @type {string} */ it) => [el("code", { text: it }), " "])) : null,
      told.diff && edited ? el("details", { open: beside.querySelector("details")?.open }, el("summary", { text: "How the file would differ" }), diff(told.diff)) : null);
    drawRows();
  };

  const drawRows = () => {
    const all = told.requests.map((/** @type {any} */ it, /** @type {number} */ at) => ({ ...it, ...requests[at] }));
    const right = (/** @type {any} */ it, /** @type {string} */ when) => fires(it[when]) === it.wanted;
    const counted = (/** @type {string} */ when) => all.filter((/** @type {any} */ it) => right(it, when)).length;
    summary.textContent = all.length === 0 ? "" : `${counted("after")} of ${count(all.length, "request")} answered as they should be${counted("before") === counted("after") ? "." : `, ${counted("before")} with the file as it is.`}`;
    const row = (/** @type {any} */ it) => {
      const tone = right(it, "after") ? "good" : "bad";
      const turned = right(it, "before") !== right(it, "after");
      const neighbours = it.after.first.filter((/** @type {any} */ other) => other.path !== path).slice(0, 3);
      return el("li", { class: "answer" },
        el("p", { class: "strong" }, badge(right(it, "after") ? "right" : "wrong", tone), turned ? [" ", badge(right(it, "after") ? "fixed by this" : "broken by this", tone)] : null, " ", requestLink(it.query)),
        sure("now", it.after, tone), told.diff ? sure("before", it.before, "dim") : null,
        neighbours.length ? el("p", { class: "small" }, el("span", { class: "faint", text: it.after.rank === 1 ? "before " : "beside " }), neighbours.map((/** @type {any} */ other, /** @type {number} */ at) => [at ? ", " : "", el("a", { href: skillLink(other.path), text: visible(other.name).slice(0, 60) }), ` ${percent(other.confidence)}`])) : null,
        it.of && !it.wanted && it.of !== told.name ? el("p", { class: "small faint", text: `A request for \u201c${visible(it.of).slice(0, 60)}\u201d.` }) : null,
        it.of === null ? el("button", { type: "button", class: "link small", onclick: () => forget(it.query) }, "Take it off") : null);
    };
    const part = (/** @type {boolean} */ wanted, /** @type {string} */ title, /** @type {string} */ empty) => {
      const some = all.filter((/** @type {any} */ it) => it.wanted === wanted);
      return section(title, some.length ? el("ol", { class: "answers" }, some.map(row)) : el("p", { class: "faint", text: empty }));
    };
    fill(rows, part(true, "It should answer", "No request yet: put `evals/evals.json` into its folder, or type one below."),
      part(false, "It should not answer", "None is known."));
  };

  const request = el("input", { id: "more", placeholder: "Another request", autocomplete: "off" });
  const kind = el("select", { id: "kind" }, el("option", { value: "yes", text: "it should answer" }), el("option", { value: "no", text: "it should not answer" }));
  const refresh = async () => { await collect(); run(); };
  const forget = (/** @type {string} */ query) => {
    for (const key of ["yes", "no"]) { const left = state.getAll(key).filter((it) => it !== query); state.delete(key); for (const it of left) state.append(key, it); }
    address();
    refresh();
  };
  const add = () => {
    if (!request.value.trim()) return;
    state.append(kind.value, request.value.trim());
    request.value = "";
    address();
    refresh();
  };

  text.value = state.get("d") ?? "";
  text.addEventListener("input", changed);
  text.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "s" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); write(); }
  });
  const title = catalog.skills.find((it) => it.path === path)?.name ?? "";
  fill(node, el("h1", null, "Tune ", el("a", { href: skillLink(path), text: visible(title) })), summary,
    el("div", { class: "two" },
      el("div", null, section("Description", el("label", { for: "description", class: "hidden", text: "Description" }), text, length, el("p", { class: "actions" }, save, reset), beside)),
      el("div", null, rows, section("Try one more",
        el("form", { class: "ask", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); add(); } },
          el("label", { for: "more", class: "hidden", text: "Another request" }), request, el("label", { for: "kind", class: "hidden", text: "Kind" }), kind, el("button", { type: "submit", text: "Add" }))))));
  refresh();
  return {
    title: "Tune",
    node,
    focus: text,
    changed: (/** @type {any} */ changes) => { if (changes?.event !== "findings") refresh(); },
  };
}
