// A menu below a button: arrows, Escape and Tab as in any other.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { addLayer } from "../frame/above.js";
import { Icon } from "./icon.js";

/** @typedef {{ name: import("./icon.js").Name, text: string, run: () => unknown, is_grave?: boolean } | null} Item null: not offered */

/** @typedef {{ x: number, y: number }} Point on the screen */
/** @type {import("@preact/signals-core").Signal<{ items: NonNullable<Item>[], from: HTMLElement, label: string, at: Point | undefined } | null>} */
const shown = signal(null);

/**
 * @param {HTMLElement} from the button, or the element that gets the focus when the menu closes
 * @param {string} label @param {Item[]} items @param {Point} [at] where it opens; else next to the button, which also closes it
 */
export function openMenu(from, label, items, at) {
  const isSame = at === undefined && shown.value?.from === from;
  shown.value = isSame ? null : { from, label, at, items: items.filter((item) => item !== null) };
}

const closeMenu = () => (shown.value = null);
addEventListener("hashchange", closeMenu);

addLayer(function Menus() {
  const now = shown.value;
  return now === null ? null : html`<${Menu} key=${now.label} ...${now} />`;
});

/** Puts a box beside a button, within the screen. @param {HTMLElement} box @param {HTMLElement} from @param {Point} [point] instead of it */
export function placeBeside(box, from, point) {
  const at = point === undefined ? from.getBoundingClientRect() : new DOMRect(point.x, point.y - 4, 0, 0);
  const { offsetWidth: width, offsetHeight: height } = box;
  const isRightToLeft = getComputedStyle(document.documentElement).direction === "rtl";
  // A menu at the pointer begins there. One of a button does so in the half where lines begin, and ends with it in the
  // other.
  const isLeft = at.left + at.width / 2 < innerWidth / 2;
  const begins = point !== undefined || isLeft !== isRightToLeft;
  const wished = begins === isRightToLeft ? at.right - width : at.left;
  const left = Math.min(innerWidth - width - 8, Math.max(8, wished));
  const below = at.bottom + 4;
  const wanted = below + height > innerHeight - 8 ? at.top - height - 4 : below;
  const top = Math.max(8, Math.min(innerHeight - height - 8, wanted));
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}

/** @param {{ items: NonNullable<Item>[], from: HTMLElement, label: string, at: Point | undefined }} properties */
function Menu({ items, from, label, at }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  useLayoutEffect(() => {
    const box = place.current;
    if (box === null) return undefined;
    placeBeside(box, from, at);
    box.querySelector("button")?.focus();
    const away = (/** @type {Event} */ event) => {
      const target = /** @type {Node} */ (event.target);
      const isOfButton = at === undefined && from.contains(target);
      if (!box.contains(target) && !isOfButton) closeMenu();
    };
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, [items]);
  const leave = () => {
    closeMenu();
    from.focus();
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    const all = [...(place.current?.querySelectorAll("button") ?? [])];
    const chosen = all.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    if (event.key === "ArrowDown") all[(chosen + 1) % all.length]?.focus();
    else if (event.key === "ArrowUp") all.at(chosen - 1)?.focus();
    else if (event.key === "Escape" || event.key === "Tab") leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const choose = (/** @type {NonNullable<Item>} */ item) => {
    leave();
    item.run();
  };
  return html`<div ref=${place} class="menu" role="menu" aria-label=${label} onKeyDown=${key}>
    ${items.map(
      (item) =>
        html`<button type="button" role="menuitem" class=${item.is_grave ? "grave" : ""} onClick=${() => choose(item)}>
          <${Icon} name=${item.name} /> ${item.text}
        </button>`,
    )}
  </div>`;
}
