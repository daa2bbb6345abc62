// What an app adds to a message: buttons below it, and answers that only this account sees.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { clickButton } from "../api/apps.js";
import { Icon } from "../elements/icon.js";
import { attempt } from "../frame/note.js";
import { nameOf } from "../state/select.js";
import { now, patch } from "../state/store.js";
import { t } from "../strings/text.js";
import { Rendered } from "./rendered.js";

/** @typedef {import("../types.js").Message} Message */
/** @typedef {import("../types.js").Answer} Answer */

/** @param {{ message: Message }} properties */
function Buttons({ message }) {
  const isBusy = useSignal(false);
  const problem = useSignal("");
  const press = async (/** @type {string} */ id) => {
    if (isBusy.value) return;
    isBusy.value = true;
    await attempt(() => clickButton(message.id, id), problem);
    isBusy.value = false;
  };
  // Not `disabled`, which would take the focus from the pressed button.
  return html`<div class="app-buttons" role="group" aria-label=${t("buttons_of", { name: nameOf(message.sender_id) })}>
      ${message.buttons?.map(
        ({ id, label }) =>
          html`<button
            key=${id}
            type="button"
            class="plain"
            dir="auto"
            aria-disabled=${isBusy.value}
            onClick=${() => press(id)}
          >
            ${label}
          </button>`,
      )}
    </div>
    <p class="error" role="alert">${problem}</p>`;
}

/** Another tab of this browser keeps it. @param {number} id of the message @param {number} bot_id */
function dismiss(id, bot_id) {
  const answers = new Map(now().answers);
  const left = (answers.get(id) ?? []).filter((one) => one.bot_id !== bot_id);
  if (left.length === 0) answers.delete(id);
  else answers.set(id, left);
  patch({ answers });
}

/** @param {{ id: number, answer: Answer }} properties */
function AppAnswer({ id, answer }) {
  const name = nameOf(answer.bot_id);
  return html`<div class="app-answer">
    <p class="who">
      <b dir="auto">${name}</b> <span class="hint">${t("only_you")}</span>
      <button
        type="button"
        class="quiet"
        title=${t("dismiss")}
        aria-label=${`${t("dismiss")}: ${name}`}
        onClick=${() => dismiss(id, answer.bot_id)}
      >
        <${Icon} name="close" />
      </button>
    </p>
    <${Rendered} html=${answer.content} />
  </div>`;
}

/** @param {{ message: Message, answers: readonly Answer[] | undefined }} properties */
export const AppParts = ({ message, answers = [] }) =>
  html`${(message.buttons ?? []).length > 0 ? html`<${Buttons} message=${message} />` : null}
    <div role="status">
      ${answers.map((one) => html`<${AppAnswer} key=${one.bot_id} id=${message.id} answer=${one} />`)}
    </div>`;
