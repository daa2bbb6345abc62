// A dialog above everything: the browser's own keeps the focus inside.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../strings/text.js";
import { close, open } from "../frame/above.js";
import { Icon } from "./icon.js";
import { textOf } from "../frame/note.js";

export { close, open };

/**
 * @param {object} properties
 * @param {string} properties.title
 * @param {string} [properties.class]
 * @param {() => void} [properties.onClose]
 * @param {(event: KeyboardEvent) => void} [properties.onKeyDown]
 * @param {any} [properties.children]
 */
export function Dialog({ title, class: name = "", onClose = close, onKeyDown, children }) {
  const place = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useLayoutEffect(() => {
    const before = document.activeElement;
    place.current?.showModal();
    return () => before instanceof HTMLElement && before.focus();
  }, []);
  const pressed = (/** @type {MouseEvent} */ event) => event.target === place.current && onClose();
  return html`<dialog
    ref=${place}
    class=${name}
    aria-labelledby="dialog-title"
    onClose=${onClose}
    onClick=${pressed}
    onKeyDown=${onKeyDown}
  >
    <div class="sheet">
      <header>
        <h2 id="dialog-title">${title}</h2>
        <button type="button" class="quiet" aria-label=${t("close")} onClick=${onClose}>
          <${Icon} name="close" />
        </button>
      </header>
      ${children}
    </div>
  </dialog>`;
}

/**
 * A question before something that cannot be undone.
 * @param {{ title: string, text: string, action: string, run: () => Promise<unknown> }} question
 */
export function ask({ title, text, action, run }) {
  open.value = () => html`<${Question} title=${title} text=${text} action=${action} run=${run} />`;
}

const problem = signal("");

/** @param {{ title: string, text: string, action: string, run: () => Promise<unknown> }} properties */
function Question({ title, text, action, run }) {
  useLayoutEffect(() => {
    problem.value = "";
  }, []);
  const act = async () => {
    try {
      await run();
      close();
    } catch (error) {
      problem.value = textOf(error);
    }
  };
  return html`<${Dialog} title=${title}>
    <p>${text}</p>
    <p class="error" role="alert">${problem}</p>
    <div class="buttons">
      <button type="button" class="plain" onClick=${close}>${t("cancel")}</button>
      <button type="button" class="primary" onClick=${act}>${action}</button>
    </div>
  <//>`;
}
