// Drafts: texts that are not finished, shared by all devices of a person.

import { call } from "./http.js";

/** @typedef {import("./operations.d.ts").DraftInput} Draft */

/** @param {Draft[]} drafts */
export const createDrafts = (drafts) => call("POST /drafts", { drafts });

/** @param {number} draft_id @param {Draft} draft */
export const editDraft = (draft_id, draft) => call("PATCH /drafts/{draft_id}", { draft_id, draft });

/** @param {number} draft_id */
export const deleteDraft = (draft_id) => call("DELETE /drafts/{draft_id}", { draft_id });
