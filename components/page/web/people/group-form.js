// Creating a group, and changing one.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { createUserGroup, updateUserGroup } from "../api/groups.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { Dialog, open } from "../elements/dialog.js";
import { GroupChoice } from "./group-choice.js";
import { Form } from "../elements/form.js";
import { openGroup } from "../frame/open.js";
import { PeopleField } from "./people-field.js";

/** @typedef {import("../state/groups.js").Group} Group */

/** Permissions of a group, and what they allow. @type {readonly (readonly [string, import("../strings/text.js").Key])[]} */
const PERMISSIONS = [
  ["can_manage_group", "may_manage_group"],
  ["can_mention_group", "may_mention_group"],
  ["can_join_group", "may_join_group"],
  ["can_leave_group", "may_leave_group"],
  ["can_add_members_group", "may_add_members"],
  ["can_remove_members_group", "may_remove_members"],
];

/** Permissions that are to be others. @type {import("@preact/signals-core").Signal<Record<string, import("../state/permissions.js").Value>>} */
const allowed = signal({});
/** @type {import("@preact/signals-core").Signal<number[]>} */
const people = signal([]);

/** @param {Group} [group] none: a new one */
export function showGroupForm(group) {
  people.value = [];
  allowed.value = {};
  open.value = () => html`<${GroupForm} group=${group} />`;
}

/** @param {Group | undefined} group @param {string} name @param {string} description @returns {Promise<number>} its id */
async function save(group, name, description) {
  if (group === undefined) {
    const members = [...new Set([store.me.value, ...people.value])];
    return (await createUserGroup({ name, description, members })).group_id;
  }
  /** @type {Record<string, unknown>} */
  const change = {};
  if (name !== group.name) change["name"] = name;
  if (description !== group.description) change["description"] = description;
  for (const [permission, value] of Object.entries(allowed.value)) change[permission] = { new: value };
  if (Object.keys(change).length > 0) await updateUserGroup(group.id, change);
  return group.id;
}

/** @param {{ group: Group | undefined }} properties */
function GroupForm({ group }) {
  const run = async (/** @type {import("../elements/form.js").Sent} */ { text }) =>
    void openGroup(await save(group, text("name"), text("description")));
  return html`<${Dialog} title=${t(group === undefined ? "new_group" : "change_group")}>
    <${Form} run=${run} action=${t(group === undefined ? "create" : "save")}>
      <label
        >${t("name")}
        <input name="name" dir="auto" required autocomplete="off" maxlength="100" defaultValue=${group?.name ?? ""}
      /></label>
      <label
        >${t("description")}
        <input
          name="description"
          dir="auto"
          autocomplete="off"
          maxlength="1024"
          defaultValue=${group?.description ?? ""}
      /></label>
      ${
        group === undefined
          ? html`<div class="field">
              <p class="hint">${t("first_people")}</p>
              <${PeopleField}
                people=${people.value}
                except=${[store.me.value]}
                set=${(/** @type {number[]} */ next) => (people.value = next)}
              />
            </div>`
          : html`<fieldset class="field">
              <legend>${t("permissions_of")}</legend>
              ${PERMISSIONS.map(
                ([permission, key]) =>
                  html`<${GroupChoice}
                    key=${permission}
                    name=${permission}
                    text=${t(key)}
                    of="group"
                    value=${allowed.value[permission] ?? /** @type {any} */ (group)[permission]}
                    set=${(/** @type {import("../state/permissions.js").Value} */ value) => (allowed.value = { ...allowed.value, [permission]: value })}
                  />`,
              )}
            </fieldset>`
      }
    <//>
  <//>`;
}
