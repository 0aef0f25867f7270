// Skills that compete for the same requests: a map, and two side by side.
"use strict";

/** More pairs than this are no picture; the list below has them. */
const MOST_DRAWN = 60;

/** A skill by its name, as a pair names it. @param {string} name */
const skillCalled = (name) => catalog.skills.find((it) => it.name === name && it.state === "active") ?? catalog.skills.find((it) => it.name === name);

/** @param {any} pair */
const pairKey = (pair) => pair.skills.join("\n");

/**
 * Where each skill of the map stands: those that compete, also by way of others, on one circle.
 * @param {any[]} pairs
 */
function circles(pairs) {
  /** @type {Map<string, string>} */
  const leads = new Map();
  /** @type {(name: string) => string} */
  const group = (name) => { let at = name; while ((leads.get(at) ?? at) !== at) at = /** @type {string} */ (leads.get(at)); return at; };
  for (const { skills: [one, other] } of pairs) {
    for (const name of [one, other]) if (!leads.has(name)) leads.set(name, name);
    leads.set(group(one), group(other));
  }
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  for (const name of leads.keys()) groups.set(group(name), [...(groups.get(group(name)) ?? []), name]);
  const ROW = 900;
  let [left, top, tall] = [0, 0, 0];
  /** @type {Map<string, {x: number, y: number, below: boolean}>} */
  const places = new Map();
  for (const names of [...groups.values()].sort((a, b) => b.length - a.length)) {
    const radius = Math.max(36, names.length * 17);
    const [width, height] = [2 * radius + 190, 2 * radius + 60];
    if (left > 0 && left + width > ROW) [left, top, tall] = [0, top + tall, 0];
    names.sort().forEach((name, at) => {
      const turn = (2 * Math.PI * at) / names.length - Math.PI / 2 + (names.length === 2 ? 0.4 : 0);
      places.set(name, { below: Math.sin(turn) > 0, x: left + width / 2 + radius * Math.cos(turn), y: top + height / 2 + radius * Math.sin(turn) });
    });
    left += width;
    tall = Math.max(tall, height);
  }
  return { places, width: ROW, height: top + tall };
}

/** A text with the words that two skills share marked in it. @param {string} text @param {string[]} words */
function marked(text, words) {
  const shared = new Set(words);
  return visible(text.slice(0, 3000)).split(/([\p{L}\p{N}]+)/u).map((part) => {
    const low = part.toLowerCase();
    const fits = low.length > 1 && [...shared].some((it) => low === it || (low.length > 3 && it.length > 3 && low.startsWith(it.slice(0, -1)) && low.length - it.length < 3));
    return fits ? el("mark", { text: part }) : part;
  });
}

