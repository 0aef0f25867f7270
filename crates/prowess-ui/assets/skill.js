// One skill: what it says, what is wrong with it, who has it, who hides it.
"use strict";

/** @param {string} label @param {any} value */
const fact = (label, value) => (value === null || value === undefined || value === "" ? [] : [el("dt", { text: label }), el("dd", null, typeof value === "string" ? visible(value) : value)]);

/** What a client does with a skill, in a word. */
const OUTCOMES = /** @type {Record<string, [string, string]>} */ ({
  loads: ["loads it", "good"], changed: ["loads it changed", "warn"], dropped: ["drops it", "bad"], unknown: ["not known", "dim"],
});

/** @param {URLSearchParams} given */
function skillView(given) {
  const path = given.get("path") ?? "";
  const node = el("div", { class: "view skill" }, el("p", { class: "faint", text: "Loading\u2026" }));
  let raw = given.get("raw") !== null;

  const draw = async () => {
    let shown, text, checked, why, trust;
    try {
      [shown, text] = await Promise.all([ask("show", { path }), ask("text", { path })]);
    } catch (error) {
      fill(node, el("h1", { text: "Skill" }), unanswered(error));
      return;
    }
    const later = await Promise.allSettled([ask("check", { path }), ask("why", { path }), ask("trust", { path })]);
    [checked, why, trust] = later.map((it) => (it.status === "fulfilled" ? it.value : null));
    const own = why?.skills.find((/** @type {any} */ it) => it.path === path);
    const others = (why?.skills ?? []).filter((/** @type {any} */ it) => it.path !== path);
    document.title = `${shown.name} \u00b7 Prowess`;
    fill(node,
      el("header", { class: "title" },
        el("p", { class: "small" }, el("a", { href: "#/", text: "Catalog" }), " / ", el("span", { class: "faint", text: shown.scope })),
        el("h1", null, visible(shown.name), " ", badge(shown.state)),
        shown.reason ? el("p", { class: "reason", text: visible(shown.reason) }) : null,
        el("p", { class: "lead", text: visible(shown.description.slice(0, 3000)) || "It has no description, so no model is offered it." }),
        exported ? null : el("p", { class: "actions" },
          el("a", { class: "button", href: `#/try?skill=${encodeURIComponent(path)}`, text: "Why does it fire, or not?" }),
          el("a", { class: "button", href: `#/tune?path=${encodeURIComponent(path)}`, text: "Tune its description" }))),
      el("div", { class: "two" },
        el("div", null,
          findings(checked),
          section("Instructions",
            el("div", { class: "switch", role: "group", "aria-label": "How instructions are shown" },
              ["Rendered", "Raw"].map((word, at) => el("button", { type: "button", "aria-pressed": String(raw === (at === 1)), onclick: () => { raw = at === 1; draw(); } }, word))),
            raw || text.blocks === null
              ? el("pre", { class: "raw", tabindex: "0", role: "group", "aria-label": "The file as it stands" }, long(text.text))
              : el("div", { class: "markdown" }, drawn(text.blocks)))),
        el("div", null,
          facts(shown),
          trusted(trust),
          sameName(others, shown),
          clients(own),
          files(shown))));
  };

  /** @param {any} checked */
  const findings = (checked) => {
    const all = checked?.skills.flatMap((/** @type {any} */ it) => it.diagnostics) ?? [];
    const place = el("div", { "aria-live": "polite" });
    /** @param {string | null} code @param {HTMLElement} beside */
    const fix = async (code, beside) => {
      try {
        const edit = await ask("fix", { path, code });
        const box = el("div", { class: "fix" },
          edit.diff ? diff(edit.diff) : el("p", { text: "Nothing would change." }),
          edit.refused.map((/** @type {string} */ it) => el("p", { class: "small", text: `Left as it is: ${visible(it)}` })),
          edit.diff && !catalog.about.read_only ? el("p", { class: "actions" },
            el("button", { type: "button", class: "main", onclick: async () => {
              try {
                const done = await ask("fix", { path, code, write: true });
                toast(done.written ? `${count(done.findings, "finding")} fixed; the file is written` : "nothing was written", done.written ? "good" : "bad");
                draw();
              } catch (error) { toast(/** @type {Error} */ (error).message, "bad"); }
            } }, "Write the file"),
            el("button", { type: "button", onclick: () => box.remove() }, "Leave it")) : null,
          catalog.about.read_only ? el("p", { class: "faint small", text: "This page only reads; `prowess check --fix` writes." }) : null);
        beside.querySelector(".fix")?.remove();
        beside.append(box);
        box.querySelector("button")?.focus();
      } catch (error) { toast(/** @type {Error} */ (error).message, "bad"); }
    };
    if (!checked) return null;
    if (all.length === 0) return section("Findings", el("p", { class: "good-text", text: "Nothing is wrong with it." }));
    const fixable = all.filter((/** @type {any} */ it) => it.fix && it.severity !== "hint").length;
    return section("Findings",
      fixable > 1 && !exported ? el("p", { class: "actions" }, el("button", { type: "button", onclick: () => fix(null, place) }, `Fix ${fixable} at once\u2026`)) : null, place,
      el("ul", { class: "findings" }, all.slice(0, 200).map((/** @type {any} */ it) => {
        const item = el("li", null,
          el("p", null, badge(it.severity, it.severity === "error" ? "bad" : it.severity === "warning" ? "warn" : "dim"), " ",
            el("code", { text: it.code }), el("span", { class: "faint", text: ` line ${it.line}, column ${it.column}` })),
          el("p", { text: visible(it.message) }),
          it.help ? el("p", { class: "faint", text: visible(it.help) }) : null,
          it.fix && !exported ? el("button", { type: "button", onclick: () => fix(it.code, item) }, `Fix: ${visible(it.fix.title).slice(0, 80)}\u2026`) : null);
        return item;
      })),
      all.length > 200 ? el("p", { class: "faint", text: `and ${count(all.length - 200, "more finding")}` }) : null);
  };

  const facts = (/** @type {any} */ shown) => section("Facts",
    el("dl", null,
      fact("file", shown.path), fact("place", `${shown.scope}, ${shown.origin.label}`),
      fact("installed from", shown.installed_from), fact("id", shown.id),
      fact("hash", shown.hash ? `sha256:${shown.hash.slice(0, 16)}\u2026` : null),
      fact("changed", shown.last_modified ? new Date(shown.last_modified * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC" : null),
      fact("tags", shown.tags.length ? shown.tags.map((/** @type {string} */ it) => [badge(it, "dim"), " "]).flat() : null),
      fact("tools", shown.tools.length ? shown.tools.join(", ") : null),
      fact("costs", el("span", null, `${thousands(shown.size.catalog.tokens)} tokens in the list, ${thousands(shown.size.instructions.tokens)} when used`)),
      Object.entries(shown.fields).filter(([key]) => !["name", "description", "tags", "allowed-tools", "allowed_tools"].includes(key))
        .map(([key, value]) => fact(visible(key), typeof value === "string" ? value.slice(0, 2000) : JSON.stringify(value).slice(0, 2000)))));

  const trusted = (/** @type {any} */ trust) => {
    if (!trust) return null;
    const changed = [...trust.altered.map((/** @type {string} */ it) => ["altered", it]), ...trust.added.map((/** @type {string} */ it) => ["added", it]), ...trust.removed.map((/** @type {string} */ it) => ["removed", it])];
    return section("Trust",
      el("p", null, badge(trust.trusted ? "trusted" : trust.decision, trust.trusted ? "good" : "warn"),
        trust.trusted ? " It may be given to a model." : " It is shown to people and not given to a model; look at it, then run `prowess trust`."),
      trust.outdated ? el("p", { text: "It was trusted by an earlier version, which did not look at links, at which files may be run and at .git, .hg and .svn." }) : null,
      changed.length ? [el("p", { text: "Since it was trusted:" }), el("ul", null, changed.slice(0, 50).map(([word, file]) => el("li", { text: `${word} ${visible(file)}` })))] : null,
      trust.diff ? diff(trust.diff) : null);
  };

  const sameName = (/** @type {any[]} */ others, /** @type {any} */ shown) => {
    if (others.length === 0) return null;
    return section("Same name elsewhere",
      el("p", { class: "small faint", text: "Of several skills with one name, one answers; the others are shadowed." }),
      el("ul", { class: "plain" }, others.slice(0, 30).map((it) => el("li", null,
        badge(it.state), " ", el("a", { href: skillLink(it.path), text: visible(it.path) }),
        it.reason ? el("span", { class: "faint small block", text: visible(it.reason) }) : null))));
  };

  const clients = (/** @type {any} */ own) => {
    if (!own || own.clients.length === 0) return null;
    return section("What each client does with it",
      el("ul", { class: "plain clients" }, own.clients.map((/** @type {any} */ it) => {
        const [word, tone] = OUTCOMES[it.outcome] ?? [it.outcome, "dim"];
        const more = [...it.findings.map((/** @type {any} */ f) => f.help ? `${f.message}; ${f.help}` : f.message), ...it.notes];
        return el("li", null, el("details", null,
          el("summary", null, el("span", { class: "strong", text: it.title }), " ", badge(word, tone)),
          more.length ? el("ul", null, more.map((text) => el("li", { class: "small", text: visible(text) }))) : el("p", { class: "small faint", text: "Nothing to say." }),
          it.call ? el("p", { class: "small" }, "Called as ", el("code", { text: visible(it.call) })) : null));
      })),
      el("p", { class: "small" }, own.mcp.served ? "`prowess serve` hands it to MCP clients." : `\`prowess serve\` leaves it out: ${visible(own.mcp.reason)}`));
  };

  const files = (/** @type {any} */ shown) => {
    if (shown.resources.length === 0) return null;
    const place = el("div", { "aria-live": "polite" });
    const open = async (/** @type {string} */ file) => {
      try {
        const page = await ask("read", { path, file });
        fill(place, el("h3", { text: visible(file) }),
          typeof page.text === "string"
            ? el("pre", { class: "raw", tabindex: "0", role: "group", "aria-label": file }, long(page.text), page.next_offset ? "\n\u2026" : "")
            : el("p", { class: "faint", text: "It is not text." }));
      } catch (error) { fill(place, unanswered(error)); }
    };
    return section("Files",
      el("ul", { class: "plain" }, shown.resources.slice(0, 200).map((/** @type {any} */ it) => el("li", null,
        exported ? visible(it.path) : el("button", { type: "button", class: "link", onclick: () => open(it.path), text: visible(it.path) }),
        el("span", { class: "faint small", text: ` ${size(it.size)}${it.executable ? ", can be run" : ""}` })))),
      shown.resources.length > 200 || shown.resources_partial ? el("p", { class: "faint small", text: "and more" }) : null, place);
  };

  draw();
  return {
    title: "Skill",
    node,
    changed: (/** @type {any} */ changes) => {
      if (changes?.event === "findings") return;
      const touched = !changes || changes.event !== "change" || [...changes.added, ...changes.changed, ...changes.removed].some((it) => it.path === path);
      if (touched) draw();
    },
  };
}
