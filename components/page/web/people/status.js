// The status of a person beside their name.

import { html } from "htm/preact";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { Glyph } from "../emoji/emoji.js";

/** @typedef {import("../emoji/emoji.js").Emoji} Emoji */

/** @param {number} id @returns {{ text: string, emoji: Emoji | null, end: number | null }} */
export function statusOf(id) {
  const {
    status_text: text = "",
    emoji_name = "",
    emoji_code = "",
    reaction_type = "unicode_emoji",
    scheduled_end_time: end = null,
  } = store.statuses.value.get(id) ?? {};
  return { text, emoji: emoji_name === "" ? null : { emoji_name, emoji_code, reaction_type }, end };
}

/** The emoji of a status; its text is what it is called. @param {{ id: number }} properties */
export function StatusGlyph({ id }) {
  const { text, emoji } = statusOf(id);
  if (emoji === null) return null;
  const label = text === "" ? emoji.emoji_name.replaceAll("_", " ") : text;
  return html`<span class="status" role="img" aria-label=${t("status_is", { text: label })} title=${label}
    ><${Glyph} emoji=${emoji}
  /></span>`;
}
