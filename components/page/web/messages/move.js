// Moving messages to another topic or channel: this one, those after it, or all of the topic.

import { html } from "htm/preact";
import { updateMessage } from "../api/messages.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { Form } from "../elements/form.js";

/** @typedef {import("../types.js").Message} Message */
const MODES = /** @type {const} */ (["change_one", "change_later", "change_all"]);

/** @param {Message} message @param {boolean} [isTopic] the whole topic, of which it is one */
export function openMove(message, isTopic = false) {
  open.value = () => html`<${Move} message=${message} isTopic=${isTopic} />`;
}

/** @param {{ message: Message, isTopic: boolean }} properties */
function Move({ message, isTopic }) {
  const channels = [...store.channels.value.values()]
    .filter((one) => one.subscribed && !one.is_archived)
    .sort((a, b) => a.name.localeCompare(b.name));
  const run = async (/** @type {import("../elements/form.js").Sent} */ { text, data }) => {
    const stream_id = Number(data.get("channel"));
    const topic = text("topic");
    /** @type {Record<string, unknown>} */
    const change = {
      propagate_mode: isTopic ? "change_all" : data.get("mode"),
      send_notification_to_old_thread: data.has("old"),
      send_notification_to_new_thread: data.has("new"),
    };
    if (stream_id !== message.stream_id) change["stream_id"] = stream_id;
    if (topic !== message.subject) change["topic"] = topic;
    if ("stream_id" in change || "topic" in change) await updateMessage(message.id, change);
    close();
  };
  return html`<${Dialog} title=${t(isTopic ? "move_topic" : "move")}>
    <${Form} run=${run} action=${t(isTopic ? "save" : "move")} cancel=${close}>
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
          autofocus=${isTopic}
          dir="auto"
          maxlength=${store.realm.value.max_topic_length ?? 60}
          defaultValue=${message.subject}
      /></label>
      ${
        isTopic
          ? null
          : html`<fieldset>
              <legend>${t("which_messages")}</legend>
              ${MODES.map((mode) => html`<label class="choice"><input type="radio" name="mode" value=${mode} defaultChecked=${mode === "change_later"} /> ${t(mode)}</label>`)}
            </fieldset>`
      }
      <label class="choice"><input type="checkbox" name="old" /> ${t("notice_old")}</label>
      <label class="choice"><input type="checkbox" name="new" defaultChecked /> ${t("notice_new")}</label>
    <//>
  <//>`;
}
