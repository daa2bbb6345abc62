// The second factor of the account, and signing an app in.

import { call } from "./http.js";

export const getSecondFactor = () => call("GET /second_factor", {});

/** A secret for an app, with a picture of it. @param {string} password empty where the account has none */
export const beginTotp = (password) => call("POST /second_factor/totp", password === "" ? {} : { password });

/** Switches the app on; answers recovery codes. @param {string} code */
export const confirmTotp = (code) => call("POST /second_factor/totp/confirm", { code });

/** @param {string} code of the app, or a recovery code */
export const removeTotp = (code) => call("DELETE /second_factor/totp", { code });

/** @param {string} code of the app, or a recovery code */
export const renewRecoveryCodes = (code) => call("POST /second_factor/recovery_codes", { code });

/** Of another person. @param {number} user_id */
export const resetSecondFactor = (user_id) => call("DELETE /users/{user_id}/second_factor", { user_id });

/** Signs an app in: answers an address to open, or a text to paste. @param {import("../state/route.js").AppFlow} flow */
export const signInApp = ({ kind, pad }) =>
  call("POST /sessions/current/app_flow", kind === "phone" ? { mobile_flow_otp: pad } : { desktop_flow_otp: pad });
