// Drafts: texts that are not finished, shared by all devices of a person.

import { call } from "./http.js";

/**
 * @typedef {object} Draft
 * @property {"" | "stream" | "private"} type
 * @property {number[]} to a channel's id, or people's; empty: not decided yet
 * @property {string} topic
 * @property {string} content Markdown
 * @property {number} timestamp seconds
 */

/** @param {Draft[]} drafts @returns {Promise<{ ids: number[] }>} */
export const createDrafts = (drafts) => call("POST", "/drafts", { parameters: { drafts } });

/** @param {number} id @param {Draft} draft */
export const editDraft = (id, draft) => call("PATCH", `/drafts/${id}`, { parameters: { draft } });

/** @param {number} id */
export const deleteDraft = (id) => call("DELETE", `/drafts/${id}`);
