// The bar above a view: its name, the search, what concerns all of it.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { Icon } from "../elements/icon.js";
import { isSearchOpen, openSearch, SearchBox } from "../search/search-box.js";
import { counts } from "../state/select.js";
import { ColumnButton } from "./people-column.js";
import { t } from "../strings/text.js";

/** Whether the sidebar is open where there is no room for it beside the view. */
export const isSidebarOpen = signal(false);
/** Apart from the bar, which need not be drawn again when a message comes. */
function Drawer() {
  const label =
    counts.value.all > 0 ? `${t("conversations")}, ${t("unread_count", { n: counts.value.all })}` : t("conversations");
  return html`<button
    type="button"
    class="quiet drawer"
    aria-label=${label}
    aria-expanded=${isSidebarOpen.value}
    onClick=${() => (isSidebarOpen.value = !isSidebarOpen.value)}
  >
    <${Icon} name="menu" />${counts.value.all > 0 ? html`<span class="dot"></span>` : null}
  </button>`;
}

/** @param {{ actions?: any, children?: any }} properties */
export function Top({ actions = null, children }) {
  return html`<header class=${isSearchOpen.value ? "bar searching" : "bar"}>
    <${Drawer} />
    <div class="title">${children}</div>
    <${SearchBox} />
    <button
      type="button"
      class="quiet searcher"
      aria-label=${t("search")}
      aria-expanded=${isSearchOpen.value}
      onClick=${() => openSearch()}
    >
      <${Icon} name="search" />
    </button>
    <${ColumnButton} />${actions}
  </header>`;
}
