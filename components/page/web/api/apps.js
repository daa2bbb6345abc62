// Apps: installing, rights and settings, the log, and the buttons of their messages.

import { call, upload } from "./http.js";

/** @typedef {import("./http.js").Answer<"GET /apps">["apps"][number]} App */
/** @typedef {NonNullable<App["rights"]>} Rights */
/** @typedef {Omit<import("./http.js").Parameters<"PATCH /apps/{app_id}">, "app_id">} AppChange */
/** @typedef {{ onProgress: (share: number) => void }} Progress */

export const getApps = () => call("GET /apps", {});

/** @param {File} component @param {Progress} options */
export const installApp = (component, options) => upload("POST /apps", component, {}, options);

/** Values and settings stay. @param {number} app_id @param {File} component @param {Progress} options */
export const replaceApp = (app_id, component, options) =>
  upload("PUT /apps/{app_id}/component", component, { app_id }, options);

/** @param {number} app_id @param {AppChange} change */
export const updateApp = (app_id, change) => call("PATCH /apps/{app_id}", { ...change, app_id });

/** @param {number} app_id */
export const removeApp = (app_id) => call("DELETE /apps/{app_id}", { app_id });

/** @param {number} app_id */
export const getAppLog = (app_id) => call("GET /apps/{app_id}/log", { app_id });

/** @param {number} message_id @param {string} button */
export const clickButton = (message_id, button) => call("POST /messages/{message_id}/click", { message_id, button });
