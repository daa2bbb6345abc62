// Choosing a moment to come: the field, and moments to take at once.

import { html } from "htm/preact";
import { fieldOf, momentsFrom } from "../state/later.js";
import { t } from "../strings/text.js";

/** @param {{ when: import("@preact/signals").Signal<string> }} properties `when`: the text of the field */
export const MomentField = ({ when }) =>
  html`<label
      >${t("date_and_time")}
      <input
        name="when"
        type="datetime-local"
        required
        min=${fieldOf(new Date())}
        value=${when.value}
        onInput=${(/** @type {any} */ event) => (when.value = event.target.value)}
    /></label>
    <div class="ready" role="group" aria-label=${t("suggestions")}>
      ${momentsFrom(new Date()).map(({ key, at }) => html`<button type="button" class="plain" key=${key} onClick=${() => (when.value = fieldOf(at))}>${t(key)}</button>`)}
    </div>`;
