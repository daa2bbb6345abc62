// What a message was before it was edited or moved.

import { html } from "htm/preact";
import { getHistory } from "../api/messages.js";
import { nameOf, topicName } from "../state/select.js";
import { t } from "../strings/text.js";
import { Dialog, open } from "../elements/dialog.js";
import { Rendered } from "./rendered.js";
import { moment } from "../elements/time.js";

/** @param {import("../types.js").Message} message */
export async function openHistory(message) {
  const { message_history: states } = await getHistory(message.id);
  open.value = () =>
    html`<${Dialog} title=${t("history")}>
      <ol class="history">
        ${states.toReversed().map(
          (state, at) =>
            html`<li key=${at}>
              <p class="when">${moment(state["timestamp"])} · ${nameOf(state["user_id"] ?? message.sender_id)}</p>
              ${state["prev_topic"] === undefined ? null : html`<p class="hint">${t("moved_to", { topic: topicName(state["topic"]) })}</p>`}
              <${Rendered} html=${state["rendered_content"]} />
            </li>`,
        )}
      </ol>
    <//>`;
}
