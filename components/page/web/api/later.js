// Messages that are sent later.

import { call } from "./http.js";

/**
 * @param {object} message
 * @param {"channel" | "direct"} message.type
 * @param {number | number[]} message.to a channel's id, or people's
 * @param {string} [message.topic]
 * @param {string} message.content
 * @param {number} message.scheduled_delivery_timestamp seconds since 1970
 * @returns {Promise<{ scheduled_message_id: number }>}
 */
export const createScheduledMessage = (message) =>
  call("POST", "/scheduled_messages", { parameters: { ...message, read_by_sender: true } });

/** @param {number} id @param {{ content?: string, scheduled_delivery_timestamp?: number }} change */
export const editScheduledMessage = (id, change) =>
  call("PATCH", `/scheduled_messages/${id}`, { parameters: { ...change } });

/** @param {number} id */
export const deleteScheduledMessage = (id) => call("DELETE", `/scheduled_messages/${id}`);

/** @param {number} message_id @param {number} scheduled_delivery_timestamp seconds since 1970 @param {string} note */
export const createReminder = (message_id, scheduled_delivery_timestamp, note) =>
  call("POST", "/reminders", {
    parameters: { message_id, scheduled_delivery_timestamp, ...(note === "" ? {} : { note }) },
  });

/** @param {number} id */
export const deleteReminder = (id) => call("DELETE", `/reminders/${id}`);
