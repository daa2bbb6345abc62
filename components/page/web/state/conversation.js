// Keys of conversations: a topic of a channel, or a set of people. Pure.

/** @typedef {import("../types.js").Message} Message */

/** What an account has set for a topic; 0: nothing. @param {import("../types.js").State["policies"]} policies @param {string} key */
export const policyOf = (policies, key) => policies.get(key)?.policy ?? 0;

/** @param {number} stream_id @param {string} topic */
export const topicKey = (stream_id, topic) => `c/${stream_id}/${topic.toLowerCase()}`;

/**
 * @param {Iterable<number>} people all participants, with or without the own id
 * @param {number} me
 */
export function directKey(people, me) {
  const others = [...new Set(people)].filter((id) => id !== me).sort((a, b) => a - b);
  return `d/${others.length > 0 ? others.join(",") : me}`;
}

/** The people of a key; the own id alone for notes to oneself. @param {string} key */
export const peopleOf = (key) => key.slice(2).split(",").map(Number);

/** @param {Message} message @param {number} me */
export function keyOf(message, me) {
  if (message.type === "stream") return topicKey(message.stream_id ?? 0, message.subject);
  return directKey(othersIn(message), me);
}

/** All participants of a direct message, the sender included. @param {Message} message */
export function othersIn(message) {
  const people = Array.isArray(message.display_recipient) ? message.display_recipient : [];
  return people.map((person) => person.id);
}

/**
 * The conversation that a message belongs to.
 * @param {Message} message @param {number} me
 * @returns {{ kind: "topic", stream_id: number, topic: string } | { kind: "direct", people: number[] }}
 */
export function conversationWith(message, me) {
  if (message.type === "stream") return { kind: "topic", stream_id: message.stream_id ?? 0, topic: message.subject };
  return { kind: "direct", people: peopleOf(directKey(othersIn(message), me)) };
}

export const RESOLVED = "✔ ";
/** @param {string} topic */
export const isResolved = (topic) => topic.startsWith(RESOLVED);
/** @param {string} topic */
export const withoutMark = (topic) => topic.replace(/^(?:✔ )+/u, "");

/**
 * Whether an event takes a topic elsewhere as a whole, or its end.
 * @param {import("../types.js").Event} event @param {number} stream_id @param {string} topic
 */
export const isMoveOf = (event, stream_id, topic) =>
  event.type === "update_message" &&
  event["stream_id"] === stream_id &&
  (event["orig_subject"] ?? "").toLowerCase() === topic.toLowerCase() &&
  (event["subject"] !== undefined || event["new_stream_id"] !== undefined) &&
  event["propagate_mode"] !== "change_one";
