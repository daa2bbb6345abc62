// Times as the reader wants them: their zone, their clock, their language.

import { store } from "../state/store.js";
import { language } from "../strings/text.js";

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/**
 * A format that was made before; making one takes longer than all else.
 * @param {string} name @param {() => Intl.DateTimeFormatOptions} options
 */
function format(name, options) {
  const key = `${language.value}/${store.settings.value.twenty_four_hour_time}/${name}`;
  let found = formats.get(key);
  if (found === undefined) {
    found = new Intl.DateTimeFormat([language.value, ...navigator.languages], options());
    formats.set(key, found);
  }
  return found;
}

/** @returns {Intl.DateTimeFormatOptions} */
function hours() {
  const setting = store.settings.value.twenty_four_hour_time;
  return setting === true ? { hourCycle: "h23" } : setting === false ? { hour12: true } : {};
}

/** @returns {Intl.DateTimeFormatOptions} */
const ofClock = () => ({ hour: "numeric", minute: "2-digit", ...hours() });
/** @returns {Intl.DateTimeFormatOptions} */
const ofMoment = () => ({ dateStyle: "full", timeStyle: "short", ...hours() });

/** @param {number} seconds since 1970 */
export const clock = (seconds) => format("clock", ofClock).format(seconds * 1000);
/** The clock of another zone; empty where the browser does not know it. @param {number} seconds @param {string} timeZone */
export function clockIn(seconds, timeZone) {
  try {
    const options = () => ({ ...ofClock(), weekday: /** @type {const} */ ("short"), timeZone });
    return format(`clock in ${timeZone}`, options).format(seconds * 1000);
  } catch {
    return "";
  }
}

/** @param {number} seconds since 1970 */
export const moment = (seconds) => format("moment", ofMoment).format(seconds * 1000);

/** @param {number} seconds since 1970 */
export function day(seconds) {
  const date = new Date(seconds * 1000);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  /** @returns {Intl.DateTimeFormatOptions} */
  const options = () => ({
    weekday: "long",
    day: "numeric",
    month: "long",
    ...(isThisYear ? {} : { year: "numeric" }),
  });
  return format(isThisYear ? "day" : "day of a year", options).format(date);
}

/** Days by quarters of an hour, of which a day has a whole number in each zone. @type {Map<number, string>} */
const days = new Map();
const QUARTER = 900;

/** The same text for moments of the same day. @param {number} seconds */
export function dayKey(seconds) {
  const quarter = Math.floor(seconds / QUARTER);
  let key = days.get(quarter);
  if (key === undefined) {
    key = new Date(seconds * 1000).toDateString();
    days.set(quarter, key);
  }
  return key;
}

/** Short: the time of today, else the date. @param {number} seconds */
export function short(seconds) {
  if (dayKey(seconds) === dayKey(Date.now() / 1000)) return clock(seconds);
  return format("date", () => ({ day: "numeric", month: "short" })).format(seconds * 1000);
}
