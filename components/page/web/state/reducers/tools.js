// Small pure helpers of the reducers: copies of collections with one thing changed.

/** @template K, V @param {ReadonlyMap<K, V>} map @param {K} key @param {V} value */
export const withEntry = (map, key, value) => new Map(map).set(key, value);

/** @template K, V @param {ReadonlyMap<K, V>} map @param {Iterable<K>} keys @returns {ReadonlyMap<K, V>} */
export function without(map, keys) {
  const copy = new Map(map);
  for (const key of keys) copy.delete(key);
  return copy;
}

/** @param {readonly number[]} ids ascending @param {number} id @returns {number} where it is or belongs */
export function place(ids, id) {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param {readonly number[]} ids ascending @param {number} id @returns {number[]} */
export function inserted(ids, id) {
  const at = place(ids, id);
  return ids[at] === id ? [...ids] : [...ids.slice(0, at), id, ...ids.slice(at)];
}

/** @param {import("../../types.js").Event} event @returns {never} */
export function unknownOp(event) {
  throw new Error(`unknown event: ${event.type}/${event.op}`);
}
