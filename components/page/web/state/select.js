// What views ask of the state: names, counts, lists in order. Computed once for all who ask.

import { computed } from "@preact/signals-core";
import { peopleOf, policyOf, topicKey } from "./conversation.js";
import { store } from "./store.js";

/** @typedef {import("../types.js").Channel} Channel */
/** @typedef {import("../types.js").Unread} Unread */

export const MUTED = 1;
export const UNMUTED = 2;
export const FOLLOWED = 3;

/** @param {number} id */
export const nameOf = (id) => store.users.value.get(id)?.full_name ?? "?";

/** The people of a conversation as a text. @param {readonly number[]} people */
export const namesOf = (people) => people.map(nameOf).join(", ");

/** @param {string} topic */
export const topicName = (topic) => (topic === "" ? (store.realm.value.realm_empty_topic_display_name ?? "") : topic);

/**
 * What a conversation is called.
 * @param {NonNullable<ReturnType<typeof import("./narrow.js").conversationOf>>} here
 * @param {string} unknown what a channel is called that one may not know
 */
export function conversationName(here, unknown) {
  if (here.kind === "direct") return namesOf(here.people);
  const channel = store.channels.value.get(here.stream_id)?.name ?? unknown;
  return here.kind === "topic" ? `${channel} › ${topicName(here.topic)}` : channel;
}

/** @param {number} stream_id @param {string} topic */
export const isMuted = (stream_id, topic) => isMutedIn(stream_id, topicKey(stream_id, topic));

/** @param {number} stream_id @param {string} key of the topic */
function isMutedIn(stream_id, key) {
  const policy = policyOf(store.policies.value, key);
  if (policy === MUTED) return true;
  if (policy === UNMUTED || policy === FOLLOWED) return false;
  return store.channels.value.get(stream_id)?.is_muted === true;
}

/** Unread counts: all that count, by channel, of direct messages, by conversation. */
export const counts = computed(() => {
  /** @type {Map<number, number>} */
  const channels = new Map();
  let all = 0;
  let direct = 0;
  for (const [key, one] of store.unread.value) {
    if (one.stream_id === undefined) {
      const isFromMuted = one.user_ids?.length === 1 && store.muted.value.has(one.user_ids[0] ?? 0);
      if (!isFromMuted) direct += one.ids.length;
    } else if (!isMutedIn(one.stream_id, key) && store.channels.value.get(one.stream_id)?.subscribed) {
      channels.set(one.stream_id, (channels.get(one.stream_id) ?? 0) + one.ids.length);
      all += one.ids.length;
    }
  }
  return { all: all + direct, direct, channels, mentions: store.mentions.value.size };
});

/** @type {Map<number, import("@preact/signals-core").ReadonlySignal<number>>} */
const channelCounts = new Map();

/** Unread messages of a channel: its line is drawn again when this number changes, not with each. @param {number} id */
export function unreadIn(id) {
  let count = channelCounts.get(id);
  if (count === undefined) {
    count = computed(() => counts.value.channels.get(id) ?? 0);
    channelCounts.set(id, count);
  }
  return count.value;
}

const collator = new Intl.Collator();
/** @param {Channel} a @param {Channel} b */
const byName = (a, b) => collator.compare(a.name, b.name);

/** The channels of the sidebar by section, each in order; muted ones last in each. */
export const sections = computed(() => {
  const mine = [...store.channels.value.values()].filter((one) => one.subscribed && !one.is_archived);
  const ordered = (/** @type {Channel[]} */ list) =>
    list.sort((a, b) => Number(a.is_muted ?? false) - Number(b.is_muted ?? false) || byName(a, b));
  const folders = store.folders.value.filter((one) => !one.is_archived).toSorted((a, b) => a.order - b.order);
  const known = new Set(folders.map((one) => one.id));
  const isPinned = (/** @type {Channel} */ one) => one.pin_to_top === true;
  return {
    pinned: ordered(mine.filter(isPinned)),
    folders: folders
      .map((folder) => ({
        folder,
        channels: ordered(mine.filter((one) => !isPinned(one) && one.folder_id === folder.id)),
      }))
      .filter((one) => one.channels.length > 0),
    others: ordered(mine.filter((one) => !isPinned(one) && !known.has(one.folder_id ?? -1))),
  };
});

/** Conversations with people, the latest first; unread ones are all among them. */
export const directs = computed(() => {
  const newest = new Map(store.directs.value);
  for (const [key, one] of store.unread.value)
    if (one.stream_id === undefined) newest.set(key, Math.max(newest.get(key) ?? 0, one.ids.at(-1) ?? 0));
  return [...newest]
    .map(([key, max_id]) => ({
      key,
      people: peopleOf(key),
      max_id,
      unread: store.unread.value.get(key)?.ids.length ?? 0,
    }))
    .sort((a, b) => b.max_id - a.max_id);
});

/**
 * The topics of a channel that are known, the latest first.
 * @param {number} stream_id
 */
export function topicsOf(stream_id) {
  /** @type {Map<string, { name: string, max_id: number, unread: number }>} */
  const topics = new Map();
  for (const { name, max_id } of store.topics.value.get(stream_id) ?? [])
    topics.set(name.toLowerCase(), { name, max_id, unread: 0 });
  for (const one of store.unread.value.values()) {
    if (one.stream_id !== stream_id) continue;
    const name = one.topic ?? "";
    const max_id = one.ids.at(-1) ?? 0;
    const before = topics.get(name.toLowerCase());
    topics.set(name.toLowerCase(), {
      name: before?.name ?? name,
      max_id: Math.max(max_id, before?.max_id ?? 0),
      unread: one.ids.length,
    });
  }
  return [...topics.values()].sort((a, b) => b.max_id - a.max_id);
}

/**
 * Whether an account is in a group-setting value, directly or through groups in groups.
 * @param {any} value a group's id, or `{direct_members, direct_subgroups}`
 */
export function amIn(value) {
  const me = store.me.value;
  const groups = store.groups.value;
  const seen = new Set();
  const isIn = (/** @type {number} */ id) => {
    if (seen.has(id)) return false;
    seen.add(id);
    const group = groups.get(id);
    return group !== undefined && (group.members.includes(me) || group.direct_subgroup_ids.some(isIn));
  };
  if (typeof value === "number") return isIn(value);
  if (typeof value !== "object" || value === null) return false;
  return value.direct_members.includes(me) || value.direct_subgroups.some(isIn);
}

/** @param {number} id @param {number} seconds now @returns {"active" | "idle" | ""} */
export function presenceOf(id, seconds) {
  const one = store.presences.value.get(id);
  if (one === undefined) return "";
  const limit = store.realm.value.server_presence_offline_threshold_seconds ?? 200;
  if (seconds - one.active_timestamp < limit) return "active";
  return seconds - one.idle_timestamp < limit ? "idle" : "";
}
