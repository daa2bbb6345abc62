// Unread messages by conversation: adding, taking away, moving. Pure.

import { directKey, topicKey } from "../conversation.js";
import { copyOf, inserted, place } from "./tools.js";

/** @typedef {import("../../types.js").Unread} Unread */
/** @typedef {ReadonlyMap<string, Unread>} UnreadMap */

/**
 * @param {UnreadMap} unread @param {number} id
 * @param {{ stream_id: number, topic: string } | { user_ids: number[] }} where
 * @param {number} me
 * @returns {UnreadMap}
 */
export function addUnread(unread, id, where, me) {
  const isDirect = "user_ids" in where;
  const key = isDirect ? directKey(where.user_ids, me) : topicKey(where.stream_id, where.topic);
  const before = unread.get(key);
  const rest = isDirect ? { user_ids: key.slice(2).split(",").map(Number) } : where;
  return copyOf(unread).set(key, { ...rest, ...before, ids: inserted(before?.ids ?? [], id) });
}

/** @param {UnreadMap} unread @param {readonly number[]} ids @returns {UnreadMap} */
export function removeUnread(unread, ids) {
  if (ids.length === 0) return unread;
  const gone = new Set(ids);
  /** @type {Map<string, Unread> | null} */
  let changed = null;
  for (const [key, one] of unread) {
    const isHit =
      ids.length < 8 ? ids.some((id) => one.ids[place(one.ids, id)] === id) : one.ids.some((id) => gone.has(id));
    if (!isHit) continue;
    changed ??= copyOf(unread);
    const left = one.ids.filter((id) => !gone.has(id));
    if (left.length > 0) changed.set(key, { ...one, ids: left });
    else changed.delete(key);
  }
  return changed ?? unread;
}

/**
 * Those of `ids` that are unread, in another topic from now on.
 * @param {UnreadMap} unread @param {number[]} ids @param {number} stream_id @param {string} topic @param {number} me
 * @returns {UnreadMap}
 */
export function moveUnread(unread, ids, stream_id, topic, me) {
  const moved = new Set(ids);
  const hits = [...unread.values()].flatMap((one) => one.ids.filter((id) => moved.has(id)));
  let result = removeUnread(unread, hits);
  for (const id of hits) result = addUnread(result, id, { stream_id, topic }, me);
  return result;
}
