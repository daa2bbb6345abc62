// Editing a message in its place.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError } from "../api/http.js";
import { getMessage, updateMessage } from "../api/messages.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { editing } from "../compose/compose-state.js";
import { textOf } from "../frame/note.js";

/** @type {import("@preact/signals-core").Signal<string | null>} */
const text = signal(null);
const problem = signal("");
let before = "";
let back = () => {};

/** @param {number} id @param {() => void} [done] runs when it is saved or left */
export async function startEditing(id, done = () => {}) {
  editing.value = { id, view: Editor };
  back = done;
  text.value = null;
  problem.value = "";
  try {
    const { raw_content } = await getMessage(id);
    before = raw_content;
    if (editing.value.id === id) text.value = raw_content;
  } catch (error) {
    problem.value = textOf(error);
  }
}

function leave() {
  editing.value = { id: 0, view: null };
  back();
}

/** @param {number} id */
async function save(id) {
  const now = text.value;
  if (now === null || now === before) {
    leave();
    return;
  }
  try {
    await updateMessage(id, { content: now });
    leave();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    problem.value = error.status === 0 ? t("no_answer") : error.message;
  }
}

/** @param {{ message: import("../types.js").Message }} properties */
function Editor({ message }) {
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(before.length, before.length);
  }, [text.value === null]);
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") leave();
    else if (
      event.key === "Enter" &&
      (store.settings.value.enter_sends ? !event.shiftKey : event.ctrlKey || event.metaKey)
    )
      void save(message.id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return html`<div class="editor" onKeyDown=${key}>
    <textarea
      ref=${field}
      dir="auto"
      rows="4"
      aria-label=${t("edit")}
      disabled=${text.value === null}
      value=${text.value ?? ""}
      onInput=${(/** @type {any} */ event) => (text.value = event.target.value)}
    ></textarea>
    <p class="error" role="alert">${problem}</p>
    <div class="buttons">
      <button type="button" class="plain" onClick=${leave}>${t("cancel")}</button>
      <button type="button" class="primary" onClick=${() => save(message.id)}>${t("save")}</button>
    </div>
  </div>`;
}
