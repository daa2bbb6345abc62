// The files that the account has uploaded.

import { call } from "./http.js";

/**
 * @typedef {object} Attachment
 * @property {number} id
 * @property {string} name
 * @property {string} path_id below /user_uploads/
 * @property {number} size bytes
 * @property {number} create_time seconds since 1970
 * @property {{ id: number, date_sent: number }[]} messages that link to it
 */

/** @returns {Promise<{ attachments: Attachment[], upload_space_used: number }>} used: by the whole organization */
export const getAttachments = () => call("GET", "/attachments");

/** @param {number} id */
export const deleteAttachment = (id) => call("DELETE", `/attachments/${id}`);
