// The state that a register answer describes. Pure.

import { directKey, topicKey } from "./conversation.js";

/** @typedef {import("../types.js").State} State */

/** Fields of the answer that the client keeps by their names, because their events name them so. */
const PERSONAL = [
  "alert_words",
  "drafts",
  "scheduled_messages",
  "reminders",
  "saved_snippets",
  "navigation_views",
  "realm_linkifiers",
  "realm_playgrounds",
  "realm_domains",
  "realm_bots",
  "realm_embedded_bots",
  "realm_incoming_webhook_bots",
  "custom_profile_fields",
  "realm_default_streams",
  "realm_user_settings_defaults",
  "devices",
  "onboarding_steps",
  "muted_topics",
];

/** @returns {State} */
export function emptyState() {
  return {
    me: 0,
    realm: {},
    settings: {},
    users: new Map(),
    groups: new Map(),
    channels: new Map(),
    folders: [],
    emoji: new Map(),
    messages: new Map(),
    windows: new Map(),
    unread: new Map(),
    mentions: new Set(),
    starred: new Set(),
    topics: new Map(),
    directs: new Map(),
    policies: new Map(),
    presences: new Map(),
    statuses: new Map(),
    typing: new Map(),
    muted: new Set(),
    answers: new Map(),
    personal: {},
  };
}

/** @param {Record<string, any>} raw the answer of POST /register @returns {State} */
export function fromSnapshot(raw) {
  const me = raw.user_id;
  return {
    ...emptyState(),
    me,
    realm: realmOf(raw),
    settings: raw.user_settings ?? {},
    users: usersOf(raw),
    groups: new Map((raw.realm_user_groups ?? []).map((/** @type {any} */ group) => [group.id, group])),
    channels: channelsOf(raw),
    folders: raw.channel_folders ?? [],
    emoji: new Map(Object.entries(raw.realm_emoji ?? {})),
    unread: unreadOf(raw.unread_msgs, me),
    mentions: new Set(raw.unread_msgs?.mentions ?? []),
    starred: new Set(raw.starred_messages ?? []),
    directs: new Map(
      (raw.recent_private_conversations ?? []).map((/** @type {any} */ one) => [
        directKey(one.user_ids, me),
        one.max_message_id,
      ]),
    ),
    policies: new Map(
      (raw.user_topics ?? []).map((/** @type {any} */ one) => [
        topicKey(one.stream_id, one.topic_name),
        { policy: one.visibility_policy, name: one.topic_name },
      ]),
    ),
    presences: byId(raw.presences),
    statuses: byId(raw.user_status),
    muted: new Set((raw.muted_users ?? []).map((/** @type {any} */ one) => one.id)),
    personal: Object.fromEntries(PERSONAL.map((name) => [name, raw[name]])),
  };
}

/** @param {Record<string, any>} raw */
function realmOf(raw) {
  const wanted = /^(?:realm_|server_|max_|event_queue_|zulip_)/u;
  const apart =
    /^realm_(?:users|user_groups|non_active_users|bots|emoji|linkifiers|filters|playgrounds|domains|default_streams|user_settings_defaults)$/u;
  return Object.fromEntries(Object.entries(raw).filter(([name]) => wanted.test(name) && !apart.test(name)));
}

/** @param {Record<string, any>} raw */
function usersOf(raw) {
  /** @type {Map<number, import("../types.js").User>} */
  const users = new Map();
  for (const user of raw.cross_realm_bots ?? []) users.set(user.user_id, { ...user, is_active: true });
  for (const user of raw.realm_non_active_users ?? []) users.set(user.user_id, { ...user, is_active: false });
  for (const user of raw.realm_users ?? []) users.set(user.user_id, { ...user, is_active: true });
  return users;
}

/** @param {Record<string, any>} raw */
function channelsOf(raw) {
  /** @type {Map<number, import("../types.js").Channel>} */
  const channels = new Map();
  for (const one of raw.streams ?? []) channels.set(one.stream_id, { ...one, subscribed: false });
  for (const one of raw.never_subscribed ?? []) channels.set(one.stream_id, { ...one, subscribed: false });
  for (const one of raw.unsubscribed ?? []) channels.set(one.stream_id, { ...one, subscribed: false });
  for (const one of raw.subscriptions ?? []) channels.set(one.stream_id, { ...one, subscribed: true });
  return channels;
}

/**
 * Both in ascending order: mostly there is nothing before, and they are in order.
 * @param {number[] | undefined} before @param {number[]} ids
 */
function joined(before, ids) {
  const all = before === undefined ? ids : [...before, ...ids];
  return all.every((id, at) => at === 0 || (all[at - 1] ?? 0) < id) ? all : all.toSorted((a, b) => a - b);
}

/** @param {Record<string, any> | undefined} raw @param {number} me */
function unreadOf(raw, me) {
  /** @type {Map<string, import("../types.js").Unread>} */
  const unread = new Map();
  for (const { stream_id, topic, unread_message_ids } of raw?.streams ?? []) {
    const key = topicKey(stream_id, topic);
    unread.set(key, { stream_id, topic, ids: joined(unread.get(key)?.ids, unread_message_ids) });
  }
  const add = (/** @type {number[]} */ people, /** @type {number[]} */ ids) => {
    const key = directKey(people, me);
    const all = joined(unread.get(key)?.ids, ids);
    unread.set(key, { user_ids: key.slice(2).split(",").map(Number), ids: all });
  };
  for (const one of raw?.pms ?? []) add([one.other_user_id ?? one.sender_id], one.unread_message_ids);
  for (const one of raw?.huddles ?? []) add(one.user_ids_string.split(",").map(Number), one.unread_message_ids);
  return unread;
}

/** @param {Record<string, any> | undefined} raw */
const byId = (raw) => new Map(Object.entries(raw ?? {}).map(([id, value]) => [Number(id), value]));
