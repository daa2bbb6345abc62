// Who holds a permission: a group from a list, or people and groups of one's choice.

import { html } from "htm/preact";
import { useSignal } from "@preact/signals";
import { asSet, holders, ROLE_GROUPS, simplest } from "../state/permissions.js";
import { groupOf } from "../state/groups.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { Icon } from "../elements/icon.js";
import { PeopleField } from "./people-field.js";

/** @typedef {import("../state/permissions.js").Value} Value */

/** @param {number} id */
export function groupName(id) {
  const group = groupOf(id);
  const key = ROLE_GROUPS.find(([name]) => name === group?.name)?.[1];
  return key === undefined ? (group?.name ?? "?") : t(key);
}

const CHOSEN = "chosen";

/** @param {{ text: string, value: { direct_members: number[], direct_subgroups: number[] }, options: import("../state/groups.js").Group[], set: (value: Value) => void }} properties */
function Chosen({ text, value, options, set }) {
  const { direct_members, direct_subgroups } = value;
  const left = options.filter((one) => !direct_subgroups.includes(one.id));
  const groups = (/** @type {number[]} */ next) => set({ direct_members, direct_subgroups: next });
  return html`<div class="holders" role="group" aria-label=${text}>
    ${direct_subgroups.map(
      (id) =>
        html`<span class="chip" key=${id}
          >${groupName(id)}
          <button
            type="button"
            class="quiet"
            aria-label=${t("remove_one", { name: groupName(id) })}
            onClick=${() => groups(direct_subgroups.filter((one) => one !== id))}
          >
            <${Icon} name="close" /></button
        ></span>`,
    )}
    <select
      aria-label=${t("add_group")}
      onChange=${(/** @type {any} */ { target }) => {
        groups([...direct_subgroups, Number(target.value)]);
        target.value = "";
      }}
    >
      <option value="" selected>${t("add_group")}</option>
      ${left.map((one) => html`<option key=${one.id} value=${one.id}>${groupName(one.id)}</option>`)}
    </select>
    <${PeopleField}
      people=${direct_members}
      set=${(/** @type {number[]} */ next) => set({ direct_members: next, direct_subgroups })}
    />
  </div>`;
}

/**
 * @param {object} properties
 * @param {string} properties.name of the permission
 * @param {string} properties.text
 * @param {Value} properties.value
 * @param {"realm" | "stream" | "group"} properties.of whose permission it is
 * @param {boolean} [properties.fixed] it may not be changed
 * @param {(value: Value) => void} properties.set
 */
export function GroupChoice({ name, text, value, of, fixed = false, set }) {
  const isOpen = useSignal(false);
  const limits = store.realm.value["server_supported_permission_settings"]?.[of]?.[name] ?? {};
  const options = holders(/** @type {any} */ (store.groups.value.values()), limits);
  const single = typeof value === "number" ? value : null;
  const isChosen = single === null || isOpen.value;
  const mayChoose = limits.require_system_group !== true;
  const pick = (/** @type {any} */ { target }) => {
    isOpen.value = target.value === CHOSEN;
    if (target.value !== CHOSEN) set(Number(target.value));
  };
  return html`<div class="permission">
    <label class="row"
      ><span>${text}</span>
      <select name=${name} disabled=${fixed} onChange=${pick}>
        ${single !== null && !options.some((one) => one.id === single) ? html`<option value=${single} selected=${!isChosen}>${groupName(single)}</option>` : null}
        ${options.map((one) => html`<option key=${one.id} value=${one.id} selected=${!isChosen && one.id === single}>${groupName(one.id)}</option>`)}
        ${mayChoose || isChosen ? html`<option value=${CHOSEN} selected=${isChosen}>${t("group_chosen")}</option>` : null}
      </select></label
    >
    ${
      isChosen && !fixed
        ? html`<${Chosen}
            text=${text}
            value=${asSet(value)}
            options=${options}
            set=${(/** @type {any} */ next) => set(simplest(next))}
          />`
        : null
    }
  </div>`;
}
