// Which unread conversation comes next. Pure.

/** @typedef {import("../types.js").Unread} Unread */
/** @typedef {{ key: string, stream_id: number }} Here the conversation of the view; stream_id 0: it is in no channel */

const newest = (/** @type {Unread} */ one) => one.ids.at(-1) ?? 0;

/**
 * The conversation after the one in view, from the beginning again after the last. Undefined if there is no other.
 * @param {[key: string, one: Unread][]} all in order @param {string} here
 */
function after(all, here) {
  const at = all.findIndex(([key]) => key === here);
  const next = all[(at + 1) % Math.max(1, all.length)];
  return next?.[0] === here ? undefined : next?.[1];
}

/**
 * Topics of the channel in view come first, then of the channels below it; the latest first in each.
 * @param {readonly [key: string, one: Unread][]} unread that count @param {readonly number[]} channels in order @param {Here} here
 */
export function nextTopic(unread, channels, here) {
  const start = Math.max(0, channels.indexOf(here.stream_id));
  const placeOf = (/** @type {Unread} */ one) =>
    (channels.indexOf(one.stream_id ?? 0) - start + channels.length) % channels.length;
  const ordered = unread
    .filter(([, one]) => channels.includes(one.stream_id ?? 0))
    .sort(([, a], [, b]) => placeOf(a) - placeOf(b) || newest(b) - newest(a));
  return after(ordered, here.key);
}

/** Conversations with people, the latest first. @param {readonly [key: string, one: Unread][]} unread @param {Here} here */
export const nextDirect = (unread, here) =>
  after(
    unread.filter(([, one]) => one.stream_id === undefined).sort(([, a], [, b]) => newest(b) - newest(a)),
    here.key,
  );
