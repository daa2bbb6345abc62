// A reminder of a message: when, and a note to oneself.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { createReminder } from "../api/later.js";
import { fieldOf, momentsFrom, secondsOf } from "../state/later.js";
import { t } from "../strings/text.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { MomentField } from "../compose/moment-field.js";
import { note, textOf } from "../frame/note.js";
import { moment } from "../elements/time.js";

const problem = signal("");
const when = signal("");

/** @param {number} id of the message */
export function openReminder(id) {
  const [, tomorrow] = momentsFrom(new Date());
  when.value = fieldOf(tomorrow?.at ?? new Date());
  problem.value = "";
  open.value = () => html`<${Reminder} id=${id} />`;
}

/** @param {{ id: number }} properties */
function Reminder({ id }) {
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    problem.value = "";
    const words = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("note")).trim();
    const seconds = secondsOf(when.value);
    try {
      await createReminder(id, seconds, words);
      close();
      note(t("reminded_on", { when: moment(seconds) }));
    } catch (error) {
      problem.value = textOf(error);
    }
  };
  return html`<${Dialog} title=${t("remind")}>
    <form onSubmit=${submit}>
      <p class="hint">${t("remind_text")}</p>
      <${MomentField} when=${when} />
      <label>${t("reminder_note")} <input name="note" dir="auto" maxlength="500" autocomplete="off" /></label>
      <p class="error" role="alert">${problem}</p>
      <div class="buttons">
        <button type="button" class="plain" onClick=${close}>${t("cancel")}</button>
        <button type="submit" class="primary">${t("remind")}</button>
      </div>
    </form>
  <//>`;
}
