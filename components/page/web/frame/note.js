// A short note above the view about something done or failed.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { t } from "../strings/text.js";

/** Milliseconds that one is shown, and for which another view does not end it: what is said may lead there. */
const SHOWN = 6000;
const MEANT = 1000;
/** @type {import("@preact/signals-core").Signal<{ words: string, undo: (() => Promise<unknown>) | undefined }>} */
const shown = signal({ words: "", undo: undefined });
const end = () => (shown.value = { words: "", undo: undefined });
let timer = 0;
let since = 0;

/** @param {string} words @param {() => Promise<unknown>} [undo] takes back what was done */
export function note(words, undo) {
  shown.value = { words, undo };
  since = Date.now();
  clearTimeout(timer);
  timer = setTimeout(end, SHOWN);
}
globalThis.addEventListener?.("hashchange", () => Date.now() - since > MEANT && end());

/** What went wrong, for people. @param {unknown} error */
export const textOf = (error) => (error instanceof Error ? error.message : String(error));

/**
 * Runs something, and shows why it failed: in `problem`, or in a note.
 * @param {() => Promise<unknown>} action
 * @param {import("@preact/signals-core").Signal<string>} [problem] emptied first
 */
export async function attempt(action, problem) {
  if (problem !== undefined) problem.value = "";
  try {
    await action();
  } catch (error) {
    if (problem === undefined) note(textOf(error));
    else problem.value = textOf(error);
  }
}

/** @param {() => Promise<unknown>} undo */
function take(undo) {
  end();
  return attempt(undo);
}

export function Notes() {
  const { words, undo } = shown.value;
  return html`<div class="notes" role="status">
    ${
      words === ""
        ? null
        : html`<p>
            ${words}
            ${undo === undefined ? null : html`<button type="button" onClick=${() => take(undo)}>${t("undo")}</button>`}
          </p>`
    }
  </div>`;
}
