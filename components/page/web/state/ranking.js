// Ranks the places that match the words of the switcher by fit and by use. Pure.

/** @typedef {{ key: string, name: string, more: string }} Place more: shown after the name, such as the channel of a topic */
/** @typedef {Record<string, [score: number, at: number]>} Uses by the key of a place: a sum of visits, and the time of the last one in ms */

/** Milliseconds after which a visit counts half. */
const HALF = 7 * 24 * 3_600_000;
/** Places that are remembered. */
const MOST = 300;

/** @param {Uses} uses @param {string} key @param {number} now */
const scoreOf = (uses, key, now) => {
  const [score, at] = uses[key] ?? [0, now];
  return score * 2 ** ((at - now) / HALF);
};

/** Records a visit; the least used places are dropped. @param {Uses} uses @param {string} key @param {number} now @returns {Uses} */
export function withVisit(uses, key, now) {
  /** @type {Uses} */
  const next = { ...uses, [key]: [scoreOf(uses, key, now) + 1, now] };
  const keys = Object.keys(next).sort((a, b) => scoreOf(next, b, now) - scoreOf(next, a, now));
  return Object.fromEntries(keys.slice(0, MOST).map((one) => [one, next[one] ?? [0, now]]));
}

/**
 * How well a place fits: 0 best; null: not at all. Every word has to begin a word of the name or of what stands behind
 * it, or be in it.
 * @param {Place} place @param {string} text lower case
 */
export function fitOf({ name, more }, text) {
  const lower = name.toLowerCase();
  if (text === "" || lower === text) return 0;
  if (lower.startsWith(text)) return 1;
  const all = `${lower} ${more.toLowerCase()}`;
  const words = text.split(/\s+/u);
  if (!words.every((word) => all.includes(word))) return null;
  const begins = (/** @type {string} */ where) => words.every((word) => ` ${where}`.includes(` ${word}`));
  return begins(lower) ? 2 : begins(all) ? 3 : words.every((word) => lower.includes(word)) ? 4 : 5;
}

/**
 * @template {Place} P
 * @param {readonly P[]} places equal ones stay in this order
 * @param {string} text @param {Uses} uses @param {number} now @param {number} most
 * @returns {P[]}
 */
export function ranked(places, text, uses, now, most) {
  const wanted = text.trim().toLowerCase();
  return places
    .map((place, at) => ({ place, at, fit: fitOf(place, wanted), score: scoreOf(uses, place.key, now) }))
    .filter((one) => one.fit !== null)
    .sort((a, b) => Number(a.fit) - Number(b.fit) || b.score - a.score || a.at - b.at)
    .slice(0, most)
    .map((one) => one.place);
}
