// Elements made from plain values: text is always text, and never markup.
"use strict";

/**
 * Makes an element. `class`, `text`, listeners as `onclick`, everything else an attribute;
 * `null`, `undefined` and `false` leave an attribute out.
 * @param {string} tag
 * @param {Record<string, any> | null} [attributes]
 * @param {...(Node | string | null | undefined | false | Array<Node | string | null | undefined | false>)} children
 * @returns {any}
 */
function el(tag, attributes, ...children) {
  const svg = tag.startsWith("svg:");
  const made = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") made.textContent = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "value" && "value" in made) /** @type {any} */ (made).value = value;
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(4)) {
    if (child !== null && child !== undefined && child !== false) made.append(child);
  }
  return made;
}

/** Replaces what an element holds. @param {Element} parent @param {...any} children */
function fill(parent, ...children) {
  parent.replaceChildren(...children.flat().filter((it) => it !== null && it !== undefined && it !== false));
}

/** A number as people read it. @param {number} number */
const thousands = (number) => number.toLocaleString("en").replaceAll(",", "\u202f");

/** @param {number} number @param {string} what */
const count = (number, what) => `${thousands(number)} ${what}${number === 1 ? "" : "s"}`;

/** A share as people say it; nothing is ever quite certain. @param {number} share */
const percent = (share) => `${Math.round(Math.min(share, 0.99) * 100)} %`;

/** @param {number} bytes */
const size = (bytes) =>
  bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;

/**
 * Characters that change how a line is read without being seen: shown by their number.
 * @param {string} text
 */
const visible = (text) =>
  String(text ?? "").replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]/g,
    (it) => `\u27e8U+${(it.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}\u27e9`);

/** More of one text than this stalls a browser. */
const MOST_TEXT = 200_000;

/** A text for a block of code; a long one is cut, and says so. @param {string} text */
function long(text) {
  const shown = visible(text);
  return shown.length <= MOST_TEXT ? shown : `${shown.slice(0, MOST_TEXT)}\n\u2026 and ${thousands(shown.length - MOST_TEXT)} more characters`;
}

/** A word in a coloured frame. @param {string} word @param {string} [tone] @param {string} [title] */
const badge = (word, tone, title) => el("span", { class: `badge ${tone ?? word}`, text: visible(word), title });

/** A small heading with what belongs below it. @param {string} title @param {...any} children */
function section(title, ...children) {
  const id = `s-${title.toLowerCase().replace(/[^a-z]+/g, "-")}`;
  return el("section", { "aria-labelledby": id, class: "card" }, el("h2", { id, text: title }), ...children);
}

/** A unified diff with its lines marked. @param {string} text */
function diff(text) {
  const lines = long(text).replace(/\n$/, "").split("\n").slice(0, 2000);
  return el("pre", { class: "diff", tabindex: "0", role: "group", "aria-label": "Changes" },
    lines.map((line) => {
      const tone = line.startsWith("+++") || line.startsWith("---") || line.startsWith("@@") ? "head"
        : line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : "";
      return el("span", { class: tone, text: `${line}\n` });
    }));
}

/**
 * Draws the tree of a Markdown text. Kinds that are not known are plain paragraphs.
 * @param {Array<any> | null} blocks
 */
function drawn(blocks) {
  const tags = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "em", "strong", "del", "code", "br", "hr", "tr"]);
  /** @param {any} block @param {boolean} inHead @returns {Node} */
  const draw = (block, inHead) => {
    if (typeof block === "string") return document.createTextNode(long(block));
    const inside = (head = inHead) => block.inside.map((/** @type {any} */ it) => draw(it, head));
    switch (block.kind) {
      // A skill's headings stand below those of the page.
      case "h1": case "h2": case "h3": case "h4": case "h5": case "h6":
        return el("div", { class: `md-${block.kind}`, role: "heading", "aria-level": Math.min(6, Number(block.kind[1]) + 2) }, inside());
      case "pre": return el("pre", { tabindex: "0", role: "group", "aria-label": "Code" }, el("code", null, inside()));
      case "link": return el("span", { class: "link" }, inside(), el("span", { class: "address", text: ` (${visible(block.note ?? "")})` }));
      case "image": return el("span", { class: "image" }, "\u{1F5BC} ", inside(), el("span", { class: "address", text: ` (${visible(block.note ?? "")}, not loaded)` }));
      case "html": return el("code", { class: "html", title: "HTML, shown as text" }, inside());
      case "table": return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table" }, el("table", null, inside()));
      case "thead": return el("thead", null, el("tr", null, inside(true)));
      case "td": return el(inHead ? "th" : "td", inHead ? { scope: "col" } : null, inside());
      case "ol": return el("ol", { start: /^\d{1,6}$/.test(block.note ?? "") ? block.note : null }, inside());
      default: return el(tags.has(block.kind) ? block.kind : "p", null, inside());
    }
  };
  return (blocks ?? []).map((it) => draw(it, false));
}

/** Says something for a few seconds. @param {string} text @param {string} [tone] */
function toast(text, tone) {
  const place = /** @type {HTMLElement} */ (document.getElementById("toast"));
  fill(place, el("div", { class: `toast ${tone ?? ""}`, text }));
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => fill(place), 6000);
}
toast.timer = 0;
