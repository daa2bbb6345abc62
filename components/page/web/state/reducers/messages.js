// Events about messages. Pure.

import { directKey, othersIn, withoutMark } from "../conversation.js";
import { matches, termsOf } from "../narrow.js";
import { addUnread, moveUnread, removeUnread } from "./unread.js";
import { copyOf, inserted, unknownOp, withEntry, without } from "./tools.js";

/** @typedef {import("../../types.js").State} State */
/** @typedef {import("../../types.js").Message} Message */
/** @typedef {import("../../types.js").Window} Window */
/** @typedef {import("../reduce.js").Reducer} Reducer */

/** Topics that are remembered of a channel, so that a busy one costs no more. */
const MOST_TOPICS = 500;

/** Messages of a window that events fill; beyond, its older part is let go, to be loaded again. */
const MOST_IN_WINDOW = 1500;
const LEFT_IN_WINDOW = 1000;
/** Messages in memory; beyond, those that no window shows are let go. */
const MOST_KEPT = 8000;

/** @param {Window} window @param {number} id @returns {Window} */
function withId(window, id) {
  const ids = inserted(window.ids, id);
  if (ids.length <= MOST_IN_WINDOW) return { ...window, ids };
  return { ...window, ids: ids.slice(-LEFT_IN_WINDOW), oldest: false };
}

/** @param {ReadonlyMap<number, Message>} messages @param {ReadonlyMap<string, Window>} windows */
function shownOf(messages, windows) {
  if (messages.size <= MOST_KEPT) return messages;
  const shown = new Set([...windows.values()].flatMap((window) => window.ids));
  return new Map([...messages].filter(([id]) => shown.has(id)));
}

/** @param {State} state @param {Message} message @returns {Partial<State>} */
function inWindows(state, message) {
  /** @type {Map<string, Window> | null} */
  let windows = null;
  for (const [key, window] of state.windows) {
    if (!window.newest || matches(termsOf(key), message, state) !== true) continue;
    windows ??= copyOf(state.windows);
    windows.set(key, withId(window, message.id));
  }
  if (windows === null) return {};
  return { windows, messages: shownOf(withEntry(state.messages, message.id, message), windows) };
}

/** @param {State} state @param {Message} message @returns {Partial<State>} */
function inLists(state, message) {
  if (message.type === "private")
    return { directs: withEntry(state.directs, directKey(othersIn(message), state.me), message.id) };
  const stream_id = message.stream_id ?? 0;
  const known = state.topics.get(stream_id);
  if (known === undefined) return {};
  const name = message.subject;
  const rest = known.filter((topic) => topic.name.toLowerCase() !== name.toLowerCase());
  const topics = [{ name, max_id: message.id }, ...rest].slice(0, MOST_TOPICS);
  return { topics: withEntry(state.topics, stream_id, topics) };
}

/** @param {State} state @param {Message} message */
function ended(state, message) {
  const key =
    message.type === "private"
      ? directKey(othersIn(message), state.me)
      : `c/${message.stream_id}/${message.subject.toLowerCase()}`;
  const writers = state.typing.get(key);
  if (!writers?.has(message.sender_id)) return {};
  return { typing: withEntry(state.typing, key, without(writers, [message.sender_id])) };
}

/** @type {Reducer} */
export function message(state, event) {
  /** @type {Message} */
  const message = { ...event.message, flags: event.flags ?? [] };
  const isRead = message.flags.includes("read");
  /** @type {Partial<State>} */
  const change = { ...inWindows(state, message), ...inLists(state, message), ...ended(state, message) };
  if (!isRead) {
    const where =
      message.type === "private"
        ? { user_ids: othersIn(message) }
        : { stream_id: message.stream_id ?? 0, topic: message.subject };
    change.unread = addUnread(state.unread, message.id, where, state.me);
    if (isMention(message.flags)) change.mentions = new Set(state.mentions).add(message.id);
  }
  return change;
}

/** @param {string[]} flags */
const isMention = (flags) => flags.some((flag) => flag.endsWith("mentioned"));

