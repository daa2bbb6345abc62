// All groups that people have made: finding one, opening its card.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { Filter } from "../elements/filter.js";
import { Icon } from "../elements/icon.js";
import { withModule } from "../frame/later.js";
import { openGroup } from "../frame/open.js";
import { everyoneIn, mayCreateGroups, ownGroups } from "../state/groups.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../state/groups.js").Group} Group */

const MOST = 300;
const sought = signal("");

const create = () =>
  withModule(
    () => import("./group-form.js"),
    (it) => it.showGroupForm(),
  );

/** @param {{ group: Group }} properties */
const Line = ({ group }) =>
  html`<li class=${group.deactivated ? "hushed" : ""}>
    <button type="button" class="row" aria-haspopup="dialog" onClick=${() => openGroup(group.id)}>
      <span class="sign"><${Icon} name="people" /></span>
      <span class="name"><bdi>${group.name}</bdi></span>
      <span class="about"><bdi>${group.description}</bdi></span>
      ${group.members.includes(store.me.value) ? html`<span class="tag">${t("you_are_in")}</span>` : null}
      ${group.deactivated ? html`<span class="tag">${t("deactivated")}</span>` : null}
    </button>
    <span class="people-count">${t("subscriber_count", { n: everyoneIn(group.id).size })}</span>
  </li>`;

export function Groups() {
  const wanted = sought.value.trim().toLowerCase();
  const all = ownGroups();
  const found = all.filter((one) => `${one.name} ${one.description}`.toLowerCase().includes(wanted));
  return html`<div class="page" tabindex="0" role="region" aria-label=${t("groups")}>
    <div class="sheet browse">
      ${
        mayCreateGroups()
          ? html`<div class="buttons">
              <button type="button" class="plain" onClick=${create}><${Icon} name="add" /> ${t("new_group")}</button>
            </div>`
          : null
      }
      ${
        all.length === 0
          ? html`<div class="nothing">
              <h2>${t("no_groups")}</h2>
              <p>${t("no_groups_text")}</p>
            </div>`
          : html`<${Filter} sought=${sought} />
              <ul>
                ${found.slice(0, MOST).map((group) => html`<${Line} key=${group.id} group=${group} />`)}
              </ul>
              ${found.length === 0 ? html`<p class="edge">${t("nothing_found")}</p>` : null}`
      }
    </div>
  </div>`;
}
