// All people: their roles, and who may no longer sign in.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { deactivateUser, reactivateUser, updateUser } from "../api/organization.js";
import { Avatar } from "../people/avatar.js";
import { Here } from "../people/person-card.js";
import { ask } from "../elements/dialog.js";
import { Filter } from "../elements/filter.js";
import { attempt, note, textOf } from "../frame/note.js";
import { openPerson } from "../frame/open.js";
import { ROLES, roleKey } from "../state/profile.js";
import { openImport } from "./import-people.js";
import { editPerson } from "./person-editor.js";
import { amOwner, mayInviteByAddress } from "../state/rights.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** Lines that are drawn at once. */
const MOST = 100;
const OWNER = 100;
const sought = signal("");

/** @param {any} user */
const deactivate = (user) =>
  ask({
    title: t("deactivate_one", { name: user.full_name }),
    text: t("deactivate_person_text"),
    action: t("deactivate_person"),
    run: () => deactivateUser(user.user_id),
  });

/** @param {{ user: any }} properties */
function Line({ user }) {
  const { user_id: id, full_name: name, role, is_active: isActive } = user;
  const isMe = id === store.me.value;
  const isFixed = isMe || !isActive || (role === OWNER && !amOwner());
  const roles = ROLES.filter(([number]) => number !== OWNER || amOwner() || role === OWNER);
  const change = async (/** @type {any} */ { target }) => {
    try {
      await updateUser(id, { role: Number(target.value) });
    } catch (error) {
      target.value = String(role);
      note(textOf(error));
    }
  };
  return html`<li>
    <${Avatar} id=${id} />
    <button type="button" class="name" aria-haspopup="dialog" onClick=${() => openPerson(id)}>
      <bdi>${name}</bdi>
    </button>
    ${isActive ? html`<span class="hint seen"><${Here} id=${id} /></span>` : html`<span class="tag">${t("deactivated")}</span>`}
    <select name=${`role-${id}`} aria-label=${`${t("role")}: ${name}`} disabled=${isFixed} onChange=${change}>
      ${roles.map(([number, key]) => html`<option key=${key} value=${number} selected=${key === roleKey(role)}>${t(key)}</option>`)}
    </select>
    <button
      type="button"
      class="plain"
      aria-haspopup="dialog"
      aria-label=${`${t("edit")}: ${name}`}
      onClick=${() => editPerson(id)}
    >
      ${t("edit")}
    </button>
    <button
      type="button"
      class="plain"
      disabled=${isMe || (role === OWNER && !amOwner())}
      aria-label=${`${t(isActive ? "deactivate_person" : "reactivate_person")}: ${name}`}
      onClick=${() => (isActive ? deactivate(user) : attempt(() => reactivateUser(id)))}
    >
      ${t(isActive ? "deactivate_person" : "reactivate_person")}
    </button>
  </li>`;
}

export function People() {
  const wanted = sought.value.trim().toLowerCase();
  const all = [...store.users.value.values()].filter((one) => !one.is_bot);
  const found = all
    .filter((one) => `${one.full_name} ${one.email}`.toLowerCase().includes(wanted))
    .sort((a, b) => Number(b.is_active) - Number(a.is_active) || a.full_name.localeCompare(b.full_name));
  return html`<section class="broad">
    <h2>${t("people")}</h2>
    <${Filter} sought=${sought} />
    ${
      mayInviteByAddress()
        ? html`<div>
            <button type="button" class="plain from-list" aria-haspopup="dialog" onClick=${openImport}>
              ${t("list_of_people")}
            </button>
          </div>`
        : null
    }
    <ul class="names faces accounts">
      ${found.slice(0, MOST).map((user) => html`<${Line} key=${user.user_id} user=${user} />`)}
    </ul>
    ${found.length === 0 ? html`<p class="edge">${t("nothing_found")}</p>` : null}
    ${found.length > MOST ? html`<p class="hint">${t("more_people", { n: found.length - MOST })}</p>` : null}
  </section>`;
}
