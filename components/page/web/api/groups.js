// User groups.

import { call } from "./http.js";

/** @param {{ name: string, description: string, members: number[] }} wish @returns {Promise<{ group_id: number }>} */
export const createUserGroup = (wish) => call("POST", "/user_groups/create", { parameters: { ...wish } });

/** @param {number} id @param {Record<string, unknown>} change */
export const updateUserGroup = (id, change) => call("PATCH", `/user_groups/${id}`, { parameters: change });

/** @param {number} id */
export const deactivateUserGroup = (id) => call("POST", `/user_groups/${id}/deactivate`);

/** @param {number} id @param {{ add?: number[], delete?: number[] }} change people */
export const updateUserGroupMembers = (id, change) =>
  call("POST", `/user_groups/${id}/members`, { parameters: { ...change } });

/** @param {number} id @param {{ add?: number[], delete?: number[] }} change groups in the group */
export const updateUserGroupSubgroups = (id, change) =>
  call("POST", `/user_groups/${id}/subgroups`, { parameters: { ...change } });
