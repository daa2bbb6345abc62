// The emoji picked most recently in this browser.

import { signal } from "@preact/signals-core";
import { now, store } from "../state/store.js";

/** @typedef {import("./emoji.js").Emoji} Emoji */

const MOST = 24;
const place = () => `spindle-emoji-${now().me}`;

/** Kinds and codes, the latest first. @type {import("@preact/signals-core").Signal<string[]>} */
export const recents = signal([]);

function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(place()) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

store.me.subscribe(() => (recents.value = read()));

/** @param {Emoji} emoji */
export function noteUse({ reaction_type, emoji_code }) {
  const key = `${reaction_type}:${emoji_code}`;
  // Another tab may have picked others.
  const next = [key, ...read().filter((one) => one !== key)].slice(0, MOST);
  try {
    localStorage.setItem(place(), JSON.stringify(next));
  } catch {
    // Full or forbidden: they are known as long as the page lives.
  }
  recents.value = next;
}
