// Sending later: choosing when, and changing what waits.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { createScheduledMessage, deleteScheduledMessage, editScheduledMessage } from "../api/later.js";
import { keyFor } from "../state/draft-list.js";
import { restoreDraft } from "../state/drafts.js";
import { fieldOf, momentsFrom, secondsOf } from "../state/later.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { MomentField } from "./moment-field.js";
import { Form } from "../elements/form.js";
import { note } from "../frame/note.js";
import { moment } from "../elements/time.js";

/** @typedef {import("../state/outbox.js").Recipient} Recipient */

const when = signal("");

/** @param {Recipient} to @param {string} content @param {() => void} done runs when the server has it */
export function openSchedule(to, content, done) {
  const [, tomorrow] = momentsFrom(new Date());
  when.value = fieldOf(tomorrow?.at ?? new Date());
  const send = async (/** @type {number} */ seconds) => {
    const { scheduled_message_id: id } = await createScheduledMessage({
      ...(to.kind === "topic"
        ? { type: "channel", to: to.stream_id, topic: to.topic }
        : { type: "direct", to: to.people }),
      content,
      scheduled_delivery_timestamp: seconds,
    });
    done();
    return async () => {
      await deleteScheduledMessage(id);
      await restoreDraft({ key: keyFor(to, store.me.value), to, text: content });
    };
  };
  open.value = () => html`<${When} title=${t("send_later")} save=${send} />`;
}

/** @param {any} message of scheduled_messages */
export function openScheduled(message) {
  when.value = fieldOf(new Date(message.scheduled_delivery_timestamp * 1000));
  const id = message.scheduled_message_id;
  const { content: before, scheduled_delivery_timestamp: at } = message;
  const save = async (/** @type {number} */ seconds, /** @type {string} */ content) => {
    await editScheduledMessage(id, { content, scheduled_delivery_timestamp: seconds });
    return () => editScheduledMessage(id, { content: before, scheduled_delivery_timestamp: at });
  };
  open.value = () => html`<${When} title=${t("edit")} save=${save} content=${message.content} />`;
}

/** @param {{ title: string, content?: string, save: (seconds: number, content: string) => Promise<() => Promise<unknown>> }} properties save: returns what takes it back */
function When({ title, content, save }) {
  const run = async (/** @type {import("../elements/form.js").Sent} */ { text }) => {
    const seconds = secondsOf(when.value);
    const undo = await save(seconds, text("content"));
    close();
    note(t("sent_on", { when: moment(seconds) }), undo);
  };
  return html`<${Dialog} title=${title}>
    <${Form} run=${run} action=${t(content === undefined ? "send_later" : "save")} cancel=${close}>
      ${
        content === undefined
          ? null
          : html`<label
              >${t("message")}
              <textarea
                name="content"
                dir="auto"
                rows="4"
                required
                maxlength=${store.realm.value.max_message_length ?? 10_000}
                defaultValue=${content}
              ></textarea>
            </label>`
      }
      <${MomentField} when=${when} />
    <//>
  <//>`;
}
