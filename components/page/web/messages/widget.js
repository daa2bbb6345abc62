// A poll or a to-do list in a message: seeing it, voting, doing, adding.

import { html } from "htm/preact";
import { sendSubmessage } from "../api/messages.js";
import { namesOf } from "../state/select.js";
import { store } from "../state/store.js";
import { nextIndex, widgetOf } from "../state/widget.js";
import { t } from "../strings/text.js";
import { attempt } from "../frame/note.js";

/** @typedef {import("../types.js").Message} Message */

/** @param {Message} message @param {Record<string, unknown>} deed */
const send = (message, deed) => attempt(() => sendSubmessage(message.id, deed));

/** @param {{ label: string, add: (words: string) => unknown }} properties */
function Adding({ label, add }) {
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const words = String(new FormData(form).get("words")).trim();
    if (words === "") return;
    void add(words);
    form.reset();
  };
  return html`<form onSubmit=${submit}>
    <input name="words" dir="auto" aria-label=${label} placeholder=${label} maxlength="500" autocomplete="off" />
    <button type="submit" class="plain">${t("add")}</button>
  </form>`;
}

/** @param {{ message: Message, poll: import("../state/widget.js").Poll }} properties */
function Poll({ message, poll }) {
  const me = store.me.value;
  const add = (/** @type {string} */ option) =>
    send(message, { type: "new_option", option, idx: nextIndex(message.submessages, me, "idx") });
  return html`<div class="widget" role="group" aria-label=${t("poll")}>
    <p class="asked" dir="auto">${poll.question === "" ? t("poll") : poll.question}</p>
    <ul>
      ${poll.options.map((one) => {
        const isMine = one.votes.includes(me);
        const vote = () => send(message, { type: "vote", key: one.key, vote: isMine ? -1 : 1 });
        return html`<li key=${one.key}>
          <button
            type="button"
            class="vote"
            aria-pressed=${isMine}
            aria-label=${`${one.name}, ${t("votes", { n: one.votes.length })}`}
            onClick=${vote}
          >
            ${one.votes.length}
          </button>
          <span class="name" dir="auto">${one.name}</span>
          ${one.votes.length > 0 ? html`<span class="hint">${namesOf(one.votes)}</span>` : null}
        </li>`;
      })}
    </ul>
    <${Adding} label=${t("new_option")} add=${add} />
  </div>`;
}

/** @param {{ message: Message, todo: import("../state/widget.js").Todo }} properties */
function Todo({ message, todo }) {
  const me = store.me.value;
  const add = (/** @type {string} */ task) => {
    const key = nextIndex(message.submessages, me, "key");
    return send(message, { type: "new_task", key, task, desc: "", completed: false });
  };
  return html`<div class="widget" role="group" aria-label=${t("todo")}>
    <p class="asked" dir="auto">${todo.title === "" ? t("todo") : todo.title}</p>
    <ul>
      ${todo.tasks.map(
        (one) =>
          html`<li key=${one.key}>
            <label class=${one.isDone ? "choice done" : "choice"}
              ><input
                type="checkbox"
                checked=${one.isDone}
                onChange=${() => send(message, { type: "strike", key: one.key })}
              />
              <bdi>${one.name}</bdi>
              ${one.about === "" ? null : html`<span class="hint" dir="auto">${one.about}</span>`}</label
            >
          </li>`,
      )}
    </ul>
    <${Adding} label=${t("new_task")} add=${add} />
  </div>`;
}

/** @param {{ message: Message, plain: () => any }} properties plain: what is drawn if the submessages are no widget */
export function Widget({ message, plain }) {
  const widget = widgetOf(message.submessages, message.sender_id);
  if (widget === null) return plain();
  return widget.kind === "poll"
    ? html`<${Poll} message=${message} poll=${widget} />`
    : html`<${Todo} message=${message} todo=${widget} />`;
}
