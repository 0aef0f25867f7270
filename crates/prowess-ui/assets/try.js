// A request, and who answers it.
"use strict";

/** Where a word can stand, each with a colour of its own. */
const FIELD_WORDS = ["name", "description", "tags", "instructions", "order", "signals"];

/** Headings, prose and code are the instructions. @param {string} field */
const fieldWord = (field) => (FIELD_WORDS.includes(field) ? field : "instructions");

/** @param {any} explain @param {number} most */
function scoreBar(explain, most) {
  /** @type {Record<string, number>} */
  const sums = {};
  for (const word of explain.words) for (const it of word.fields) sums[fieldWord(it.field)] = (sums[fieldWord(it.field)] ?? 0) + it.added;
  if (explain.name > 0) sums.name = (sums.name ?? 0) + explain.name;
  if (explain.pairs > 0) sums.order = explain.pairs;
  sums.signals = explain.signals.reduce((/** @type {number} */ sum, /** @type {any} */ it) => sum + Math.max(0, it.added), 0);
  const parts = FIELD_WORDS.map((field) => /** @type {[string, number]} */ ([field, sums[field] ?? 0])).filter(([, added]) => added > 0);
  const bar = el("div", { class: "bar-line", role: "img", "aria-label": `score ${explain.score.toFixed(2)}: ${parts.map(([field, added]) => `${field} ${added.toFixed(2)}`).join(", ")}` });
  for (const [field, added] of parts) {
    const part = el("span", { class: `part f-${field}`, title: `${field} +${added.toFixed(2)}` });
    part.style.width = `${(100 * added) / most}%`;
    bar.append(part);
  }
  return bar;
}

/** What each word added, in one table. @param {any} explain */
function wordTable(explain) {
  return el("table", { class: "words" },
    el("thead", null, el("tr", null, ["word", "added", "where", "skills with it"].map((it) => el("th", { scope: "col", text: it })))),
    el("tbody", null,
      explain.words.slice(0, 30).map((/** @type {any} */ it) => el("tr", null,
        el("td", null, el("code", { text: visible(it.word) }), it.term !== it.word.toLowerCase() ? el("span", { class: "faint small", text: ` as ${visible(it.term)}` }) : null),
        el("td", { class: "number", text: `+${it.added.toFixed(2)}` }),
        el("td", null, it.fields.map((/** @type {any} */ f) => el("span", { class: `dot f-${fieldWord(f.field)}`, text: f.field, title: `+${f.added.toFixed(2)}` }))),
        el("td", { class: "number", text: thousands(it.skills) }))),
      explain.name > 0 ? el("tr", null, el("td", { text: "the name as a whole" }), el("td", { class: "number", text: `+${explain.name.toFixed(2)}` }), el("td"), el("td")) : null,
      explain.signals.map((/** @type {any} */ it) => el("tr", null, el("td", { text: String(it.signal).replaceAll(/[-_]/g, " ") }), el("td", { class: "number", text: `${it.added < 0 ? "" : "+"}${it.added.toFixed(2)}` }), el("td"), el("td"))),
      explain.pairs > 0 ? el("tr", null, el("td", { text: "words side by side" }), el("td", { class: "number", text: `+${explain.pairs.toFixed(2)}` }), el("td"), el("td")) : null));
}

/** Words of the request that a skill lacks. @param {any} explain */
function missing(explain) {
  const words = explain.missing.filter((/** @type {any} */ it) => it.share >= 0.02).slice(0, 8);
  return words.length === 0 ? null : el("p", { class: "small" }, "Not in its name, description or tags: ",
    words.map((/** @type {any} */ it) => [el("span", { class: "chip", title: `${percent(it.share)} of the request's weight`, text: `${visible(it.word)}${it.in_body ? " (only in the instructions)" : ""}` }), " "]).flat());
}

const DECISIONS = /** @type {Record<string, [string, string, string]>} */ ({
  confident: ["good", "Confident", "the first skill is taken without asking"],
  ambiguous: ["warn", "Ambiguous", "a menu is shown, or the model chooses"],
  none: ["dim", "None", "nothing fits well enough, so no skill is used"],
});

