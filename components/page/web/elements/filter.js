// The field that filters a list.

import { html } from "htm/preact";
import { t } from "../strings/text.js";

/** @param {{ sought: import("@preact/signals-core").Signal<string> }} properties */
export const Filter = ({ sought }) =>
  html`<input
    type="search"
    aria-label=${t("filter")}
    placeholder=${t("filter")}
    value=${sought.value}
    onInput=${(/** @type {any} */ event) => (sought.value = event.target.value)}
  />`;
