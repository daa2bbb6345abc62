// Applies the formatting buttons to a text. Pure.

import { fenceFor } from "../state/lists.js";

/**
 * A change of a text: these words take the place of a part, and then this much is selected.
 * @typedef {{ start: number, end: number, words: string, from: number, to: number }} Change
 */
/** @typedef {{ value: string, start: number, end: number }} Field start, end: the selection */

/** Puts marks around the selection, or removes them. @param {string} before @param {string} [after] */
export const around =
  (before, after = before) =>
  (/** @type {Field} */ { value, start, end }) => {
    const words = value.slice(start, end);
    const outer = value.slice(start - before.length, start) === before && value.startsWith(after, end);
    // One of two stars does not make italics.
    const isLonger = before === "*" && value[start - 2] === "*" && value[start - 3] !== "*";
    if (outer && !isLonger) {
      const from = start - before.length;
      return { start: from, end: end + after.length, words, from, to: from + words.length };
    }
    const from = start + before.length;
    return { start, end, words: before + words + after, from, to: from + words.length };
  };

/** The whole lines that are touched. @param {Field} field */
function linesOf({ value, start, end }) {
  const from = value.lastIndexOf("\n", start - 1) + 1;
  const next = value.indexOf("\n", Math.max(start, end - 1));
  const to = next < 0 ? value.length : Math.max(next, end);
  return { from, to, lines: value.slice(from, to).split("\n") };
}

/** Each line as an item of a list; a second time, it is none. @param {boolean} isNumbered @returns {(field: Field) => Change} */
export const asList = (isNumbered) => (field) => {
  const { from, to, lines } = linesOf(field);
  const mark = isNumbered ? /^\d+\. / : /^[*+-] /;
  const any = /^(?:\d+\.|[*+-]) /;
  const isList = lines.every((line) => mark.test(line));
  const words = lines
    .map((line, at) =>
      isList ? line.replace(mark, "") : `${isNumbered ? `${at + 1}.` : "*"} ${line.replace(any, "")}`,
    )
    .join("\n");
  const last = from + words.length;
  return { start: from, end: to, words, from: lines.length > 1 ? from : last, to: last };
};

/** Puts the selection between two fences. @param {string} kind the word after the first fence @returns {(field: Field) => Change} */
export const fenced = (kind) => (field) => {
  const { value, start, end } = field;
  const words = value.slice(start, end);
  const fence = fenceFor(words);
  const before = start === 0 || value[start - 1] === "\n" ? "" : "\n";
  const after = end === value.length || value[end] === "\n" ? "" : "\n";
  const head = `${before}${fence}${kind}\n`;
  const from = start + head.length;
  return { start, end, words: `${head}${words}\n${fence}${after}`, from, to: from + words.length };
};

/** Words of code, or a block of it. @param {Field} field */
export const asCode = (field) =>
  (field.value.slice(field.start, field.end).includes("\n") ? fenced("") : around("`"))(field);

/** A link with an empty address; the selection becomes its text, or its address. @param {Field} field @returns {Change} */
export function asLink({ value, start, end }) {
  const words = value.slice(start, end);
  if (isAddress(words)) return { start, end, words: `[](${words})`, from: start + 1, to: start + 1 };
  const from = start + words.length + 3;
  return { start, end, words: `[${words}](url)`, from, to: from + 3 };
}

/** @param {string} text @returns {boolean} whether it is an address of the web and nothing else */
export const isAddress = (text) => /^https?:\/\/[^\s<>"]+$/u.test(text) && URL.canParse(text);

/** A command that a message begins with, with words to be replaced. @param {string} command @param {string} sample @param {string} rest @returns {(field: Field) => Change} */
export const asCommand = (command, sample, rest) => (field) => {
  const text = field.value.trim();
  const head = `${command} ${sample}`;
  const from = command.length + 1;
  const words = `${head}\n${text === "" ? rest : text}`;
  return { start: 0, end: field.value.length, words, from, to: from + sample.length };
};
