// The buttons beside a message, for what is done most often, and the way to its menu.

import { html } from "htm/preact";
import { star } from "../state/marks.js";
import { namesOf } from "../state/select.js";
import { t } from "../strings/text.js";
import { replyTo } from "../compose/compose-state.js";
import { Icon } from "../elements/icon.js";
import { attempt } from "../frame/note.js";
import { openMessageMenu, openPicker } from "../frame/open.js";
import { react } from "./reactions.js";

/** @typedef {import("../types.js").Message} Message */

/** @param {Message} message */
export const toggleStar = (message) => attempt(() => star(message.id, !message.flags.includes("starred")));

/**
 * The way to the menu is always there, for keyboards and screen readers. The buttons beside it, which one sees only
 * when one points at the message or has come to it, are built then: there may be hundreds of messages.
 * @param {{ message: Message, isUsed: boolean }} properties
 */
export const MessageTools = ({ message, isUsed }) =>
  html`<div
    class="tools"
    role=${isUsed ? "group" : undefined}
    aria-label=${isUsed ? t("actions_of", { name: namesOf([message.sender_id]) }) : undefined}
  >
    ${isUsed ? html`<${Shortcuts} message=${message} />` : null}
    <button
      type="button"
      title=${t("more")}
      aria-label=${t("more")}
      aria-haspopup="menu"
      onClick=${(/** @type {any} */ event) => openMessageMenu(message, event.currentTarget)}
    >
      ${isUsed ? html`<${Icon} name="more" />` : null}
    </button>
  </div>`;

/** What is done most often. @param {{ message: Message }} properties */
function Shortcuts({ message }) {
  const isStarred = message.flags.includes("starred");
  return html`<button
      type="button"
      title=${t("add_reaction")}
      aria-label=${t("add_reaction")}
      onClick=${(/** @type {any} */ event) => openPicker(event.currentTarget, (emoji) => void react(message, emoji))}
    >
      <${Icon} name="smile" />
    </button>
    <button type="button" title=${t("reply")} aria-label=${t("reply")} onClick=${() => replyTo(message)}>
      <${Icon} name="reply" />
    </button>
    <button
      type="button"
      title=${t(isStarred ? "unstar" : "star")}
      aria-label=${t("star")}
      aria-pressed=${isStarred}
      onClick=${() => toggleStar(message)}
    >
      <${Icon} name="star" filled=${isStarred} />
    </button>`;
}
