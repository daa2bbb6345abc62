// Pastes a document as Markdown, and an address on selected words as a link.

import { replaceIn } from "../elements/field.js";
import { markup } from "../frame/trusted.js";
import { write } from "./compose-state.js";
import { isAddress } from "./formatting.js";
import { fromHtml } from "./from-html.js";

/** Characters of HTML; a longer page is pasted as text. */
const MOST = 1_000_000;

/** What begins a block of Markdown, at the beginning of a line only. */
const BLOCK = /^(?:[*>-] |#+ |\d+\. |\| |`{3})/u;

/**
 * Browsers report what the policy of the page forbids even where it would never take effect: styles and handlers get
 * names of their own before the page is parsed.
 * @param {string} html
 */
const quiet = (html) =>
  html
    .replaceAll(/<style\b[^>]*>[^]*?<\/style\s*>/giu, "")
    .replaceAll(/<[a-z](?:"[^"]*"|'[^']*'|[^'"<>])*>/giu, (tag) =>
      tag.replaceAll(/([\s"'/])(style|on\w+)(?=\s*=)/giu, "$1data-$2"),
    );

/** @param {string} html @param {string} text the same without its form @returns {{ words: string, isFormed: boolean }} */
function read(html, text) {
  if (html === "" || html.length > MOST) return { words: text, isFormed: false };
  const page = new DOMParser().parseFromString(markup(quiet(html)), "text/html");
  const { words, isFormed } = fromHtml(page.body);
  return isFormed || text === "" ? { words, isFormed } : { words: text, isFormed };
}

/**
 * @param {HTMLTextAreaElement} field
 * @param {{ html: string, text: string, start: number, end: number }} pasted start, end: the selection
 */
export function paste(field, { html, text, start, end }) {
  const { value } = field;
  const selected = value.slice(start, end);
  const url = text.trim();
  if (isAddress(url) && selected.trim() !== "" && !/[\n[\]]/u.test(selected) && !isAddress(selected)) {
    write(replaceIn(field, start, end, `[${selected}](${url})`));
    return;
  }
  const { words, isFormed } = read(html, text);
  const isBlock = isFormed && (BLOCK.test(words) || words.includes("\n"));
  const before = isBlock && start > 0 && value[start - 1] !== "\n" ? "\n" : "";
  const after = isBlock && end < value.length && value[end] !== "\n" ? "\n" : "";
  write(replaceIn(field, start, end, before + words.replaceAll("\r\n", "\n") + after));
}
