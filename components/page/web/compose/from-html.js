// Turns a pasted document into Markdown: keeps the formatting, drops the markup behind it. Pure: reads an inert
// document only. Escapes nothing, since the server decides what Markdown may do.

import { fenceFor } from "../state/lists.js";
import {
  attribute,
  childrenOf,
  inline,
  isElement,
  isHidden,
  lookOf,
  nameOf,
  PLAIN,
  STYLE,
  textIn,
} from "./from-html-words.js";

/** @typedef {import("./from-html-words.js").Look} Look */
/** @typedef {import("./from-html-words.js").Notes} Notes */
/** @typedef {{ words: string, isLine?: boolean }} Part isLine: nothing stands between it and another line */

/** Blocks that hold others, each of which stands on lines of its own. */
const BLOCKS = new Set(
  "address article aside body center dd details dialog div dl dt figcaption figure footer form header hgroup main nav p search section summary".split(
    " ",
  ),
);
/** @type {WeakMap<Element, boolean>} */
const holders = new WeakMap();
/** @param {Element} element @returns {boolean} whether something below it stands on its own lines */
function holdsBlocks(element) {
  const known = holders.get(element);
  if (known !== undefined) return known;
  const holds = childrenOf(element).some((child) => isElement(child) && (isBlock(child) || holdsBlocks(child)));
  holders.set(element, holds);
  return holds;
}

/** @param {Element} element */
const isBlock = (element) => {
  const name = nameOf(element);
  return BLOCKS.has(name) || /^(?:blockquote|h[1-6]|hr|li|ol|pre|table|ul)$/u.test(name);
};

/** What a word processor says of a paragraph that is an item: how deep it is. @param {Element} element */
const depthOf = (element) => Number(/mso-list:[^;]*level(\d)/iu.exec(attribute(element, STYLE))?.[1] ?? 0);

/** A paragraph of a word processor that is an item of a list; its mark is hidden in it. @param {Element} element @param {Look} look @param {Notes} notes */
function itemOf(element, look, notes) {
  notes.isFormed = true;
  const mark = element.querySelector('[data-style*="mso-list:ignore" i]')?.textContent ?? "";
  const sign = /[\da-z]+[.)]/iu.test(mark) ? "1." : "*";
  return `${"  ".repeat(depthOf(element) - 1)}${sign} ${inline(childrenOf(element), lookOf(element, look), notes)}`;
}

/** @param {Element} list @param {Look} look @param {Notes} notes @returns {string} */
function listOf(list, look, notes) {
  notes.isFormed = true;
  const isNumbered = nameOf(list) === "ol";
  let number = Number(attribute(list, "start") || 1);
  const lines = [];
  for (const child of childrenOf(list)) {
    if (!isElement(child) || isHidden(child)) continue;
    const name = nameOf(child);
    // Some put a nested list next to the item and not into it.
    if (name === "ol" || name === "ul") {
      lines.push(indented(listOf(child, look, notes)));
      continue;
    }
    const text = blocks(childrenOf(child), lookOf(child, look), notes)
      .map((part) => part.words)
      .join("\n");
    lines.push(`${isNumbered ? `${number}.` : "*"} ${indented(text).trimStart()}`);
    number += 1;
  }
  return lines.join("\n");
}

/** @param {string} text */
const indented = (text) =>
  text
    .split("\n")
    .map((line) => (line === "" ? line : `  ${line}`))
    .join("\n");

/** @param {Element} table @param {Look} look @param {Notes} notes @returns {Part[]} */
function tableOf(table, look, notes) {
  const rows = [...table.querySelectorAll("tr")].map((row) =>
    childrenOf(row).filter((cell) => isElement(cell) && /^t[dh]$/u.test(nameOf(cell))),
  );
  const width = Math.max(0, ...rows.map((row) => row.length));
  // Mails use tables as frames; those are not tables of data.
  if (width < 2 || table.querySelector("table, ul, ol, pre, blockquote") !== null)
    return rows.flat().flatMap((cell) => blocks(childrenOf(cell), look, notes));
  notes.isFormed = true;
  const lines = rows.map((row) => {
    const cells = row.map((cell) =>
      blocks(childrenOf(cell), { ...look, isHead: isElement(cell) && nameOf(cell) === "th" }, notes)
        .map((part) => part.words)
        .join(" ")
        .replaceAll(/\s*\n\s*/gu, " ")
        .replaceAll("|", "\\|"),
    );
    return `| ${Array.from({ length: width }, (_, at) => cells[at] ?? "").join(" | ")} |`;
  });
  const rule = `|${" --- |".repeat(width)}`;
  return [{ words: [lines[0], rule, ...lines.slice(1)].join("\n") }];
}

