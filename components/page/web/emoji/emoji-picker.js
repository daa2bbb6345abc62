// The picker of emoji: a search and what it finds, or the lately used ones and all others by groups.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../strings/text.js";
import { addLayer } from "../frame/above.js";
import { whenIdle } from "../elements/gradually.js";
import { memo } from "../elements/memo.js";
import { placeBeside } from "../elements/menu.js";
import { character } from "./emoji.js";
import { EmojiGrid } from "./emoji-grid.js";
import { find, groups, learnNames, likely } from "./emoji-names.js";
import { noteUse } from "./emoji-recent.js";
import { keyInGrid } from "./emoji-keys.js";

/** @typedef {import("./emoji.js").Emoji} Emoji */
/** @typedef {import("./emoji-names.js").Named} Named */
/** @type {import("@preact/signals-core").Signal<{ from: HTMLElement, pick: (emoji: Emoji) => void } | null>} */
const shown = signal(null);
const words = signal("");
/** The name of the one that is pointed at. */
const pointed = signal("");
const MOST = 160;
/** Three rows. */
const LIKELY = 24;
/** Groups that are drawn at once: those on the screen. */
const FIRST = 2;
addEventListener("hashchange", () => (shown.value = null));

/** Each group by one of its emoji, and what it is called. @type {Record<string, [string, import("../strings/text.js").Key]>} */
const SIGNS = {
  likely: ["1f552", "emoji_likely"],
  own: ["2b50", "emoji_own"],
  smileys: ["1f600", "emoji_smileys"],
  people: ["1f44b", "emoji_people"],
  nature: ["1f43b", "emoji_nature"],
  food: ["1f34e", "emoji_food"],
  activities: ["26bd", "emoji_activities"],
  places: ["1f697", "emoji_places"],
  objects: ["1f4a1", "emoji_objects"],
  symbols: ["2764", "emoji_symbols"],
  flags: ["1f6a9", "emoji_flags"],
};
/** @param {string} name */
const titleOf = (name) => t(SIGNS[name]?.[1] ?? "emoji");

/** @param {HTMLElement} from @param {(emoji: Emoji) => void} pick */
export function openPicker(from, pick) {
  void learnNames();
  words.value = "";
  pointed.value = "";
  shown.value = shown.value?.from === from ? null : { from, pick };
}

addLayer(function Pickers() {
  const now = shown.value;
  return now === null ? null : html`<${Picker} from=${now.from} pick=${now.pick} />`;
});

/** @param {Emoji} emoji */
function choose(emoji) {
  const now = shown.peek();
  shown.value = null;
  now?.from.focus();
  noteUse(emoji);
  now?.pick(emoji);
}

/** There are two thousand emoji: a group is drawn once. */
const Group = memo(
  (/** @type {{ name: string, emoji: Named[] }} */ { name, emoji }) =>
    html`<section data-group=${name}>
      <h3>${titleOf(name)}</h3>
      <${EmojiGrid} found=${emoji} pick=${choose} isOneStop=${true} />
    </section>`,
);

function Groups() {
  const all = [{ name: "likely", emoji: likely.value.slice(0, LIKELY) }, ...groups.value];
  const [drawn, setDrawn] = useState(FIRST);
  const wanted = useRef("");
  useEffect(() => (drawn < all.length ? whenIdle(() => setDrawn(drawn + 1)) : undefined), [drawn, all.length]);
  useLayoutEffect(() => {
    if (wanted.current === "") return;
    document.querySelector(`.picker [data-group="${wanted.current}"]`)?.scrollIntoView({ block: "start" });
    wanted.current = "";
  });
  const [, again] = useState(0);
  const go = (/** @type {string} */ name) => {
    wanted.current = name;
    setDrawn(all.length);
    again((count) => count + 1);
  };
  return html`<div class="groups" role="toolbar" aria-label=${t("emoji_groups")}>
      ${all.map(
        ({ name }, at) =>
          html`<button
            type="button"
            key=${name}
            tabindex=${at === 0 ? 0 : -1}
            title=${titleOf(name)}
            aria-label=${titleOf(name)}
            onClick=${() => go(name)}
          >
            <span class="glyph" aria-hidden="true">${character(SIGNS[name]?.[0] ?? "")}</span>
          </button>`,
      )}
    </div>
    <div class="scroll">
      ${all.slice(0, drawn).map(({ name, emoji }) => html`<${Group} key=${name} name=${name} emoji=${emoji} />`)}
    </div>`;
}

function Found() {
  const found = find(words.value, MOST);
  return html`<div class="scroll">
    ${found.length === 0 ? html`<p class="hint">${t("nothing_found")}</p>` : html`<${EmojiGrid} found=${found} pick=${choose} isOneStop=${true} />`}
  </div>`;
}

/** @param {{ from: HTMLElement }} properties */
function Picker({ from }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  useLayoutEffect(() => {
    const box = place.current;
    if (box === null) return undefined;
    const put = () => placeBeside(box, from);
    put();
    addEventListener("resize", put);
    box.querySelector("input")?.focus();
    const away = (/** @type {Event} */ event) => {
      const target = /** @type {Node} */ (event.target);
      if (!box.contains(target) && !from.contains(target)) shown.value = null;
    };
    document.addEventListener("pointerdown", away);
    return () => {
      removeEventListener("resize", put);
      document.removeEventListener("pointerdown", away);
    };
  }, [from]);
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") {
      shown.value = null;
      from.focus();
    } else if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
      const [first] = words.value === "" ? [] : find(words.value, 1);
      if (first !== undefined) choose(first);
    } else if (!keyInGrid(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const point = (/** @type {Event} */ event) => {
    const button = /** @type {Element} */ (event.target).closest(".grid button");
    if (button !== null) pointed.value = /** @type {HTMLElement} */ (button).title;
  };
  return html`<div
    ref=${place}
    class="picker"
    role="dialog"
    aria-label=${t("emoji")}
    onKeyDown=${key}
    onPointerOver=${point}
    onFocusIn=${point}
  >
    <input
      type="search"
      aria-label=${t("search_emoji")}
      placeholder=${t("search_emoji")}
      onInput=${(/** @type {any} */ event) => (words.value = event.target.value)}
    />
    ${words.value.trim() === "" ? html`<${Groups} />` : html`<${Found} />`}
    <p class="pointed">${pointed.value === "" ? "" : `:${pointed.value}:`}</p>
  </div>`;
}
