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

/** What went wrong, for people. @param {unknown} error */
export const textOf = (error) => (error instanceof Error ? error.message : String(error));

/** Runs something, and says when it fails. @param {() => Promise<unknown>} action */
export async function attempt(action) {
  try {
    await action();
  } catch (error) {
    note(textOf(error));
  }
}

export const Notes = () =>
  html`<div class="notes" role="status">${text.value === "" ? null : html`<p>${text.value}</p>`}</div>`;
