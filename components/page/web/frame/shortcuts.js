// Listens for the keys that work everywhere. What they do is in `shortcut-table.js`, which comes soon after the page;
// keys before that wait for it.

import { fetched } from "./later.js";

/** @type {typeof import("./shortcut-table.js") | null} */
let table = null;
/** @type {Promise<void> | null} */
let loading = null;

/** Also loads the table soon, before the first key. */
export const learnShortcuts = () =>
  (loading ??= fetched(() => import("./shortcut-table.js"))
    .then((it) => void (table = it))
    .catch(() => void (loading = null)));

/** Whether a key belongs to the field that has the focus. @param {EventTarget | null} target */
export const isField = (target) =>
  target instanceof Element && target.matches("input, textarea, select, [contenteditable]");

/** @param {KeyboardEvent} event */
function pressed(event) {
  // A dialog answers all keys itself.
  if (event.defaultPrevented || document.querySelector("dialog[open]") !== null) return;
  if (table !== null) {
    table.run(event);
    return;
  }
  const isHeld = event.ctrlKey || event.metaKey || event.altKey;
  // The only key that works in a field too.
  const isSwitcher = isHeld && !event.altKey && event.key.toLowerCase() === "k";
  if (!isSwitcher && (isHeld || isField(event.target) || event.key.length > 1)) return;
  // A browser searches the page with some of these.
  if (event.key !== " ") event.preventDefault();
  void learnShortcuts().then(() => table?.run(event));
}

/** The function that it returns ends it. */
export function listenForKeys() {
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}
