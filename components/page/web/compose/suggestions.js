// What the word before the caret may become: the list above the field, and its keys.

import { html } from "htm/preact";
import { computed, signal } from "@preact/signals";
import { replaceIn } from "../elements/field.js";
import { fetched } from "../frame/later.js";
import { tokenOf } from "../state/token.js";
import { t } from "../strings/text.js";
import { write } from "./compose-state.js";

const none = { token: null, at: 0 };
/** @type {import("@preact/signals-core").Signal<{ token: ReturnType<typeof tokenOf>, at: number }>} */
const completion = signal(none);
/** What knows them, once it is here. @type {import("@preact/signals-core").Signal<typeof import("./completion.js") | null>} */
const completer = signal(null);
/** What it could become; also when that, or the names of emoji, come later than the keys. */
const choices = computed(() =>
  completion.value.token === null ? [] : (completer.value?.choicesFor(completion.value.token) ?? []),
);

export const endCompletion = () => (completion.value = none);

async function learnCompletions() {
  completer.value = await fetched(() => import("./completion.js")).catch(() => null);
}

/** @param {HTMLTextAreaElement} field */
export function complete(field) {
  const token =
    field.selectionStart === field.selectionEnd ? tokenOf(field.value.slice(0, field.selectionStart)) : null;
  if (token !== null && completer.value === null) void learnCompletions();
  completion.value = { token, at: 0 };
}

/** @param {HTMLTextAreaElement} field @param {import("./completion.js").Choice} choice */
function take(field, choice) {
  const start = completion.value.token?.start ?? field.selectionStart;
  const end = field.selectionStart;
  field.focus();
  write(replaceIn(field, start, end, choice.insert));
  choice.taken?.();
  endCompletion();
}

/** @param {KeyboardEvent} event @returns {boolean} whether it was about a completion */
export function completionKey(event) {
  const { token, at } = completion.value;
  const chosen = choices.value[at];
  if (chosen === undefined) return false;
  const count = choices.value.length;
  const step = { ArrowDown: 1, ArrowUp: count - 1 }[event.key];
  if (step !== undefined) completion.value = { token, at: (at + step) % count };
  else if (event.key === "Enter" || event.key === "Tab")
    take(/** @type {HTMLTextAreaElement} */ (event.target), chosen);
  else if (event.key === "Escape") endCompletion();
  else return false;
  return true;
}

/** @param {{ field: { current: HTMLTextAreaElement | null } }} properties */
export function Suggestions({ field }) {
  const { at } = completion.value;
  if (choices.value.length === 0) return null;
  return html`<ul class="suggestions" role="listbox" aria-label=${t("suggestions")}>
    ${choices.value.map(
      (choice, index) =>
        html`<li
          key=${choice.key}
          role="option"
          aria-selected=${index === at}
          onPointerDown=${(/** @type {Event} */ event) => (event.preventDefault(), field.current && take(field.current, choice))}
        >
          ${choice.label}
        </li>`,
    )}
  </ul>`;
}
