// Times as the reader wants them: their zone, their clock, their language.

import { store } from "../state/store.js";
import { language } from "../strings/text.js";

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {Intl.DateTimeFormatOptions} options */
function format(options) {
  const key = language.value + JSON.stringify(options);
  let found = formats.get(key);
  if (found === undefined) {
    found = new Intl.DateTimeFormat([language.value, ...navigator.languages], options);
    formats.set(key, found);
  }
  return found;
}

/** @returns {Intl.DateTimeFormatOptions} */
function hours() {
  const setting = store.settings.value.twenty_four_hour_time;
  return setting === true ? { hourCycle: "h23" } : setting === false ? { hour12: true } : {};
}

/** @param {number} seconds since 1970 */
export const clock = (seconds) => format({ hour: "numeric", minute: "2-digit", ...hours() }).format(seconds * 1000);
/** The clock of another zone; empty where the browser does not know it. @param {number} seconds @param {string} timeZone */
export function clockIn(seconds, timeZone) {
  try {
    return format({ hour: "numeric", minute: "2-digit", weekday: "short", timeZone, ...hours() }).format(
      seconds * 1000,
    );
  } catch {
    return "";
  }
}

/** @param {number} seconds since 1970 */
export const moment = (seconds) => format({ dateStyle: "full", timeStyle: "short", ...hours() }).format(seconds * 1000);

/** @param {number} seconds since 1970 */
export function day(seconds) {
  const date = new Date(seconds * 1000);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  return format({ weekday: "long", day: "numeric", month: "long", ...(isThisYear ? {} : { year: "numeric" }) }).format(
    date,
  );
}

/** The same text for moments of the same day. @param {number} seconds */
export const dayKey = (seconds) => new Date(seconds * 1000).toDateString();

/** Short: the time of today, else the date. @param {number} seconds */
export function short(seconds) {
  if (dayKey(seconds) === dayKey(Date.now() / 1000)) return clock(seconds);
  return format({ day: "numeric", month: "short" }).format(seconds * 1000);
}
