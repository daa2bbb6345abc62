// Windows: the loaded part of a narrow's messages. Loading, and growing at both ends.

import { ApiError } from "../api/http.js";
import { getMessages } from "../api/messages.js";
import { caughtUp } from "./catch-up.js";
import { termsOf } from "./narrow.js";
import { now, patch, record, stopRecording } from "./store.js";

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

/**
 * What a window begins with: messages around an anchor.
 * @param {string} key
 * @param {number | "first_unread" | "oldest" | "newest"} anchor
 * @param {number} [conversation] a message whose conversation is meant
 */
export function wishFor(key, anchor, conversation) {
  const narrow = termsOf(key);
  const wanted = conversation === undefined ? narrow : [...narrow, { operator: "with", operand: conversation }];
  return { anchor, num_before: FIRST, num_after: FIRST, narrow: wanted };
}

/**
 * Shows what a window begins with, in place of what it was.
 * @param {string} key @param {import("../api/messages.js").Page} page @param {import("./store.js").Recording} recording
 */
export function showFirst(key, { messages, found_oldest: oldest, found_newest: newest }, recording) {
  put(key, { ids: messages.map((message) => message.id), oldest, newest }, messages, recording);
}

/**
 * Shows a page, as what came while it was on its way has left it.
 * @param {string} key @param {Window} wanted with the page in it @param {Message[]} page
 * @param {import("./store.js").Recording} recording
 */
function put(key, wanted, page, recording) {
  const { window, messages } = caughtUp(now(), key, wanted, page, recording.events, Date.now());
  const windows = new Map(now().windows);
  windows.delete(key);
  if (window !== undefined) windows.set(key, window);
  let kept = withMessages(messages);
  if (kept.size > MOST_KEPT) {
    for (const other of [...windows.keys()].slice(0, -6)) windows.delete(other);
    const shown = new Set([...windows.values()].flatMap((one) => one.ids));
    kept = new Map([...kept].filter(([id]) => shown.has(id)));
  }
  patch({ windows, messages: kept });
}

/**
 * Asks for a page, again when events were missed meanwhile.
 * @param {Parameters<typeof getMessages>[0]} wish
 * @param {(page: import("../api/messages.js").Page, recording: import("./store.js").Recording) => void} use
 */
async function fetched(wish, use) {
  for (;;) {
    const recording = record();
    try {
      const page = await getMessages(wish);
      if (recording.isBroken) continue;
      use(page, recording);
      return page;
    } finally {
      stopRecording(recording);
    }
  }
}

/**
 * Loads a window around an anchor, in place of what it was.
 * @param {string} key
 * @param {number | "first_unread" | "oldest" | "newest"} anchor
 * @param {number} [conversation] a message whose conversation is meant
 * @returns {Promise<{ anchor: number }>} the message to begin at
 * @throws {ApiError}
 */
export async function load(key, anchor, conversation) {
  const wish = wishFor(key, anchor, conversation);
  const page = await fetched(wish, (first, recording) => showFirst(key, first, recording));
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
  const wish = {
    anchor,
    include_anchor: false,
    num_before: isOlder ? MORE : 0,
    num_after: isOlder ? 0 : MORE,
    narrow: termsOf(key),
  };
  await fetched(wish, (page, recording) => {
    const current = now().windows.get(key);
    // It was loaded anew, or moved, meanwhile.
    if (current === undefined || ((isOlder ? current.ids[0] : current.ids.at(-1)) ?? 0) !== anchor) return;
    const ids = page.messages.map((message) => message.id);
    const all = isOlder ? [...ids, ...current.ids] : [...current.ids, ...ids];
    const kept = isOlder ? all.slice(0, MOST) : all.slice(-MOST);
    const isAll = kept.length === all.length;
    const grown = isOlder
      ? { ids: kept, oldest: page.found_oldest, newest: current.newest && isAll }
      : { ids: kept, oldest: current.oldest && isAll, newest: page.found_newest };
    put(key, grown, page.messages, recording);
  });
}
