// Draws long lists in parts: as much as a screen shows at once, the rest while the browser has nothing else to do.

import { useEffect, useState } from "preact/hooks";

const AT_ONCE = 60;
const PART = 60;
/** Milliseconds between parts in a browser that does not tell when it is idle. */
const PAUSE = 30;

/** Milliseconds; a busy browser draws the rest then. */
const AT_LAST = 500;

/** @param {() => void} work @returns {() => void} calls it off */
function whenIdle(work) {
  if (typeof requestIdleCallback === "undefined") {
    const timer = setTimeout(work, PAUSE);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: AT_LAST });
  return () => cancelIdleCallback(handle);
}

/**
 * How many entries of a list to draw now.
 * @param {number} length of the whole list
 * @param {number} [wanted] entries that must be there now, because one of them is the view's
 */
export function useDrawn(length, wanted = 0) {
  const [drawn, setDrawn] = useState(AT_ONCE);
  useEffect(() => {
    if (drawn >= length) return undefined;
    return whenIdle(() => setDrawn(drawn + PART));
  }, [drawn, length]);
  return Math.max(drawn, wanted);
}

/**
 * Whether the whole of something is to be drawn now, or first what is on the screen.
 * @param {boolean} isThere there is something to draw
 */
export function useWhole(isThere) {
  const [isWhole, setWhole] = useState(false);
  useEffect(() => (isThere && !isWhole ? whenIdle(() => setWhole(true)) : undefined), [isThere, isWhole]);
  return isWhole;
}
