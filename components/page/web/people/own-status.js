// Setting one's own status.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { updateStatus } from "../api/people.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { Glyph } from "../emoji/emoji.js";
import { learnNames } from "../emoji/emoji-names.js";
import { EmojiChoice } from "../emoji/emoji-choice.js";
import { textOf } from "../frame/note.js";
import { chooseEnd, endOf, StatusEnd } from "./status-end.js";
import { statusOf } from "./status.js";

/** @typedef {import("../emoji/emoji.js").Emoji} Emoji */

const MOST = 60;
const problem = signal("");
/** @type {import("@preact/signals-core").Signal<Emoji | null>} */
const chosen = signal(null);
const words = signal("");

/** What many say, with the code of its emoji. */
const READY = /** @type {const} */ ([
  ["status_busy", "working_on_it", "1f6e0"],
  ["status_meeting", "calendar", "1f4c5"],
  ["status_away", "palm_tree", "1f334"],
  ["status_ill", "face_with_thermometer", "1f912"],
  ["status_train", "tram", "1f68b"],
]);

export function showOwnStatus() {
  const { text, emoji, end } = statusOf(store.me.value);
  problem.value = "";
  words.value = text;
  chosen.value = emoji;
  chooseEnd(end);
  void learnNames();
  open.value = () => html`<${OwnStatus} />`;
}

/** @param {string} text @param {Emoji | null} emoji */
async function save(text, emoji) {
  try {
    const status = text.trim();
    await updateStatus(status, emoji, status === "" && emoji === null ? null : endOf());
    close();
  } catch (error) {
    problem.value = textOf(error);
  }
}

function OwnStatus() {
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void save(words.value, chosen.value);
  };
  const take = (/** @type {(typeof READY)[number]} */ [key, emoji_name, emoji_code]) => {
    words.value = t(key);
    chosen.value = { emoji_name, emoji_code, reaction_type: "unicode_emoji" };
  };
  return html`<${Dialog} title=${t("set_status")}>
    <form onSubmit=${submit}>
      <${EmojiChoice} emoji=${chosen.value} onPick=${(/** @type {Emoji | null} */ emoji) => (chosen.value = emoji)} />
      <label
        >${t("status_text")}
        <input
          name="status"
          dir="auto"
          maxlength=${MOST}
          autocomplete="off"
          value=${words.value}
          onInput=${(/** @type {any} */ event) => (words.value = event.target.value)}
      /></label>
      <div class="ready" role="group" aria-label=${t("suggestions")}>
        ${READY.map(
          (one) =>
            html`<button type="button" class="plain" onClick=${() => take(one)}>
              <${Glyph} emoji=${{ emoji_name: one[1], emoji_code: one[2], reaction_type: "unicode_emoji" }} />
              ${t(one[0])}
            </button>`,
        )}
      </div>
      <${StatusEnd} />
      <p class="error" role="alert">${problem}</p>
      <div class="buttons">
        <button type="button" class="plain" onClick=${() => save("", null)}>${t("clear_status")}</button>
        <button type="submit" class="primary">${t("save")}</button>
      </div>
    </form>
  <//>`;
}
