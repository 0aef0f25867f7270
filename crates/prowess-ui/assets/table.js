// A table of any length: only the rows that are seen exist.
"use strict";

/**
 * @typedef {{key: string, title: string, class?: string, sort?: (row: any) => any, cell: (row: any) => any}} Column
 */

/**
 * A virtual table. Rows have one height, so that any place is found without measuring.
 * @param {{label: string, columns: Column[], empty: () => Node, link: (row: any) => string, sort?: string}} options
 */
function virtualTable(options) {
  const ROW = 56;
  /** Rows beyond the edge, so that a turn of the wheel shows no gap. */
  const MORE = 8;
  /** A browser has no place for a taller element; further rows are reached by searching. */
  const MOST_HEIGHT = 8_000_000;
  /** @type {any[]} */
  let rows = [];
  /** @type {any[]} */
  let sorted = [];
  let sort = { key: options.sort ?? "", down: false };
  let from = -1;
  let to = -1;

  const head = el("div", { role: "row", class: "row head", "aria-rowindex": "1" });
  const space = el("div", { role: "rowgroup", class: "space" });
  const body = el("div", { class: "rows", role: "presentation" }, space);
  const table = el("div", { role: "table", "aria-label": options.label, class: "table" },
    el("div", { role: "rowgroup" }, head), body);
  const nothing = el("div", { class: "nothing", hidden: true });
  const whole = el("div", { class: "table-box" }, table, nothing);

  const heads = () => fill(head, options.columns.map((column) => {
    const mine = sort.key === column.key;
    return el("div", { role: "columnheader", class: `cell ${column.class ?? ""}`, "aria-sort": column.sort ? (mine ? (sort.down ? "descending" : "ascending") : "none") : null },
      column.sort
        ? el("button", { type: "button", class: "sort", onclick: () => order(column.key) }, column.title, el("span", { "aria-hidden": "true", text: mine ? (sort.down ? " \u2193" : " \u2191") : "" }))
        : column.title);
  }));

  /** @param {string} key */
  const order = (key) => {
    sort = { key, down: sort.key === key ? !sort.down : false };
    heads();
    arrange();
    head.querySelectorAll("button")[options.columns.filter((it) => it.sort).findIndex((it) => it.key === key)]?.focus();
  };

  const arrange = () => {
    const by = options.columns.find((it) => it.key === sort.key)?.sort;
    sorted = rows;
    if (by) {
      const keyed = rows.map((row) => /** @type {[any, any]} */ ([by(row), row]));
      keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      if (sort.down) keyed.reverse();
      sorted = keyed.map(([, row]) => row);
    }
    space.style.height = `${Math.min(sorted.length * ROW, MOST_HEIGHT)}px`;
    table.setAttribute("aria-rowcount", String(sorted.length + 1));
    table.hidden = sorted.length === 0;
    nothing.hidden = sorted.length > 0;
    if (sorted.length === 0) fill(nothing, options.empty());
    from = -1;
    draw();
  };

  const draw = () => {
    const first = Math.max(0, Math.floor(body.scrollTop / ROW) - MORE);
    const last = Math.min(sorted.length, Math.ceil((body.scrollTop + (body.clientHeight || 600)) / ROW) + MORE);
    if (first === from && last === to) return;
    const at = document.activeElement?.closest?.("[data-at]")?.getAttribute("data-at");
    [from, to] = [first, last];
    fill(space, sorted.slice(first, last).map((row, index) => {
      const place = first + index;
      const made = el("div", { role: "row", class: "row", "aria-rowindex": place + 2, "data-at": place },
        options.columns.map((column) => el("div", { role: "cell", class: `cell ${column.class ?? ""}` }, column.cell(row))));
      made.style.transform = `translateY(${place * ROW}px)`;
      return made;
    }));
    // Whoever was on a row stays on it.
    if (at !== null && at !== undefined) space.querySelector(`[data-at="${at}"] a`)?.focus({ preventScroll: true });
  };

  /** @param {number} place */
  const go = (place) => {
    const wanted = Math.max(0, Math.min(sorted.length - 1, place));
    const top = wanted * ROW;
    if (top < body.scrollTop) body.scrollTop = top;
    else if (top + ROW > body.scrollTop + body.clientHeight) body.scrollTop = top + ROW - body.clientHeight;
    draw();
    /** @type {HTMLElement | null} */ (space.querySelector(`[data-at="${wanted}"] a`))?.focus({ preventScroll: true });
  };

  body.addEventListener("scroll", draw, { passive: true });
  body.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const at = /** @type {HTMLElement} */ (event.target).closest("[data-at]")?.getAttribute("data-at");
    const place = at === null || at === undefined ? 0 : Number(at);
    const page = Math.max(1, Math.floor(body.clientHeight / ROW) - 1);
    const steps = /** @type {Record<string, number>} */ ({ ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity });
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go(place + step);
  });
  new ResizeObserver(() => { from = -1; draw(); }).observe(body);
  heads();

  return {
    node: whole,
    /** @param {any[]} next */
    show(next) {
      rows = next;
      arrange();
    },
    top() { body.scrollTop = 0; },
    focus() { go(0); },
    length: () => sorted.length,
  };
}