/** @param {URLSearchParams} given */
function rivalsView(given) {
  const state = new URLSearchParams(given);
  const node = el("div", { class: "view rivals" }, el("h1", { text: "Rivals" }), el("p", { class: "faint", role: "status", text: "Comparing skills\u2026" }));
  const beside = el("div", { "aria-live": "polite", id: "compare" });
  /** @type {any} */
  let answer = null;

  const compare = () => {
    const pair = answer?.pairs.find((/** @type {any} */ it) => pairKey(it) === state.get("pair"));
    for (const it of node.querySelectorAll("[data-pair]")) it.classList.toggle("chosen", it.getAttribute("data-pair") === state.get("pair"));
    if (!pair) return fill(beside, el("p", { class: "faint", text: "Choose a pair to see both side by side." }));
    const both = pair.skills.map(skillCalled);
    fill(beside, section("Side by side",
      el("p", null, `${percent(pair.strength)} of what one is asked for with, the other answers too. They share `, pair.words.map((/** @type {string} */ it) => [el("span", { class: "chip", text: visible(it) }), " "])),
      pair.told_apart_by ? el("p", { class: "banner good", text: `\u201c${visible(pair.told_apart_by)}\u201d says what it is not for, which tells them apart.` })
        : el("p", { class: "banner warn", text: "Nothing tells them apart: say in one what it is not for, and name the other." }),
      el("div", { class: "halves" }, both.map((/** @type {any} */ it, /** @type {number} */ at) => el("div", { class: "half" },
        el("h3", null, it ? el("a", { href: skillLink(it.path), text: visible(it.name) }) : visible(pair.skills[at])),
        el("p", null, it ? marked(it.description, pair.words) : "It is gone meanwhile."),
        it && !exported ? el("p", { class: "small" }, el("a", { href: `#/try?q=${encodeURIComponent(it.description.split(/[.\n]/)[0].slice(0, 300))}`, text: "Ask for it by its own words" })) : null)))));
  };
  /** @param {any} pair */
  const choose = (pair) => {
    state.set("pair", pairKey(pair));
    history.replaceState(null, "", `#/rivals?${state}`);
    compare();
    beside.scrollIntoView({ block: "nearest" });
  };

  const map = () => {
    const pairs = answer.pairs.slice(0, MOST_DRAWN);
    const { places, width, height } = circles(pairs);
    const at = (/** @type {string} */ name) => /** @type {{x: number, y: number}} */ (places.get(name));
    const lines = pairs.map((/** @type {any} */ pair) => {
      const [from, to] = pair.skills.map(at);
      return el("svg:line", { class: `edge${pair.told_apart_by ? " apart" : ""}`, "data-pair": pairKey(pair), x1: from.x, y1: from.y, x2: to.x, y2: to.y, "stroke-width": (1 + 6 * (pair.strength - 0.4)).toFixed(1), onclick: () => choose(pair) },
        el("svg:title", { text: `${visible(pair.skills[0])} and ${visible(pair.skills[1])}: ${percent(pair.strength)}, ${visible(pair.words.join(", "))}` }));
    });
    const dots = [...places].map(([name, { x, y, below }]) => el("svg:g", null,
      el("svg:circle", { class: "node", cx: x, cy: y, r: 7 }),
      el("svg:text", { x, y: below ? y + 22 : y - 12, "text-anchor": "middle" }, visible(name).length > 24 ? `${visible(name).slice(0, 23)}\u2026` : visible(name))));
    return el("svg:svg", { class: "map", viewBox: `0 0 ${width} ${Math.max(height, 60)}`, role: "img", "aria-label": `${count(pairs.length, "pair")} of ${count(places.size, "skill")}; the list below has the same` }, lines, dots);
  };

  const draw = () => {
    if (answer.pairs.length === 0) {
      fill(node, el("h1", { text: "Rivals" }), el("p", { class: "banner good", text: `No two of ${count(answer.skills, "skill")} compete for the same requests.` }));
      return;
    }
    const open = answer.pairs.filter((/** @type {any} */ it) => !it.told_apart_by).length;
    fill(node, el("h1", { text: "Rivals" }),
      el("p", { class: "lead" }, `${count(answer.total, "pair")} among ${count(answer.skills, "skill")}; ${thousands(open)} that nothing tells apart.`),
      el("div", { class: "two" },
        el("div", null,
          el("div", { class: "card" }, map(), el("p", { class: "small faint", text: `A line joins two that compete, the thicker the more; a dashed one is told apart by a \u201cnot for\u201d.${answer.pairs.length > MOST_DRAWN ? ` The ${MOST_DRAWN} strongest are drawn.` : ""}` })),
          section("Pairs", el("ul", { class: "plain pairs" }, answer.pairs.slice(0, 200).map((/** @type {any} */ pair) => el("li", { "data-pair": pairKey(pair) },
            el("button", { type: "button", class: "link", onclick: () => choose(pair) }, `${visible(pair.skills[0]).slice(0, 100)} and ${visible(pair.skills[1]).slice(0, 100)}`), " ",
            badge(percent(pair.strength), pair.told_apart_by ? "dim" : "warn"),
            el("span", { class: "faint small block", text: visible(pair.words.join(", ")) })))))),
        el("div", { class: "stay" }, beside)));
    compare();
  };

  const load = async () => {
    try {
      answer = await ask("rivals");
      draw();
    } catch (error) { fill(node, el("h1", { text: "Rivals" }), unanswered(error)); }
  };
  load();
  return { title: "Rivals", node, changed: (/** @type {any} */ changes) => { if (changes?.event !== "findings") load(); } };
}
