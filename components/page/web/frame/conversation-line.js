// A line of a list that stands for a conversation: its link, and the menu of what can be done with it. The menu opens
// with the button that is there while one points at the line, with a right click, a long press, or the menu key.

import { html } from "htm/preact";
import { useRef, useState } from "preact/hooks";
import { Icon } from "../elements/icon.js";
import { t } from "../strings/text.js";
import { writeAt } from "../compose/compose-state.js";
import { openMenuOf } from "./open.js";

/** @typedef {import("../messages/conversation-menu.js").Conversation} Conversation */

/** Milliseconds after which a press is a long one where a browser does not say so itself. */
const LONG = 700;

/**
 * What an element that stands for a conversation listens to.
 * @param {() => Conversation} conversation
 * @returns {Record<string, (event: any) => void>}
 */
export function useMenuOf(conversation) {
  const timer = useRef(0);
  const isLong = useRef(false);
  const end = () => clearTimeout(timer.current);
  const show = (/** @type {HTMLElement} */ line, /** @type {{ clientX: number, clientY: number }} */ at) =>
    openMenuOf(conversation(), /** @type {HTMLElement} */ (line.querySelector("a, button") ?? line), {
      x: at.clientX,
      y: at.clientY,
    });
  return {
    onContextMenu: (/** @type {MouseEvent} */ event) => {
      event.preventDefault();
      end();
      show(/** @type {HTMLElement} */ (event.currentTarget), event);
    },
    onPointerDown: (/** @type {PointerEvent} */ event) => {
      isLong.current = false;
      if (event.pointerType !== "touch") return;
      const line = /** @type {HTMLElement} */ (event.currentTarget);
      timer.current = setTimeout(() => {
        isLong.current = true;
        show(line, event);
      }, LONG);
    },
    onPointerMove: (/** @type {PointerEvent} */ event) => event.movementX ** 2 + event.movementY ** 2 > 4 && end(),
    onPointerUp: end,
    onPointerCancel: end,
    // The end of a long press follows no link.
    onClickCapture: (/** @type {MouseEvent} */ event) => isLong.current && event.preventDefault(),
  };
}

/** Whether a click follows a link, in this tab. @param {MouseEvent} event */
export const followsLink = ({ target, defaultPrevented, ctrlKey, metaKey, shiftKey }) =>
  !defaultPrevented && !ctrlKey && !metaKey && !shiftKey && target instanceof Element && target.closest("a") !== null;

/** @param {{ of: () => Conversation }} properties */
export const MenuButton = ({ of }) =>
  html`<button
    type="button"
    class="quiet line-menu"
    title=${t("more")}
    aria-label=${t("more")}
    aria-haspopup="menu"
    onClick=${(/** @type {any} */ event) => openMenuOf(of(), event.currentTarget)}
  >
    <${Icon} name="more" />
  </button>`;

/**
 * @param {object} properties
 * @param {() => Conversation} properties.of
 * @param {string} properties.href
 * @param {boolean} properties.isHere
 * @param {boolean} [properties.isToWrite] whether one opens it to write there
 * @param {string} [properties.class]
 * @param {any} properties.children of the link
 * @param {any} [properties.after] next to the link
 */
export function ConversationLine({ of, href, isHere, isToWrite = false, class: name = "", children, after = null }) {
  const [isUsed, setUsed] = useState(false);
  const use = isUsed ? undefined : () => setUsed(true);
  const follow = (/** @type {MouseEvent} */ event) => isToWrite && followsLink(event) && writeAt(href);
  return html`<div class=${`line ${name}`} onPointerEnter=${use} onFocusIn=${use} ...${useMenuOf(of)}>
    <a href=${href} aria-current=${isHere ? "page" : undefined} onClick=${follow}>${children}</a>
    ${after}${isUsed ? html`<${MenuButton} of=${of} />` : null}
  </div>`;
}
