// An API key that has just been made, and the zuliprc file with it.

import { html } from "htm/preact";
import { t } from "../strings/text.js";
import { Copyable, copyAndSay, saveFile } from "../elements/copyable.js";
import { store } from "../state/store.js";
import { zuliprc } from "../state/webhook.js";

/** The address of the server for programs outside. @returns {string} */
export const site = () => store.realm.value["realm_url"] ?? location.origin;

/** @param {{ apiKey: string }} properties `apiKey`: empty when none was made */
export const NewKey = ({ apiKey }) =>
  html`<div role="status">${apiKey === "" ? null : html`<${Copyable} text=${apiKey} label=${t("api_key")} />`}</div>`;

/** @param {{ email: string, apiKey: string }} properties */
export function Zuliprc({ email, apiKey }) {
  const text = zuliprc(email, apiKey, site());
  return html`<details class="zuliprc">
    <summary>zuliprc</summary>
    <p class="hint">${t(apiKey === "" ? "zuliprc_blank" : "zuliprc_text")}</p>
    <pre class="entries">${text}</pre>
    <div class="buttons">
      <button type="button" class="plain" aria-label=${`${t("copy")}: zuliprc`} onClick=${() => copyAndSay(text)}>
        ${t("copy")}
      </button>
      <button
        type="button"
        class="plain"
        aria-label=${`${t("download")}: zuliprc`}
        onClick=${() => saveFile("zuliprc", text)}
      >
        ${t("download")}
      </button>
    </div>
  </details>`;
}
