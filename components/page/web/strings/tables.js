// The tables of texts: which languages there are, and how each is loaded.
//
// Imports nothing, so that the texts are on their way while other modules are loading.

/** @typedef {Record<string, string>} Table */

/** @type {Record<string, () => Promise<Table>>} */
export const LOADS = {
  en: async () => (await import("./en.js")).en,
  de: async () => (await import("./de.js")).de,
};

/** @param {readonly string[]} wanted @returns {string} */
export function choose(wanted) {
  for (const language of wanted) {
    const short = language.toLowerCase().split("-")[0] ?? "";
    if (short in LOADS) return short;
  }
  return "en";
}

/** The language that the browser is set to, as far as there are texts. */
export const ofBrowser = () => choose(navigator.languages ?? [navigator.language]);
