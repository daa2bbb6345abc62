// All recent conversations: loaded in pages, the newest first, and kept current by events.

import { signal } from "@preact/signals-core";
import { getRecentConversations } from "../api/messages.js";
import { conversationWith, directKey, keyOf, topicKey } from "./conversation.js";
import { beginnings, now, record, stopRecording, watchers } from "./store.js";

/** @typedef {import("../types.js").Message} Message */
/** @typedef {import("../types.js").Event} Event */
/**
 * @typedef {object} Recent
 * @property {ReturnType<typeof conversationWith>} of
 * @property {number} max_id of its newest message
 * @property {number} timestamp of that, in seconds
 * @property {readonly number[]} senders of its newest messages, the latest first
 */

const PAGE = 100;
/** Conversations that are searched by name; a list of them loads further. */
const MOST_SEARCHED = 1000;

/** By the key of a conversation, in no order. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Recent>>} */
export const recent = signal(new Map());
/** Whether there are no further ones. */
export const isComplete = signal(false);
/** Whether nothing was loaded yet, or something was moved or deleted since, or events were missed. */
export const isStale = signal(true);

/** The last message of the pages that are here. @type {number | undefined} */
let before;
/** @type {Promise<void> | null} */
let loading = null;

/** @param {any} one of the answer @returns {[string, Recent]} */
function read({ stream_id, topic, user_ids, max_id, timestamp, sender_ids: senders }) {
  const me = now().me;
  if (stream_id !== undefined)
    return [topicKey(stream_id, topic), { of: { kind: "topic", stream_id, topic }, max_id, timestamp, senders }];
  const people = user_ids.length > 0 ? user_ids : [me];
  return [directKey(people, me), { of: { kind: "direct", people }, max_id, timestamp, senders }];
}

/** Keeps the later of two entries. @param {Map<string, Recent>} all @param {string} key @param {Recent} one */
function put(all, key, one) {
  if ((all.get(key)?.max_id ?? 0) < one.max_id) all.set(key, one);
}

/** @param {Map<string, Recent>} all @param {Message} message */
function putMessage(all, message) {
  const key = keyOf(message, now().me);
  const { sender_id, id: max_id, timestamp } = message;
  const senders = [sender_id, ...(all.get(key)?.senders ?? []).filter((one) => one !== sender_id)];
  put(all, key, { of: conversationWith(message, now().me), max_id, timestamp, senders });
}

/** Loads the next page, or as many pages again as a stale list had. */
async function loadOnce() {
  const isAgain = isStale.peek();
  const size = recent.peek().size;
  const recording = record();
  isStale.value = false;
  try {
    const all = new Map(isAgain ? [] : recent.peek());
    let next = isAgain ? undefined : before;
    let isLast = false;
    do {
      const page = await getRecentConversations(next, PAGE);
      for (const one of page.conversations) put(all, ...read(one));
      isLast = page.found_oldest;
      next = page.conversations.at(-1)?.max_id ?? next;
    } while (isAgain && all.size < size && !isLast);
    for (const event of recording.events) if (event.type === "message") putMessage(all, event["message"]);
    before = next;
    isComplete.value = isLast;
    recent.value = all;
  } catch (error) {
    isStale.value = isAgain || isStale.peek();
    throw error;
  } finally {
    stopRecording(recording);
  }
}

/**
 * Loads a stale list again, else the next page. A second call waits for the one under way.
 * @returns {Promise<void>}
 * @throws {import("../api/http.js").ApiError}
 */
export function loadRecent() {
  if (loading === null && isComplete.peek() && !isStale.peek()) return Promise.resolve();
  loading ??= loadOnce().finally(() => (loading = null));
  return loading;
}

/** Loads one more page for searching by name. Without an answer, the search finds fewer. */
export async function learnRecent() {
  if (isComplete.peek() || recent.peek().size >= MOST_SEARCHED) return;
  await loadRecent().catch(() => undefined);
}

/** Whether an event takes the newest message of a conversation away, or brings conversations back. @param {Event} event */
function changesMore(event) {
  if (event.type === "subscription") return event["op"] === "add";
  if (event.type === "update_message") return event["subject"] !== undefined || event["new_stream_id"] !== undefined;
  if (event.type !== "delete_message") return false;
  const gone = new Set(event["message_ids"] ?? [event["message_id"]]);
  return [...recent.peek().values()].some((one) => gone.has(one.max_id));
}

/** @param {Event} event */
function follow(event) {
  if (recent.peek().size === 0 && isStale.peek()) return;
  if (event.type === "message") {
    const all = new Map(recent.peek());
    putMessage(all, event["message"]);
    recent.value = all;
  } else if (changesMore(event)) isStale.value = true;
}

watchers.add(follow);
beginnings.subscribe(() => (isStale.value = true));
