// The store: a signal for each part of the state, and the one way in which events change them.
//
// Reducers are pure and know no signals; here their results become visible: those of a single event at once, those of
// a burst once for each frame that the browser draws and after a part of its time, so that it does not freeze the page.

import { batch, signal } from "@preact/signals-core";
import { isAboutMessages } from "./catch-up.js";
import { reduce } from "./reduce.js";
import { inBatch } from "./reducers/tools.js";
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

/** Counts the beginnings: what is not in the state is then to be asked for again. */
export const beginnings = signal(0);

/**
 * A new beginning. Messages at hand stay readable until views have loaded them anew; their windows
 * no longer claim to reach the last message, for what came meanwhile is not known.
 * @param {State} state
 */
export function begin(state) {
  const isSame = state.me === current.me;
  patch(isSame ? { ...state, messages: current.messages, answers: current.answers } : state);
  beginnings.value += 1;
}

/**
 * Events since something was asked for, whose answer may lack them.
 * @typedef {{ wanted: (event: Event) => boolean, events: Event[], isBroken: boolean }} Recording isBroken: events were missed
 */
/** @type {Set<Recording>} */
const recordings = new Set();

/**
 * Begins to record; `stopRecording` ends it.
 * @param {(event: Event) => boolean} [wanted]
 * @returns {Recording}
 */
export function record(wanted = isAboutMessages) {
  const recording = { wanted, events: [], isBroken: false };
  recordings.add(recording);
  return recording;
}

/** @param {Recording} recording */
export const stopRecording = (recording) => recordings.delete(recording);

/** Called with each event after it was applied. @type {Set<(event: Event) => void>} */
export const watchers = new Set();

/** Milliseconds of work on events in a frame. */
const SLICE = 8;
/** Events of a frame at most: drawing what they bring takes longer than applying them. */
const MOST_IN_FRAME = 100;
/** Milliseconds after which it is noticed that no frame comes: the tab has gone into the background. */
const NO_FRAME = 100;

/** @type {Event[]} */
let line = [];
let isWorking = false;

/** A frame's time stays while it is worked on. */
const frameTime = () => document.timeline.currentTime;
/** The frame that was drawn last. @type {CSSNumberish | null} */
let drawn = null;

/** What comes next is drawn in another frame. */
export const noteDraw = () => (drawn = frameTime());
const isDrawn = () => drawn !== null && drawn === frameTime();

/**
 * Applies events in order: at once, so that the next frame has them, unless that frame has others already. Then they
 * wait for the one after it: each is drawn once, however many events come.
 * @param {Event[]} events
 * @param {(error: unknown) => void} onFailure an event that does not fit: the state must begin anew
 */
export async function apply(events, onFailure) {
  line.push(...events);
  if (isWorking) return;
  isWorking = true;
  try {
    while (line.length > 0) {
      while (!document.hidden && isDrawn()) await nextFrame();
      slice();
      noteDraw();
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
    inBatch(() => {
      do {
        const event = line.shift();
        if (event === undefined) break;
        state = reduce(state, event, Date.now());
        done.push(event);
        for (const { wanted, events } of recordings) if (wanted(event)) events.push(event);
      } while (done.length < MOST_IN_FRAME && performance.now() < until);
    });
  } finally {
    const changed = Object.entries(state).filter(([name, value]) => value !== /** @type {any} */ (current)[name]);
    patch(Object.fromEntries(changed));
    for (const event of done) for (const watcher of watchers) watcher(event);
  }
}

/** Ends when the next frame is about to be drawn; at once in a tab in the background. @returns {Promise<void>} */
function nextFrame() {
  if (document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setInterval(() => document.hidden && end(), NO_FRAME);
    const end = () => {
      clearInterval(timer);
      resolve();
    };
    requestAnimationFrame(end);
  });
}

/** Forgets events that wait: those of a queue that is no more. */
export function forgetLine() {
  line = [];
  for (const recording of recordings) recording.isBroken = true;
}
