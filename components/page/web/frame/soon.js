// Modules that are needed soon after the first messages are shown, and not before: they are loaded then, so that their
// first use does not wait.

import { signal } from "@preact/signals";
import { route } from "../state/route.js";
import { store, watchers } from "../state/store.js";
import { loadFormat } from "../compose/field-events.js";
import { whenIdle } from "../elements/gradually.js";
import { fetched } from "./later.js";
import { learnShortcuts } from "./shortcuts.js";

/** @typedef {import("../types.js").Event} Event */

/** Milliseconds that the first messages have to come; a view may have none. */
const PATIENCE = 1500;
/** Milliseconds until the module of notifications is asked for again, after no answer. */
const AGAIN = 10_000;

/** Asks whether notifications are wanted, once it is here. @type {import("@preact/signals-core").Signal<any>} */
export const noticeBanner = signal(null);

/** The first messages are shown: what is not needed for them may load. */
export const isSettled = signal(false);

const NEXT = [
  learnShortcuts,
  () => import("../messages/message-menu.js"),
  () => import("../messages/conversation-menu.js"),
  () => import("./own-menu.js"),
  () => import("../emoji/emoji-picker.js"),
  () => import("../compose/completion.js"),
  loadFormat,
  () => import("../messages/selection.js"),
  () => import("./next.js"),
  () => import("./switcher.js"),
  () => import("../people/person-card.js"),
  () => import("../inbox/recent.js"),
];

/** @returns {Promise<void>} */
const idle = () => new Promise((resolve) => void whenIdle(resolve));

/** Ends when there are messages, or the time for them is over; at once in a view that has none. @returns {Promise<void>} */
const readable = () =>
  new Promise((resolve) => {
    if (route.peek().view !== "messages") return resolve();
    const timer = setTimeout(resolve, PATIENCE);
    const end = store.messages.subscribe((messages) => {
      if (messages.size === 0) return;
      clearTimeout(timer);
      queueMicrotask(() => end());
      resolve();
    });
  });

/** Begins to load, and to notify of new messages; the function that it returns ends both. */
export function loadSoon() {
  /** Messages that come before the module of notifications. @type {Event[]} */
  const before = [];
  const keep = (/** @type {Event} */ event) => void (event.type === "message" && before.push(event));
  let isOver = false;
  /** @type {() => void} */
  let end = () => watchers.delete(keep);
  watchers.add(keep);

  const tell = async () => {
    const noticing = await fetched(() => import("./noticing.js"));
    if (isOver) return;
    end();
    end = noticing.tellNotices(before);
    noticeBanner.value = noticing.NoticeBanner;
  };
  const run = async () => {
    await readable();
    await idle();
    isSettled.value = true;
    while (!(await succeeds(tell))) await new Promise((resolve) => setTimeout(resolve, AGAIN));
    for (const load of NEXT) {
      await idle();
      await succeeds(load);
    }
  };
  void run();
  return () => {
    isOver = true;
    end();
  };
}

/** @param {() => Promise<unknown>} load */
async function succeeds(load) {
  try {
    await load();
    return true;
  } catch {
    return false;
  }
}
