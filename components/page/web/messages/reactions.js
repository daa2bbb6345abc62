// The reactions below a message: each emoji once, with who and how many.

import { html } from "htm/preact";
import { addReaction, removeReaction } from "../api/messages.js";
import { nameOf } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { Glyph } from "../emoji/emoji.js";
import { Icon } from "../elements/icon.js";
import { attempt } from "../frame/note.js";
import { openPicker } from "../frame/open.js";

/** @typedef {import("../types.js").Message} Message */
/** @typedef {import("../emoji/emoji.js").Emoji} Emoji */

/** @param {Message} message @param {Emoji} emoji */
export function react(message, emoji) {
  const me = store.me.peek();
  const { emoji_name, emoji_code, reaction_type } = emoji;
  const mine = message.reactions.some(
    (one) => one.user_id === me && one.emoji_code === emoji_code && one.reaction_type === reaction_type,
  );
  const sent = { emoji_name, emoji_code, reaction_type };
  return attempt(() => (mine ? removeReaction(message.id, sent) : addReaction(message.id, sent)));
}

/** @param {{ message: Message }} properties */
export function Reactions({ message }) {
  /** @type {Map<string, Emoji & { people: number[] }>} */
  const groups = new Map();
  for (const one of message.reactions) {
    const key = `${one.reaction_type}:${one.emoji_code}`;
    const group = groups.get(key) ?? { ...one, people: [] };
    group.people.push(one.user_id);
    groups.set(key, group);
  }
  const me = store.me.value;
  return html`<div class="reactions">
    ${[...groups].map(([key, group]) => {
      const names = group.people.map(nameOf).join(", ");
      const isMine = group.people.includes(me);
      const label = t("reaction_of", { emoji: group.emoji_name.replaceAll("_", " "), names });
      return html`<button
        type="button"
        key=${key}
        class=${isMine ? "mine" : ""}
        aria-pressed=${isMine}
        aria-label=${`${group.people.length} ${label}`}
        title=${label}
        onClick=${() => react(message, group)}
      >
        <${Glyph} emoji=${group} /> ${group.people.length}
      </button>`;
    })}
    <button
      type="button"
      class="more"
      aria-label=${t("add_reaction")}
      title=${t("add_reaction")}
      onClick=${(/** @type {any} */ event) => openPicker(event.currentTarget, (emoji) => void react(message, emoji))}
    >
      <${Icon} name="smile" />
    </button>
  </div>`;
}
