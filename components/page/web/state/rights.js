// What this account may do, as far as can be said here: what it may not is not offered. The server decides.

import { amIn } from "./select.js";
import { store } from "./store.js";

/** @typedef {import("../types.js").Channel} Channel */

const OWNER = 100;
const ADMINISTRATOR = 200;
const MODERATOR = 300;

export const amAdministrator = () => (store.users.value.get(store.me.value)?.role ?? 400) <= ADMINISTRATOR;
/** Whether the role of this account is above that of a member. */
export const amModerator = () => (store.users.value.get(store.me.value)?.role ?? 400) <= MODERATOR;
export const amOwner = () => store.users.value.get(store.me.value)?.role === OWNER;

/** @param {string} name without `realm_` */
const inRealmGroup = (name) => amIn(store.realm.value[`realm_${name}`]);

/** @param {Channel} channel @param {string} name of a permission of the channel */
const inChannelGroup = (channel, name) => amIn(/** @type {any} */ (channel)[name]);

/** @param {Channel} channel */
export const mayAdminister = (channel) => amAdministrator() || inChannelGroup(channel, "can_administer_channel_group");

/** @param {Channel} channel */
export const mayAddTo = (channel) =>
  mayAdminister(channel) ||
  inChannelGroup(channel, "can_add_subscribers_group") ||
  (inRealmGroup("can_add_subscribers_group") && (channel.subscribed || !channel.invite_only));

/** @param {Channel} channel */
export const mayRemoveFrom = (channel) =>
  mayAdminister(channel) || inChannelGroup(channel, "can_remove_subscribers_group");

/** Whether this account may delete what others wrote. @param {Channel | undefined} channel */
export const amDeleter = (channel) =>
  inRealmGroup("can_delete_any_message_group") ||
  (channel !== undefined && inChannelGroup(channel, "can_delete_any_message_group"));

/** @param {boolean} isPrivate */
export const mayCreateChannel = (isPrivate) =>
  inRealmGroup(isPrivate ? "can_create_private_channel_group" : "can_create_public_channel_group");

/** Channels that can be read without an account. */
export const mayCreateWebChannel = () =>
  store.realm.value["server_web_public_streams_enabled"] === true &&
  store.realm.value["realm_enable_spectator_access"] === true &&
  inRealmGroup("can_create_web_public_channel_group");

export const mayInviteByAddress = () => inRealmGroup("can_invite_users_group");
export const mayInviteByLink = () => inRealmGroup("create_multiuse_invite_group");
export const mayInvite = () => mayInviteByAddress() || mayInviteByLink();
export const mayAddEmoji = () => inRealmGroup("can_add_custom_emoji_group");
/** API keys with names. */
export const mayMakeKeys = () => inRealmGroup("can_create_api_keys_group");
export const mayCreateBots = () => amAdministrator() || inRealmGroup("can_create_bots_group");
/** Bots that only send: incoming webhooks. */
export const mayCreateHooks = () => mayCreateBots() || inRealmGroup("can_create_write_only_bots_group");
