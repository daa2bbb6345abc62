// Emoji: their characters, and one on the screen. Their names are in `emoji-names.js`.

import { html } from "htm/preact";
import { store } from "../state/store.js";

/** @typedef {import("../api/messages.js").Emoji} Emoji */

/** @param {string} code `1f44d`, `1f1e9-1f1ea` */
export function character(code) {
  const points = code.split("-").map((point) => Number.parseInt(point, 16));
  if (points.some((point) => Number.isNaN(point) || point > 0x10_ffff)) return "";
  const text = String.fromCodePoint(...points);
  // Without it, a heart would be drawn as text.
  return points.length === 1 && (points[0] ?? 0) < 0x1_f000 ? `${text}\u{FE0F}` : text;
}

/** @param {{ emoji: Emoji }} properties */
export function Glyph({ emoji }) {
  if (emoji.reaction_type === "unicode_emoji")
    return html`<span class="glyph" aria-hidden="true">${character(emoji.emoji_code)}</span>`;
  const own = store.emoji.value.get(emoji.emoji_code);
  const source = own?.still_url ?? own?.source_url ?? "/static/generated/emoji/images/emoji/unicode/zulip.png";
  return html`<img class="glyph" src=${source} alt="" loading="lazy" />`;
}
