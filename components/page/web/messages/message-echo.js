// A message that the server has not confirmed yet, or has refused.

import { html } from "htm/preact";
import { attempt, discard } from "../state/outbox.js";
import { nameOf } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { Avatar } from "../people/avatar.js";
import { clock } from "../elements/time.js";

/** @param {{ waiting: import("../state/outbox.js").Waiting }} properties */
export function Echo({ waiting }) {
  const me = store.me.value;
  const isFailed = waiting.state === "failed";
  return html`<article
    class=${`message head echo ${waiting.state}`}
    aria-label=${t("message_of", { name: nameOf(me) })}
  >
    <${Avatar} id=${me} />
    <div class="said">
      <p class="who">
        <b dir="auto">${nameOf(me)}</b> <span class="when">${isFailed ? "" : clock(waiting.timestamp)}</span>
      </p>
      <div class="rendered plain" dir="auto">${waiting.content}</div>
      ${
        isFailed
          ? html`<p class="error" role="alert">
              ${waiting.problem || t("not_sent")}
              <button type="button" class="plain" onClick=${() => attempt(waiting.local_id)}>${t("try_again")}</button>
              <button type="button" class="plain" onClick=${() => discard(waiting.local_id)}>${t("discard")}</button>
            </p>`
          : null
      }
    </div>
  </article>`;
}
