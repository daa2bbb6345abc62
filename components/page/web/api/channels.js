// Channels: subscribing, and what one has set for a channel or a topic.

import { call } from "./http.js";

/** @param {string[]} names @returns {Promise<object>} */
export const subscribe = (names) =>
  call("POST", "/users/me/subscriptions", { parameters: { subscriptions: names.map((name) => ({ name })) } });

/** @param {number} stream_id @param {"is_muted" | "pin_to_top" | "color" | "desktop_notifications" | "audible_notifications" | "push_notifications" | "wildcard_mentions_notify"} property @param {unknown} value */
export const updateSubscription = (stream_id, property, value) =>
  call("POST", "/users/me/subscriptions/properties", {
    parameters: { subscription_data: [{ stream_id, property, value }] },
  });

/** @param {number} stream_id @param {string} topic @param {0 | 1 | 2 | 3} visibility_policy none, muted, unmuted, followed */
export const setUserTopic = (stream_id, topic, visibility_policy) =>
  call("POST", "/user_topics", { parameters: { stream_id, topic, visibility_policy } });

/**
 * @param {object} wish
 * @param {string} wish.name @param {string} wish.description @param {number[]} wish.subscribers
 * @param {boolean} wish.invite_only @param {boolean} wish.history_public_to_subscribers
 * @returns {Promise<{ id: number }>}
 */
export const createChannel = (wish) => call("POST", "/channels/create", { parameters: { ...wish } });

/** @param {number} stream_id @param {Record<string, unknown>} change @returns {Promise<object>} */
export const updateChannel = (stream_id, change) => call("PATCH", `/streams/${stream_id}`, { parameters: change });

/** @param {number} stream_id */
export const archiveChannel = (stream_id) => call("DELETE", `/streams/${stream_id}`);

/** @param {number} stream_id @returns {Promise<{ subscribers: number[] }>} */
export const getSubscribers = (stream_id) => call("GET", `/streams/${stream_id}/members`);

/** @param {string} name @param {number[]} principals @returns {Promise<object>} */
export const addSubscribers = (name, principals) =>
  call("POST", "/users/me/subscriptions", { parameters: { subscriptions: [{ name }], principals } });

/** @param {string} name @param {number[]} principals @returns {Promise<object>} */
export const removeSubscribers = (name, principals) =>
  call("DELETE", "/users/me/subscriptions", { parameters: { subscriptions: [name], principals } });

/** @param {string[]} names @returns {Promise<object>} */
export const unsubscribe = (names) =>
  call("DELETE", "/users/me/subscriptions", { parameters: { subscriptions: names } });

/** @param {string} name @returns {Promise<{ channel_folder_id: number }>} */
export const createChannelFolder = (name) =>
  call("POST", "/channel_folders/create", { parameters: { name, description: "" } });

/** @param {number} id @param {{ name?: string, is_archived?: boolean }} wish @returns {Promise<object>} */
export const updateChannelFolder = (id, wish) => call("PATCH", `/channel_folders/${id}`, { parameters: wish });

/** @param {number[]} order every folder, archived ones included @returns {Promise<object>} */
export const reorderChannelFolders = (order) => call("PATCH", "/channel_folders", { parameters: { order } });
