// A list that is put in order: by dragging, or with buttons that move a line up or down.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { t } from "../strings/text.js";
import { Icon } from "./icon.js";

/** @param {number[]} ids @param {number} from place @param {number} to place @returns {number[]} */
export function moved(ids, from, to) {
  const rest = ids.filter((_, at) => at !== from);
  const id = ids[from];
  return id === undefined ? ids : rest.toSpliced(to, 0, id);
}

/**
 * @param {object} properties
 * @param {{ id: number, name: string }[]} properties.items
 * @param {(ids: number[]) => void} properties.set
 * @param {(item: any) => any} properties.line what is shown of an item
 */
export function Ordered({ items, set, line }) {
  const dragged = useSignal(-1);
  const ids = items.map((one) => one.id);
  const move = (/** @type {number} */ from, /** @type {number} */ to) => {
    if (from >= 0 && from !== to) set(moved(ids, from, to));
  };
  return html`<ol class="names ordered">
    ${items.map(
      (item, at) =>
        html`<li
          key=${item.id}
          class="session"
          draggable="true"
          onDragStart=${() => (dragged.value = at)}
          onDragOver=${(/** @type {Event} */ event) => event.preventDefault()}
          onDrop=${(/** @type {Event} */ event) => (event.preventDefault(), move(dragged.value, at))}
        >
          ${line(item)}
          <span class="moving">
            <button
              type="button"
              class="quiet up"
              disabled=${at === 0}
              aria-label=${t("move_up", { name: item.name })}
              onClick=${() => move(at, at - 1)}
            >
              <${Icon} name="down" />
            </button>
            <button
              type="button"
              class="quiet"
              disabled=${at === items.length - 1}
              aria-label=${t("move_down", { name: item.name })}
              onClick=${() => move(at, at + 1)}
            >
              <${Icon} name="down" />
            </button>
          </span>
        </li>`,
    )}
  </ol>`;
}
