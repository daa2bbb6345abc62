// Channels: subscribing, and what one has set for a channel or a topic.

import { call } from "./http.js";

/** @typedef {import("./http.js").Parameters<"POST /channels/create">} NewChannel */
/** @typedef {Omit<import("./http.js").Parameters<"PATCH /streams/{stream_id}">, "stream_id">} ChannelChange */
/** @typedef {import("./http.js").Parameters<"POST /users/me/subscriptions/properties">["subscription_data"][number]["property"]} Property */

/** @param {string[]} names */
export const subscribe = (names) =>
  call("POST /users/me/subscriptions", { subscriptions: names.map((name) => ({ name })) });

/** @param {number} stream_id @param {Property} property @param {any} value */
export const updateSubscription = (stream_id, property, value) =>
  call("POST /users/me/subscriptions/properties", { subscription_data: [{ stream_id, property, value }] });

/** @param {number} stream_id @param {string} topic @param {0 | 1 | 2 | 3} visibility_policy none, muted, unmuted, followed */
export const setUserTopic = (stream_id, topic, visibility_policy) =>
  call("POST /user_topics", { stream_id, topic, visibility_policy });

/** @param {NewChannel} channel */
export const createChannel = (channel) => call("POST /channels/create", channel);

/** @param {number} stream_id @param {ChannelChange} change */
export const updateChannel = (stream_id, change) => call("PATCH /streams/{stream_id}", { ...change, stream_id });

/** @param {number} stream_id */
export const archiveChannel = (stream_id) => call("DELETE /streams/{stream_id}", { stream_id });

/** @param {number} stream_id */
export const getSubscribers = (stream_id) => call("GET /streams/{stream_id}/members", { stream_id });

/** @param {string} name @param {number[]} principals */
export const addSubscribers = (name, principals) =>
  call("POST /users/me/subscriptions", { subscriptions: [{ name }], principals });

/** @param {string} name @param {number[]} principals */
export const removeSubscribers = (name, principals) =>
  call("DELETE /users/me/subscriptions", { subscriptions: [name], principals });

/** @param {string[]} subscriptions names of channels */
export const unsubscribe = (subscriptions) => call("DELETE /users/me/subscriptions", { subscriptions });

/** @param {string} name */
export const createChannelFolder = (name) => call("POST /channel_folders/create", { name, description: "" });

/** @param {number} channel_folder_id @param {{ name?: string, is_archived?: boolean }} change */
export const updateChannelFolder = (channel_folder_id, change) =>
  call("PATCH /channel_folders/{channel_folder_id}", { ...change, channel_folder_id });

/** @param {number[]} order every folder, archived ones included */
export const reorderChannelFolders = (order) => call("PATCH /channel_folders", { order });
