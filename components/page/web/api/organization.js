// The organization: its settings, and the lists that administrators keep.

import { call, upload } from "./http.js";

/** @param {import("./http.js").Parameters<"PATCH /realm">} change */
export const updateRealm = (change) => call("PATCH /realm", change);

/** @param {import("./http.js").Parameters<"PATCH /realm/user_settings_defaults">} change settings that new people start with */
export const updateRealmUserSettingsDefaults = (change) => call("PATCH /realm/user_settings_defaults", change);

/** @param {File} picture */
export const uploadRealmIcon = (picture) => upload("POST /realm/icon", picture, {});
export const deleteRealmIcon = () => call("DELETE /realm/icon", {});

/** @param {File} picture @param {boolean} night on dark ground */
export const uploadRealmLogo = (picture, night) => upload("POST /realm/logo", picture, { night });
/** @param {boolean} night */
export const deleteRealmLogo = (night) => call("DELETE /realm/logo", { night });

/** @param {string} domain @param {boolean} allow_subdomains */
export const addRealmDomain = (domain, allow_subdomains) => call("POST /realm/domains", { domain, allow_subdomains });
/** @param {string} domain */
export const removeRealmDomain = (domain) => call("DELETE /realm/domains/{domain}", { domain });

/** @param {string} pattern @param {string} url_template */
export const addLinkifier = (pattern, url_template) => call("POST /realm/filters", { pattern, url_template });
/** @param {number} filter_id */
export const removeLinkifier = (filter_id) => call("DELETE /realm/filters/{filter_id}", { filter_id });
/** @param {number[]} ordered_linkifier_ids */
export const reorderLinkifiers = (ordered_linkifier_ids) => call("PATCH /realm/linkifiers", { ordered_linkifier_ids });

/** @param {import("./http.js").Parameters<"POST /realm/playgrounds">} playground */
export const addCodePlayground = (playground) => call("POST /realm/playgrounds", playground);
/** @param {number} playground_id */
export const removeCodePlayground = (playground_id) =>
  call("DELETE /realm/playgrounds/{playground_id}", { playground_id });

/** @param {import("./http.js").Parameters<"POST /realm/profile_fields">} field */
export const createProfileField = (field) => call("POST /realm/profile_fields", field);
/** @param {number} field_id */
export const deleteProfileField = (field_id) => call("DELETE /realm/profile_fields/{field_id}", { field_id });
/** @param {number[]} order */
export const reorderProfileFields = (order) => call("PATCH /realm/profile_fields", { order });

/** @param {string} emoji_name @param {File} picture */
export const uploadEmoji = (emoji_name, picture) => upload("POST /realm/emoji/{emoji_name}", picture, { emoji_name });
/** @param {string} emoji_name */
export const deleteEmoji = (emoji_name) => call("DELETE /realm/emoji/{emoji_name}", { emoji_name });

/** @param {"public" | "full_with_consent"} export_type */
export const exportRealm = (export_type) => call("POST /export/realm", { export_type });
/** @typedef {import("./operations.d.ts").RealmExport} Export */
export const getRealmExports = () => call("GET /export/realm", {});
/** @param {number} export_id */
export const deleteRealmExport = (export_id) => call("DELETE /export/realm/{export_id}", { export_id });

/** @param {number} user_id @param {Omit<import("./http.js").Parameters<"PATCH /users/{user_id}">, "user_id">} change */
export const updateUser = (user_id, change) => call("PATCH /users/{user_id}", { ...change, user_id });
/** A link that sets a new password of a user. @param {number} user_id */
export const createPasswordLink = (user_id) => call("POST /users/{user_id}/password_link", { user_id });
/** @param {number} user_id */
export const deactivateUser = (user_id) => call("DELETE /users/{user_id}", { user_id });
/** @param {number} user_id */
export const reactivateUser = (user_id) => call("POST /users/{user_id}/reactivate", { user_id });

/** @typedef {import("./http.js").Parameters<"GET /audit_log">} AuditFilter */
/** @param {AuditFilter} filter */
export const getAuditLog = (filter) => call("GET /audit_log", filter);
/** @typedef {Awaited<ReturnType<typeof getAuditLog>>["audit_log"][number]} AuditEntry */

/** Where a user is signed in, and the keys of the account. @param {number} user_id */
export const getUserSessions = (user_id) => call("GET /users/{user_id}/sessions", { user_id });
/** @param {number} user_id */
export const getUserApiKeys = (user_id) => call("GET /users/{user_id}/api_keys", { user_id });
/** @param {number} user_id @param {number} key_id */
export const endUserApiKey = (user_id, key_id) =>
  call("DELETE /users/{user_id}/api_keys/{key_id}", { user_id, key_id });
/** @param {number} user_id */
export const getUserIdentities = (user_id) => call("GET /users/{user_id}/identities", { user_id });
/** @param {number} user_id @param {number} identity_id */
export const disconnectUserIdentity = (user_id, identity_id) =>
  call("DELETE /users/{user_id}/identities/{identity_id}", { user_id, identity_id });
/** @param {number} user_id @param {number} session_id */
export const endUserSession = (user_id, session_id) =>
  call("DELETE /users/{user_id}/sessions/{session_id}", { user_id, session_id });
/** @param {number} user_id */
export const endUserSessions = (user_id) => call("DELETE /users/{user_id}/sessions", { user_id });
/** @param {number} user_id */
export const revokeUserApiKeys = (user_id) => call("DELETE /users/{user_id}/api_keys", { user_id });
