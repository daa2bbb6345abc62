// What a person does who has forgotten the password. Without mail, others make a link for them.

import { html } from "htm/preact";
import { t } from "../strings/text.js";

export const Forgotten = () =>
  html`<details class="forgotten">
    <summary>${t("forgotten")}</summary>
    <p class="hint">${t("forgotten_ask")}</p>
    <p class="hint">${t("forgotten_owner")} <code>spindle admin user sign-in-link --email …</code></p>
  </details>`;
