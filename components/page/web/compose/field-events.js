// What keys and pasting do in the field to write in.

import { signal } from "@preact/signals";
import { replaceIn, wrapIn } from "../elements/field.js";
import { fetched, withModule } from "../frame/later.js";
import { behindLink, continued } from "../state/lists.js";
import { store } from "../state/store.js";
import { attach } from "./attaching.js";
import { startWriting, write } from "./compose-state.js";
import { completionKey } from "./suggestions.js";

/** The buttons that form a text, once they are here. @type {import("@preact/signals-core").Signal<typeof import("./format-bar.js") | null>} */
export const format = signal(null);

/** They come after the first messages, or with the first use of the field. */
export const loadFormat = async () => (format.value ??= await fetched(() => import("./format-bar.js")));

/** @param {ClipboardEvent} event */
export function pasted(event) {
  const field = /** @type {HTMLTextAreaElement} */ (event.target);
  const { clipboardData: data } = event;
  if (data === null) return;
  const html = data.types.includes("vscode-editor-data") ? "" : data.getData("text/html");
  const text = data.getData("text/plain");
  const [start, end] = [field.selectionStart, field.selectionEnd];
  // A picture that was copied comes with the element that it was.
  const isFile = data.files.length > 0 && !/\S/u.test(html.replace(/<[^>]*>/gu, ""));
  if (!isFile && html === "" && (start === end || !/^\s*https?:/u.test(text))) return;
  event.preventDefault();
  if (isFile) {
    void attach(data.files);
    return;
  }
  fetched(() => import("./paste.js")).then(
    (it) => it.paste(field, { html, text, start, end }),
    () => write(replaceIn(field, start, end, text)),
  );
}

const editLast = () =>
  withModule(
    () => import("../messages/selection.js"),
    (it) => it.editLast(startWriting),
  );

const WRAPS = /** @type {Record<string, [string, string]>} */ ({ b: ["**", "**"], i: ["*", "*"], k: ["[", "](url)"] });

/** @param {KeyboardEvent} event @param {() => void} submit */
export function keyed(event, submit) {
  const field = /** @type {HTMLTextAreaElement} */ (event.target);
  const isHeld = event.ctrlKey || event.metaKey;
  const name = event.key.toLowerCase();
  // Without words to become a link, that key opens the switcher.
  const isSwitch = name === "k" && field.selectionStart === field.selectionEnd;
  const marks = isHeld && !isSwitch ? WRAPS[name] : undefined;
  const sends = store.settings.value.enter_sends ? !event.shiftKey : isHeld;
  if (event.isComposing) return;
  const isPlain = !isHeld && !event.shiftKey && !event.altKey;
  const isOver = isPlain && (name === "enter" || name === "tab");
  const behind = isOver ? behindLink(field.value, field.selectionStart, field.selectionEnd) : null;
  if (completionKey(event)) event.preventDefault();
  else if (behind !== null) {
    event.preventDefault();
    field.setSelectionRange(behind, behind);
  } else if (event.key === "Enter" && sends) {
    event.preventDefault();
    submit();
  } else if (event.key === "Enter" && field.selectionStart === field.selectionEnd) {
    const next = continued(field.value, field.selectionStart);
    if (next === null) return;
    event.preventDefault();
    write(replaceIn(field, next.start, field.selectionStart, next.words));
  } else if (event.key === "ArrowUp" && field.value === "" && isPlain) {
    event.preventDefault();
    void editLast();
  } else if (marks !== undefined) {
    event.preventDefault();
    write(wrapIn(field, marks[0], marks[1]));
  } else if (event.key === "Escape") field.blur();
}
