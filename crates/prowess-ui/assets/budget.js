// What a model's list of skills holds when the window shrinks.
"use strict";

const TIERS = /** @type {Array<[string, string, string]>} */ ([
  ["full", "whole", "good"], ["trimmed", "description cut", "trim"], ["name_only", "only the name", "warn"], ["hidden", "left out", "bad"],
]);

/** A bar of shares, each with its colour and its words. @param {Array<[string, string, number]>} parts label, tone, number */
function shares(parts) {
  const total = Math.max(1, parts.reduce((sum, [, , number]) => sum + number, 0));
  const bar = el("div", { class: "bar-line tall", role: "img", "aria-label": parts.map(([label, , number]) => `${number} ${label}`).join(", ") });
  for (const [label, tone, number] of parts) {
    if (number === 0) continue;
    const part = el("span", { class: `part t-${tone}`, title: `${number} ${label}` });
    part.style.width = `${(100 * number) / total}%`;
    bar.append(part);
  }
  return bar;
}

/** @param {Array<[string, string, number]>} parts */
const shareWords = (parts) => el("p", { class: "small" }, parts.map(([label, tone, number]) => el("span", { class: `dot t-${tone}`, text: `${thousands(number)} ${label}` })));

/** @param {URLSearchParams} given */
function budgetView(given) {
  const state = new URLSearchParams(given);
  // From a few lines to far more than a list should take, each step a tenth more.
  const LEAST = 200;
  const STEPS = 80;
  const size = (/** @type {number} */ at) => Math.round(LEAST * 1.1 ** at);
  const unit = el("select", { id: "unit" }, el("option", { value: "c", text: "characters" }), el("option", { value: "t", text: "tokens" }));
  unit.value = state.get("unit") === "t" ? "t" : "c";
  const wanted = Math.min(Number(state.get("size") ?? 8000) || 8000, size(STEPS));
  const range = el("input", { type: "range", id: "window", min: "0", max: String(STEPS), step: "1", value: String(Math.round(Math.log(wanted / LEAST) / Math.log(1.1))) });
  const shown = el("output", { for: "window" });
  const query = el("input", { type: "search", id: "task", placeholder: "The task at hand, e.g. fill in a form", value: state.get("q") ?? "", autocomplete: "off", "data-search": "" });
  const plan = el("div", { "aria-live": "polite" });
  const clients = el("div");

  let turn = 0;
  const run = async () => {
    const mine = ++turn;
    const room = size(Number(range.value));
    shown.textContent = `${thousands(room)} ${unit.value === "t" ? "tokens" : "characters"}`;
    state.set("size", String(room));
    state.set("unit", unit.value);
    if (query.value) state.set("q", query.value); else state.delete("q");
    history.replaceState(null, "", `#/budget?${state}`);
    try {
      const report = await ask("budget", { budget: `${room}${unit.value}`, query: query.value || null });
      if (mine !== turn) return;
      const number = (/** @type {string} */ tier) => (tier === "full" ? report.full : report[tier].length);
      const parts = TIERS.map(([tier, label, tone]) => /** @type {[string, string, number]} */ ([label, tone, number(tier)]));
      const open = new Set([...plan.querySelectorAll("details[open]")].map((it) => it.dataset.tier));
      fill(plan,
        el("p", { class: "strong", text: report.skills === 0 ? "There is no skill to list." : `${count(report.skills, "skill")} take ${thousands(report.used)} of ${thousands(room)} ${report.unit}.` }),
        shares(parts), shareWords(parts),
        TIERS.slice(1).map(([tier, label]) => (number(tier) === 0 ? null : el("details", { "data-tier": tier, open: open.has(tier) },
          el("summary", { text: `${thousands(number(tier))} ${label}` }),
          el("p", { class: "small" }, report[tier].slice(0, 200).map((/** @type {string} */ name) => [skillNameLink(name), " "]), number(tier) > 200 ? `and ${thousands(number(tier) - 200)} more` : null)))),
        report.hidden.length ? el("p", { class: "step" }, el("strong", { text: "Step: " }), "what is left out is found with the tool `search_skills`, or kept with `--pin`.") : null);
    } catch (error) { if (mine === turn) fill(plan, unanswered(error)); }
  };

  // A client has a window of its own, which no slider moves.
  const CLIENT_TONES = /** @type {Record<string, string>} */ ({ listed: "good", trimmed: "trim", "name-only": "warn" });
  const perClient = async () => {
    const rows = [];
    for (const client of catalog.about.clients) {
      try {
        const { skills } = await ask("list", { client: client.name });
        /** @type {Map<string, number>} */
        const states = new Map();
        for (const it of skills) states.set(it.state, (states.get(it.state) ?? 0) + 1);
        const parts = [...states].sort().map(([word, number]) => /** @type {[string, string, number]} */ ([word, CLIENT_TONES[word] ?? "bad", number]));
        rows.push(el("div", { class: "client-share" }, el("h3", null, el("a", { href: `#/?client=${encodeURIComponent(client.name)}`, text: client.title })),
          parts.length ? [shares(parts), shareWords(parts)] : el("p", { class: "faint small", text: "It looks into none of these folders." })));
        fill(clients, ...rows);
      } catch (error) { fill(clients, unanswered(error)); return; }
    }
  };

  for (const it of [range, query]) it.addEventListener("input", run);
  unit.addEventListener("change", run);
  run();
  perClient();
  return {
    title: "Budget",
    node: el("div", { class: "view budget" }, el("h1", { text: "Budget" }),
      el("div", { class: "two" },
        el("div", null, section("Our list in this window",
          el("div", { class: "slider" }, el("label", { for: "window" }, "Window", " ", shown), range),
          el("div", { class: "ask" }, el("label", { class: "inline", for: "unit" }, "counted in ", unit), el("label", { class: "hidden", for: "task", text: "Task" }), query),
          plan)),
        el("div", null, section("What each client lists",
          el("p", { class: "small faint", text: "By the client\u2019s own rules, in its own window." }), clients)))),
    changed: (/** @type {any} */ changes) => { if (changes?.event !== "findings") { run(); perClient(); } },
  };
}
