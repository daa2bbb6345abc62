// The organization: its settings, and the lists that administrators keep.

import { call, upload } from "./http.js";

/** @param {Record<string, unknown>} change settings, and permissions as `{"new": value}` */
export const updateRealm = (change) => call("PATCH", "/realm", { parameters: change });

/** @param {Record<string, unknown>} change settings that new people start with */
export const updateRealmUserSettingsDefaults = (change) =>
  call("PATCH", "/realm/user_settings_defaults", { parameters: change });

/** @param {File} picture */
export const uploadRealmIcon = (picture) => upload("/realm/icon", picture);
export const deleteRealmIcon = () => call("DELETE", "/realm/icon");

/** @param {File} picture @param {boolean} night on dark ground */
export const uploadRealmLogo = (picture, night) => upload(`/realm/logo?night=${night}`, picture);
/** @param {boolean} night */
export const deleteRealmLogo = (night) => call("DELETE", "/realm/logo", { parameters: { night } });

/** @param {string} domain @param {boolean} allow_subdomains */
export const addRealmDomain = (domain, allow_subdomains) =>
  call("POST", "/realm/domains", { parameters: { domain, allow_subdomains } });
/** @param {string} domain */
export const removeRealmDomain = (domain) => call("DELETE", `/realm/domains/${encodeURIComponent(domain)}`);

/** @param {string} pattern @param {string} url_template */
export const addLinkifier = (pattern, url_template) =>
  call("POST", "/realm/filters", { parameters: { pattern, url_template } });
/** @param {number} id */
export const removeLinkifier = (id) => call("DELETE", `/realm/filters/${id}`);
/** @param {number[]} ordered_linkifier_ids */
export const reorderLinkifiers = (ordered_linkifier_ids) =>
  call("PATCH", "/realm/linkifiers", { parameters: { ordered_linkifier_ids } });

/** @param {{ name: string, pygments_language: string, url_template: string }} playground */
export const addCodePlayground = (playground) => call("POST", "/realm/playgrounds", { parameters: { ...playground } });
/** @param {number} id */
export const removeCodePlayground = (id) => call("DELETE", `/realm/playgrounds/${id}`);

/** @param {{ name: string, hint: string, field_type: number, field_data?: unknown }} field */
export const createProfileField = (field) => call("POST", "/realm/profile_fields", { parameters: { ...field } });
/** @param {number} id */
export const deleteProfileField = (id) => call("DELETE", `/realm/profile_fields/${id}`);
/** @param {number[]} order */
export const reorderProfileFields = (order) => call("PATCH", "/realm/profile_fields", { parameters: { order } });

/** @param {string} name @param {File} picture */
export const uploadEmoji = (name, picture) => upload(`/realm/emoji/${encodeURIComponent(name)}`, picture);
/** @param {string} name */
export const deleteEmoji = (name) => call("DELETE", `/realm/emoji/${encodeURIComponent(name)}`);

/** @param {"public" | "full_with_consent"} export_type */
export const exportRealm = (export_type) => call("POST", "/export/realm", { parameters: { export_type } });
/** @typedef {{ id: number, export_time: number, export_url: string | null, pending: boolean, failed_timestamp: number | null, deleted_timestamp: number | null }} Export */
/** @returns {Promise<{ exports: Export[] }>} */
export const getRealmExports = () => call("GET", "/export/realm");
/** @param {number} id */
export const deleteRealmExport = (id) => call("DELETE", `/export/realm/${id}`);

/** @param {number} id @param {{ full_name?: string, role?: number }} change */
export const updateUser = (id, change) => call("PATCH", `/users/${id}`, { parameters: { ...change } });
/** @param {number} id */
export const deactivateUser = (id) => call("DELETE", `/users/${id}`);
/** @param {number} id */
export const reactivateUser = (id) => call("POST", `/users/${id}/reactivate`);
