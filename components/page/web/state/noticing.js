// Which messages a notification is shown for, and its text. Pure.

import { policyOf, topicKey } from "./conversation.js";

/** @typedef {import("../types.js").State} State */
/** @typedef {import("../types.js").Message} Message */

const MUTED = 1;
const UNMUTED = 2;
const FOLLOWED = 3;
const WILDCARDS = ["stream_wildcard_mentioned", "topic_wildcard_mentioned", "wildcard_mentioned"];
const NOTHING = { screen: false, sound: false };

/**
 * @param {State} state @param {Message} message that has just come
 * @returns {{ screen: boolean, sound: boolean }}
 */
export function noticeOf(state, message) {
  const { settings } = state;
  if (message.sender_id === state.me || message.flags.includes("read") || state.muted.has(message.sender_id))
    return NOTHING;
  const always = {
    screen: settings["enable_desktop_notifications"] === true,
    sound: settings["enable_sounds"] === true,
  };
  const isFor = (/** @type {string} */ flag) => message.flags.includes(flag);
  if (message.type === "private" || isFor("mentioned") || isFor("has_alert_word")) return always;
  const id = message.stream_id ?? 0;
  const channel = /** @type {any} */ (state.channels.get(id));
  const policy = policyOf(state.policies, topicKey(id, message.subject));
  const isHushed = policy === MUTED || (channel?.is_muted && policy !== UNMUTED && policy !== FOLLOWED);
  if (channel === undefined || isHushed) return NOTHING;
  const wantsAll = channel.wildcard_mentions_notify ?? settings["wildcard_mentions_notify"] === true;
  const wantsFollowed = policy === FOLLOWED && settings["enable_followed_topic_wildcard_mentions_notify"] === true;
  if (WILDCARDS.some(isFor) && (wantsAll || wantsFollowed)) return always;
  const isFollowed = (/** @type {string} */ name) => policy === FOLLOWED && settings[name] === true;
  return {
    screen:
      isFollowed("enable_followed_topic_desktop_notifications") ||
      (channel.desktop_notifications ?? settings["enable_stream_desktop_notifications"] === true),
    sound:
      isFollowed("enable_followed_topic_audible_notifications") ||
      (channel.audible_notifications ?? settings["enable_stream_audible_notifications"] === true),
  };
}

const ENTITIES = /** @type {Record<string, string>} */ ({
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  nbsp: " ",
  amp: "&",
});
const MOST = 200;

/** The beginning of a message without its markup. @param {string} html */
export function textOf(html) {
  const text = html
    .replace(/<br ?\/?>|<\/(?:p|li|div|h\d|blockquote|pre)>/gu, " ")
    .replace(/<[^>]*>/gu, "")
    .replace(/&(#39|\w+);/gu, (whole, name) => ENTITIES[name] ?? whole)
    .replace(/\s+/gu, " ")
    .trim();
  const letters = [...text];
  return letters.length > MOST ? `${letters.slice(0, MOST).join("")}…` : text;
}

const COUNT_ALL = 1;
const COUNT_NONE = 4;

/**
 * The number on the icon of the page.
 * @param {number | undefined} setting desktop_icon_count_display
 * @param {{ all: number, direct: number, mentions: number }} counts
 */
export function iconCount(setting, { all, direct, mentions }) {
  if (setting === COUNT_NONE) return 0;
  return (setting ?? COUNT_ALL) === COUNT_ALL ? all : direct + mentions;
}
