// Moving messages to another topic or channel: this one, those after it, or all of the topic.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { updateMessage } from "../api/messages.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { textOf } from "../frame/note.js";

/** @typedef {import("../types.js").Message} Message */
const problem = signal("");
const MODES = /** @type {const} */ (["change_one", "change_later", "change_all"]);

/** @param {Message} message */
export function openMove(message) {
  problem.value = "";
  open.value = () => html`<${Move} message=${message} />`;
}

/** @param {{ message: Message }} properties */
function Move({ message }) {
  const channels = [...store.channels.value.values()]
    .filter((one) => one.subscribed && !one.is_archived)
    .sort((a, b) => a.name.localeCompare(b.name));
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const stream_id = Number(form.get("channel"));
    const topic = String(form.get("topic")).trim();
    /** @type {Record<string, unknown>} */
    const change = {
      propagate_mode: form.get("mode"),
      send_notification_to_old_thread: form.has("old"),
      send_notification_to_new_thread: form.has("new"),
    };
    if (stream_id !== message.stream_id) change["stream_id"] = stream_id;
    if (topic !== message.subject) change["topic"] = topic;
    try {
      if ("stream_id" in change || "topic" in change) await updateMessage(message.id, change);
      close();
    } catch (error) {
      problem.value = textOf(error);
    }
  };
  return html`<${Dialog} title=${t("move")}>
    <form onSubmit=${submit}>
      <label
        >${t("channel")}
        <select name="channel">
          ${channels.map((one) => html`<option value=${one.stream_id} selected=${one.stream_id === message.stream_id}>${one.name}</option>`)}
        </select></label
      >
      <label
        >${t("topic")}
        <input
          name="topic"
          dir="auto"
          maxlength=${store.realm.value.max_topic_length ?? 60}
          defaultValue=${message.subject}
      /></label>
      <fieldset>
        <legend>${t("which_messages")}</legend>
        ${MODES.map((mode) => html`<label class="choice"><input type="radio" name="mode" value=${mode} defaultChecked=${mode === "change_later"} /> ${t(mode)}</label>`)}
      </fieldset>
      <label class="choice"><input type="checkbox" name="old" /> ${t("notice_old")}</label>
      <label class="choice"><input type="checkbox" name="new" defaultChecked /> ${t("notice_new")}</label>
      <p class="error" role="alert">${problem}</p>
      <div class="buttons">
        <button type="button" class="plain" onClick=${close}>${t("cancel")}</button>
        <button type="submit" class="primary">${t("move")}</button>
      </div>
    </form>
  <//>`;
}
