// What a person does who has forgotten the password: ask for a mail, where the server sends any; else others make a link
// for them.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { ApiError } from "../api/http.js";
import { requestPasswordReset } from "../api/sessions.js";
import { t } from "../strings/text.js";

const said = signal("");
const isBusy = signal(false);

/** @param {SubmitEvent} event */
async function ask(event) {
  event.preventDefault();
  const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
  isBusy.value = true;
  try {
    await requestPasswordReset(String(form.get("email")).trim());
    said.value = t("forgotten_asked");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    said.value = error.status === 0 ? t("no_answer") : error.status === 429 ? t("too_many_attempts") : error.message;
  } finally {
    isBusy.value = false;
  }
}

const ByMail = () =>
  html`<form onSubmit=${ask}>
    <label
      >${t("email")} <input name="email" type="email" autocomplete="username" spellcheck=${false} required
    /></label>
    <button type="submit" disabled=${isBusy.value}>${t("forgotten_mail")}</button>
    <p class="hint" role="status">${said}</p>
  </form>`;

/** @param {{ sendsMail: boolean }} properties */
export const Forgotten = ({ sendsMail }) =>
  html`<details class="forgotten">
    <summary>${t("forgotten")}</summary>
    ${sendsMail ? html`<${ByMail} />` : null}
    <p class="hint">${t("forgotten_ask")}</p>
    <p class="hint">${t("forgotten_owner")} <code>spindle admin user sign-in-link --email …</code></p>
  </details>`;
