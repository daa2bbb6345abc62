// Signing in and out: the session is a cookie that no script can read.

import { call } from "./http.js";

/**
 * @param {{ username?: string, password?: string, sign_in_token?: string }} proof
 * @returns {Promise<{ user_id: number, session_id: number }>}
 */
export const signIn = (proof) => call("POST", "/sessions", { parameters: proof });

/**
 * Another API key of the account, for other programs: keys that exist cannot be shown.
 * @param {string} username @param {string} password @returns {Promise<{ api_key: string }>}
 */
export const fetchApiKey = (username, password) =>
  call("POST", "/fetch_api_key", { parameters: { username, password } });

/** @returns {Promise<{ sessions: import("../types.js").Session[] }>} */
export const getSessions = () => call("GET", "/sessions");

/** @param {number | "current"} id */
export const endSession = (id) => call("DELETE", `/sessions/${id}`);

/** The public facts of the organization. @returns {Promise<Record<string, any>>} */
export const getServerSettings = () => call("GET", "/server_settings");
