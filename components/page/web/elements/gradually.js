// Draws long lists in parts: as much as a screen shows at once, the rest while the browser has nothing else to do.

import { useEffect, useRef, useState } from "preact/hooks";
import { noteDraw } from "../state/store.js";

const PART = 60;
/** Pixels of a line: as many as fill the screen are drawn first. */
const LINE_OF_LIST = 30;
/** Milliseconds between parts in a browser that does not tell when it is idle. */
const PAUSE = 30;

/** Milliseconds; a busy browser draws the next part then. */
const AT_LAST = 200;

/** @param {() => void} work @returns {() => void} calls it off */
export function whenIdle(work) {
  if (typeof requestIdleCallback === "undefined") {
    const timer = setTimeout(work, PAUSE);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: AT_LAST });
  return () => cancelIdleCallback(handle);
}

/** How many entries of a list to draw now. @param {number} length of the whole list */
export function useDrawn(length) {
  const [drawn, setDrawn] = useState(() => Math.ceil(innerHeight / LINE_OF_LIST));
  useEffect(() => {
    if (drawn >= length) return undefined;
    return whenIdle(() => setDrawn(drawn + PART));
  }, [drawn, length]);
  return drawn;
}

/** Entries that are drawn at each end at once when they come. */
const FEW = 8;
/** Messages in a part, at each end. */
const MESSAGES = 20;
/** Pixels of a short message: as many as fill the screen are drawn first. */
const LINE = 28;

/**
 * What is drawn of a list whose entries have ascending ids: those from one place up to another.
 * @typedef {{ from: number, to: number }} Span
 */

/**
 * What the screen shows: a quarter of it above the place where one begins, as `settle` puts it.
 * @param {readonly number[]} ids @param {number} begin 0: the end @param {number} count that fill the screen
 * @returns {Span}
 */
export function around(ids, begin, count) {
  const found = begin === 0 ? -1 : ids.findIndex((id) => id >= begin);
  const above = Math.ceil(count / 4);
  const to = Math.min(ids.length, Math.max(count, (found < 0 ? ids.length : found) - above + count));
  return { from: Math.max(0, to - count), to };
}

/**
 * What was drawn, in a list that has changed meanwhile; null when it is not in the list any more.
 * @param {readonly number[]} ids @param {{ first: number, last: number }} drawn ids
 * @returns {Span | null}
 */
export function still(ids, { first, last }) {
  const from = ids.findIndex((id) => id >= first);
  const to = ids.findLastIndex((id) => id <= last) + 1;
  if (from < 0 || to <= from) return null;
  return { from: from <= FEW ? 0 : from, to: ids.length - to <= FEW ? ids.length : to };
}

/**
 * What to draw of messages now: what the screen shows first, then a part at each end whenever the browser is idle.
 * @param {readonly number[]} ids @param {number} begin the message at which one begins to read; 0: the end
 * @returns {Span}
 */
export function useSpan(ids, begin) {
  const drawn = useRef(/** @type {{ first: number, last: number, begin: number } | null} */ (null));
  const [, drawAgain] = useState(0);
  const drawnAt = useRef(/** @type {CSSNumberish | null} */ (null));
  drawnAt.current = document.timeline.currentTime;
  const before = drawn.current;
  const onScreen = () => around(ids, begin, Math.ceil(innerHeight / LINE));
  let span = before === null ? onScreen() : still(ids, before);
  const at = before === null || before.begin === begin ? -1 : ids.indexOf(begin);
  const isFar = at >= 0 && (span === null || at < span.from || at >= span.to);
  if (isFar) span = onScreen();
  // It was loaded anew around the reader's place, wherever that is.
  span ??= { from: 0, to: ids.length };
  const { from, to } = span;
  const begunAt = at < 0 ? (before?.begin ?? begin) : begin;
  const mark = (/** @type {number} */ start, /** @type {number} */ end) =>
    (drawn.current = ids.length === 0 ? null : { first: ids[start] ?? 0, last: ids[end - 1] ?? 0, begin: begunAt });
  mark(from, to);
  useEffect(() => {
    if (from === 0 && to === ids.length) return undefined;
    let callOff = () => {};
    const part = () => {
      // What has come is drawn in this frame already: one draw for each.
      if (drawnAt.current === document.timeline.currentTime && !document.hidden) {
        callOff = whenIdle(part);
        return;
      }
      noteDraw();
      mark(Math.max(0, from - MESSAGES), Math.min(ids.length, to + MESSAGES));
      drawAgain((count) => count + 1);
    };
    callOff = whenIdle(part);
    return () => callOff();
  }, [from, to, ids.length, ids[0]]);
  return span;
}
