// People: who is here, and what one says of oneself.

import { call } from "./http.js";

/** @param {"active" | "idle"} status @param {number} last_update_id @returns {Promise<Record<string, any>>} */
export const updatePresence = (status, last_update_id) =>
  call("POST /users/me/presence", { status, last_update_id, ping_only: false, new_user_input: status === "active" });

/** @param {import("./http.js").Parameters<"PATCH /settings">} settings */
export const updateSettings = (settings) => call("PATCH /settings", settings);

/**
 * What one says of oneself at the moment; what is empty goes away.
 * @param {string} status_text @param {import("./messages.js").Emoji | null} emoji
 * @param {number | null} scheduled_end_time when it ends by itself, in seconds since 1970
 */
export const updateStatus = (status_text, emoji, scheduled_end_time) =>
  call("POST /users/me/status", { status_text, ...(emoji ?? { emoji_name: "" }), scheduled_end_time });

/** @param {string[]} alert_words */
export const addAlertWords = (alert_words) => call("POST /users/me/alert_words", { alert_words });

/** @param {string[]} alert_words */
export const removeAlertWords = (alert_words) => call("DELETE /users/me/alert_words", { alert_words });

/** @param {number} muted_user_id */
export const muteUser = (muted_user_id) => call("POST /users/me/muted_users/{muted_user_id}", { muted_user_id });

/** @param {number} muted_user_id */
export const unmuteUser = (muted_user_id) => call("DELETE /users/me/muted_users/{muted_user_id}", { muted_user_id });
