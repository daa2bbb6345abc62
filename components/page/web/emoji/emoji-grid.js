// A grid of emoji to choose from.

import { html } from "htm/preact";
import { Glyph } from "./emoji.js";

/** @typedef {import("./emoji.js").Emoji} Emoji */

/**
 * @param {object} properties
 * @param {Emoji[]} properties.found
 * @param {(emoji: Emoji) => void} properties.pick
 * @param {boolean} [properties.isOneStop] Tab reaches the first only; the keys for the others are those of the picker
 */
export const EmojiGrid = ({ found, pick, isOneStop = false }) =>
  html`<div class="grid">
    ${found.map(
      (one, at) =>
        html`<button
          type="button"
          key=${one.reaction_type + one.emoji_code}
          title=${one.emoji_name}
          aria-label=${one.emoji_name.replaceAll("_", " ")}
          tabindex=${isOneStop && at > 0 ? -1 : 0}
          onClick=${() => pick(one)}
        >
          <${Glyph} emoji=${one} />
        </button>`,
    )}
  </div>`;
