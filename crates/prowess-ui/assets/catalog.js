// Every skill and its state.
"use strict";

/** @param {string} path */
const skillLink = (path) => `#/skill?path=${encodeURIComponent(path)}`;

/** @param {any} row */
const findingsOf = (row) => catalog.findings.get(row.path) ?? { error: 0, warning: 0, hint: 0 };

/** How many tokens, in steps that people think in. @param {number} tokens */
const tokenStep = (tokens) => (tokens < 500 ? "below 500" : tokens < 2000 ? "500 to 2 000" : tokens < 5000 ? "2 000 to 5 000" : "above 5 000");

/** @param {any} row */
function findingsCell(row) {
  const found = findingsOf(row);
  return [
    found.error > 0 && badge(count(found.error, "error"), "bad"),
    found.warning > 0 && badge(count(found.warning, "warning"), "warn"),
  ];
}

/** @type {Array<{key: string, title: string, of: (row: any) => string[]}>} */
const FACETS = [
  { key: "state", title: "State", of: (row) => [row.state] },
  { key: "scope", title: "Scope", of: (row) => [row.scope] },
  { key: "origin", title: "Place", of: (row) => [row.origin] },
  { key: "findings", title: "Findings", of: (row) => { const it = findingsOf(row); return it.error ? ["errors"] : it.warning ? ["warnings"] : it.hint ? ["hints"] : ["none"]; } },
  { key: "tokens", title: "Tokens", of: (row) => [tokenStep(row.tokens)] },
  { key: "tag", title: "Tag", of: (row) => row.tags },
];

