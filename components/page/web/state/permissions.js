// Values of permissions: a group, or people and groups that have no name. Which may be chosen, what
// they are called. Pure.

/** @typedef {number | { direct_members: number[], direct_subgroups: number[] }} Value */
/** @typedef {import("./groups.js").Group} Group */
/** @typedef {{ require_system_group?: boolean, allow_internet_group?: boolean, allow_nobody_group?: boolean, allow_everyone_group?: boolean, allowed_system_groups?: string[] }} Limits of server_supported_permission_settings */

/** Groups of roles, the widest first, and the key of what each is called. */
export const ROLE_GROUPS = /** @type {const} */ ([
  ["role:internet", "group_internet"],
  ["role:everyone", "group_everyone"],
  ["role:members", "group_members"],
  ["role:fullmembers", "group_full_members"],
  ["role:moderators", "group_moderators"],
  ["role:administrators", "group_administrators"],
  ["role:owners", "group_owners"],
  ["role:nobody", "group_nobody"],
]);

/** @param {string} name @param {Limits} limits */
function isAllowed(name, limits) {
  const listed = limits.allowed_system_groups ?? [];
  if (listed.length > 0) return listed.includes(name);
  if (name === "role:internet") return limits.allow_internet_group === true;
  if (name === "role:everyone") return limits.allow_everyone_group !== false;
  return name !== "role:nobody" || limits.allow_nobody_group !== false;
}

/**
 * The groups that may hold a permission: those of roles, then those that people have made.
 * @param {Iterable<Group>} groups @param {Limits} limits
 * @returns {Group[]}
 */
export function holders(groups, limits) {
  const all = [...groups];
  const roles = ROLE_GROUPS.map(([name]) => all.find((one) => one.is_system_group && one.name === name));
  const ofRoles = roles.filter((one) => one !== undefined && isAllowed(one.name, limits));
  if (limits.require_system_group) return /** @type {Group[]} */ (ofRoles);
  const own = all.filter((one) => !one.is_system_group && !one.deactivated);
  return [.../** @type {Group[]} */ (ofRoles), ...own.sort((a, b) => a.name.localeCompare(b.name))];
}

/** As a set of people and groups. @param {Value} value */
export const asSet = (value) => (typeof value === "number" ? { direct_members: [], direct_subgroups: [value] } : value);

/** A single group stands for itself. @param {{ direct_members: number[], direct_subgroups: number[] }} value @returns {Value} */
export function simplest(value) {
  const [group, ...others] = value.direct_subgroups;
  return value.direct_members.length === 0 && group !== undefined && others.length === 0 ? group : value;
}
