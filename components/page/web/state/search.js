// The language of the search field: `channel:looms topic:"the old one" has:link words`. Reading it,
// writing it, and what may come next. Pure.

/** @typedef {import("../types.js").Term} Term */
/** @typedef {import("./narrow.js").Narrow} Narrow */

/**
 * What the language needs to know of the organization.
 * @typedef {object} Known
 * @property {number} me
 * @property {{ id: number, name: string }[]} channels
 * @property {{ id: number, name: string, email: string }[]} people
 * @property {(channel: number) => string[]} topicsOf
 */

/** @typedef {{ text: string, start: number }} Word start: where it begins */
/** @typedef {{ terms: Term[], near?: number, date?: string, unknown: string[] }} Query date: a day to begin at; unknown: names that stand for nothing */
/** @typedef {{ insert: string, operator: string, value: string }} Suggestion insert: the whole word */

const OF_CHANNEL = new Set(["channel"]);
const OF_PEOPLE = new Set(["sender", "dm", "dm-including", "mentions"]);
/** @type {Record<string, readonly string[]>} */
const VALUES = {
  is: ["unread", "starred", "mentioned", "alerted", "dm", "resolved", "followed", "muted"],
  has: ["link", "image", "attachment", "reaction"],
  in: ["home", "all"],
  channels: ["public", "web-public"],
};
/** @type {Record<string, string>} */
const OLD = { stream: "channel", subject: "topic", from: "sender", "pm-with": "dm", "group-pm-with": "dm-including" };
/** Operators that are offered, those most wanted first. */
export const OPERATORS = /** @type {const} */ ([
  "channel",
  "topic",
  "sender",
  "is",
  "has",
  "dm",
  "mentions",
  "near",
  "date",
]);
const ALL = new Set([...OPERATORS, "dm-including", "in", "channels", "id"]);
const MOST = 8;

