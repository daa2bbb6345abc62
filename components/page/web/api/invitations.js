// Invitations: links that let people make an account.

import { call } from "./http.js";

/**
 * @typedef {object} Wish
 * @property {number} invite_as role
 * @property {number[]} stream_ids
 * @property {number | null} invite_expires_in_minutes null: never
 */

/** @param {Wish} wish @returns {Promise<{ invite_link: string }>} a link for all who have it */
export const createInviteLink = (wish) => call("POST", "/invites/multiuse", { parameters: { ...wish } });

/**
 * @param {Wish & { invitee_emails: string }} wish
 * @returns {Promise<{ invitations: { id: number, email: string, link_url: string }[] }>} a link for each; the server sends no mail
 */
export const sendInvites = (wish) => call("POST", "/invites", { parameters: { ...wish } });

/** @typedef {{ id: number, email?: string, link_url?: string, invited_by_user_id: number, is_multiuse: boolean, invited_as: number, expiry_date: number | null }} Invitation */

/** @returns {Promise<{ invites: Invitation[] }>} */
export const getInvites = () => call("GET", "/invites");

/** @param {Invitation} invitation */
export const revokeInvitation = ({ id, is_multiuse }) =>
  call("DELETE", is_multiuse ? `/invites/multiuse/${id}` : `/invites/${id}`);
