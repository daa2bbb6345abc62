// When one's own status ends by itself: never, at one of a few moments, or at a time of one's choice.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { fieldOf, momentsFrom, secondsOf } from "../state/later.js";
import { t } from "../strings/text.js";

const NEVER = "never";
const OWN = "own";

/** `NEVER`, `OWN`, or the key of a moment. */
const choice = signal(NEVER);
/** The time that was chosen, as its field has it. */
const own = signal("");

/** Begins with the end of the status that is set. @param {number | null} seconds since 1970 */
export function chooseEnd(seconds) {
  choice.value = seconds === null ? NEVER : OWN;
  own.value = seconds === null ? "" : fieldOf(new Date(seconds * 1000));
}

/** What is chosen, in seconds since 1970. @returns {number | null} */
export function endOf() {
  if (choice.value === NEVER) return null;
  if (choice.value === OWN) return secondsOf(own.value);
  const moment = momentsFrom(new Date()).find((one) => one.key === choice.value);
  return moment === undefined ? null : Math.floor(moment.at.getTime() / 1000);
}

export function StatusEnd() {
  const now = new Date();
  const choose = (/** @type {any} */ { target }) => {
    choice.value = target.value;
    if (target.value === OWN && own.value === "") own.value = fieldOf(new Date(now.getTime() + 3_600_000));
  };
  const options = [
    [NEVER, t("status_end_never")],
    ...momentsFrom(now).map(({ key }) => [key, t(key)]),
    [OWN, t("status_end_own")],
  ];
  return html`<label
      >${t("status_end")}
      <select name="status_end" onChange=${choose}>
        ${options.map(([value, text]) => html`<option key=${value} value=${value} selected=${value === choice.value}>${text}</option>`)}
      </select></label
    >
    ${
      choice.value === OWN
        ? html`<label
            >${t("date_and_time")}
            <input
              name="when"
              type="datetime-local"
              required
              min=${fieldOf(now)}
              value=${own.value}
              onInput=${(/** @type {any} */ { target }) => (own.value = target.value)}
          /></label>`
        : null
    }`;
}
