// A reminder of a message: when, and a note to oneself.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { createReminder, deleteReminder } from "../api/later.js";
import { fieldOf, momentsFrom, secondsOf } from "../state/later.js";
import { t } from "../strings/text.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { MomentField } from "../compose/moment-field.js";
import { Form } from "../elements/form.js";
import { note } from "../frame/note.js";
import { moment } from "../elements/time.js";

const when = signal("");

/** @param {number} id of the message */
export function openReminder(id) {
  const [, tomorrow] = momentsFrom(new Date());
  when.value = fieldOf(tomorrow?.at ?? new Date());
  open.value = () => html`<${Reminder} id=${id} />`;
}

/** @param {{ id: number }} properties */
function Reminder({ id }) {
  const run = async (/** @type {import("../elements/form.js").Sent} */ { text }) => {
    const seconds = secondsOf(when.value);
    const { reminder_id } = await createReminder(id, seconds, text("note"));
    close();
    note(t("reminded_on", { when: moment(seconds) }), () => deleteReminder(reminder_id));
  };
  return html`<${Dialog} title=${t("remind")}>
    <${Form} run=${run} action=${t("remind")} cancel=${close}>
      <p class="hint">${t("remind_text")}</p>
      <${MomentField} when=${when} />
      <label>${t("reminder_note")} <input name="note" dir="auto" maxlength="500" autocomplete="off" /></label>
    <//>
  <//>`;
}
