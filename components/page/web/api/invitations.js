// Invitations: links that let people make an account.

import { call } from "./http.js";

/** @typedef {import("./operations.d.ts").Invitation} Invitation */

/** A link for all who have it. @param {import("./http.js").Parameters<"POST /invites/multiuse">} invitation */
export const createInviteLink = (invitation) => call("POST /invites/multiuse", invitation);

/** A link for each; the server sends no mail. @param {import("./http.js").Parameters<"POST /invites">} invitation */
export const sendInvites = (invitation) => call("POST /invites", invitation);

export const getInvites = () => call("GET /invites", {});

/** @param {Invitation} invitation */
export const revokeInvitation = ({ id, is_multiuse }) =>
  is_multiuse
    ? call("DELETE /invites/multiuse/{invite_id}", { invite_id: id })
    : call("DELETE /invites/{invite_id}", { invite_id: id });