/** @param {ReadonlyMap<string, Window>} windows @param {Set<number>} gone @returns {ReadonlyMap<string, Window>} */
function withoutIds(windows, gone) {
  const changed = copyOf(windows);
  for (const [key, window] of windows)
    if (window.ids.some((id) => gone.has(id)))
      changed.set(key, { ...window, ids: window.ids.filter((id) => !gone.has(id)) });
  return changed;
}

/** @type {Reducer} */
export function deleteMessage(state, event) {
  /** @type {number[]} */
  const ids = event.message_ids ?? [event.message_id];
  const gone = new Set(ids);
  const left = (/** @type {ReadonlySet<number>} */ set) => new Set([...set].filter((id) => !gone.has(id)));
  return {
    messages: without(state.messages, ids),
    windows: withoutIds(state.windows, gone),
    unread: removeUnread(state.unread, ids),
    mentions: left(state.mentions),
    starred: left(state.starred),
    ...(event.stream_id === undefined ? {} : { topics: without(state.topics, [event.stream_id]) }),
  };
}

/** @type {Reducer} */
export function updateMessage(state, event) {
  const messages = copyOf(state.messages);
  const edited = messages.get(event.message_id);
  if (edited !== undefined && (event.rendered_content ?? event.buttons) !== undefined)
    messages.set(event.message_id, {
      ...edited,
      content: event.rendered_content ?? edited.content,
      // What a search has found in it is that of the old text.
      match_content: undefined,
      is_me_message: event.is_me_message ?? edited.is_me_message,
      buttons: event.buttons ?? edited.buttons,
      flags: withOwnMarks(event.flags ?? edited.flags, edited.flags),
      ...(event.rendering_only ? {} : { last_edit_timestamp: event.edit_timestamp }),
    });
  const isMove = event.subject !== undefined || event.new_stream_id !== undefined;
  if (!isMove || event.stream_id === undefined) return { messages };
  return { messages, ...moved({ ...state, messages }, event, messages) };
}

/** What the reader has set stays; an edit changes who is mentioned. @param {string[]} now @param {string[]} before */
function withOwnMarks(now, before) {
  const own = ["read", "starred", "collapsed"];
  return [...now.filter((flag) => !own.includes(flag)), ...before.filter((flag) => own.includes(flag))];
}

/**
 * @param {State} state @param {import("../../types.js").Event} event @param {Map<number, Message>} messages a copy
 * @returns {Partial<State>}
 */
function moved(state, event, messages) {
  /** @type {number[]} */
  const ids = event.message_ids;
  const stream_id = event.new_stream_id ?? event.stream_id;
  const topic = event.subject ?? event.orig_subject;
  const name = state.channels.get(stream_id)?.name;
  // Resolving a topic renames it without moving its messages.
  const isMove = stream_id !== event.stream_id || withoutMark(topic) !== withoutMark(event.orig_subject ?? topic);
  for (const id of ids) {
    const message = messages.get(id);
    if (message === undefined) continue;
    messages.set(id, {
      ...message,
      stream_id,
      subject: topic,
      display_recipient: name ?? message.display_recipient,
      ...(isMove ? { last_moved_timestamp: event.edit_timestamp } : {}),
    });
  }
  return {
    windows: windowsAfterMove({ ...state, messages }, ids, stream_id, topic),
    unread: moveUnread(state.unread, ids, stream_id, topic, state.me),
    topics: without(state.topics, [stream_id, event.stream_id]),
  };
}

/**
 * A window loses what no longer belongs to it. One that gains messages which are not at hand is
 * dropped: its view loads it anew.
 * @param {State} state @param {number[]} ids @param {number} stream_id @param {string} topic
 */
function windowsAfterMove(state, ids, stream_id, topic) {
  const windows = copyOf(state.windows);
  const areAllKnown = ids.every((id) => state.messages.has(id));
  const known = ids.map((id) => state.messages.get(id)).filter((one) => one !== undefined);
  const sample = /** @type {Message} */ (
    known[0] ?? { id: ids[0], type: "stream", stream_id, subject: topic, flags: [], reactions: [], sender_id: 0 }
  );
  for (const [key, window] of state.windows) {
    const terms = termsOf(key);
    if (matches(terms, sample, state) !== false && !areAllKnown) {
      windows.delete(key);
      continue;
    }
    const gone = known.filter((message) => matches(terms, message, state) === false).map((message) => message.id);
    let left = window.ids.filter((id) => !gone.includes(id));
    for (const message of known)
      if (matches(terms, message, state) === true && isWithin(window, message.id)) left = inserted(left, message.id);
    if (left.length !== window.ids.length || gone.length > 0) windows.set(key, { ...window, ids: left });
  }
  return windows;
}

