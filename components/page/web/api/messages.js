// Messages: reading, sending, changing, marking.

import { call } from "./http.js";

/** @typedef {import("../types.js").Message} Message */
/** @typedef {import("./http.js").Parameters<"GET /messages">} Wish */
/** @typedef {Omit<import("./http.js").Parameters<"PATCH /messages/{message_id}">, "message_id">} MessageChange */

/**
 * @typedef {object} Page
 * @property {Message[]} messages ascending by id
 * @property {number} anchor
 * @property {boolean} found_anchor
 * @property {boolean} found_oldest
 * @property {boolean} found_newest
 */

/**
 * Messages around an anchor.
 * @param {Wish} wish @param {AbortSignal} [signal]
 * @returns {Promise<Page>}
 */
export const getMessages = (wish, signal) =>
  /** @type {Promise<any>} */ (
    call(
      "GET /messages",
      { ...wish, client_gravatar: false, apply_markdown: true, allow_empty_topic_name: true },
      { signal },
    )
  );

/** Conversations whose newest message is before this one. @param {number | undefined} before @param {number} limit */
export const getRecentConversations = (before, limit) =>
  call("GET /users/me/recent_conversations", {
    limit,
    allow_empty_topic_name: true,
    ...(before === undefined ? {} : { before }),
  });

/** The message with its Markdown. @param {number} message_id */
export const getMessage = (message_id) =>
  call("GET /messages/{message_id}", { message_id, allow_empty_topic_name: true });

/** @param {import("./http.js").Parameters<"POST /messages">} message `queue_id` and `local_id`: this queue learns which of its messages it is */
export const sendMessage = (message) => call("POST /messages", { ...message, read_by_sender: true });

/** @param {number} message_id @param {MessageChange} change */
export const updateMessage = (message_id, change) => call("PATCH /messages/{message_id}", { ...change, message_id });

/** @param {number} message_id */
export const deleteMessage = (message_id) => call("DELETE /messages/{message_id}", { message_id });

/** @param {number} message_id */
export const getHistory = (message_id) =>
  call("GET /messages/{message_id}/history", { message_id, allow_empty_topic_name: true });

/** @param {number[]} messages @param {"add" | "remove"} op @param {"read" | "starred" | "collapsed"} flag */
export const updateFlags = (messages, op, flag) => call("POST /messages/flags", { messages, op, flag });

/** Marks what a narrow holds, some thousands at once. @param {import("./http.js").Parameters<"POST /messages/flags/narrow">} wish */
export const updateFlagsOfNarrow = (wish) => call("POST /messages/flags/narrow", wish);

/** @param {number} stream_id @param {string} topic_name */
export const markTopicAsRead = (stream_id, topic_name) => call("POST /mark_topic_as_read", { stream_id, topic_name });

/** @param {number} stream_id */
export const markChannelAsRead = (stream_id) => call("POST /mark_stream_as_read", { stream_id });

/** Deletes a part of a large topic; to be repeated until it is complete. @param {number} stream_id @param {string} topic_name */
export const deleteTopic = (stream_id, topic_name) =>
  call("POST /streams/{stream_id}/delete_topic", { stream_id, topic_name });

/** @typedef {{ emoji_name: string, emoji_code: string, reaction_type: import("./operations.d.ts").ReactionType }} Emoji */

/** @param {number} message_id @param {Emoji} emoji */
export const addReaction = (message_id, emoji) =>
  call("POST /messages/{message_id}/reactions", { ...emoji, message_id });

/** @param {number} message_id @param {Emoji} emoji */
export const removeReaction = (message_id, emoji) =>
  call("DELETE /messages/{message_id}/reactions", { ...emoji, message_id });

/** @param {number} message_id @param {Record<string, unknown>} deed what is done with a poll or a to-do list */
export const sendSubmessage = (message_id, deed) =>
  call("POST /submessage", { message_id, msg_type: "widget", content: JSON.stringify(deed) });

/** @param {number} message_id @param {import("./operations.d.ts").Operations["POST /messages/{message_id}/report"]["parameters"]["report_type"]} report_type @param {string} description */
export const reportMessage = (message_id, report_type, description) =>
  call("POST /messages/{message_id}/report", { message_id, report_type, description });

/** @param {number} message_id */
export const getReadReceipts = (message_id) => call("GET /messages/{message_id}/read_receipts", { message_id });

/** @param {string} content Markdown */
export const renderMessage = (content) => call("POST /messages/render", { content });

/**
 * @param {"start" | "stop"} op
 * @param {{ type: "direct", to: number[] } | { type: "channel", stream_id: number, topic: string }} where
 */
export const setTyping = (op, where) => call("POST /typing", { op, ...where });

/** @param {number} stream_id */
export const getTopics = (stream_id) =>
  call("GET /users/me/{stream_id}/topics", { stream_id, allow_empty_topic_name: true });
