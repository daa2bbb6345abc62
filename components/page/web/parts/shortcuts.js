// The keys that work everywhere but in a field, and their list.

import { html } from "htm/preact";
import { go } from "../state/route.js";
import { t } from "../strings/text.js";
import { Dialog, open } from "./dialog.js";

/** @typedef {{ text: import("../strings/text.js").Key, run: () => void }} Shortcut */

/** @type {Map<string, Shortcut>} */
const shortcuts = new Map([
  ["I", { text: "inbox", run: () => go("#inbox") }],
  ["t", { text: "recent", run: () => go("#recent") }],
  ["a", { text: "feed", run: () => go("#feed") }],
  ["@", { text: "mentions", run: () => go("#narrow/is/mentioned") }],
  ["*", { text: "starred", run: () => go("#narrow/is/starred") }],
  ["?", { text: "shortcuts", run: list }],
]);

/** @param {string} key @param {Shortcut} shortcut */
export const addShortcut = (key, shortcut) => shortcuts.set(key, shortcut);

function list() {
  open.value = () =>
    html`<${Dialog} title=${t("shortcuts")}>
      <dl class="keys">
        ${[...shortcuts].map(
          ([key, { text }]) =>
            html`<div>
              <dt><kbd>${key}</kbd></dt>
              <dd>${t(text)}</dd>
            </div>`,
        )}
      </dl>
    <//>`;
}

/** @param {KeyboardEvent} event */
export function shortcut(event) {
  const target = event.target;
  const isField = target instanceof Element && target.matches("input, textarea, select, [contenteditable]");
  if (isField || open.value !== null || event.ctrlKey || event.metaKey || event.altKey) return;
  const found = shortcuts.get(event.key);
  if (found === undefined) return;
  event.preventDefault();
  found.run();
}
