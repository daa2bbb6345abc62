// The files that the account has uploaded.

import { call } from "./http.js";

/** @typedef {import("./operations.d.ts").Attachment} Attachment */

/** The space that is used is that of the whole organization. */
export const getAttachments = () => call("GET /attachments", {});

/** @param {number} attachment_id */
export const deleteAttachment = (attachment_id) => call("DELETE /attachments/{attachment_id}", { attachment_id });
