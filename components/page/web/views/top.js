// The bar above a view: its name, the search, what concerns all of it.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Icon } from "../parts/icon.js";
import { counts } from "../state/select.js";
import { go, linkToSearch, route } from "../state/route.js";
import { t } from "../strings/text.js";

/** Whether the sidebar is open where there is no room for it beside the view. */
export const isSidebarOpen = signal(false);
const words = signal("");
const isSearchOpen = signal(false);

const searched = () => {
  const terms = route.value.view === "messages" ? route.value.narrow.terms : [];
  return String(terms.find((term) => term.operator === "search")?.operand ?? "");
};

/** @param {SubmitEvent} event */
function search(event) {
  event.preventDefault();
  if (words.value.trim() !== "") go(linkToSearch(words.value.trim()));
}

/** @param {{ actions?: any, children?: any }} properties */
export function Top({ actions = null, children }) {
  useEffect(() => {
    words.value = searched();
    isSearchOpen.value = words.value !== "";
  }, [searched()]);
  const label =
    counts.value.all > 0 ? `${t("conversations")}, ${t("unread_count", { n: counts.value.all })}` : t("conversations");
  return html`<header class=${isSearchOpen.value ? "bar searching" : "bar"}>
    <button
      type="button"
      class="quiet drawer"
      aria-label=${label}
      aria-expanded=${isSidebarOpen.value}
      onClick=${() => (isSidebarOpen.value = !isSidebarOpen.value)}
    >
      <${Icon} name="menu" />${counts.value.all > 0 ? html`<span class="dot"></span>` : null}
    </button>
    <div class="title">${children}</div>
    <form role="search" onSubmit=${search}>
      <input
        id="search"
        type="search"
        aria-label=${t("search")}
        placeholder=${t("search")}
        value=${words.value}
        onInput=${(/** @type {any} */ event) => (words.value = event.target.value)}
      />
    </form>
    <button
      type="button"
      class="quiet searcher"
      aria-label=${t("search")}
      aria-expanded=${isSearchOpen.value}
      onClick=${() => openSearch()}
    >
      <${Icon} name="search" />
    </button>
    ${actions}
  </header>`;
}

export function openSearch() {
  isSearchOpen.value = true;
  requestAnimationFrame(() => document.getElementById("search")?.focus());
}
