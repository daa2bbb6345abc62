// A moment in a message, which everybody reads in their own time zone.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { fieldOf, momentsFrom, secondsOf } from "../state/later.js";
import { t } from "../strings/text.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { replaceIn } from "../elements/field.js";
import { Form } from "../elements/form.js";
import { MomentField } from "./moment-field.js";
import { write } from "./compose-state.js";

const when = signal("");

/** @param {HTMLTextAreaElement} field */
export function openTime(field) {
  const [, tomorrow] = momentsFrom(new Date());
  when.value = fieldOf(tomorrow?.at ?? new Date());
  const { selectionStart: start, selectionEnd: end } = field;
  const run = () => {
    const moment = new Date(secondsOf(when.value) * 1000).toISOString().replace(/\.\d+/u, "");
    close();
    // A dialog gives the focus back when it is gone.
    requestAnimationFrame(() => write(replaceIn(field, start, end, `<time:${moment}>`)));
  };
  open.value = () =>
    html`<${Dialog} title=${t("format_time")}>
      <${Form} run=${run} action=${t("add")} cancel=${close}>
        <p class="hint">${t("format_time_text")}</p>
        <${MomentField} when=${when} />
      <//>
    <//>`;
}
