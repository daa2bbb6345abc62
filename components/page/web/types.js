// Shapes that travel between modules. Nothing here runs.

/** @typedef {{ type: string, id: number, op?: string, [field: string]: any }} Event */

/** @typedef {{ operator: string, operand: string | number | number[], negated?: boolean }} Term */

/**
 * @typedef {object} Message
 * @property {number} id
 * @property {"stream" | "private"} type
 * @property {number} sender_id
 * @property {string} sender_full_name
 * @property {string} content HTML, as the server has rendered it
 * @property {number} timestamp
 * @property {string} subject topic
 * @property {number} [stream_id]
 * @property {string | { id: number, full_name: string, email: string }[]} display_recipient
 * @property {Reaction[]} reactions
 * @property {{ id: number, msg_type: string, content: string, message_id: number, sender_id: number }[]} submessages
 * @property {{ id: string, label: string }[]} [buttons] of the app that has sent it
 * @property {boolean} is_me_message
 * @property {string[]} flags
 * @property {string | null} [avatar_url]
 * @property {number} [last_edit_timestamp]
 * @property {number} [last_moved_timestamp]
 * @property {string} [match_content]
 * @property {string} [match_subject]
 */

/** @typedef {import("./api/messages.js").Emoji & { user_id: number }} Reaction */

/** What an app has answered to this account alone; no message. @typedef {{ bot_id: number, content: string }} Answer */

/**
 * @typedef {object} User
 * @property {number} user_id
 * @property {string} full_name
 * @property {string} email
 * @property {boolean} is_bot
 * @property {boolean} is_active
 * @property {boolean} [is_guest]
 * @property {number} [role]
 * @property {string | null} [avatar_url]
 * @property {string} [timezone]
 */

/**
 * A channel as far as this account may know it, and what the account has set for it.
 * @typedef {object} Channel
 * @property {number} stream_id
 * @property {string} name
 * @property {string} description
 * @property {string} rendered_description
 * @property {boolean} invite_only
 * @property {boolean} is_web_public
 * @property {boolean} is_archived
 * @property {number | null} folder_id
 * @property {boolean} subscribed
 * @property {string} [color]
 * @property {boolean} [is_muted]
 * @property {boolean} [pin_to_top]
 * @property {string} [topics_policy]
 * @property {number} [subscriber_count]
 * @property {boolean} [awaits_peers] whether the next `peer_add` lists subscribers that are counted already
 */

/** @typedef {{ id: number, name: string, order: number, is_archived: boolean, description: string }} Folder */
/** @typedef {{ id: string, name: string, source_url: string, still_url: string | null, deactivated: boolean }} CustomEmoji */
/** @typedef {{ id: number, client: string, created: number, last_used: number, is_current: boolean }} Session */
/** @typedef {{ status_text?: string, emoji_name?: string, emoji_code?: string, reaction_type?: import("./api/messages.js").Emoji["reaction_type"], scheduled_end_time?: number | null }} Status */
/** @typedef {{ active_timestamp: number, idle_timestamp: number }} Presence */

/**
 * A part of the messages of a view, in order and without gaps.
 * @typedef {object} Window
 * @property {number[]} ids
 * @property {boolean} oldest whether it begins with the first message there is
 * @property {boolean} newest whether it ends with the last one
 */

/**
 * Unread messages of one conversation.
 * @typedef {object} Unread
 * @property {number[]} ids ascending
 * @property {number} [stream_id]
 * @property {string} [topic]
 * @property {number[]} [user_ids] the others; the own id alone for notes to oneself
 */

/** @typedef {{ name: string, max_id: number }} Topic */

/**
 * Everything the client knows, as plain data. Reducers return new values of what changes.
 * @typedef {object} State
 * @property {number} me
 * @property {Record<string, any>} realm fields of the snapshot with prefixes realm_, server_ and max_
 * @property {Record<string, any>} settings
 * @property {ReadonlyMap<number, User>} users
 * @property {ReadonlyMap<number, Record<string, any>>} groups
 * @property {ReadonlyMap<number, Channel>} channels
 * @property {readonly Folder[]} folders
 * @property {ReadonlyMap<string, CustomEmoji>} emoji
 * @property {ReadonlyMap<number, Message>} messages
 * @property {ReadonlyMap<string, Window>} windows by the key of a narrow
 * @property {ReadonlyMap<string, Unread>} unread by the key of a conversation
 * @property {ReadonlySet<number>} mentions unread ones
 * @property {ReadonlySet<number>} starred
 * @property {ReadonlyMap<number, readonly Topic[]>} topics by channel, newest first
 * @property {ReadonlyMap<string, number>} directs newest message by the key of a conversation
 * @property {ReadonlyMap<string, { policy: number, name: string }>} policies visibility by the key of a topic, whose case is in `name`
 * @property {ReadonlyMap<number, Presence>} presences
 * @property {ReadonlyMap<number, Status>} statuses
 * @property {ReadonlyMap<string, ReadonlyMap<number, number>>} typing by conversation: who, and until when (ms)
 * @property {ReadonlySet<number>} muted people
 * @property {ReadonlyMap<number, readonly Answer[]>} answers of apps, by the message that they are about
 * @property {Record<string, any>} personal drafts, snippets, views, words and the like, as the server keeps them
 */

export {};
