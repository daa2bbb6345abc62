// Signing in and out: the session is a cookie that no script can read.

import { call } from "./http.js";

/** @param {import("./http.js").Parameters<"POST /sessions">} proof */
export const signIn = (proof) => call("POST /sessions", proof);

/** Sets a password with a link, and signs in. @param {string} token @param {string} new_password @param {string} [second_factor] */
export const usePasswordLink = (token, new_password, second_factor) =>
  call("POST /password_links/use", { token, new_password, ...(second_factor === undefined ? {} : { second_factor }) });

/** Mails a link that sets a password to the account with an address, if there is one. @param {string} email */
export const requestPasswordReset = (email) => call("POST /password_resets", { email });

/** Gives the account that a mailed link names its new address. @param {string} token */
export const confirmAddress = (token) => call("POST /address_confirmations", { token });

/** Switches off the kind of mail that a link in a mail names. @param {string} key */
export const unsubscribe = (key) => call("POST /unsubscriptions", { key });

export const getApiKeys = () => call("GET /api_keys", {});
/** @typedef {Awaited<ReturnType<typeof getApiKeys>>["api_keys"][number]} ApiKey */

/** Makes a key, which is shown only once. @param {import("./http.js").Parameters<"POST /api_keys">} key */
export const createApiKey = (key) => call("POST /api_keys", key);

/** @param {number} key_id */
export const endApiKey = (key_id) => call("DELETE /api_keys/{key_id}", { key_id });

export const getSessions = () => call("GET /sessions", {});

/** @param {number} session_id */
export const endSession = (session_id) => call("DELETE /sessions/{session_id}", { session_id });

/** Signs this browser out. */
export const endCurrentSession = () => call("DELETE /sessions/current", {});

/** The company accounts with which one signs in. */
export const getIdentities = () => call("GET /identities", {});

/** @param {number} identity_id */
export const disconnectIdentity = (identity_id) => call("DELETE /identities/{identity_id}", { identity_id });

/** The public facts of the organization. */
export const getServerSettings = () => call("GET /server_settings", {});
