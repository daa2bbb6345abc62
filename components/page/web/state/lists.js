// Where one writes on: the next line of a list or a quote, behind a link; a fence for text that has fences itself. Pure.

const ITEM = /^(?<indent> *)(?:(?<number>\d{1,9})\.|(?<mark>[*+-]|>)) (?<rest>.*)$/u;
const FENCE = /^(?:`{3,}|~{3,})/u;

/** Whether a line is within a fence, where nothing is a list but in a quote. @param {string[]} lines before it */
function isCode(lines) {
  let open = "";
  let kind = "";
  for (const line of lines) {
    const [fence = ""] = FENCE.exec(line) ?? [];
    if (fence === "") continue;
    if (open === "") [open, kind] = [fence, line.slice(fence.length).trim()];
    else if (line.trimEnd() === open) open = "";
  }
  return open !== "" && !/^(?:quote|spoiler)/u.test(kind);
}

/**
 * A new line within an item begins the next item, or ends the list where the item is empty.
 * @param {string} value @param {number} caret
 * @returns {{ start: number, words: string } | null} the words replace the text up to the cursor; null: a plain new line
 */
export function continued(value, caret) {
  const begin = value.lastIndexOf("\n", caret - 1) + 1;
  const found = ITEM.exec(value.slice(begin, caret));
  if (found?.groups === undefined) return null;
  const { indent = "", number, mark, rest = "" } = found.groups;
  if (isCode(value.slice(0, begin).split("\n").slice(0, -1))) return null;
  const end = value.indexOf("\n", caret);
  const behind = value.slice(caret, end < 0 ? undefined : end);
  if (rest.trim() === "") return behind.trim() === "" ? { start: begin, words: "" } : null;
  return { start: caret, words: `\n${indent}${number === undefined ? mark : `${Number(number) + 1}.`} ` };
}

/** A fence longer than any in a text. @param {string} content */
export function fenceFor(content) {
  const longest = [...content.matchAll(/^`{3,}/gmu)].reduce((most, [run]) => Math.max(most, run.length), 2);
  return "`".repeat(longest + 1);
}

/**
 * The end of the link that the caret, or all that is selected, is in: where one writes on after its address.
 * @param {string} value @param {number} start @param {number} end of the selection
 * @returns {number | null} null without a link
 */
export function behindLink(value, start, end) {
  for (const { index, 0: link } of value.matchAll(/\[[^\]\n]*\]\([^()\s]*\)/gu))
    if (index < start && end < index + link.length) return index + link.length;
  return null;
}
