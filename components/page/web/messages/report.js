// Reporting a message to those who moderate.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { reportMessage } from "../api/messages.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { Form } from "../elements/form.js";
import { note } from "../frame/note.js";

/** @typedef {import("../types.js").Message} Message */

/** Kinds that this client has texts for. @type {Record<string, import("../strings/text.js").Key>} */
const KINDS = {
  spam: "report_spam",
  harassment: "report_harassment",
  inappropriate: "report_inappropriate",
  norms: "report_norms",
  other: "report_other",
};
const kind = signal("");

/** @returns {{ key: string, name: string }[]} */
const kinds = () => store.realm.value["server_report_message_types"] ?? [];

/** @param {Message} message */
export function openReport(message) {
  kind.value = kinds()[0]?.key ?? "other";
  open.value = () => html`<${Report} message=${message} />`;
}

/** @param {{ message: Message }} properties */
function Report({ message }) {
  const report = async (/** @type {import("../elements/form.js").Sent} */ { text }) => {
    await reportMessage(message.id, /** @type {any} */ (kind.value), text("description"));
    close();
    note(t("reported"));
  };
  const isOther = kind.value === "other";
  return html`<${Dialog} title=${t("report")}>
    <${Form} run=${report} action=${t("report")} cancel=${close}>
      <p class="hint">${t("report_text")}</p>
      <label
        >${t("report_why")}
        <select name="kind" onChange=${(/** @type {any} */ event) => (kind.value = event.target.value)}>
          ${kinds().map(({ key, name }) => html`<option key=${key} value=${key} selected=${key === kind.value}>${KINDS[key] === undefined ? name : t(KINDS[key])}</option>`)}
        </select></label
      >
      <label
        >${t(isOther ? "report_details" : "report_details_optional")}
        <textarea name="description" dir="auto" rows="4" maxlength="1000" required=${isOther}></textarea>
      </label>
    <//>
  <//>`;
}
