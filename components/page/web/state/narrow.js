// Narrows: which messages a view shows. As terms, as an address, as a test of one message. Pure.
//
// Addresses are those that Zulip clients write: `#narrow/channel/5-general/topic/x/near/12`. Old
// spellings are read, never written.

import { directKey, isResolved, othersIn } from "./conversation.js";

/** @typedef {import("../types.js").Term} Term */
/** @typedef {import("../types.js").Message} Message */
/** @typedef {import("../types.js").State} State */

/**
 * @typedef {object} Narrow
 * @property {Term[]} terms
 * @property {number} [near] a message to begin at
 * @property {number} [with] a message whose conversation is meant, wherever it has gone
 */

/** @type {Record<string, string>} */
const OLD = {
  stream: "channel",
  subject: "topic",
  "pm-with": "dm",
  "group-pm-with": "dm-including",
  from: "sender",
  streams: "channels",
};
const OF_PEOPLE = new Set(["dm", "dm-including", "sender", "mentions"]);

/** @param {string} text */
export function encodePart(text) {
  return encodeURIComponent(text)
    .replace(/[!'()*.]/gu, (character) => `%${character.codePointAt(0)?.toString(16).toUpperCase()}`)
    .replaceAll("%", ".");
}

/** @param {string} text */
export function decodePart(text) {
  try {
    return decodeURIComponent(text.replaceAll(".", "%"));
  } catch {
    return text;
  }
}

/** @param {string} part `3,7-group` or `3-Ada` @returns {number[]} */
const leadingIds = (part) => (/^[\d,]+/u.exec(part)?.[0] ?? "").split(",").filter(Boolean).map(Number);

/**
 * @param {string} hash with or without `#`, beginning with `narrow/`
 * @param {{ me: number, channelByName: (name: string) => number | undefined }} known
 * @returns {Narrow | null} null when it is no address of messages
 */
export function parse(hash, known) {
  const parts = hash.replace(/^#/u, "").split("/");
  if (parts.shift() !== "narrow") return null;
  /** @type {Narrow} */
  const narrow = { terms: [] };
  for (let at = 0; at < parts.length; at += 2) {
    let operator = parts[at] ?? "";
    const negated = operator.startsWith("-");
    if (negated) operator = operator.slice(1);
    operator = OLD[operator] ?? operator;
    const operand = decodePart(parts[at + 1] ?? "");
    if (operator === "") continue;
    if (operator === "near" || operator === "with") {
      const id = Number(operand);
      if (Number.isSafeInteger(id) && id > 0) narrow[operator] = id;
      continue;
    }
    const value = valueOf(operator, operand, known);
    if (value === undefined) return null;
    narrow.terms.push(negated ? { operator, operand: value, negated } : { operator, operand: value });
  }
  return narrow.terms.length > 0 || narrow.near !== undefined ? narrow : null;
}

/**
 * @param {string} operator @param {string} operand
 * @param {{ me: number, channelByName: (name: string) => number | undefined }} known
 * @returns {Term["operand"] | undefined}
 */
function valueOf(operator, operand, known) {
  if (operator === "channel") {
    const id = /^\d+(?=-|$)/u.exec(operand)?.[0];
    return id === undefined ? known.channelByName(operand) : Number(id);
  }
  if (OF_PEOPLE.has(operator)) {
    if (operand === "me" && known.me === 0) return undefined;
    if (operand === "me") return operator === "dm" ? [known.me] : known.me;
    const ids = leadingIds(operand);
    if (ids.length === 0) return undefined;
    return operator === "dm" ? ids : ids[0];
  }
  if (operator === "is" && operand === "private") return "dm";
  return operand;
}

/** @param {string} name */
const slug = (name) => encodePart(name.replaceAll(" ", "-"));

/**
 * The address of a narrow.
 * @param {Narrow} narrow
 * @param {{ channelName: (id: number) => string | undefined, userName: (id: number) => string | undefined }} names
 */
export function address(narrow, names) {
  const parts = narrow.terms.flatMap(({ operator, operand, negated }) => {
    const sign = negated ? "-" : "";
    return [sign + operator, partOf(operator, operand, names)];
  });
  if (narrow.with !== undefined) parts.push("with", String(narrow.with));
  if (narrow.near !== undefined) parts.push("near", String(narrow.near));
  return `#narrow/${parts.join("/")}`;
}

/**
 * @param {string} operator @param {Term["operand"]} operand
 * @param {{ channelName: (id: number) => string | undefined, userName: (id: number) => string | undefined }} names
 */
function partOf(operator, operand, names) {
  if (operator === "channel") {
    const name = names.channelName(Number(operand));
    return name === undefined ? String(operand) : `${operand}-${slug(name)}`;
  }
  if (OF_PEOPLE.has(operator)) {
    const ids = Array.isArray(operand) ? operand : [Number(operand)];
    if (ids.length > 1) return `${ids.join(",")}-group`;
    const name = names.userName(ids[0] ?? 0);
    return name === undefined ? String(ids[0]) : `${ids[0]}-${slug(name)}`;
  }
  return encodePart(String(operand));
}

/** One text for equal narrows. @param {Term[]} terms */
export function narrowKey(terms) {
  return JSON.stringify(
    terms.map(({ operator, operand, negated }) => [operator, keyOperand(operator, operand), negated ?? false]),
  );
}

/** @param {string} operator @param {Term["operand"]} operand */
function keyOperand(operator, operand) {
  if (Array.isArray(operand)) return [...operand].sort((a, b) => a - b);
  return operator === "topic" && typeof operand === "string" ? operand.toLowerCase() : operand;
}

/** @type {Map<string, Term[]>} */
const parsed = new Map();
/** The terms behind a key. @param {string} key @returns {Term[]} */
export function termsOf(key) {
  let terms = parsed.get(key);
  if (terms === undefined) {
    /** @type {[string, Term["operand"], boolean][]} */
    const rows = JSON.parse(key);
    terms = rows.map(([operator, operand, negated]) => ({ operator, operand, negated }));
    parsed.set(key, terms);
  }
  return terms;
}

/**
 * Whether a message belongs to a narrow, as far as can be said here: undefined when only the
 * server can tell, as of searches.
 * @param {Term[]} terms @param {Message} message @param {State} state
 * @returns {boolean | undefined}
 */
export function matches(terms, message, state) {
  /** @type {boolean | undefined} */
  let all = true;
  for (const term of terms) {
    const one = matchesTerm(term, message, state);
    if (one === undefined) all = all === false ? false : undefined;
    else if (one === (term.negated ?? false)) return false;
  }
  return all;
}

/** @param {Term} term @param {Message} message @param {State} state @returns {boolean | undefined} */
function matchesTerm({ operator, operand }, message, state) {
  switch (operator) {
    case "channel":
      return message.stream_id === operand;
    case "topic":
      return message.type === "stream" && message.subject.toLowerCase() === String(operand).toLowerCase();
    case "dm":
      return (
        message.type === "private" &&
        Array.isArray(operand) &&
        directKey(othersIn(message), state.me) === directKey(operand, state.me)
      );
    case "dm-including":
      return message.type === "private" && othersIn(message).includes(Number(operand));
    case "sender":
      return message.sender_id === operand;
    case "id":
      return message.id === Number(operand);
    case "is":
      return matchesIs(String(operand), message);
    case "in":
      return operand === "all" ? true : undefined;
    case "has":
      return operand === "reaction" ? message.reactions.length > 0 : undefined;
    default:
      return undefined;
  }
}

/** @param {string} what @param {Message} message @returns {boolean | undefined} */
function matchesIs(what, message) {
  const has = (/** @type {string} */ flag) => message.flags.includes(flag);
  switch (what) {
    case "dm":
      return message.type === "private";
    case "starred":
      return has("starred");
    case "unread":
      return !has("read");
    case "mentioned":
      return has("mentioned") || has("stream_wildcard_mentioned") || has("topic_wildcard_mentioned");
    case "alerted":
      return has("has_alert_word");
    case "resolved":
      return message.type === "stream" && isResolved(message.subject);
    default:
      return undefined;
  }
}

/** What has whole conversations, to be read in order; mentions, a search, or the messages of one person are looked through instead. @type {Record<string, readonly unknown[] | null>} */
const READ_IN_ORDER = {
  channel: null,
  topic: null,
  dm: null,
  in: null,
  is: ["dm", "resolved", "followed"],
};

/** Whether looking at the messages of a narrow makes them read. @param {Term[]} terms */
export const isReading = (terms) =>
  terms.every(({ operator, operand, negated }) => {
    const operands = READ_IN_ORDER[operator];
    return operands !== undefined && !negated && (operands === null || operands.includes(operand));
  });

/** The conversation that a narrow is, if it is one. @param {Term[]} terms */
export function conversationOf(terms) {
  const positive = terms.filter((term) => !term.negated);
  if (positive.length !== terms.length) return null;
  const channel = terms.find((term) => term.operator === "channel");
  const topic = terms.find((term) => term.operator === "topic");
  const direct = terms.find((term) => term.operator === "dm");
  if (channel && topic && terms.length === 2)
    return { kind: /** @type {const} */ ("topic"), stream_id: Number(channel.operand), topic: String(topic.operand) };
  if (channel && terms.length === 1)
    return { kind: /** @type {const} */ ("channel"), stream_id: Number(channel.operand) };
  if (direct && terms.length === 1 && Array.isArray(direct.operand))
    return { kind: /** @type {const} */ ("direct"), people: direct.operand };
  return null;
}
