// Channels: subscribing, and what one has set for a channel or a topic.

import { call } from "./http.js";

/** @param {string[]} names @returns {Promise<object>} */
export const subscribe = (names) =>
  call("POST", "/users/me/subscriptions", { parameters: { subscriptions: names.map((name) => ({ name })) } });

/** @param {number} stream_id @param {"is_muted" | "pin_to_top" | "color"} property @param {unknown} value */
export const updateSubscription = (stream_id, property, value) =>
  call("POST", "/users/me/subscriptions/properties", {
    parameters: { subscription_data: [{ stream_id, property, value }] },
  });

/** @param {number} stream_id @param {string} topic @param {0 | 1 | 2 | 3} visibility_policy none, muted, unmuted, followed */
export const setUserTopic = (stream_id, topic, visibility_policy) =>
  call("POST", "/user_topics", { parameters: { stream_id, topic, visibility_policy } });

/** @param {string[]} names @returns {Promise<object>} */
export const unsubscribe = (names) =>
  call("DELETE", "/users/me/subscriptions", { parameters: { subscriptions: names } });
