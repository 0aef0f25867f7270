// How well skills are found, by the requests that lie beside them, and what moved since a commit.
"use strict";

const VERDICTS = /** @type {Record<string, [string, string]>} */ ({
  hit: ["right", "good"], quiet: ["rightly quiet", "good"], missed: ["missed", "bad"], "false-fire": ["fired wrongly", "bad"],
});
const TURNS = /** @type {Record<string, string>} */ ({ lost: "bad", moved: "warn", changed: "warn", gained: "good" });

/** @param {number | null} share */
const figure = (share) => (share === null ? "\u2013" : `${(share * 100).toFixed(1)} %`);

/** A table with its headings. @param {string} label @param {string[]} heads @param {any[][]} rows */
function plainTable(label, heads, rows) {
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label },
    el("table", { class: "words" },
      el("thead", null, el("tr", null, heads.map((it) => el("th", { scope: "col", text: it })))),
      el("tbody", null, rows.map((row) => el("tr", null, row.map((cell) => el("td", null, cell)))))));
}

/** A skill by name, with a link where there is one. @param {string | null} name */
function skillNameLink(name) {
  if (name === null) return el("span", { class: "faint", text: "nothing" });
  const found = skillCalled(name);
  const shown = visible(name).slice(0, 100);
  return found ? el("a", { href: skillLink(found.path), text: shown }) : shown;
}

/** What should have come, in words. @param {any} expected */
function expectedText(expected) {
  if (expected === "nothing") return "no skill";
  if (expected.skills) return expected.skills.map((/** @type {string[]} */ it) => it.join(" or ")).join(", ");
  return `not ${expected.not.join(", ")}`;
}

/** A request that can be tried. @param {string} query */
const requestLink = (query) => exported ? visible(query.slice(0, 300)) : el("a", { href: `#/try?q=${encodeURIComponent(query.slice(0, 2000))}`, text: visible(query.slice(0, 300)) });

/** @param {any} report */
function evaluation(report) {
  const tile = (/** @type {string} */ label, /** @type {string} */ value, /** @type {string} */ meaning) => el("div", { class: "tile" }, el("p", { class: "value", text: value }), el("p", { class: "strong", text: label }), el("p", { class: "faint small", text: meaning }));
  const bad = report.outcomes.filter((/** @type {any} */ it) => it.verdict === "missed" || it.verdict === "false-fire");
  return [
    el("div", { class: "tiles" },
      tile("hit@1", figure(report.hit1), `the right skill comes first, of ${count(report.positives, "request")}`),
      tile(`recall@${report.recall_at}`, figure(report.recall), `right skills among the first ${report.recall_at}`),
      tile("MRR", report.mrr === null ? "\u2013" : report.mrr.toFixed(3), "one over the rank of the first right skill"),
      tile("false fires", thousands(report.false_fires), `of ${count(report.negatives, "request")} that should stay quiet`),
      tile("abstained", thousands(report.abstained), "should have led to a skill, and nothing was sure enough")),
    bad.length ? section("What went wrong", plainTable("What went wrong", ["request", "wanted", "came first", "what happened"], bad.slice(0, 200).map((/** @type {any} */ it) => [
      requestLink(it.query), visible(expectedText(it.expected)), skillNameLink(it.found[0] ?? null), badge((VERDICTS[it.verdict] ?? [it.verdict, "dim"])[0], (VERDICTS[it.verdict] ?? ["", "dim"])[1])])))
      : el("p", { class: "banner good", text: "Every request is answered as it should be." }),
    report.confusions.length ? section("Taken for another", plainTable("Taken for another", ["wanted", "came first", "times", "for example"], report.confusions.slice(0, 50).map((/** @type {any} */ it) => [
      skillNameLink(it.expected), skillNameLink(it.got), thousands(it.count), requestLink(it.example)]))) : null,
    section("By skill", plainTable("By skill", ["skill", "requests", "hit@1", "false fires"], report.skills.slice(0, 300).map((/** @type {any} */ it) => [
      skillNameLink(it.name), thousands(it.positives + it.negatives), figure(it.hit1), thousands(it.false_fires)]))),
    report.unknown.length ? el("p", { class: "banner warn", text: `Cannot be chosen here, so they count as missed: ${visible(report.unknown.slice(0, 20).join(", "))}` }) : null,
  ];
}

/** @param {any} moved */
const drifted = (moved) => [
  el("p", { text: `${count(moved.queries, "request")}: ${moved.same} the same, ${moved.lost} lost, ${moved.moved} moved, ${moved.changed} changed, ${moved.gained} gained.` }),
  moved.moves.length ? plainTable("What moved", ["what", "skill", "rank", "first now", "request"], moved.moves.slice(0, 200).map((/** @type {any} */ it) => [
    badge(it.turn, TURNS[it.turn]), skillNameLink(it.skill), `${it.before ?? "\u2013"} \u2192 ${it.after ?? "\u2013"}`, skillNameLink(it.first_after), requestLink(it.query)])) : null,
  [["Only now", moved.added], ["Only before", moved.removed]].map(([label, names]) => (names.length ? el("p", { class: "small", text: `${label}: ${visible(names.slice(0, 30).join(", "))}` }) : null)),
];

/** @param {URLSearchParams} given */
function evaluateView(given) {
  const figures = el("div", { "aria-live": "polite" }, el("p", { class: "faint", text: "Asking\u2026" }));
  const since = el("div", { "aria-live": "polite" });
  const rev = el("input", { id: "rev", value: given.get("since") ?? "HEAD", autocomplete: "off", spellcheck: "false" });

  const load = async () => {
    try {
      const report = await ask("eval");
      fill(figures, ...[report.cases === 0
        ? el("div", { class: "card" }, el("p", { class: "strong", text: "There are no requests to evaluate yet." }),
          el("p", null, "Put ", el("code", { text: "evals/evals.json" }), " into a skill\u2019s folder: a list of requests, each with whether it should lead to the skill."),
          el("pre", { text: '[{"query": "fill in this form", "should_trigger": true},\n {"query": "bake bread", "should_trigger": false}]' }))
        : [el("p", { class: "faint small", text: `${count(report.cases, "request")} from ${count(report.files.length, "file")}, ranker ${report.ranker}` }), ...evaluation(report)]].flat());
    } catch (error) { fill(figures, unanswered(error)); }
  };
  const drift = async () => {
    history.replaceState(null, "", `#/evaluate?since=${encodeURIComponent(rev.value)}`);
    fill(since, el("p", { class: "faint", text: "Comparing\u2026" }));
    try {
      fill(since, ...drifted(await ask("drift", { rev: rev.value })).flat());
    } catch (error) { fill(since, unanswered(error)); }
  };
  load();
  if (given.get("since")) drift();
  return {
    title: "Evaluate",
    node: el("div", { class: "view evaluate" }, el("h1", { text: "Evaluate" }), figures,
      exported ? null : section("What moved since a commit",
        el("form", { class: "ask", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); drift(); } },
          el("label", { for: "rev", text: "Git revision" }), rev, el("button", { type: "submit", text: "Compare" })), since)),
    changed: (/** @type {any} */ changes) => { if (changes?.event !== "findings") load(); },
  };
}
