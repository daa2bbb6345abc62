// One's own profile: the fields that the organization asks for.

import { call } from "./http.js";

/** @typedef {import("./operations.d.ts").ProfileEntry} Entry an empty value takes it away */

/** @param {Entry[]} data */
export const updateProfile = (data) => call("PATCH /users/me/profile_data", { data });
