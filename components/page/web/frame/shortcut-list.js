// The list of the keys.

import { html } from "htm/preact";
import { t } from "../strings/text.js";
import { Dialog, open } from "../elements/dialog.js";

/** @typedef {import("./shortcut-table.js").Shortcut} Shortcut */
/** @typedef {import("./shortcut-table.js").Group} Group */

/** What is printed on a key. @type {Record<string, string>} */
const CAPS = {
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowUp: "↑",
  Escape: "Esc",
  PageDown: "PgDn",
  PageUp: "PgUp",
};

/** @param {{ group: Group, shortcuts: readonly Shortcut[] }} properties */
const Keys = ({ group, shortcuts }) =>
  html`<section>
    <h3>${t(group)}</h3>
    <dl class="keys">
      ${shortcuts
        .filter((one) => one.group === group)
        .map(
          ({ keys, text }) =>
            html`<div key=${keys[0]}>
              <dt>${keys.map((key) => html`<kbd key=${key}>${CAPS[key] ?? key}</kbd> `)}</dt>
              <dd>${t(text)}</dd>
            </div>`,
        )}
    </dl>
  </section>`;

/** @param {readonly Shortcut[]} shortcuts */
export function listShortcuts(shortcuts) {
  const groups = /** @type {const} */ (["keys_finding", "keys_going", "keys_message", "keys_writing"]);
  open.value = () =>
    html`<${Dialog} title=${t("shortcuts")}>
      ${groups.map((group) => html`<${Keys} key=${group} group=${group} shortcuts=${shortcuts} />`)}
    <//>`;
}
