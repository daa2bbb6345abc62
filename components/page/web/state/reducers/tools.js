// Small pure helpers of the reducers: copies of collections with one thing changed.
//
// Events that are applied together share their copies: the states between them are not seen.

/** Copies that events of the running batch have made. @type {WeakSet<object> | null} */
let copies = null;

/**
 * Runs what applies several events. A map is copied for the first of them that changes it; the others change the copy.
 * @param {() => void} run
 */
export function inBatch(run) {
  copies = new WeakSet();
  try {
    run();
  } finally {
    copies = null;
  }
}

/** A copy to be changed by one reducer. @template K, V @param {ReadonlyMap<K, V>} map @returns {Map<K, V>} */
export function copyOf(map) {
  if (copies?.has(map)) return /** @type {Map<K, V>} */ (map);
  const copy = new Map(map);
  copies?.add(copy);
  return copy;
}

/** @template K, V @param {ReadonlyMap<K, V>} map @param {K} key @param {V} value */
export const withEntry = (map, key, value) => copyOf(map).set(key, value);

/** @template K, V @param {ReadonlyMap<K, V>} map @param {Iterable<K>} keys @returns {ReadonlyMap<K, V>} */
export function without(map, keys) {
  const copy = copyOf(map);
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
