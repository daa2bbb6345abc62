// The store: a signal for each part of the state, and the one way in which events change them.
//
// Reducers are pure and know no signals; here their results become visible, at most a frame's
// work at a time, so that a burst of events does not freeze the page.

import { batch, signal } from "@preact/signals-core";
import { reduce } from "./reduce.js";
import { emptyState } from "./snapshot.js";

/** @typedef {import("../types.js").State} State */
/** @typedef {import("../types.js").Event} Event */
/** @typedef {import("../types.js").Message} Message */

/** @typedef {{ [K in keyof State]: import("@preact/signals-core").Signal<State[K]> }} Store */

/** @type {Store} */
export const store = /** @type {any} */ (
  Object.fromEntries(Object.entries(emptyState()).map(([name, value]) => [name, signal(value)]))
);

let current = emptyState();

/** The state as plain data, at this moment. */
export const now = () => current;

/** @param {Partial<State>} change */
export function patch(change) {
  current = { ...current, ...change };
  batch(() => {
    for (const name of /** @type {(keyof State)[]} */ (Object.keys(change)))
      /** @type {any} */ (store[name]).value = current[name];
  });
}

/**
 * A new beginning. Messages at hand stay readable until views have loaded them anew; their windows
 * no longer claim to reach the last message, for what came meanwhile is not known.
 * @param {State} state
 */
export function begin(state) {
  const isSame = state.me === current.me;
  patch(isSame ? { ...state, messages: current.messages } : state);
}

/** Messages that came as events lately; a page asked for meanwhile may lack them. @type {Message[]} */
let arrivals = [];
const MOST_ARRIVALS = 500;
/** @param {number} after @returns {Message[]} */
export const arrivedAfter = (after) => arrivals.filter((message) => message.id > after);

/** Called with each event after it was applied. @type {Set<(event: Event) => void>} */
export const watchers = new Set();

/** Milliseconds of work before the page gets to breathe. */
const SLICE = 8;

/** @type {Event[]} */
let line = [];
let isWorking = false;

/**
 * Applies events in order.
 * @param {Event[]} events
 * @param {(error: unknown) => void} onFailure an event that does not fit: the state must begin anew
 */
export async function apply(events, onFailure) {
  line.push(...events);
  if (isWorking) return;
  isWorking = true;
  try {
    while (line.length > 0) {
      slice();
      if (line.length > 0) await breathe();
    }
  } catch (error) {
    line = [];
    onFailure(error);
  } finally {
    isWorking = false;
  }
}

function slice() {
  const until = performance.now() + SLICE;
  let state = current;
  /** @type {Event[]} */
  const done = [];
  try {
    do {
      const event = line.shift();
      if (event === undefined) break;
      state = reduce(state, event, Date.now());
      done.push(event);
      if (event.type === "message") arrivals.push({ ...event.message, flags: event.flags ?? [] });
      // What was deleted, moved or edited is in the page that comes.
      else if (event.type === "delete_message" || event.type === "update_message")
        forget(event.message_ids ?? [event.message_id]);
    } while (performance.now() < until);
  } finally {
    if (arrivals.length > MOST_ARRIVALS) arrivals = arrivals.slice(-MOST_ARRIVALS);
    const changed = Object.entries(state).filter(([name, value]) => value !== /** @type {any} */ (current)[name]);
    patch(Object.fromEntries(changed));
    for (const event of done) for (const watcher of watchers) watcher(event);
  }
}

/** @param {number[]} ids */
function forget(ids) {
  arrivals = arrivals.filter((message) => !ids.includes(message.id));
}

const breathe = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Forgets events that wait: those of a queue that is no more. */
export function forgetLine() {
  line = [];
  arrivals = [];
}
