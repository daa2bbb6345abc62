// One message: who, when, what, and what one can do with it.

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { linkToMessage } from "../state/route.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { Avatar } from "../people/avatar.js";
import { editing } from "../compose/compose-state.js";
import { MessageTools } from "./message-tools.js";
import { memo } from "../elements/memo.js";
import { laterView } from "../frame/later.js";
import { openPerson } from "../frame/open.js";
import { Reactions } from "./reactions.js";
import { Rendered } from "./rendered.js";
import { StatusGlyph } from "../people/status.js";
import { clock, moment } from "../elements/time.js";

/** @typedef {import("../types.js").Message} Message */

/** @typedef {{ message: Message, head: boolean, near: boolean, found: boolean }} Properties */

const Widget = laterView(
  async () => (await import("./widget.js")).Widget,
  () => null,
);

const AppParts = laterView(
  async () => (await import("./app-parts.js")).AppParts,
  () => null,
);

/** What search has found is marked, also across what is in the way: markup is left as it is. @param {Message} message @param {boolean} found */
const contentOf = (message, found) => (found ? (message.match_content ?? message.content) : message.content);

/** @param {Message} message */
const hasButtons = ({ buttons = [] }) => buttons.length > 0;

/** @param {Message} message */
const classOf = (message) => (message.is_me_message ? "deed" : hasButtons(message) ? "asking" : "");

/** @param {Message} message */
function partsOfApps(message) {
  const answers = store.answers.value.get(message.id);
  return hasButtons(message) || answers ? html`<${AppParts} message=${message} answers=${answers} />` : null;
}

/** Without `/me`, which the line says. @param {string} content */
const deedOf = (content) => content.replace(/^<p>\/me /u, "<p>");

/** @param {Message} message @param {boolean} found */
const textOf = (message, found) =>
  html`<${Rendered}
    class=${classOf(message)}
    html=${message.is_me_message ? deedOf(contentOf(message, found)) : contentOf(message, found)}
  />`;

export const MessageRow = memo((/** @type {Properties} */ { message, head, near, found }) => {
  const [isUsed, setUsed] = useState(false);
  const use = isUsed ? undefined : () => setUsed(true);
  const sender = store.users.value.get(message.sender_id);
  const name = sender?.full_name ?? message.sender_full_name;
  const isEditing = editing.value.id === message.id;
  const isStarred = message.flags.includes("starred");
  const isMention = message.flags.some((flag) => flag.endsWith("mentioned"));
  const classes = [
    "message",
    head && "head",
    near && "near",
    isMention && "mention",
    !message.flags.includes("read") && "unread",
    store.muted.value.has(message.sender_id) && "hushed",
  ];
  return html`<article
    class=${classes.filter(Boolean).join(" ")}
    data-id=${message.id}
    tabindex="-1"
    aria-label=${t("message_of", { name })}
    onPointerEnter=${use}
    onFocusIn=${use}
  >
    ${head ? html`<${Avatar} id=${message.sender_id} url=${message.avatar_url} />` : null}
    <div class="said">
      ${head ? html`<${Head} message=${message} name=${name} isUsed=${isUsed} isBot=${sender?.is_bot === true} isGuest=${sender?.is_guest === true} />` : null}
      ${
        isEditing
          ? html`<${editing.value.view} message=${message} />`
          : message.submessages.length > 0
            ? html`<${Widget} message=${message} plain=${() => textOf(message, found)} />`
            : textOf(message, found)
      }
      ${partsOfApps(message)} ${head ? null : html`<${Changed} message=${message} isUsed=${isUsed} />`}
      ${message.reactions.length > 0 ? html`<${Reactions} message=${message} />` : null}
    </div>
    ${head ? null : html`<span class="when aside-time" title=${isUsed ? moment(message.timestamp) : undefined}>${clock(message.timestamp)}</span>`}
    ${isStarred ? html`<span class="starred" role="img" aria-label=${t("starred_one")}>★</span>` : null}
    ${isEditing ? null : html`<${MessageTools} message=${message} isUsed=${isUsed} />`}
  </article>`;
});

/** Whether it was edited or moved; when, one sees by pointing at it: to write that for hundreds of messages takes a while. @param {{ message: Message, isUsed: boolean }} properties */
function Changed({ message, isUsed }) {
  const { last_edit_timestamp: edited, last_moved_timestamp: moved } = message;
  const at = edited ?? moved;
  if (at === undefined) return null;
  return html`<span class="when changed" title=${isUsed ? moment(at) : undefined}
    >${t(edited === undefined ? "moved" : "edited")}</span
  >`;
}

/** @param {{ message: Message, name: string, isUsed: boolean, isBot: boolean, isGuest: boolean }} properties */
function Head({ message, name, isUsed, isBot, isGuest }) {
  return html`<p class="who">
    <button type="button" class="name" aria-haspopup="dialog" onClick=${() => openPerson(message.sender_id)}>
      <b dir="auto">${name}</b>
    </button>
    <${StatusGlyph} id=${message.sender_id} />
    ${isBot ? html`<span class="tag">${t("bot")}</span>` : null}
    ${isGuest ? html`<span class="tag">${t("guest")}</span>` : null}
    <a class="when" href=${linkToMessage(message)} title=${isUsed ? moment(message.timestamp) : undefined}
      >${clock(message.timestamp)}</a
    >
    <${Changed} message=${message} isUsed=${isUsed} />
  </p>`;
}