/** @param {Window} window @param {number} id */
function isWithin(window, id) {
  const first = window.ids[0] ?? 0;
  const last = window.ids.at(-1) ?? 0;
  return (window.oldest || id > first) && (window.newest || id < last);
}

/** @type {Reducer} */
export function updateMessageFlags(state, event) {
  /** @type {number[]} */
  const ids = event.all ? [...state.messages.keys()] : event.messages;
  const isAdded = event.op === "add";
  if (!isAdded && event.op !== "remove") unknownOp(event);
  // Marks that were set here already come back as an event: then nothing changes, and nothing is drawn.
  /** @type {Map<number, Message> | null} */
  let changed = null;
  for (const id of ids) {
    const message = state.messages.get(id);
    if (message === undefined || message.flags.includes(event.flag) === isAdded) continue;
    const rest = message.flags.filter((flag) => flag !== event.flag);
    changed ??= copyOf(state.messages);
    changed.set(id, { ...message, flags: isAdded ? [...rest, event.flag] : rest });
  }
  const messages = changed ?? state.messages;
  if (event.flag === "starred") return { messages, ...starred(state, ids, isAdded) };
  if (event.flag !== "read") return { messages };
  if (isAdded) {
    if (event.all) return { messages, unread: new Map(), mentions: new Set() };
    const isAny = ids.some((id) => state.mentions.has(id));
    const read = new Set(ids);
    const mentions = isAny ? new Set([...state.mentions].filter((id) => !read.has(id))) : state.mentions;
    return { messages, unread: removeUnread(state.unread, ids), mentions };
  }
  return { messages, ...unreadAgain(state, event) };
}

/** @param {State} state @param {number[]} ids @param {boolean} isAdded @returns {Partial<State>} */
function starred(state, ids, isAdded) {
  const set = new Set(state.starred);
  for (const id of ids) {
    if (isAdded) set.add(id);
    else set.delete(id);
  }
  if (!isAdded) return { starred: set };
  // The view of starred messages may lack what is not at hand: it loads anew.
  const stale = [...state.windows.keys()].filter((key) => key.includes('"starred"'));
  return { starred: set, windows: without(state.windows, stale) };
}

/** @param {State} state @param {import("../../types.js").Event} event @returns {Partial<State>} */
function unreadAgain(state, event) {
  let unread = state.unread;
  const mentions = new Set(state.mentions);
  for (const [id, detail] of Object.entries(event.message_details ?? {})) {
    const where =
      detail.type === "private" ? { user_ids: detail.user_ids } : { stream_id: detail.stream_id, topic: detail.topic };
    unread = addUnread(unread, Number(id), where, state.me);
    if (detail.mentioned) mentions.add(Number(id));
  }
  return { unread, mentions };
}

/** @type {Reducer} */
export function reaction(state, event) {
  if (event.op !== "add" && event.op !== "remove") unknownOp(event);
  const message = state.messages.get(event.message_id);
  if (message === undefined) return {};
  const { user_id, emoji_code, emoji_name, reaction_type } = event;
  const others = message.reactions.filter(
    (one) => one.user_id !== user_id || one.emoji_code !== emoji_code || one.reaction_type !== reaction_type,
  );
  const reactions = event.op === "add" ? [...others, { user_id, emoji_code, emoji_name, reaction_type }] : others;
  return { messages: withEntry(state.messages, message.id, { ...message, reactions }) };
}

/** @type {Reducer} */
export function submessage(state, event) {
  const message = state.messages.get(event.message_id);
  if (message === undefined) return {};
  const { submessage_id: id, msg_type, content, message_id, sender_id } = event;
  const submessages = [
    ...message.submessages.filter((one) => one.id !== id),
    { id, msg_type, content, message_id, sender_id },
  ];
  return { messages: withEntry(state.messages, message_id, { ...message, submessages }) };
}
