// The links to the built-in views, and to those of one's own, in the sidebar.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { draftCount } from "../state/drafts.js";
import { hash, linkToReactions, route } from "../state/route.js";
import { counts } from "../state/select.js";
import { store } from "../state/store.js";
import { viewsOf } from "../state/views.js";
import { t } from "../strings/text.js";
import { Count } from "../elements/count.js";
import { Icon } from "../elements/icon.js";

/** @typedef {import("../state/views.js").BuiltIn | import("../state/views.js").Own} View */

const areAllShown = signal(false);

/** @param {string} fragment */
function isHere(fragment) {
  const now = route.value;
  if (fragment === "feed") return now.view === "messages" && now.narrow.terms.length === 0;
  if (["inbox", "recent", "drafts", "scheduled"].includes(fragment)) return now.view === fragment;
  return hash.value === linkOf(fragment);
}

/** @param {string} fragment */
const linkOf = (fragment) => (fragment === "narrow/has/reaction/sender/me" ? linkToReactions() : `#${fragment}`);

/** @param {string} fragment */
function CountOf(fragment) {
  const quiet = (/** @type {number} */ count) => html`<${Count} count=${count} label=${String(count)} quiet />`;
  if (fragment === "inbox") return html`<${Count} count=${counts.value.all} />`;
  if (fragment === "narrow/is/mentioned") return html`<${Count} count=${counts.value.mentions} />`;
  if (fragment === "narrow/is/starred")
    return quiet(store.settings.value["starred_message_counts"] ? store.starred.value.size : 0);
  if (fragment === "drafts") return quiet(draftCount.value);
  return fragment === "scheduled" ? quiet((store.personal.value["scheduled_messages"] ?? []).length) : null;
}

/** @param {{ view: View }} properties */
const Line = ({ view }) =>
  html`<li>
    <a href=${linkOf(view.fragment)} aria-current=${isHere(view.fragment) ? "page" : undefined}
      ><${Icon} name=${"icon" in view ? view.icon : "next"} />
      <span class="name" dir="auto">${"key" in view ? t(view.key) : view.name}</span> ${CountOf(view.fragment)}</a
    >
  </li>`;

export function ViewLinks() {
  const { pinned, others } = viewsOf(store.personal.value["navigation_views"] ?? []);
  const isOpen = areAllShown.value || others.some((one) => isHere(one.fragment));
  const shown = isOpen ? [...pinned, ...others] : pinned;
  return html`<ul class="views">
      ${shown.map((view) => html`<${Line} key=${view.fragment} view=${view} />`)}
    </ul>
    ${
      others.length === 0
        ? null
        : html`<button
            type="button"
            class="more"
            aria-expanded=${isOpen}
            onClick=${() => (areAllShown.value = !areAllShown.value)}
          >
            ${t(isOpen ? "fewer_views" : "more_views")}
          </button>`
    }`;
}
