// Which view is shown, and what every view has: keys, theme, the feed.
"use strict";

/** @typedef {{title: string, node: HTMLElement, changed?: (changes: any) => void, focus?: HTMLElement}} View */

/** @type {Array<{path: string, title: string, view: (given: URLSearchParams) => View}>} */
const ALL_VIEWS = [
  { path: "/", title: "Catalog", view: catalogView },
  { path: "/try", title: "Try", view: tryView },
  { path: "/tune", title: "Tune", view: tuneView },
  { path: "/budget", title: "Budget", view: budgetView },
  { path: "/rivals", title: "Rivals", view: rivalsView },
  { path: "/evaluate", title: "Evaluate", view: evaluateView },
];
/** An export answers no new question. */
const VIEWS = ALL_VIEWS.filter((it) => !exported || !["/try", "/tune", "/budget"].includes(it.path));
/** @type {typeof ALL_VIEWS} */
const MORE_VIEWS = [
  { path: "/skill", title: "Skill", view: skillView },
];

/** @type {View | null} */
let current = null;
let asked = "";

function route() {
  const [path, query] = (location.hash.slice(1) || "/").split(/\?(.*)/s);
  const known = [...VIEWS, ...MORE_VIEWS].find((it) => it.path === path) ?? VIEWS[0];
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  for (const link of document.querySelectorAll("#views a")) {
    if (link.getAttribute("href") === `#${known.path}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  current = known.view(new URLSearchParams(query ?? ""));
  document.title = `${current.title} \u00b7 Prowess`;
  fill(main, current.node);
  scrollTo(0, 0);
  const elsewhere = asked !== "" && asked !== known.path;
  asked = known.path;
  // A new view starts where its reader wants to type, else at its beginning.
  if (current.focus) current.focus.focus({ preventScroll: true });
  else if (elsewhere) main.focus({ preventScroll: true });
}

/** @param {string} state */
function sayLive(state) {
  const place = /** @type {HTMLElement} */ (document.getElementById("live"));
  fill(place, state === "live" ? el("span", { class: "live", title: "Changes on the disk show here at once", text: "live" })
    : state === "lost" ? el("span", { class: "lost", text: "not connected" }) : null);
}

function theme() {
  const button = /** @type {HTMLElement} */ (document.getElementById("theme"));
  const order = ["auto", "light", "dark"];
  let kept = "auto";
  try { kept = localStorage.getItem("prowess-theme") ?? "auto"; } catch { /* a page may be kept from storing */ }
  const set = (/** @type {string} */ next) => {
    kept = order.includes(next) ? next : "auto";
    if (kept === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = kept;
    button.textContent = kept === "auto" ? "Auto" : kept === "light" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Colours: ${kept}`);
    try { localStorage.setItem("prowess-theme", kept); } catch { /* as above */ }
  };
  set(kept);
  button.addEventListener("click", () => set(order[(order.indexOf(kept) + 1) % order.length]));
}

const KEYS = [
  ["/", "type a filter or a request"],
  ["1 \u2026 9", "go to a view"],
  ["\u2193 \u2191, j k", "move in the list"],
  ["Enter", "open what is marked"],
  ["Esc", "leave a field, close this"],
  ["?", "show these keys"],
];

function showKeys() {
  const dialog = el("dialog", { "aria-labelledby": "keys-title", onclose: () => dialog.remove() },
    el("h2", { id: "keys-title", text: "Keys" }),
    el("dl", null, KEYS.map(([key, what]) => [el("dt", null, el("kbd", { text: key })), el("dd", { text: what })]).flat()),
    el("p", { class: "actions" }, el("button", { type: "button", class: "main", onclick: () => dialog.close() }, "Close")));
  document.body.append(dialog);
  dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const typing = target.matches("input:not([type=checkbox]):not([type=range]), textarea, select");
  if (event.key === "Escape" && typing) return target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.key === "/") {
    event.preventDefault();
    const field = /** @type {HTMLInputElement | null} */ (document.querySelector("[data-search]"));
    if (field) { field.focus(); field.select(); } else location.hash = "#/";
  } else if (event.key === "?") showKeys();
  else if (/^[1-9]$/.test(event.key)) {
    const view = VIEWS[Number(event.key) - 1];
    if (view) location.hash = `#${view.path}`;
  }
});

async function start() {
  theme();
  /** @type {HTMLElement} */ (document.getElementById("help")).addEventListener("click", showKeys);
  fill(/** @type {HTMLElement} */ (document.getElementById("views")), VIEWS.map((it) => el("a", { href: `#${it.path}`, text: it.title })));
  try {
    await load();
  } catch (error) {
    fill(/** @type {HTMLElement} */ (document.getElementById("main")), unanswered(error));
    return;
  }
  followers.add((changes) => current?.changed?.(changes));
  addEventListener("hashchange", route);
  route();
  performance.mark("catalog drawn");
  if (exported) {
    const place = /** @type {HTMLElement} */ (document.getElementById("live"));
    const made = new Date(exported.made * 1000).toISOString().slice(0, 16).replace("T", " ");
    fill(place, el("span", { class: "faint small", text: `exported ${made} UTC${exported.commit ? ` at commit ${exported.commit.slice(0, 12)}` : ", from no commit"}` }));
    await judge();
  } else follow(sayLive);
}
start();
