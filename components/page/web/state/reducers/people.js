// Events about people and groups. Pure.

import { directKey, topicKey } from "../conversation.js";
import { unknownOp, withEntry, without } from "./tools.js";

/** @typedef {import("../reduce.js").Reducer} Reducer */

/** @type {Reducer} */
export function realmUser(state, event) {
  const { person } = event;
  const before = state.users.get(person.user_id);
  switch (event.op) {
    case "add":
      return { users: withEntry(state.users, person.user_id, { is_active: true, ...person }) };
    case "update": {
      if (before === undefined) return {};
      const { custom_profile_field: field, new_email, ...rest } = person;
      const changed = { ...before, ...rest };
      if (new_email !== undefined) changed.email = new_email;
      if (rest.role !== undefined) changed.is_guest = rest.role === 600;
      if (field !== undefined) {
        const { id, ...value } = field;
        changed.profile_data = { .../** @type {any} */ (before).profile_data, [id]: value };
        if (value.value === null) delete changed.profile_data[id];
      }
      const users = withEntry(state.users, person.user_id, changed);
      // Deactivated users leave their groups; `user_group` goes only to clients that cannot see the user.
      return rest.is_active === false ? { users, groups: withoutMember(state.groups, person.user_id) } : { users };
    }
    case "remove":
      return before === undefined ? {} : { users: without(state.users, [person.user_id]) };
    default:
      return unknownOp(event);
  }
}

/**
 * @param {ReadonlyMap<number, any>} groups
 * @param {number} userId
 */
function withoutMember(groups, userId) {
  const left = new Map(groups);
  for (const [id, group] of groups)
    if (group.members?.includes(userId))
      left.set(id, { ...group, members: group.members.filter((/** @type {number} */ one) => one !== userId) });
  return left;
}

/** @type {Reducer} */
export function userGroup(state, event) {
  const { op, group_id } = event;
  if (op === "add") return { groups: withEntry(state.groups, event.group.id, event.group) };
  if (op === "remove") return { groups: without(state.groups, [group_id]) };
  const group = state.groups.get(group_id);
  if (group === undefined) return {};
  const list = (/** @type {string} */ field, /** @type {number[]} */ ids, /** @type {boolean} */ isAdded) => {
    /** @type {number[]} */
    const before = group[field] ?? [];
    const rest = before.filter((id) => !ids.includes(id));
    return { groups: withEntry(state.groups, group_id, { ...group, [field]: isAdded ? [...rest, ...ids] : rest }) };
  };
  switch (op) {
    case "update":
      return { groups: withEntry(state.groups, group_id, { ...group, ...event.data }) };
    case "add_members":
      return list("members", event.user_ids, true);
    case "remove_members":
      return list("members", event.user_ids, false);
    case "add_subgroups":
      return list("direct_subgroup_ids", event.direct_subgroup_ids, true);
    case "remove_subgroups":
      return list("direct_subgroup_ids", event.direct_subgroup_ids, false);
    default:
      return unknownOp(event);
  }
}

/** @type {Reducer} */
export function userStatus(state, event) {
  /** @type {Record<string, any>} */
  const status = { ...state.statuses.get(event.user_id) };
  for (const field of ["status_text", "emoji_name", "emoji_code", "reaction_type", "scheduled_end_time"]) {
    if (event[field] !== undefined) status[field] = event[field];
  }
  return { statuses: withEntry(state.statuses, event.user_id, status) };
}

/** @type {Reducer} */
export function presence(state, event) {
  const presences = new Map(state.presences);
  for (const [id, one] of Object.entries(event.presences ?? {})) presences.set(Number(id), one);
  return { presences };
}

/** @type {Reducer} */
export function typing(state, event, now) {
  const key =
    event.message_type === "stream"
      ? topicKey(event.stream_id, event.topic)
      : directKey(
          event.recipients.map((/** @type {any} */ one) => one.user_id),
          state.me,
        );
  const writers = new Map(state.typing.get(key));
  const expiry = state.realm.server_typing_started_expiry_period_milliseconds ?? 45_000;
  if (event.op === "start") writers.set(event.sender.user_id, now + expiry);
  else if (event.op === "stop") writers.delete(event.sender.user_id);
  else unknownOp(event);
  return { typing: withEntry(state.typing, key, writers) };
}

/** @type {Reducer} */
export const mutedUsers = (_state, event) => ({
  muted: new Set(event.muted_users.map((/** @type {any} */ one) => one.id)),
});
