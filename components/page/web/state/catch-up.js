// What a page of messages becomes when events came while it was on its way: the server may have read
// it before them, so they win. Pure.

import { REDUCERS } from "./reduce.js";

/** @typedef {import("../types.js").Event} Event */
/** @typedef {import("../types.js").Message} Message */
/** @typedef {import("../types.js").State} State */
/** @typedef {import("../types.js").Window} Window */

const ABOUT_MESSAGES = new Set([
  "delete_message",
  "message",
  "reaction",
  "submessage",
  "update_message",
  "update_message_flags",
]);

/** Whether an event changes what a page says. @param {Event} event */
export const isAboutMessages = (event) => ABOUT_MESSAGES.has(event.type);

/** @param {Event} event @returns {number[]} */
const namedBy = (event) => [
  ...(event["message_ids"] ?? event["messages"] ?? []),
  ...(event["message_id"] === undefined ? [] : [event["message_id"]]),
];

/**
 * Applies events to a page and to the window that it becomes a part of. Everything else that the
 * events change has been changed when they came.
 * @param {State} state as it is, with those events in it
 * @param {string} key of the window
 * @param {Window} window with the page in it
 * @param {readonly Message[]} page
 * @param {readonly Event[]} events in order
 * @param {number} now milliseconds
 * @returns {{ window: Window | undefined, messages: Message[] }} no window: it has to be loaded anew
 */
export function caughtUp(state, key, window, page, events, now) {
  const ofPage = new Set(page.map((message) => message.id));
  const messages = new Map(page.map((message) => [message.id, message]));
  for (const id of events.flatMap(namedBy)) {
    const known = state.messages.get(id);
    if (known !== undefined && !messages.has(id)) messages.set(id, known);
  }
  /** @type {State} */
  let next = { ...state, messages, windows: new Map([[key, window]]) };
  for (const event of events) {
    if (!isAboutMessages(event)) continue;
    // The page has it as it is by now.
    if (event.type === "message" && ofPage.has(event["message"].id)) continue;
    const change = REDUCERS[event.type]?.(next, event, now) ?? {};
    next = { ...next, messages: change.messages ?? next.messages, windows: change.windows ?? next.windows };
  }
  // What is at hand besides has these events in it, and what was done here.
  const fresh = [...next.messages.values()].filter(({ id }) => ofPage.has(id) || !state.messages.has(id));
  return { window: next.windows.get(key), messages: fresh };
}