/** @param {URLSearchParams} given */
function catalogView(given) {
  /** What is asked for; it stands in the address, so that a look can be passed on. */
  const wanted = new URLSearchParams(given);
  /** @type {any[] | null} */
  let ofClient = null;

  const filter = el("input", { type: "search", id: "filter", placeholder: "Filter by name, description, path\u2026", value: wanted.get("q") ?? "", autocomplete: "off", spellcheck: "false", "data-search": "" });
  const told = el("p", { class: "told", role: "status" });
  const facets = el("div", { class: "facets" });
  const clients = el("select", { id: "client" },
    el("option", { value: "", text: "Prowess" }),
    (catalog.about.clients ?? []).map((/** @type {any} */ it) => el("option", { value: it.name, text: it.title })));
  clients.value = wanted.get("client") ?? "";
  const table = virtualTable({
    label: "Skills",
    sort: "name",
    link: (row) => skillLink(row.path),
    columns: [
      { key: "name", title: "Skill", class: "grow", sort: (row) => row.name.toLowerCase(), cell: (row) => [
        el("a", { class: "name", href: skillLink(row.path), text: visible(row.name) || "(no name)" }),
        el("span", { class: "faint line", text: visible(row.description.slice(0, 300)) || "no description" })] },
      { key: "state", title: "State", class: "c-state", sort: (row) => row.state, cell: (row) => badge(row.state) },
      { key: "findings", title: "Findings", class: "c-findings", sort: (row) => { const it = findingsOf(row); return -(it.error * 1e6 + it.warning * 1e3 + it.hint); }, cell: findingsCell },
      { key: "scope", title: "Place", class: "c-scope", sort: (row) => `${row.scope} ${row.origin}`, cell: (row) => [el("span", { class: "line", text: visible(row.origin) }), el("span", { class: "faint line", text: row.scope })] },
      { key: "tokens", title: "Tokens", class: "c-tokens", sort: (row) => row.tokens, cell: (row) => thousands(row.tokens) },
    ],
    empty: () => el("div", null,
      el("p", { class: "strong", text: catalog.skills.length === 0 ? "There are no skills here yet." : "No skill fits." }),
      el("p", { text: catalog.skills.length === 0 ? "`prowess new NAME` makes one; `prowess ui --dir DIR` looks elsewhere." : `Take a filter off${exported ? "." : ", or ask for it in Try: a request finds skills by what they do."}` })),
  });

  const address = () => {
    const text = wanted.toString();
    history.replaceState(null, "", text ? `#/?${text}` : "#/");
  };

  const drawFacets = (/** @type {any[]} */ rows) => {
    fill(facets, FACETS.map((facet) => {
      /** @type {Map<string, number>} */
      const counts = new Map();
      for (const row of rows) for (const value of facet.of(row)) counts.set(value, (counts.get(value) ?? 0) + 1);
      const chosen = wanted.getAll(facet.key);
      const values = [...counts].sort((a, b) => b[1] - a[1]);
      for (const value of chosen) if (!counts.has(value)) values.push([value, 0]);
      if (values.length < 2 && chosen.length === 0) return null;
      const MOST = 8;
      const shown = values.filter(([value], at) => at < MOST || chosen.includes(value));
      return el("fieldset", null, el("legend", { text: facet.title }),
        shown.map(([value, number]) => el("label", { class: "facet" },
          el("input", { type: "checkbox", checked: chosen.includes(value), onchange: (/** @type {any} */ event) => {
            wanted.delete(facet.key);
            for (const it of event.target.checked ? [...chosen, value] : chosen.filter((it) => it !== value)) wanted.append(facet.key, it);
            update();
            // The list was drawn anew; whoever pressed a key is still where they were.
            const boxes = [...facets.querySelectorAll("label")];
            boxes.find((it) => it.dataset.value === `${facet.key} ${value}`)?.querySelector("input")?.focus();
          } }),
          el("span", { class: "line", text: visible(value) }), el("span", { class: "faint", text: thousands(number) })))
          .map((label, at) => { label.dataset.value = `${facet.key} ${shown[at][0]}`; return label; }),
        values.length > shown.length ? el("p", { class: "faint small", text: `and ${values.length - shown.length} more` }) : null);
    }));
  };

  const update = () => {
    address();
    const words = (wanted.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const all = ofClient ?? catalog.skills;
    const texts = (/** @type {any} */ row) => `${row.name}\n${row.description}\n${row.path}`.toLowerCase();
    const found = words.length === 0 ? all : all.filter((row) => { const text = texts(row); return words.every((word) => text.includes(word)); });
    const chosen = FACETS.map((facet) => ({ facet, values: wanted.getAll(facet.key) })).filter((it) => it.values.length > 0);
    const rows = chosen.length === 0 ? found : found.filter((row) => chosen.every(({ facet, values }) => facet.of(row).some((it) => values.includes(it))));
    drawFacets(found);
    table.show(rows);
    const total = catalog.whole || ofClient ? all.length : catalog.about.skills;
    told.textContent = rows.length === all.length ? count(total, "skill") : `${thousands(rows.length)} of ${count(total, "skill")}`;
  };

  let turn = 0;
  const seenBy = async () => {
    const mine = ++turn;
    let seen = null;
    const client = wanted.get("client");
    if (client) {
      try {
        seen = (await ask("list", { client })).skills;
      } catch (error) {
        toast(/** @type {Error} */ (error).message, "bad");
      }
    }
    // Somebody may have chosen another client meanwhile.
    if (mine !== turn) return;
    ofClient = seen;
    update();
  };

  filter.addEventListener("input", () => {
    if (filter.value) wanted.set("q", filter.value); else wanted.delete("q");
    table.top();
    update();
  });
  filter.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "ArrowDown" && table.length() > 0) { event.preventDefault(); table.focus(); }
  });
  clients.addEventListener("change", () => {
    if (clients.value) wanted.set("client", clients.value); else wanted.delete("client");
    seenBy();
  });
  if (wanted.get("client")) seenBy(); else update();

  const aside = el("details", { class: "side", open: matchMedia("(min-width: 900px)").matches },
    el("summary", { text: "Narrow down" }), facets);
  return {
    title: "Catalog",
    node: el("div", { class: "view catalog" },
      el("h1", { class: "hidden", text: "Catalog" }),
      el("div", { class: "ask" },
        el("label", { class: "hidden", for: "filter", text: "Filter" }), filter,
        exported ? null : el("label", { class: "inline", for: "client" }, "as seen by ", clients),
        told),
      el("div", { class: "split" }, aside, table.node)),
    changed: () => seenBy(),
  };
}
