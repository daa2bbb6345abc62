// Messages that are sent later.

import { call } from "./http.js";

/** @typedef {import("./http.js").Parameters<"POST /scheduled_messages">} NewScheduledMessage */

/** @param {NewScheduledMessage} message */
export const createScheduledMessage = (message) =>
  call("POST /scheduled_messages", { ...message, read_by_sender: true });

/** @param {number} scheduled_message_id @param {{ content?: string, scheduled_delivery_timestamp?: number }} change */
export const editScheduledMessage = (scheduled_message_id, change) =>
  call("PATCH /scheduled_messages/{scheduled_message_id}", { ...change, scheduled_message_id });

/** @param {number} scheduled_message_id */
export const deleteScheduledMessage = (scheduled_message_id) =>
  call("DELETE /scheduled_messages/{scheduled_message_id}", { scheduled_message_id });

/** @param {number} message_id @param {number} scheduled_delivery_timestamp seconds since 1970 @param {string} note */
export const createReminder = (message_id, scheduled_delivery_timestamp, note) =>
  call("POST /reminders", { message_id, scheduled_delivery_timestamp, ...(note === "" ? {} : { note }) });

/** @param {number} reminder_id */
export const deleteReminder = (reminder_id) => call("DELETE /reminders/{reminder_id}", { reminder_id });
