// Moments at which a message may be sent later, in the reader's zone. Pure.

const MORNING = 9;
const MONDAY = 1;

/** @param {Date} now @param {number} days */
const morningIn = (now, days) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING);

/**
 * What people mostly want.
 * @param {Date} now
 * @returns {{ key: "in_an_hour" | "tomorrow_morning" | "monday_morning", at: Date }[]}
 */
export function momentsFrom(now) {
  const days = (MONDAY + 7 - now.getDay()) % 7 || 7;
  const hour = new Date(now.getTime() + 3_600_000);
  hour.setSeconds(0, 0);
  return [
    { key: "in_an_hour", at: hour },
    { key: "tomorrow_morning", at: morningIn(now, 1) },
    { key: "monday_morning", at: morningIn(now, days) },
  ];
}

/** As a field for date and time has it: without a zone, which is the reader's. @param {Date} date */
export function fieldOf(date) {
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Seconds since 1970; 0: it is none. @param {string} field */
export function secondsOf(field) {
  const time = new Date(field).getTime();
  return Number.isFinite(time) ? Math.floor(time / 1000) : 0;
}
