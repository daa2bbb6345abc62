// Signing in and out: the session is a cookie that no script can read.

import { call } from "./http.js";

/** @param {import("./http.js").Parameters<"POST /sessions">} proof */
export const signIn = (proof) => call("POST /sessions", proof);

/** Sets a password with a link, and signs in. @param {string} token @param {string} new_password */
export const usePasswordLink = (token, new_password) => call("POST /password_links/use", { token, new_password });

/** Mails a link that sets a password to the account with an address, if there is one. @param {string} email */
export const requestPasswordReset = (email) => call("POST /password_resets", { email });

/** Gives the account that a mailed link names its new address. @param {string} token */
export const confirmAddress = (token) => call("POST /address_confirmations", { token });

/** Switches off the kind of mail that a link in a mail names. @param {string} key */
export const unsubscribe = (key) => call("POST /unsubscriptions", { key });

/** Another API key of the account, for other programs: keys that exist cannot be shown. @param {string} username @param {string} password */
export const fetchApiKey = (username, password) => call("POST /fetch_api_key", { username, password });

export const getSessions = () => call("GET /sessions", {});

/** @param {number | "current"} session_id */
export const endSession = (session_id) =>
  session_id === "current"
    ? call("DELETE /sessions/current", {})
    : call("DELETE /sessions/{session_id}", { session_id });

/** The public facts of the organization. */
export const getServerSettings = () => call("GET /server_settings", {});
