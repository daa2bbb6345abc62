// Pictures large: those of the messages on the screen, one at a time.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { t } from "../strings/text.js";
import { addLayer } from "../frame/above.js";
import { Dialog } from "../elements/dialog.js";
import { Icon } from "../elements/icon.js";

/** @typedef {{ source: string, title: string }} Picture */
/** @type {import("@preact/signals-core").Signal<{ all: Picture[], at: number } | null>} */
const shown = signal(null);
const SELECTOR = ".message_inline_image:not(.message_inline_video, .youtube-video) a, img.inline-image";

/** @param {Element} element @returns {Picture} */
function pictureOf(element) {
  const image = element instanceof HTMLImageElement ? element : element.querySelector("img");
  const source = image?.dataset["originalSrc"] ?? element.getAttribute("href") ?? image?.src ?? "";
  const title = element.getAttribute("title") ?? image?.alt ?? "";
  return {
    source: source.startsWith("user_uploads/") ? `/${source}` : source,
    title: title || (image?.alt ?? ""),
  };
}

/** @param {Element} element */
export function openPicture(element) {
  const all = [...document.querySelectorAll(`.messages :is(${SELECTOR})`)];
  shown.value = { all: all.map(pictureOf), at: Math.max(0, all.indexOf(element)) };
}

/** @param {number} by */
function step(by) {
  const now = shown.value;
  if (now !== null) shown.value = { ...now, at: Math.min(now.all.length - 1, Math.max(0, now.at + by)) };
}

/** @param {KeyboardEvent} event */
function key(event) {
  if (event.key === "ArrowRight") step(1);
  if (event.key === "ArrowLeft") step(-1);
}

addLayer(function Pictures() {
  const now = shown.value;
  const picture = now?.all[now.at];
  if (now === null || picture === undefined) return null;
  return html`<${Dialog} class="pictures" title=${picture.title} onClose=${() => (shown.value = null)} onKeyDown=${key}>
    <img src=${picture.source} alt=${picture.title} />
    <div class="steps">
      <button
        type="button"
        class="quiet"
        aria-label=${t("previous")}
        disabled=${now.at === 0}
        onClick=${() => step(-1)}
      >
        <${Icon} name="back" />
      </button>
      <span>${t("one_of", { at: now.at + 1, all: now.all.length })}</span>
      <button
        type="button"
        class="quiet"
        aria-label=${t("next")}
        disabled=${now.at === now.all.length - 1}
        onClick=${() => step(1)}
      >
        <${Icon} name="next" />
      </button>
      <a href=${picture.source} target="_blank" rel="noopener noreferrer">${t("open_original")}</a>
    </div>
  <//>`;
});