/** Words of a text; what is in quotes is one. @param {string} text @returns {Word[]} */
export function wordsOf(text) {
  return [...text.matchAll(/(?:[^\s"]|"[^"]*"?)+/gu)].map((found) => ({ text: found[0], start: found.index }));
}

/** @param {string} word @returns {{ operator: string, value: string, negated: boolean } | null} null: it is no operator */
function operatorOf(word) {
  const found = /^(?<sign>-?)(?<name>[a-z-]+):(?<value>.*)$/su.exec(word);
  const { sign, name = "", value = "" } = found?.groups ?? {};
  const operator = OLD[name] ?? name;
  if (!ALL.has(operator)) return null;
  return { operator, value: value.replaceAll('"', ""), negated: sign === "-" };
}

/** @param {string} name */
const quoted = (name) => (/[\s"]/u.test(name) || name === "" ? `"${name.replaceAll('"', "")}"` : name);
/** As the language writes a name: without quotes, which it could not read. @param {string} name */
const plain = (name) => name.replaceAll('"', "").toLowerCase();

/** @param {string} value @param {Known} known @returns {number | undefined} */
function personOf(value, { me, people }) {
  if (value === "me") return me;
  const id = /\|(\d+)$/u.exec(value)?.[1];
  if (id !== undefined) return people.find((one) => one.id === Number(id))?.id;
  const wanted = value.toLowerCase();
  return people.find((one) => plain(one.name) === wanted || one.email.toLowerCase() === wanted)?.id;
}

/** @param {string} operator @param {string} value @param {Known} known @returns {Term["operand"] | undefined} */
function operandOf(operator, value, known) {
  if (OF_CHANNEL.has(operator)) return known.channels.find((one) => plain(one.name) === value.toLowerCase())?.id;
  if (operator === "dm") {
    const ids = value.split(",").map((one) => personOf(one.trim(), known));
    return ids.includes(undefined) ? undefined : /** @type {number[]} */ (ids);
  }
  if (OF_PEOPLE.has(operator)) return personOf(value, known);
  if (operator === "id") return /^\d+$/u.test(value) ? Number(value) : undefined;
  const values = VALUES[operator];
  return values === undefined || values.includes(value) ? value : undefined;
}

/** @param {string} text as `2026-11-23` */
const isDay = (text) => /^\d{4}-\d{2}-\d{2}$/u.test(text) && !Number.isNaN(Date.parse(text));

/** @param {string} text @param {Known} known @returns {Query} */
export function read(text, known) {
  /** @type {Query} */
  const query = { terms: [], unknown: [] };
  const words = [];
  for (const { text: word } of wordsOf(text)) {
    const found = operatorOf(word);
    if (found === null) {
      words.push(word);
      continue;
    }
    const { operator, value, negated } = found;
    if (operator === "near") {
      if (/^\d+$/u.test(value)) query.near = Number(value);
      else query.unknown.push(word);
      continue;
    }
    if (operator === "date") {
      if (isDay(value)) query.date = value;
      else query.unknown.push(word);
      continue;
    }
    const operand = operandOf(operator, value, known);
    if (operand === undefined) query.unknown.push(word);
    else query.terms.push(negated ? { operator, operand, negated } : { operator, operand });
  }
  if (words.length > 0) query.terms.push({ operator: "search", operand: words.join(" ") });
  return query;
}

/** @param {number} id @param {Known} known */
function personName(id, { people }) {
  const person = people.find((one) => one.id === id);
  if (person === undefined) return `|${id}`;
  const isAmbiguous = people.some((one) => one.id !== id && plain(one.name) === plain(person.name));
  return isAmbiguous || person.name.includes(",") ? `${person.name.replaceAll(",", "")}|${id}` : person.name;
}

/** @param {Term} term @param {Known} known */
function valueOf({ operator, operand }, known) {
  if (OF_CHANNEL.has(operator)) return known.channels.find((one) => one.id === operand)?.name ?? String(operand);
  if (Array.isArray(operand)) return operand.map((id) => personName(id, known)).join(",");
  return OF_PEOPLE.has(operator) ? personName(Number(operand), known) : String(operand);
}

/** The text of a narrow, which `read` reads as the same. @param {readonly Term[]} terms @param {Known} known */
export function write(terms, known) {
  const words = terms.map((term) =>
    term.operator === "search"
      ? String(term.operand)
      : `${term.negated ? "-" : ""}${term.operator}:${quoted(valueOf(term, known))}`,
  );
  return words.join(" ");
}

/** @typedef {{ name: string, value: () => string }} Candidate value: as the language writes it */

/** @param {readonly string[]} names @returns {Candidate[]} */
const asNamed = (names) => names.map((name) => ({ name, value: () => name }));

/** @param {string} operator @param {Known} known @param {readonly Term[]} terms @returns {Candidate[]} */
function candidates(operator, known, terms) {
  if (OF_CHANNEL.has(operator)) return asNamed(known.channels.map((one) => one.name));
  if (OF_PEOPLE.has(operator))
    return known.people.map((one) => ({ name: one.name, value: () => personName(one.id, known) }));
  if (operator === "topic") {
    const channel = terms.find((term) => term.operator === "channel");
    return channel === undefined ? [] : asNamed(known.topicsOf(Number(channel.operand)));
  }
  return asNamed(VALUES[operator] ?? []);
}

/** @param {Candidate[]} all @param {string} sought lower case */
function ranked(all, sought) {
  const rank = (/** @type {string} */ name) => {
    const lower = name.toLowerCase();
    return lower.startsWith(sought) ? 0 : lower.includes(` ${sought}`) ? 1 : lower.includes(sought) ? 2 : 3;
  };
  return all
    .map((one, at) => ({ value: one.value, at, rank: rank(one.name) }))
    .filter((one) => one.rank < 3)
    .sort((a, b) => a.rank - b.rank || a.at - b.at)
    .slice(0, MOST)
    .map((one) => one.value());
}

/**
 * What the last word of a text may become.
 * @param {string} text up to the caret @param {Known} known
 * @param {readonly Term[]} within terms that hold besides
 * @returns {{ start: number, choices: Suggestion[] }} start: of what a choice replaces
 */
export function suggest(text, known, within = []) {
  const last = wordsOf(text).at(-1);
  const isOpen = last !== undefined && last.start + last.text.length === text.length;
  const word = isOpen ? last.text : "";
  const start = text.length - word.length;
  const found = operatorOf(word);
  const sign = word.startsWith("-") ? "-" : "";
  if (found !== null) {
    const { operator, value } = found;
    const { terms } = read(text.slice(0, start), known);
    const names = ranked(candidates(operator, known, [...terms, ...within]), value.toLowerCase());
    const isWhole = names.length === 1 && plain(names[0] ?? "") === value.toLowerCase();
    const choices = names.map((name) => ({ operator, value: name, insert: `${sign}${operator}:${quoted(name)} ` }));
    return { start, choices: isWhole ? [] : choices };
  }
  const sought = word.replace(/^-/u, "");
  if (isOpen && sought === "" && sign === "") return { start, choices: [] };
  const choices = OPERATORS.filter((name) => name.startsWith(sought)).map((operator) => ({
    operator,
    value: "",
    insert: `${sign}${operator}:`,
  }));
  return { start, choices };
}
