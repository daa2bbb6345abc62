// Windows: the loaded part of a narrow's messages. Loading, and growing at both ends.

import { ApiError } from "../api/http.js";
import { getMessages } from "../api/messages.js";
import { matches, termsOf } from "./narrow.js";
import { arrivedAfter, now, patch } from "./store.js";

/** @typedef {import("../types.js").Message} Message */
/** @typedef {import("../types.js").Window} Window */

const FIRST = 50;
const MORE = 100;
/** Messages that a window may show; beyond, the far end is let go. */
const MOST = 700;
/** Messages that are kept in memory before those that no window shows are let go. */
const MOST_KEPT = 6000;

/** @param {Message[]} messages */
function withMessages(messages) {
  const map = new Map(now().messages);
  for (const message of messages) map.set(message.id, message);
  return map;
}

/** @param {string} key @param {Window} window @param {Message[]} messages */
function put(key, window, messages) {
  const windows = new Map(now().windows);
  windows.delete(key);
  windows.set(key, window);
  let kept = withMessages(messages);
  if (kept.size > MOST_KEPT) {
    for (const other of [...windows.keys()].slice(0, -6)) windows.delete(other);
    const shown = new Set([...windows.values()].flatMap((one) => one.ids));
    kept = new Map([...kept].filter(([id]) => shown.has(id)));
  }
  patch({ windows, messages: kept });
}

/** What came as an event while a page was on its way. @param {string} key @param {number} after */
function missed(key, after) {
  const terms = termsOf(key);
  return arrivedAfter(after).filter((message) => matches(terms, message, now()) === true);
}

/**
 * Loads a window around an anchor, in place of what it was.
 * @param {string} key
 * @param {number | "first_unread" | "newest"} anchor
 * @param {number} [conversation] a message whose conversation is meant
 * @returns {Promise<{ anchor: number }>} the message to begin at
 * @throws {ApiError}
 */
export async function load(key, anchor, conversation) {
  const narrow = termsOf(key);
  const wanted = conversation === undefined ? narrow : [...narrow, { operator: "with", operand: conversation }];
  const page = await getMessages({ anchor, num_before: FIRST, num_after: FIRST, narrow: wanted });
  const last = page.messages.at(-1)?.id ?? 0;
  const extra = page.found_newest ? missed(key, last) : [];
  const messages = [...page.messages, ...extra];
  put(
    key,
    { ids: messages.map((message) => message.id), oldest: page.found_oldest, newest: page.found_newest },
    messages,
  );
  return { anchor: page.anchor };
}

/** Windows that grow at this moment, by end. @type {Set<string>} */
const growing = new Set();

/**
 * Adds a page at one end. Failures in passing are silent: scrolling asks again.
 * @param {string} key @param {"older" | "newer"} end
 */
export async function grow(key, end) {
  const window = now().windows.get(key);
  if (window === undefined || window.ids.length === 0 || growing.has(key + end)) return;
  if (end === "older" ? window.oldest : window.newest) return;
  growing.add(key + end);
  try {
    await growOnce(key, end, window);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  } finally {
    growing.delete(key + end);
  }
}

/** @param {string} key @param {"older" | "newer"} end @param {Window} window */
async function growOnce(key, end, window) {
  const isOlder = end === "older";
  const anchor = (isOlder ? window.ids[0] : window.ids.at(-1)) ?? 0;
  const page = await getMessages({
    anchor,
    include_anchor: false,
    num_before: isOlder ? MORE : 0,
    num_after: isOlder ? 0 : MORE,
    narrow: termsOf(key),
  });
  const current = now().windows.get(key);
  // It was loaded anew, or moved, meanwhile.
  if (current === undefined || ((isOlder ? current.ids[0] : current.ids.at(-1)) ?? 0) !== anchor) return;
  const ids = page.messages.map((message) => message.id);
  if (isOlder) {
    const all = [...ids, ...current.ids];
    const kept = all.slice(0, MOST);
    put(
      key,
      { ids: kept, oldest: page.found_oldest, newest: current.newest && kept.length === all.length },
      page.messages,
    );
  } else {
    const last = ids.at(-1) ?? anchor;
    const extra = page.found_newest ? missed(key, last) : [];
    const all = [...current.ids, ...ids, ...extra.map((message) => message.id)];
    const kept = all.slice(-MOST);
    put(key, { ids: kept, oldest: current.oldest && kept.length === all.length, newest: page.found_newest }, [
      ...page.messages,
      ...extra,
    ]);
  }
}
