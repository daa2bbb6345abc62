// People: who is here, and what one says of oneself.

import { call } from "./http.js";

/** @param {"active" | "idle"} status @param {number} last_update_id @returns {Promise<Record<string, any>>} */
export const updatePresence = (status, last_update_id) =>
  call("POST", "/users/me/presence", {
    parameters: { status, last_update_id, ping_only: false, new_user_input: status === "active" },
  });

/** @param {Record<string, unknown>} settings */
export const updateSettings = (settings) => call("PATCH", "/settings", { parameters: settings });

/**
 * What one says of oneself at the moment; what is empty goes away.
 * @param {string} status_text @param {import("./messages.js").Emoji | null} emoji
 * @param {number | null} scheduled_end_time when it ends by itself, in seconds since 1970
 */
export const updateStatus = (status_text, emoji, scheduled_end_time) =>
  call("POST", "/users/me/status", {
    parameters: { status_text, ...(emoji ?? { emoji_name: "" }), scheduled_end_time },
  });

/** @param {string[]} alert_words @returns {Promise<object>} */
export const addAlertWords = (alert_words) => call("POST", "/users/me/alert_words", { parameters: { alert_words } });

/** @param {string[]} alert_words @returns {Promise<object>} */
export const removeAlertWords = (alert_words) =>
  call("DELETE", "/users/me/alert_words", { parameters: { alert_words } });

/** @param {number} id */
export const muteUser = (id) => call("POST", `/users/me/muted_users/${id}`);

/** @param {number} id */
export const unmuteUser = (id) => call("DELETE", `/users/me/muted_users/${id}`);
