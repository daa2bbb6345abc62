// A short note above the view: what was done, or what failed.

import { html } from "htm/preact";
import { signal } from "@preact/signals";

/** Milliseconds that one is shown, and for which another view does not end it: what is said may lead there. */
const SHOWN = 6000;
const MEANT = 1000;
const text = signal("");
let timer = 0;
let since = 0;

/** @param {string} words */
export function note(words) {
  text.value = words;
  since = Date.now();
  clearTimeout(timer);
  timer = setTimeout(() => (text.value = ""), SHOWN);
}
globalThis.addEventListener?.("hashchange", () => Date.now() - since > MEANT && (text.value = ""));

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
