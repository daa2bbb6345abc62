// Which unread conversation comes next. Pure.

/** @typedef {import("../types.js").Unread} Unread */
/** @typedef {{ key: string, stream_id: number }} Here the conversation of the view; stream_id 0: it is in no channel */

const newest = (/** @type {Unread} */ one) => one.ids.at(-1) ?? 0;

/**
 * The one after that of the view, from the start again at the end; undefined: there is no other.
 * @param {[key: string, one: Unread][]} all in order @param {string} here
 */
function after(all, here) {
  const at = all.findIndex(([key]) => key === here);
  const next = all[(at + 1) % Math.max(1, all.length)];
  return next?.[0] === here ? undefined : next?.[1];
}

/**
 * Topics: first of the channel of the view, then of those below it in the sidebar; in each the latest first.
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