/** @param {Element} pre @param {Notes} notes */
function codeOf(pre, notes) {
  notes.isFormed = true;
  const text = textIn(pre).replace(/^\n+|\s+$/gu, "");
  const kinds = `${attribute(pre, "class")} ${attribute(pre.querySelector("code") ?? pre, "class")}`;
  const language = /\blang(?:uage)?-([\w+#-]+)/u.exec(kinds)?.[1] ?? "";
  const fence = fenceFor(text);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** @param {Element} element @param {Look} look @param {Notes} notes @returns {Part[]} */
function blockOf(element, look, notes) {
  const name = nameOf(element);
  if (name === "hr") return [{ words: "---" }];
  if (name === "pre") return [{ words: codeOf(element, notes) }];
  if (name === "ul" || name === "ol") return [{ words: listOf(element, look, notes) }];
  if (name === "table") return tableOf(element, look, notes);
  if (depthOf(element) > 0) return [{ words: itemOf(element, look, notes), isLine: true }];
  const heading = /^h([1-6])$/u.exec(name);
  if (heading !== null) {
    const words = inline(childrenOf(element), { ...PLAIN, isHead: true }, notes).replaceAll("\n", " ");
    if (words === "") return [];
    notes.isFormed = true;
    return [{ words: `${"#".repeat(Number(heading[1]))} ${words}` }];
  }
  const inner = blocks(childrenOf(element), lookOf(element, look), notes);
  // Editors have a div for each line, which is empty but for a break where the line is.
  if (name === "div" && !holdsBlocks(element)) {
    const isEmpty = inner.length === 0 && element.querySelector("br") !== null;
    return isEmpty ? [{ words: "", isLine: true }] : inner.map((part) => ({ ...part, isLine: true }));
  }
  if (name !== "blockquote" || inner.length === 0) return inner;
  notes.isFormed = true;
  const text = together(inner);
  if (!/\n\n|`{3}/u.test(text)) return [{ words: text.replaceAll(/^/gmu, "> ") }];
  const fence = fenceFor(text);
  return [{ words: `${fence}quote\n${text}\n${fence}` }];
}

/** @param {Node[]} nodes @param {Look} look @param {Notes} notes @returns {Part[]} */
function blocks(nodes, look, notes) {
  /** @type {Part[]} */
  const done = [];
  /** @type {Node[]} */
  let waiting = [];
  const flush = () => {
    const words = inline(waiting, look, notes);
    if (words !== "") done.push({ words });
    waiting = [];
  };
  for (const node of nodes) {
    if (!isElement(node) || isHidden(node) || !(isBlock(node) || holdsBlocks(node))) {
      waiting.push(node);
      continue;
    }
    flush();
    done.push(...blockOf(node, look, notes));
  }
  flush();
  return done;
}

/** @param {Part[]} parts */
function together(parts) {
  let text = "";
  for (const [at, { words, isLine }] of parts.entries())
    text += at === 0 ? words : (isLine && parts[at - 1]?.isLine ? "\n" : "\n\n") + words;
  return text.replaceAll(/\n{3,}/gu, "\n\n").trim();
}

/**
 * @param {Node} page whose document runs nothing and loads nothing; its styles are named `STYLE`
 * @returns {{ words: string, isFormed: boolean }} isFormed: false if it is text and nothing else
 */
export function fromHtml(page) {
  const notes = { isFormed: false };
  const words = together(blocks(childrenOf(page), PLAIN, notes));
  return { words, isFormed: notes.isFormed };
}
