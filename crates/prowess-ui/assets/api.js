// Questions to the engine, and what changes meanwhile.
"use strict";

/** A question that has no answer. */
class Unanswered extends Error {
  /** @param {string} message @param {string | null} help */
  constructor(message, help) {
    super(message);
    this.help = help;
  }
}

/** What an export holds, `null` where a program answers. @type {any} */
const exported = /** @type {any} */ (globalThis).EXPORTED ?? null;

/**
 * Asks the engine.
 * @param {string} name
 * @param {Record<string, any>} [what]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
async function ask(name, what, signal) {
  if (exported) return recall(name, what ?? {});
  const response = await fetch(`api/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(what ?? {}),
    signal,
  });
  const answer = await response.json();
  if (!response.ok) throw new Unanswered(answer.error ?? `answered ${response.status}`, answer.help ?? null);
  return answer;
}

/** What is shown when a question has no answer. @param {any} error */
function unanswered(error) {
  return el("div", { class: "card fault", role: "alert" },
    el("p", { class: "strong", text: visible(error.message) }),
    error.help ? el("p", { text: visible(error.help) }) : null);
}

/** The catalog as this page knows it. */
const catalog = {
  /** @type {any[]} */ skills: [],
  /** @type {Map<string, {error: number, warning: number, hint: number}>} */ findings: new Map(),
  /** @type {any} */ about: null,
  whole: false,
};

/** Whoever wants to know when the catalog is another. @type {Set<(changes: any) => void>} */
const followers = new Set();

/** Counts what is wrong with each skill, as `check` does; it takes longer than a list. */
async function judge() {
  const counts = await ask("findings");
  catalog.findings = new Map(counts.skills.map((/** @type {any} */ it) => [it.path, it]));
  for (const follower of [...followers]) follower({ event: "findings" });
}

/** Loads the first rows at once, and then all of them. */
async function load() {
  const [about, first] = await Promise.all([ask("about"), ask("list", { first: 80 })]);
  catalog.about = about;
  catalog.skills = first.skills;
  catalog.whole = first.skills.length >= about.skills;
}

/** @param {any} changes */
async function reload(changes) {
  catalog.skills = (await ask("list")).skills;
  catalog.whole = true;
  for (const follower of [...followers]) follower(changes);
  await judge();
}

/** Follows what happens on the disk. @param {(state: string) => void} say */
function follow(say) {
  const events = new EventSource("api/events");
  let before = false;
  events.onmessage = (event) => {
    const line = JSON.parse(event.data);
    say("live");
    // The first hello comes with the page; a later one means that something was missed.
    if (line.event === "hello" && !before) {
      before = true;
      (catalog.whole ? judge() : reload(null)).catch(() => say("lost"));
      return;
    }
    reload(line).catch(() => say("lost"));
  };
  events.onerror = () => say("lost");
}
