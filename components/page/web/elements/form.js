// A form: what happens when it is sent, why that failed, and its buttons.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { textOf } from "../frame/note.js";
import { t } from "../strings/text.js";

/**
 * The values of a form that is sent.
 * @typedef {object} Sent
 * @property {(name: string) => string} text the trimmed text of a field; empty if the form has no such field
 * @property {FormData} data
 */

/**
 * A second submit while `run` works does nothing. An error of `run` is shown, and the fields keep their text.
 * @param {object} properties
 * @param {(sent: Sent) => unknown} properties.run
 * @param {string} properties.action what its button says; without it there is none
 * @param {"dialog" | "page" | "inline"} [properties.look] inline: the button is next to the only field
 * @param {() => void} [properties.cancel] adds a button that calls it
 * @param {string} [properties.cancelText]
 * @param {boolean} [properties.resets] it is empty again after a success
 * @param {string} [properties.class]
 * @param {any} properties.children
 */
export function Form({
  run,
  action,
  look = "dialog",
  cancel,
  cancelText = t("cancel"),
  resets = false,
  class: name,
  children,
}) {
  const problem = useSignal("");
  const isBusy = useRef(false);
  const submit = async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (isBusy.current) return;
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    const data = new FormData(form);
    const text = (/** @type {string} */ field) => String(data.get(field) ?? "").trim();
    isBusy.current = true;
    problem.value = "";
    try {
      await run({ text, data });
      if (resets) form.reset();
    } catch (error) {
      problem.value = textOf(error);
    } finally {
      isBusy.current = false;
    }
  };
  const why = html`<p class="error" role="alert">${problem}</p>`;
  const button = html`<button type="submit" class=${look === "dialog" ? "primary" : "plain"}>${action}</button>`;
  const isShown = action !== "";
  return html`<form class=${name ?? (look === "inline" ? "inline" : undefined)} onSubmit=${submit}>
    ${children}
    ${
      look === "inline"
        ? html`${isShown ? button : null}${why}`
        : html`${why}
            <div class=${look === "dialog" ? "buttons" : undefined}>
              ${cancel === undefined ? null : html`<button type="button" class="plain" onClick=${cancel}>${cancelText}</button>`}
              ${button}
            </div>`
    }
  </form>`;
}
