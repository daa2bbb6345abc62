// A group's card: what it is for, who is in it, and what one can do with it.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import {
  deactivateUserGroup,
  updateUserGroup,
  updateUserGroupMembers,
  updateUserGroupSubgroups,
} from "../api/groups.js";
import { addable, everyoneIn, groupOf, mayAdd, mayJoin, mayLeave, mayManage, mayRemove } from "../state/groups.js";
import { nameOf } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { Avatar } from "./avatar.js";
import { ask, Dialog, open } from "../elements/dialog.js";
import { showGroupForm } from "./group-form.js";
import { attempt } from "../frame/note.js";
import { openPerson } from "../frame/open.js";
import { PeopleField } from "./people-field.js";

/** @typedef {import("../state/groups.js").Group} Group */

/** Lines that are drawn at once. */
const MOST = 200;
/** @type {import("@preact/signals-core").Signal<number[]>} */
const chosen = signal([]);
const problem = signal("");

/** @param {number} id */
export function showGroup(id) {
  chosen.value = [];
  problem.value = "";
  open.value = () => html`<${Card} key=${id} id=${id} />`;
}

/** @param {() => Promise<unknown>} action */
const run = (action) =>
  attempt(async () => {
    await action();
    chosen.value = [];
  }, problem);

/** @param {Group} group */
const deactivate = (group) =>
  ask({
    title: t("deactivate_one", { name: group.name }),
    text: t("deactivate_group_text"),
    action: t("deactivate_group"),
    run: () => deactivateUserGroup(group.id),
  });

/** @param {{ group: Group, id: number }} properties */
function Member({ group, id }) {
  const name = nameOf(id);
  return html`<li>
    <${Avatar} id=${id} />
    <button type="button" class="name" aria-haspopup="dialog" onClick=${() => openPerson(id)}>
      <bdi>${name}</bdi>
    </button>
    ${
      mayRemove(group) && id !== store.me.value
        ? html`<button
            type="button"
            class="plain"
            aria-label=${t("remove_one", { name })}
            onClick=${() => run(() => updateUserGroupMembers(group.id, { delete: [id] }))}
          >
            ${t("remove")}
          </button>`
        : null
    }
  </li>`;
}

/** A group in the group. @param {{ group: Group, inner: Group }} properties */
const Inner = ({ group, inner }) =>
  html`<li>
    <button type="button" class="name" onClick=${() => showGroup(inner.id)}><bdi>@${inner.name}</bdi></button>
    ${
      mayRemove(group)
        ? html`<button
            type="button"
            class="plain"
            aria-label=${t("remove_one", { name: inner.name })}
            onClick=${() => run(() => updateUserGroupSubgroups(group.id, { delete: [inner.id] }))}
          >
            ${t("remove")}
          </button>`
        : null
    }
  </li>`;

/** Puts another group into the group. @param {{ group: Group }} properties */
function Nesting({ group }) {
  const others = addable(group);
  if (others.length === 0) return null;
  const add = (/** @type {any} */ { target }) => {
    const id = Number(target.value);
    target.value = "";
    void run(() => updateUserGroupSubgroups(group.id, { add: [id] }));
  };
  return html`<select class="nesting" aria-label=${t("add_group")} onChange=${add}>
    <option value="">${t("add_group")}</option>
    ${others.map((one) => html`<option key=${one.id} value=${one.id}>${one.name}</option>`)}
  </select>`;
}

/** @param {{ group: Group }} properties */
function Actions({ group }) {
  const me = store.me.value;
  const isIn = group.members.includes(me);
  const may = isIn ? mayLeave(group) : mayJoin(group);
  const change = () => run(() => updateUserGroupMembers(group.id, isIn ? { delete: [me] } : { add: [me] }));
  if (group.deactivated)
    return mayManage(group)
      ? html`<button
          type="button"
          class="plain"
          onClick=${() => run(() => updateUserGroup(group.id, { deactivated: false }))}
        >
          ${t("reactivate_group")}
        </button>`
      : null;
  return html`${may ? html`<button type="button" class="plain" onClick=${change}>${t(isIn ? "leave_group" : "join_group")}</button>` : null}
  ${
    mayManage(group)
      ? html`<button type="button" class="plain" onClick=${() => deactivate(group)}>${t("deactivate_group")}</button>
          <button type="button" class="plain" onClick=${() => showGroupForm(group)}>${t("edit")}</button>`
      : null
  }`;
}

/** @param {{ id: number }} properties */
function Card({ id }) {
  useEffect(() => {
    problem.value = "";
  }, [id]);
  const group = groupOf(id);
  if (group === undefined) return html`<${Dialog} title=${t("not_found")}><//>`;
  const inside = group.direct_subgroup_ids.map(groupOf).filter((one) => one !== undefined);
  const people = group.members.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
  const add = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (chosen.value.length > 0) void run(() => updateUserGroupMembers(id, { add: chosen.value }));
  };
  return html`<${Dialog} title=${group.name} class="group">
    ${group.deactivated ? html`<p><span class="tag">${t("deactivated")}</span></p>` : null}
    ${group.description === "" ? null : html`<p dir="auto">${group.description}</p>`}
    ${
      mayAdd(group) && !group.deactivated
        ? html`<form class="adding" onSubmit=${add}>
              <${PeopleField}
                people=${chosen.value}
                except=${group.members}
                set=${(/** @type {number[]} */ next) => (chosen.value = next)}
              />
              <button type="submit" class="primary" disabled=${chosen.value.length === 0}>${t("add")}</button>
            </form>
            <${Nesting} group=${group} />`
        : null
    }
    <p class="error" role="alert">${problem}</p>
    <p class="hint">${t("subscriber_count", { n: everyoneIn(id).size })}</p>
    <ul class="names faces">
      ${inside.map((one) => html`<${Inner} key=${`g${one.id}`} group=${group} inner=${one} />`)}
      ${people.slice(0, MOST).map((one) => html`<${Member} key=${one} group=${group} id=${one} />`)}
    </ul>
    <div class="buttons"><${Actions} group=${group} /></div>
  <//>`;
}
