// Drafts in the browser: what was typed for a recipient survives leaving, reloading and signing in
// again. Storage that is full or forbidden costs only that.

import { now } from "./store.js";

const LIMIT = 200;
/** @type {Map<string, string>} for a browser that stores nothing */
const memory = new Map();

const place = () => `spindle-drafts-${now().me}`;

/** @returns {Record<string, string>} */
function read() {
  try {
    return JSON.parse(localStorage.getItem(place()) ?? "{}");
  } catch {
    return {};
  }
}

/** @param {string} key of a conversation, or of a place to write @param {string} text */
export function keepDraft(key, text) {
  memory.set(`${place()}/${key}`, text);
  const drafts = read();
  delete drafts[key];
  if (text.trim() !== "") drafts[key] = text;
  const kept = Object.entries(drafts).slice(-LIMIT);
  try {
    localStorage.setItem(place(), JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // Full or forbidden: it lives as long as the page.
  }
}

/** @param {string} key */
export const draftOf = (key) => memory.get(`${place()}/${key}`) ?? read()[key] ?? "";
