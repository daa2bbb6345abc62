// A grid of emoji to choose from.

import { html } from "htm/preact";
import { Glyph } from "./emoji.js";

/** @typedef {import("./emoji.js").Emoji} Emoji */

/** @param {{ found: Emoji[], pick: (emoji: Emoji) => void, children?: any }} properties */
export function EmojiGrid({ found, pick, children }) {
  return html`<div class="grid">
    ${found.map(
      (one) =>
        html`<button
          type="button"
          key=${one.reaction_type + one.emoji_code}
          title=${one.emoji_name}
          aria-label=${one.emoji_name.replaceAll("_", " ")}
          onClick=${() => pick(one)}
        >
          <${Glyph} emoji=${one} />
        </button>`,
    )}
    ${children}
  </div>`;
}