/** @param {URLSearchParams} given */
function tryView(given) {
  const about = catalog.about;
  const state = new URLSearchParams(given);
  const input = el("textarea", { id: "request", rows: "2", placeholder: "What would you ask an agent? e.g. fill in this PDF form", spellcheck: "false", "data-search": "" });
  input.value = state.get("q") ?? "";
  const decision = el("div", { class: "decision", role: "status" });
  const answers = el("ol", { class: "answers" });
  const whyBox = el("div", { "aria-live": "polite" });
  const took = el("span", { class: "faint small" });

  /** @type {Record<string, {range: any, set: () => void}>} */
  const sliders = {};
  /** @param {string} key @param {string} label @param {number} initial @param {string} help */
  const slider = (key, label, initial, help) => {
    const value = Number(state.get(key) ?? initial);
    const shown = el("output", { for: `t-${key}`, text: percent(value) });
    const range = el("input", { type: "range", id: `t-${key}`, min: "0", max: "1", step: "0.01", value: String(value), "aria-describedby": `h-${key}` });
    const set = () => {
      shown.textContent = percent(Number(range.value));
      if (Number(range.value) === initial) state.delete(key); else state.set(key, range.value);
    };
    sliders[key] = { range, set };
    range.addEventListener("input", () => {
      set();
      // What is taken without asking is relevant, so one threshold takes the other along.
      const other = sliders[key === "confident" ? "relevant" : "confident"];
      if (Number(sliders.relevant.range.value) > Number(sliders.confident.range.value)) {
        other.range.value = range.value;
        other.set();
      }
      run();
    });
    return el("div", { class: "slider" }, el("label", { for: `t-${key}` }, label, " ", shown), range, el("p", { id: `h-${key}`, class: "faint small", text: help }));
  };
  const ranker = el("select", { id: "ranker" }, about.rankers.map((/** @type {string} */ it) => el("option", { value: it, text: it })));
  ranker.value = state.get("ranker") ?? about.ranker;
  ranker.addEventListener("change", () => { if (ranker.value === about.ranker) state.delete("ranker"); else state.set("ranker", ranker.value); run(); });

  const names = el("datalist", { id: "names" });
  const options = () => fill(names, [...new Set(catalog.skills.map((it) => it.name))].slice(0, 2000).map((it) => el("option", { value: visible(it) })));
  options();
  const asked = el("input", { id: "asked", list: "names", placeholder: "name of a skill", autocomplete: "off" });
  const wantedPath = state.get("skill");
  asked.value = catalog.skills.find((it) => it.path === wantedPath)?.name ?? wantedPath ?? "";
  asked.addEventListener("input", () => {
    const found = skillNamed(asked.value);
    if (found) state.set("skill", found.path); else state.delete("skill");
    run();
  });
  /** @param {string} text */
  const skillNamed = (text) => catalog.skills.find((it) => it.name === text && it.state === "active") ?? catalog.skills.find((it) => it.name === text || it.path === text);

  let turn = 0;
  /** @type {AbortController | null} */
  let under = null;
  const run = async () => {
    const mine = ++turn;
    under?.abort();
    under = new AbortController();
    const query = input.value;
    if (query) state.set("q", query); else state.delete("q");
    history.replaceState(null, "", `#/try${state.toString() ? `?${state}` : ""}`);
    if (!query.trim()) {
      fill(decision);
      fill(answers);
      took.textContent = "";
      fill(whyBox);
      return;
    }
    const began = performance.now();
    try {
      const [selection] = await Promise.all([
        ask("select", { query, top_k: 8, ranker: ranker.value, confident: number("confident"), relevant: number("relevant") }, under.signal),
      ]);
      if (mine !== turn) return;
      draw(selection);
      took.textContent = `answered in ${(selection.elapsed_us / 1000).toFixed(selection.elapsed_us < 1000 ? 2 : 1)} ms`;
      performance.measure("keystroke to answers", { start: began });
      await why(query, mine);
    } catch (error) {
      if (/** @type {Error} */ (error).name === "AbortError") return;
      fill(answers);
      fill(decision, unanswered(error));
    }
  };
  /** @param {string} key */
  const number = (key) => (state.get(key) === null ? null : Number(state.get(key)));

  const draw = (/** @type {any} */ selection) => {
    const [tone, word, meaning] = DECISIONS[selection.decision] ?? ["dim", selection.decision, ""];
    const first = selection.matches[0];
    fill(decision, el("p", { class: `banner ${tone}` }, el("strong", { text: word }), el("span", { text: ` \u2013 ${selection.decision === "confident" && first ? `\u201c${visible(first.name)}\u201d answers this; ` : ""}${meaning}` })));
    const most = Math.max(0.001, ...selection.matches.map((/** @type {any} */ it) => it.score));
    const open = new Set([...answers.querySelectorAll("details[open]")].map((it) => it.dataset.path));
    fill(answers, selection.matches.map((/** @type {any} */ it) => el("li", { class: "answer" },
      el("div", { class: "answer-head" },
        el("a", { class: "name", href: skillLink(it.path), text: visible(it.name) }),
        el("span", { class: "confidence", text: percent(it.confidence), title: "how likely it is the right one" }),
        el("span", { class: "faint small", text: `score ${it.score.toFixed(2)}` })),
      scoreBar(it.explain, most),
      missing(it.explain),
      el("details", { "data-path": it.path, open: open.has(it.path) }, el("summary", { text: "What each word added" }), el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `Words of ${visible(it.name).slice(0, 100)}` }, wordTable(it.explain))))));
    if (selection.matches.length === 0) fill(answers, el("li", { class: "nothing" }, el("p", { text: "No skill shares a weighty word with this request. Try the words a description would use." })));
  };

  /** Why one skill stands where it stands. @param {string} query @param {number} mine */
  const why = async (query, mine) => {
    const path = state.get("skill");
    if (!path || !query.trim()) return fill(whyBox);
    try {
      const it = await ask("why-query", { path, query, ranker: ranker.value });
      if (mine !== turn) return;
      const steps = [];
      if (it.rank === 1 && it.decision !== "none") steps.push("Nothing to change: it comes first.");
      else if (it.change) steps.push(`Say ${it.change.words.map((/** @type {string} */ w) => `\u201c${visible(w)}\u201d`).join(", ")} in its description: rank ${it.change.rank ?? "none"}, confidence ${percent(it.change.confidence)}.`);
      else if (it.rank === 1) steps.push("It comes first, and no word of the request makes it surer.");
      else steps.push("No word of the request helps its description; say in the one that comes first what it is not for.");
      fill(whyBox, el("div", { class: "card why" },
        el("p", null, el("a", { class: "name", href: skillLink(it.path), text: visible(it.name) }), " ",
          it.rank === null ? el("span", { class: "strong", text: "does not answer: it shares no word with the request." })
            : el("span", { class: "strong", text: `is number ${it.rank} of ${it.ranked} that share a word, confidence ${percent(it.confidence)}.` })),
        it.left_out ? el("p", { class: "banner warn", text: `Never chosen by itself: ${visible(it.left_out)}` }) : null,
        it.rivals.length ? el("ul", null, it.rivals.slice(0, 4).map((/** @type {any} */ rival) => el("li", { class: "small" }, "behind ", el("a", { href: skillLink(rival.path), text: visible(rival.name) }), ` with ${rival.score.toFixed(2)}`,
          rival.leads.length ? `, by ${rival.leads.filter((/** @type {any} */ l) => l.by >= 0.005).slice(0, 4).map((/** @type {any} */ l) => `\u201c${visible(l.word)}\u201d +${l.by.toFixed(2)}`).join(", ")}` : ""))) : null,
        el("p", { class: "step" }, el("strong", { text: "Step: " }), steps.join(" ")),
        it.advice.length ? el("p", { class: "small" }, "One word alone: ", it.advice.slice(0, 5).map((/** @type {any} */ a) => [el("span", { class: "chip", text: `${visible(a.word)} \u2192 rank ${a.rank}` }), " "]).flat()) : null,
        missing(it.explain)));
    } catch (error) {
      if (mine === turn) fill(whyBox, unanswered(error));
    }
  };

  const copy = el("button", { type: "button", onclick: async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      toast("The address of this look is copied", "good");
    } catch { toast("The address bar has it"); }
  } }, "Copy link");
  input.addEventListener("input", run);
  run();
  return {
    title: "Try",
    node: el("div", { class: "view try" },
      el("h1", { text: "Try a request" }),
      el("div", { class: "two try-two" },
        el("div", null,
          el("label", { for: "request", class: "hidden", text: "Request" }), input,
          decision, answers,
          el("p", { class: "legend small" }, FIELD_WORDS.map((it) => el("span", { class: `dot f-${it}`, text: it === "order" ? "words side by side" : it === "signals" ? "other signs" : it })), " ", took)),
        el("div", null,
          section("Why not this one?",
            el("label", { for: "asked", class: "small", text: "A skill you expected" }), asked, names, whyBox),
          section("How sure is sure",
            slider("confident", "Confident from", about.confident, "From here on the first match is taken without asking."),
            slider("relevant", "Relevant from", about.relevant, "Below this nothing is chosen."),
            el("label", { for: "ranker", class: "inline" }, "Ranker ", ranker),
            el("p", { class: "actions" }, copy))))),
    focus: input,
    changed: (/** @type {any} */ changes) => { if (changes?.event !== "findings") { options(); run(); } },
  };
}
