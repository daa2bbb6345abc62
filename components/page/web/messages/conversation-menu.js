// What one can do with a conversation, wherever it is named: mark it read, mute or follow a topic, rename, move,
// resolve or delete it, mute or pin a channel, leave it.

import {
  archiveChannel,
  setUserTopic,
  subscribe,
  unsubscribe,
  updateChannel,
  updateSubscription,
} from "../api/channels.js";
import {
  deleteTopic,
  getMessages,
  markChannelAsRead,
  markTopicAsRead,
  updateFlags,
  updateMessage,
} from "../api/messages.js";
import { leave } from "../channels/leave.js";
import { copyText } from "../elements/copy.js";
import { ask } from "../elements/dialog.js";
import { openMenu } from "../elements/menu.js";
import { withModule } from "../frame/later.js";
import { attempt, note } from "../frame/note.js";
import { openPerson } from "../frame/open.js";
import { directKey, isResolved, policyOf, RESOLVED, topicKey, withoutMark } from "../state/conversation.js";
import { readAll } from "../state/marks.js";
import { conversationOf, narrowKey } from "../state/narrow.js";
import { amDeleter, mayAdminister } from "../state/rights.js";
import { linkToChannel, linkToPeople, linkToTopic } from "../state/route.js";
import { conversationName, FOLLOWED, isMuted, MUTED, nameOf, topicName, UNMUTED } from "../state/select.js";
import { now, store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../state/narrow.js").Narrow} Narrow */
/** @typedef {import("../elements/menu.js").Item} Item */
/** @typedef {NonNullable<ReturnType<typeof conversationOf>>} Conversation */

/** @param {Conversation} one @returns {import("../types.js").Term[]} */
function termsOf(one) {
  if (one.kind === "direct") return [{ operator: "dm", operand: one.people }];
  const channel = { operator: "channel", operand: one.stream_id };
  return one.kind === "channel" ? [channel] : [channel, { operator: "topic", operand: one.topic }];
}

/** @param {Conversation} one */
function linkOf(one) {
  if (one.kind === "direct") return linkToPeople(one.people);
  return one.kind === "channel" ? linkToChannel(one.stream_id) : linkToTopic(one.stream_id, one.topic);
}

/** What is known to be unread there. @param {Conversation} one @returns {number[]} */
function unreadOf(one) {
  const all = store.unread.value;
  if (one.kind === "channel")
    return [...all.values()].filter((other) => other.stream_id === one.stream_id).flatMap((other) => other.ids);
  const key = one.kind === "topic" ? topicKey(one.stream_id, one.topic) : directKey(one.people, store.me.value);
  return all.get(key)?.ids ?? [];
}

/** @param {number[]} ids of what was unread */
const noteRead = (ids) =>
  note(t("marked_read"), ids.length === 0 ? undefined : () => updateFlags(ids, "remove", "read"));

/** There may be more than the client knows, so the server gets the conversation. @param {Conversation} one */
export async function read(one) {
  const ids = unreadOf(one);
  if (one.kind === "topic") await markTopicAsRead(one.stream_id, one.topic);
  else if (one.kind === "channel") await markChannelAsRead(one.stream_id);
  else await readAll(termsOf(one));
  noteRead(ids);
}

/** All of a view; what is known of it can be unread again. @param {Narrow} narrow */
async function readView({ terms }) {
  const all = [...store.unread.value.values()].flatMap((one) => one.ids);
  const shown = new Set(now().windows.get(narrowKey(terms))?.ids);
  const ids = terms.length === 0 ? all : all.filter((id) => shown.has(id));
  await readAll(terms);
  noteRead(ids);
}

/** @param {Narrow} narrow */
export function readNarrow(narrow) {
  const here = conversationOf(narrow.terms);
  return attempt(() => (here === null ? readView(narrow) : read(here)));
}

/** The latest message of a topic: changes of a topic name one of its messages. @param {number} stream_id @param {string} topic */
async function latestOf(stream_id, topic) {
  const narrow = termsOf({ kind: "topic", stream_id, topic });
  const { messages } = await getMessages({ anchor: "newest", num_before: 1, num_after: 0, narrow });
  const message = messages.at(-1);
  if (message === undefined) throw new Error(t("no_messages"));
  return message;
}

/** @param {string} topic @param {number} id of one of its messages */
export async function resolve(topic, id) {
  const rename = (/** @type {string} */ next) =>
    updateMessage(id, { topic: next, propagate_mode: "change_all", send_notification_to_old_thread: false });
  const isDone = isResolved(topic);
  await rename(isDone ? withoutMark(topic) : `${RESOLVED}${topic}`);
  note(t(isDone ? "unresolved_one" : "resolved_one", { name: withoutMark(topic) }), () => rename(topic));
}

/** @param {number} stream_id @param {string} topic */
const move = (stream_id, topic) =>
  withModule(
    () => Promise.all([import("./move.js"), latestOf(stream_id, topic)]),
    ([it, message]) => it.openMove(message, true),
  );

/** @param {number} stream_id @param {string} topic */
const remove = (stream_id, topic) =>
  ask({
    title: t("remove_one", { name: topicName(topic) }),
    text: t("delete_topic_text"),
    action: t("delete"),
    run: async () => {
      // A large topic is deleted in parts.
      while (!(await deleteTopic(stream_id, topic)).complete);
    },
  });

/**
 * Sets what an account wants of a topic, and offers to take that back.
 * @param {number} stream_id @param {string} topic @param {number} next @param {import("../strings/text.js").Key} text
 */
const setPolicy = (stream_id, topic, next, text) =>
  attempt(async () => {
    const policy = policyOf(store.policies.value, topicKey(stream_id, topic));
    await setUserTopic(stream_id, topic, /** @type {any} */ (next));
    note(t(text, { name: topicName(topic) }), () => setUserTopic(stream_id, topic, /** @type {any} */ (policy)));
  });

/** @param {number} stream_id @param {string} topic */
export function toggleMute(stream_id, topic) {
  if (!isMuted(stream_id, topic)) return setPolicy(stream_id, topic, MUTED, "muted_one");
  const isOfMuted = store.channels.value.get(stream_id)?.is_muted === true;
  return setPolicy(stream_id, topic, isOfMuted ? UNMUTED : 0, "unmuted_one");
}

/** @param {number} stream_id @param {string} topic @returns {Item[]} */
function forTopic(stream_id, topic) {
  const policy = policyOf(store.policies.value, topicKey(stream_id, topic));
  const channel = store.channels.value.get(stream_id);
  const set = (/** @type {number} */ next, /** @type {import("../strings/text.js").Key} */ text) => () =>
    setPolicy(stream_id, topic, next, text);
  const toggle = () => toggleMute(stream_id, topic);
  return [
    policy === FOLLOWED
      ? { name: "star", text: t("unfollow_topic"), run: set(0, "unfollowed_one") }
      : { name: "star", text: t("follow_topic"), run: set(FOLLOWED, "followed_one") },
    isMuted(stream_id, topic)
      ? { name: "eye", text: t("unmute_topic"), run: toggle }
      : { name: "close", text: t("mute_topic"), run: toggle },
    channel?.is_archived
      ? null
      : {
          name: "check",
          text: t(isResolved(topic) ? "unresolve" : "resolve"),
          run: () => attempt(async () => resolve(topic, (await latestOf(stream_id, topic)).id)),
        },
    channel?.is_archived ? null : { name: "move", text: t("move_topic"), run: () => move(stream_id, topic) },
  ];
}

/** @param {import("../types.js").Channel} channel */
const archive = (channel) =>
  ask({
    title: t("archive_one", { name: channel.name }),
    text: t("archive_text"),
    action: t("archive_channel"),
    run: async () => {
      await archiveChannel(channel.stream_id);
      note(t("archived_one", { name: channel.name }), () => updateChannel(channel.stream_id, { is_archived: false }));
    },
  });

/** A private one cannot be joined again: `leave` asks before. @param {import("../types.js").Channel} channel */
function unsubscribeFrom(channel) {
  if (channel.invite_only) return leave(channel);
  return attempt(async () => {
    await unsubscribe([channel.name]);
    note(t("left_one", { name: channel.name }), () => subscribe([channel.name]));
  });
}

/** @param {number} stream_id @returns {{ own: Item[], others: Item[], grave: Item[] }} what only this account has of it, what all have, what takes something away */
function forChannel(stream_id) {
  const channel = store.channels.value.get(stream_id);
  if (channel === undefined) return { own: [], others: [], grave: [] };
  const may = mayAdminister(channel) && !channel.is_archived;
  const set =
    (
      /** @type {"is_muted" | "pin_to_top"} */ property,
      /** @type {[import("../strings/text.js").Key, import("../strings/text.js").Key]} */ [on, off],
    ) =>
    () =>
      attempt(async () => {
        const was = channel[property] === true;
        await updateSubscription(stream_id, property, !was);
        note(t(was ? off : on, { name: channel.name }), () => updateSubscription(stream_id, property, was));
      });
  const dialog = (/** @type {() => Promise<any>} */ load) => () => withModule(load, (open) => open(channel));
  return {
    own: channel.subscribed
      ? [
          {
            name: "pin",
            text: t(channel.pin_to_top ? "unpin_channel" : "pin_channel"),
            run: set("pin_to_top", ["pinned_one", "unpinned_one"]),
          },
          {
            name: channel.is_muted ? "eye" : "close",
            text: t(channel.is_muted ? "unmute_channel" : "mute_channel"),
            run: set("is_muted", ["muted_one", "unmuted_one"]),
          },
        ]
      : [],
    others: [
      {
        name: "people",
        text: t("people_in"),
        run: dialog(async () => (await import("../channels/channel-people.js")).openChannelPeople),
      },
      may
        ? {
            name: "edit",
            text: t("change_channel"),
            run: dialog(async () => (await import("../channels/channel-form.js")).openChannelForm),
          }
        : null,
    ],
    grave: [
      channel.subscribed
        ? { name: "back", text: t("unsubscribe"), run: () => unsubscribeFrom(channel), is_grave: true }
        : null,
      may ? { name: "trash", text: t("archive_channel"), run: () => archive(channel), is_grave: true } : null,
    ],
  };
}

/** @param {Conversation} one @returns {Item[]} */
function itemsOf(one) {
  const copy = async () => {
    const isDone = await copyText(new URL(linkOf(one), `${location.origin}/`).href);
    note(t(isDone ? "link_copied" : "copy_failed"));
  };
  /** @type {Item} */
  const marking = { name: "inbox", text: t("mark_read"), run: () => attempt(() => read(one)) };
  /** @type {Item} */
  const copying = { name: "link", text: t("copy_link"), run: copy };
  if (one.kind === "channel") {
    const { own, others, grave } = forChannel(one.stream_id);
    return [marking, ...own, ...others, copying, ...grave];
  }
  if (one.kind === "topic") {
    const channel = store.channels.value.get(one.stream_id);
    return [
      marking,
      ...forTopic(one.stream_id, one.topic),
      copying,
      amDeleter(channel)
        ? { name: "trash", text: t("delete_topic"), run: () => remove(one.stream_id, one.topic), is_grave: true }
        : null,
    ];
  }
  const [person] = one.people;
  return [
    marking,
    person !== undefined && one.people.length === 1
      ? { name: "people", text: t("profile_of", { name: nameOf(person) }), run: () => openPerson(person) }
      : null,
    copying,
  ];
}

/**
 * @param {Conversation} one @param {HTMLElement} from what gets the focus again
 * @param {{ x: number, y: number }} [at] where it was pressed
 */
export const openMenuOf = (one, from, at) =>
  openMenu(from, conversationName(one, t("unknown_channel")), itemsOf(one), at);

/** Of the view on the screen. @param {Narrow} narrow @param {HTMLElement} from the button */
export function openConversationMenu(narrow, from) {
  const here = conversationOf(narrow.terms);
  if (here !== null) openMenuOf(here, from);
  else openMenu(from, t("more"), [{ name: "inbox", text: t("mark_read"), run: () => readNarrow(narrow) }]);
}
