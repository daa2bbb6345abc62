// Saved snippets: texts that one writes again and again. Taking one, writing and changing them.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { createSavedSnippet, deleteSavedSnippet, editSavedSnippet } from "../api/snippets.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { Form } from "../elements/form.js";
import { attempt, note } from "../frame/note.js";

/** @typedef {import("../api/snippets.js").Snippet} Snippet */

/** What is being written: a new one has the id 0. @type {import("@preact/signals-core").Signal<Snippet | null>} */
const edited = signal(null);

/** @param {(words: string) => void} take @param {string} words what a new one begins with */
export function openSnippets(take, words) {
  edited.value = null;
  const taken = (/** @type {string} */ content) => {
    close();
    take(content);
  };
  open.value = () => html`<${Dialog} title=${t("snippets")}><${Snippets} take=${taken} words=${words} /><//>`;
}

/** @param {Snippet} one */
const remove = ({ id, title, content }) =>
  attempt(async () => {
    await deleteSavedSnippet(id);
    note(t("snippet_deleted", { title }), () => createSavedSnippet(title, content));
  });

function Editor() {
  const now = /** @type {Snippet} */ (edited.value);
  const leave = () => (edited.value = null);
  const run = async (/** @type {import("../elements/form.js").Sent} */ { text }) => {
    const [title, content] = [text("title"), text("content")];
    await (now.id === 0 ? createSavedSnippet(title, content) : editSavedSnippet(now.id, title, content));
    leave();
  };
  return html`<${Form} class="snippet" key=${now.id} run=${run} action=${t("save")} cancel=${leave}>
    <label
      >${t("title")}
      <input name="title" required dir="auto" maxlength="60" autocomplete="off" defaultValue=${now.title}
    /></label>
    <label
      >${t("text")}
      <textarea name="content" required dir="auto" rows="5" maxlength="10000" defaultValue=${now.content}></textarea>
    </label>
  <//>`;
}

/**
 * The list, with what can be done with each.
 * @param {{ take?: (content: string) => void, words?: string }} properties take: puts one into what is written
 */
export function Snippets({ take, words = "" }) {
  /** @type {Snippet[]} */
  const all = store.personal.value["saved_snippets"] ?? [];
  const sorted = all.toSorted((a, b) => a.title.localeCompare(b.title));
  const edit = (/** @type {Snippet} */ one) => {
    edited.value = one;
  };
  if (edited.value !== null) return html`<${Editor} />`;
  return html`${sorted.length === 0 ? html`<p class="hint">${t("no_snippets")}</p>` : null}
    <ul class="names snippets">
      ${sorted.map(
        (one) =>
          html`<li key=${one.id}>
            ${
              take === undefined
                ? html`<p class="name"><bdi>${one.title}</bdi></p>`
                : html`<button type="button" class="name" onClick=${() => take(one.content)}>
                    <bdi>${one.title}</bdi>
                  </button>`
            }
            <p class="hint words" dir="auto">${one.content}</p>
            <span class="buttons">
              <button type="button" class="plain" aria-label=${`${t("edit")}: ${one.title}`} onClick=${() => edit(one)}>
                ${t("edit")}
              </button>
              <button
                type="button"
                class="plain"
                aria-label=${`${t("delete")}: ${one.title}`}
                onClick=${() => remove(one)}
              >
                ${t("delete")}
              </button>
            </span>
          </li>`,
      )}
    </ul>
    <div class="buttons">
      <button type="button" class="plain" onClick=${() => edit({ id: 0, title: "", content: words })}>
        ${t("new_snippet")}
      </button>
    </div>`;
}
