// User groups.

import { call } from "./http.js";

/** @typedef {Omit<import("./http.js").Parameters<"PATCH /user_groups/{user_group_id}">, "user_group_id">} GroupChange */

/** @param {import("./http.js").Parameters<"POST /user_groups/create">} group */
export const createUserGroup = (group) => call("POST /user_groups/create", group);

/** @param {number} user_group_id @param {GroupChange} change */
export const updateUserGroup = (user_group_id, change) =>
  call("PATCH /user_groups/{user_group_id}", { ...change, user_group_id });

/** @param {number} user_group_id */
export const deactivateUserGroup = (user_group_id) =>
  call("POST /user_groups/{user_group_id}/deactivate", { user_group_id });

/** @param {number} user_group_id @param {{ add?: number[], delete?: number[] }} change people */
export const updateUserGroupMembers = (user_group_id, change) =>
  call("POST /user_groups/{user_group_id}/members", { ...change, user_group_id });

/** @param {number} user_group_id @param {{ add?: number[], delete?: number[] }} change groups in the group */
export const updateUserGroupSubgroups = (user_group_id, change) =>
  call("POST /user_groups/{user_group_id}/subgroups", { ...change, user_group_id });
