// Choosing one emoji inside of a form: a search and a grid, or none.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../strings/text.js";
import { Glyph } from "./emoji.js";
import { find } from "./emoji-names.js";
import { noteUse } from "./emoji-recent.js";
import { EmojiGrid } from "./emoji-grid.js";

/** @typedef {import("./emoji.js").Emoji} Emoji */

const words = signal("");
const isOpen = signal(false);
const MOST = 40;

/** @param {{ emoji: Emoji | null, onPick: (emoji: Emoji | null) => void }} properties */
export function EmojiChoice({ emoji, onPick }) {
  useEffect(() => {
    isOpen.value = false;
    words.value = "";
  }, []);
  const pick = (/** @type {Emoji | null} */ one) => {
    isOpen.value = false;
    if (one !== null) noteUse(one);
    onPick(one && { emoji_name: one.emoji_name, emoji_code: one.emoji_code, reaction_type: one.reaction_type });
  };
  const label = emoji === null ? t("no_emoji") : emoji.emoji_name.replaceAll("_", " ");
  const key = (/** @type {KeyboardEvent} */ event) => {
    const first = find(words.value, 1)[0];
    if (event.key !== "Enter") return;
    event.preventDefault();
    if (first !== undefined) pick(first);
  };
  return html`<div class="emoji-choice">
    <div class="chosen">
      <button
        type="button"
        class="plain"
        aria-expanded=${isOpen.value}
        aria-label=${`${t("emoji")}: ${label}`}
        onClick=${() => (isOpen.value = !isOpen.value)}
      >
        ${emoji === null ? null : html`<${Glyph} emoji=${emoji} />`} ${label}
      </button>
      ${emoji === null ? null : html`<button type="button" class="plain" onClick=${() => pick(null)}>${t("no_emoji")}</button>`}
    </div>
    ${
      isOpen.value
        ? html`<div class="picker-inside">
            <input
              type="search"
              aria-label=${t("search_emoji")}
              placeholder=${t("search_emoji")}
              value=${words.value}
              onInput=${(/** @type {any} */ event) => (words.value = event.target.value)}
              onKeyDown=${key}
            />
            <${EmojiGrid} found=${find(words.value, MOST)} pick=${pick} />
          </div>`
        : null
    }
  </div>`;
}
