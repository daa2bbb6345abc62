// Drafts: those that the server has, and what was typed in this browser since. Pure.

import { directKey, peopleOf, topicKey } from "./conversation.js";

/** @typedef {import("./outbox.js").Recipient} Recipient */
/** @typedef {import("../api/drafts.js").Draft & { id: number, timestamp: number }} Stored a draft of the server */

/**
 * What was typed here and is not on the server yet.
 * @typedef {object} Typed
 * @property {string} uid
 * @property {string} key of the conversation in which it was typed
 * @property {Recipient | null} to
 * @property {string} text blank: the draft is to go
 * @property {number} at seconds
 * @property {number} id of the draft on the server whose place it takes; 0: of none
 * @property {string} base what that one said
 * @property {string} by the tab that sends it
 * @property {number} until milliseconds; then another tab may
 * @property {boolean} [isHeld] a message on its way: a draft only if this tab is gone
 * @property {string} [refused] why the server does not take it
 */

/** @typedef {{ uid: string, id: number, key: string, to: Recipient | null, text: string, at: number, isHere: boolean }} Draft isHere: the server does not have it yet */

/** The key of what has no recipient yet. */
export const ANYWHERE = "new";

/** @param {Recipient | null} to @param {number} me */
export function keyFor(to, me) {
  if (to === null) return ANYWHERE;
  if (to.kind === "topic") return to.stream_id === 0 ? ANYWHERE : topicKey(to.stream_id, to.topic);
  return to.people.length === 0 ? ANYWHERE : directKey(to.people, me);
}

/** @param {string} key @returns {Recipient | null} */
export function recipientOfKey(key) {
  const [kind, id = "", ...topic] = key.split("/");
  if (kind === "c") return { kind: "topic", stream_id: Number(id), topic: topic.join("/") };
  return kind === "d" ? { kind: "direct", people: peopleOf(key) } : null;
}

/** The server leaves blanks out at both ends. @param {string} one @param {string} other */
export const isSame = (one, other) => one.trim() === other.trim();

/** @param {string} text */
const isBlank = (text) => text.trim() === "";

/** @param {Stored} draft @param {number} me @returns {Recipient | null} */
function recipientOf({ type, to, topic }, me) {
  const [first] = to;
  if (first === undefined) return null;
  if (type === "stream") return { kind: "topic", stream_id: first, topic };
  const others = to.filter((id) => id !== me);
  return type === "private" ? { kind: "direct", people: others.length > 0 ? others : [me] } : null;
}

/** @param {Stored} draft @param {number} me @returns {Draft} */
function shown(draft, me) {
  const to = recipientOf(draft, me);
  const { id, content: text, timestamp: at } = draft;
  return { uid: `s${id}`, id, key: keyFor(to, me), to, text, at, isHere: false };
}

/**
 * The draft that something typed here takes the place of. One that another device has changed
 * meanwhile is not: then both stay.
 * @param {Typed} typed @param {readonly Stored[]} stored @param {ReadonlySet<string>} sent texts that this tab has sent
 */
const replacedBy = (typed, stored, sent) =>
  stored.find(({ id, content }) => id === typed.id && (isSame(content, typed.base) || sent.has(content.trim())));

/**
 * All drafts, the latest first.
 * @param {readonly Stored[]} stored @param {readonly Typed[]} typed @param {ReadonlySet<string>} sent @param {number} me
 * @returns {Draft[]}
 */
export function allDrafts(stored, typed, sent, me) {
  const replaced = new Set(typed.map((one) => replacedBy(one, stored, sent)));
  const here = typed
    .filter((one) => !isBlank(one.text) && one.isHeld !== true)
    .map(({ uid, id, key, to, text, at }) => ({ uid, id, key, to, text, at, isHere: true }));
  const there = stored.filter((one) => !replaced.has(one)).map((one) => shown(one, me));
  return [...here, ...there].sort((a, b) => b.at - a.at);
}

/**
 * What brings the server up to date.
 * @param {Typed} typed @param {readonly Stored[]} stored @param {ReadonlySet<string>} sent
 * @returns {"create" | "replace" | "delete" | "nothing"}
 */
export function deedOf(typed, stored, sent) {
  const there = replacedBy(typed, stored, sent);
  if (isBlank(typed.text)) return there === undefined ? "nothing" : "delete";
  if (there === undefined) return "create";
  const isUnmoved = JSON.stringify(asSent({ ...typed, text: "", at: 0 })) === JSON.stringify(withoutText(there));
  return isUnmoved && isSame(there.content, typed.text) ? "nothing" : "replace";
}

/** @param {Stored} draft */
const withoutText = ({ type, to, topic }) => ({ type, to, topic, content: "", timestamp: 0 });

/** @param {Pick<Typed, "to" | "text" | "at">} typed @returns {import("../api/drafts.js").Draft} */
export function asSent({ to, text, at }) {
  const rest = { content: text, timestamp: at };
  if (to?.kind === "topic" && to.stream_id !== 0)
    return { type: "stream", to: [to.stream_id], topic: to.topic, ...rest };
  if (to?.kind === "direct" && to.people.length > 0) return { type: "private", to: to.people, topic: "", ...rest };
  return { type: "", to: [], topic: "", ...rest };
}
