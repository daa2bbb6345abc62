// The picker of emoji: a search and what it finds.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../strings/text.js";
import { addLayer } from "../frame/above.js";
import { EmojiGrid } from "./emoji-grid.js";
import { find, learnNames } from "./emoji-names.js";
import { placeBeside } from "../elements/menu.js";

/** @typedef {import("./emoji.js").Emoji} Emoji */
/** @type {import("@preact/signals-core").Signal<{ from: HTMLElement, pick: (emoji: Emoji) => void } | null>} */
const shown = signal(null);
const words = signal("");
const MOST = 96;
addEventListener("hashchange", () => (shown.value = null));

/** @param {HTMLElement} from @param {(emoji: Emoji) => void} pick */
export function openPicker(from, pick) {
  void learnNames();
  words.value = "";
  shown.value = shown.value?.from === from ? null : { from, pick };
}

addLayer(function Pickers() {
  const now = shown.value;
  return now === null ? null : html`<${Picker} from=${now.from} pick=${now.pick} />`;
});

/** @param {{ from: HTMLElement, pick: (emoji: Emoji) => void }} properties */
function Picker({ from, pick }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const leave = () => {
    shown.value = null;
    from.focus();
  };
  useLayoutEffect(() => {
    const box = place.current;
    if (box === null) return undefined;
    placeBeside(box, from);
    box.querySelector("input")?.focus();
    const away = (/** @type {Event} */ event) => {
      const target = /** @type {Node} */ (event.target);
      if (!box.contains(target) && !from.contains(target)) shown.value = null;
    };
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, [from]);
  const choose = (/** @type {Emoji} */ emoji) => {
    leave();
    pick(emoji);
  };
  const found = find(words.value, MOST);
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") leave();
    else if (event.key === "Enter" && event.target instanceof HTMLInputElement && found[0] !== undefined)
      choose(found[0]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return html`<div ref=${place} class="picker" role="dialog" aria-label=${t("add_reaction")} onKeyDown=${key}>
    <input
      type="search"
      aria-label=${t("search_emoji")}
      placeholder=${t("search_emoji")}
      onInput=${(/** @type {any} */ event) => (words.value = event.target.value)}
    />
    <${EmojiGrid} found=${found} pick=${choose}>
      ${found.length === 0 ? html`<p class="hint">${t("nothing_found")}</p>` : null}
    </${EmojiGrid}>
  </div>`;
}
