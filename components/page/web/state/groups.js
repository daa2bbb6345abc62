// User groups: who is in one, and what this account may do with it. The server decides.

import { amIn } from "./select.js";
import { store } from "./store.js";

/**
 * @typedef {object} Group
 * @property {number} id
 * @property {string} name
 * @property {string} description
 * @property {number[]} members without those of groups in it
 * @property {number[]} direct_subgroup_ids
 * @property {boolean} is_system_group
 * @property {boolean} deactivated
 * @property {unknown} can_manage_group @property {unknown} can_mention_group
 * @property {unknown} can_join_group @property {unknown} can_leave_group
 * @property {unknown} can_add_members_group @property {unknown} can_remove_members_group
 */

/** @param {number} id */
export const groupOf = (id) => /** @type {Group | undefined} */ (/** @type {any} */ (store.groups.value.get(id)));

/** Groups that people have made, by name. @returns {Group[]} */
export const ownGroups = () =>
  [.../** @type {Iterable<Group>} */ (/** @type {any} */ (store.groups.value.values()))]
    .filter((one) => !one.is_system_group)
    .sort((a, b) => Number(a.deactivated) - Number(b.deactivated) || a.name.localeCompare(b.name));

/** All members of a group, through the groups in it too. @param {number} id */
export function everyoneIn(id) {
  /** @type {Set<number>} */
  const people = new Set();
  const seen = new Set();
  const add = (/** @type {number} */ one) => {
    const group = groupOf(one);
    if (group === undefined || seen.has(one)) return;
    seen.add(one);
    for (const member of group.members) people.add(member);
    group.direct_subgroup_ids.forEach(add);
  };
  add(id);
  return people;
}

/** Groups that may be put into a group: none of which it is a part already. @param {Group} group @returns {Group[]} */
export function addable(group) {
  /** @type {(one: Group, seen?: Set<number>) => boolean} */
  const holds = (one, seen = new Set()) => {
    if (one.id === group.id) return true;
    if (seen.has(one.id)) return false;
    seen.add(one.id);
    return one.direct_subgroup_ids.some((id) => {
      const inner = groupOf(id);
      return inner !== undefined && holds(inner, seen);
    });
  };
  return ownGroups().filter((one) => !one.deactivated && !group.direct_subgroup_ids.includes(one.id) && !holds(one));
}

export const mayCreateGroups = () => amIn(store.realm.value["realm_can_create_groups"]);

/** @param {Group} group */
export const mayManage = (group) =>
  amIn(store.realm.value["realm_can_manage_all_groups"]) || amIn(group.can_manage_group);
/** @param {Group} group */
export const mayAdd = (group) => mayManage(group) || amIn(group.can_add_members_group);
/** @param {Group} group */
export const mayRemove = (group) => mayManage(group) || amIn(group.can_remove_members_group);
/** @param {Group} group */
export const mayJoin = (group) => mayAdd(group) || amIn(group.can_join_group);
/** @param {Group} group */
export const mayLeave = (group) => mayRemove(group) || amIn(group.can_leave_group);
