// Messages: reading, sending, changing, marking.

import { call } from "./http.js";

/** @typedef {import("../types.js").Message} Message */
/** @typedef {import("../types.js").Term} Term */

/**
 * @typedef {object} Page
 * @property {Message[]} messages ascending by id
 * @property {number} anchor
 * @property {boolean} found_anchor
 * @property {boolean} found_oldest
 * @property {boolean} found_newest
 */

/**
 * @param {object} wish
 * @param {number | "newest" | "oldest" | "first_unread" | "date"} wish.anchor
 * @param {string} [wish.anchor_date] with the anchor "date"
 * @param {boolean} [wish.include_anchor]
 * @param {number} wish.num_before
 * @param {number} wish.num_after
 * @param {Term[]} wish.narrow
 * @param {AbortSignal} [signal]
 * @returns {Promise<Page>}
 */
export const getMessages = (wish, signal) =>
  call("GET", "/messages", {
    parameters: { ...wish, client_gravatar: false, apply_markdown: true, allow_empty_topic_name: true },
    signal,
  });

/** The message with its Markdown. @param {number} id @returns {Promise<{ message: Message, raw_content: string }>} */
export const getMessage = (id) => call("GET", `/messages/${id}`, { parameters: { allow_empty_topic_name: true } });

/**
 * @param {object} message
 * @param {"channel" | "direct"} message.type
 * @param {string} message.to a channel's id, or a list of people's ids as JSON
 * @param {string} [message.topic]
 * @param {string} message.content
 * @param {string} [message.queue_id] with local_id: this queue learns which of its messages it is
 * @param {string} [message.local_id]
 * @returns {Promise<{ id: number }>}
 */
export const sendMessage = (message) => call("POST", "/messages", { parameters: { ...message, read_by_sender: true } });

/** @param {number} id @param {Record<string, unknown>} change @returns {Promise<object>} */
export const updateMessage = (id, change) => call("PATCH", `/messages/${id}`, { parameters: change });

/** @param {number} id */
export const deleteMessage = (id) => call("DELETE", `/messages/${id}`);

/** @param {number} id @returns {Promise<{ message_history: Record<string, any>[] }>} */
export const getHistory = (id) =>
  call("GET", `/messages/${id}/history`, { parameters: { allow_empty_topic_name: true } });

/** @param {number[]} messages @param {"add" | "remove"} op @param {"read" | "starred" | "collapsed"} flag */
export const updateFlags = (messages, op, flag) =>
  call("POST", "/messages/flags", { parameters: { messages, op, flag } });

/**
 * Marks what a narrow holds, some thousands at once.
 * @param {object} wish
 * @param {number | "newest" | "oldest" | "first_unread"} wish.anchor
 * @param {boolean} [wish.include_anchor]
 * @param {number} wish.num_before @param {number} wish.num_after
 * @param {Term[]} wish.narrow @param {"add" | "remove"} wish.op @param {string} wish.flag
 * @returns {Promise<{ found_newest: boolean, last_processed_id: number | null }>}
 */
export const updateFlagsOfNarrow = (wish) => call("POST", "/messages/flags/narrow", { parameters: { ...wish } });

/** @param {number} stream_id @param {string} topic_name */
export const markTopicAsRead = (stream_id, topic_name) =>
  call("POST", "/mark_topic_as_read", { parameters: { stream_id, topic_name } });

/** @param {number} stream_id */
export const markChannelAsRead = (stream_id) => call("POST", "/mark_stream_as_read", { parameters: { stream_id } });

/** @typedef {{ emoji_name: string, emoji_code: string, reaction_type: string }} Emoji */

/** @param {number} id @param {Emoji} emoji */
export const addReaction = (id, emoji) => call("POST", `/messages/${id}/reactions`, { parameters: { ...emoji } });

/** @param {number} id @param {Emoji} emoji */
export const removeReaction = (id, emoji) => call("DELETE", `/messages/${id}/reactions`, { parameters: { ...emoji } });

/** @param {number} message_id @param {Record<string, unknown>} deed what is done with a poll or a to-do list */
export const sendSubmessage = (message_id, deed) =>
  call("POST", "/submessage", { parameters: { message_id, msg_type: "widget", content: JSON.stringify(deed) } });

/** @param {number} id @param {string} report_type @param {string} description */
export const reportMessage = (id, report_type, description) =>
  call("POST", `/messages/${id}/report`, { parameters: { report_type, description } });

/** @param {number} id @returns {Promise<{ user_ids: number[] }>} */
export const getReadReceipts = (id) => call("GET", `/messages/${id}/read_receipts`);

/** @param {string} content Markdown @returns {Promise<{ rendered: string }>} */
export const renderMessage = (content) => call("POST", "/messages/render", { parameters: { content } });

/**
 * @param {"start" | "stop"} op
 * @param {{ type: "direct", to: number[] } | { type: "channel", stream_id: number, topic: string }} where
 */
export const setTyping = (op, where) => call("POST", "/typing", { parameters: { op, ...where } });

/** @param {number} stream_id @returns {Promise<{ topics: { name: string, max_id: number }[] }>} */
export const getTopics = (stream_id) =>
  call("GET", `/users/me/${stream_id}/topics`, { parameters: { allow_empty_topic_name: true } });
