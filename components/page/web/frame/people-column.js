// The column of people next to the view, where the window is wide enough and the reader wants it.

import { html } from "htm/preact";
import { computed, signal } from "@preact/signals";
import { Icon } from "../elements/icon.js";
import { go } from "../state/route.js";
import { t } from "../strings/text.js";
import { isSettled } from "./soon.js";
import { laterView } from "./later.js";

/** The same width as in `style/frame.css`. */
const wide = matchMedia("(min-width: 75rem)");
const isWide = signal(wide.matches);
wide.addEventListener("change", () => (isWide.value = wide.matches));

const PLACE = "spindle-people-hidden";
const isWanted = signal(!wasHidden());

function wasHidden() {
  try {
    return localStorage.getItem(PLACE) !== null;
  } catch {
    return false;
  }
}

/** @param {boolean} wanted the browser remembers it */
export function showColumn(wanted) {
  isWanted.value = wanted;
  try {
    if (wanted) localStorage.removeItem(PLACE);
    else localStorage.setItem(PLACE, "");
  } catch {
    // It is there again with the next page.
  }
}

export const hasColumn = computed(() => isWide.value && isWanted.value);

const Column = laterView(
  async () => (await import("../people/people-list.js")).PeopleColumn,
  () => null,
);

export const PeopleColumn = () =>
  hasColumn.value
    ? html`<aside class="column" aria-label=${t("people")}>${isSettled.value ? html`<${Column} />` : null}</aside>`
    : null;

/** Shows the column that is hidden. */
export const ColumnButton = () =>
  isWide.value && !isWanted.value
    ? html`<button
        type="button"
        class="quiet"
        title=${t("people")}
        aria-label=${t("people")}
        onClick=${() => showColumn(true)}
      >
        <${Icon} name="people" />
      </button>`
    : null;

/** Whether the filter of people is to take the focus as soon as it is there. */
export const isFilterWanted = signal(false);

/** In the column, else in the view, which it opens. */
export function filterPeople() {
  isFilterWanted.value = true;
  if (hasColumn.value) isSettled.value = true;
  else go("#people");
}
