// A short note at the foot of the page: what was done, or what failed.

import { html } from "htm/preact";
import { signal } from "@preact/signals";

const text = signal("");
let timer = 0;

/** @param {string} words */
export function note(words) {
  text.value = words;
  clearTimeout(timer);
  timer = setTimeout(() => (text.value = ""), 6000);
}

/** Runs something, and says when it fails. @param {() => Promise<unknown>} action */
export async function attempt(action) {
  try {
    await action();
  } catch (error) {
    note(error instanceof Error ? error.message : String(error));
  }
}

export const Notes = () =>
  html`<div class="notes" role="status">${text.value === "" ? null : html`<p>${text.value}</p>`}</div>`;
