// What one can do with the conversation on the screen: mark it read, mute or follow a topic, mute or
// pin a channel, leave it.

import { archiveChannel, setUserTopic, updateSubscription } from "../api/channels.js";
import { markChannelAsRead, markTopicAsRead } from "../api/messages.js";
import { policyOf, topicKey } from "../state/conversation.js";
import { readAll } from "../state/marks.js";
import { conversationOf } from "../state/narrow.js";
import { mayAdminister } from "../state/rights.js";
import { FOLLOWED, isMuted, MUTED, UNMUTED } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { ask } from "../elements/dialog.js";
import { withModule } from "../frame/later.js";
import { leave } from "../channels/leave.js";
import { openMenu } from "../elements/menu.js";
import { attempt } from "../frame/note.js";

/** @typedef {import("../state/narrow.js").Narrow} Narrow */
/** @typedef {import("../elements/menu.js").Item} Item */

/** @param {Narrow} narrow */
function read(narrow) {
  const here = conversationOf(narrow.terms);
  if (here?.kind === "topic") return markTopicAsRead(here.stream_id, here.topic);
  if (here?.kind === "channel") return markChannelAsRead(here.stream_id);
  return readAll(narrow.terms);
}

/** @param {number} stream_id @param {string} topic @returns {Item[]} */
function forTopic(stream_id, topic) {
  const policy = policyOf(store.policies.value, topicKey(stream_id, topic));
  const set = (/** @type {0 | 1 | 2 | 3} */ next) => () => attempt(() => setUserTopic(stream_id, topic, next));
  const isHushed = isMuted(stream_id, topic);
  const channelIsMuted = store.channels.value.get(stream_id)?.is_muted === true;
  return [
    policy === FOLLOWED
      ? { name: "star", text: t("unfollow_topic"), run: set(0) }
      : { name: "star", text: t("follow_topic"), run: set(FOLLOWED) },
    isHushed
      ? { name: "eye", text: t("unmute_topic"), run: set(channelIsMuted ? UNMUTED : 0) }
      : { name: "close", text: t("mute_topic"), run: set(MUTED) },
  ];
}

/** @param {import("../types.js").Channel} channel */
const archive = (channel) =>
  ask({
    title: t("archive_one", { name: channel.name }),
    text: t("archive_text"),
    action: t("archive_channel"),
    run: () => archiveChannel(channel.stream_id),
  });

/** @param {number} stream_id @returns {Item[]} */
function forChannel(stream_id) {
  const channel = store.channels.value.get(stream_id);
  if (channel === undefined) return [];
  const may = mayAdminister(channel) && !channel.is_archived;
  /** @type {Item[]} */
  const ofChannel = [
    {
      name: "people",
      text: t("people_in"),
      run: () =>
        withModule(
          () => import("../channels/channel-people.js"),
          (it) => it.openChannelPeople(channel),
        ),
    },
    may
      ? {
          name: "edit",
          text: t("change_channel"),
          run: () =>
            withModule(
              () => import("../channels/channel-form.js"),
              (it) => it.openChannelForm(channel),
            ),
        }
      : null,
    may ? { name: "trash", text: t("archive_channel"), run: () => archive(channel), is_grave: true } : null,
  ];
  if (!channel.subscribed) return ofChannel;
  const set = (/** @type {"is_muted" | "pin_to_top"} */ property) => () =>
    attempt(() => updateSubscription(stream_id, property, channel[property] !== true));
  return [
    { name: "pin", text: t(channel.pin_to_top ? "unpin_channel" : "pin_channel"), run: set("pin_to_top") },
    {
      name: channel.is_muted ? "eye" : "close",
      text: t(channel.is_muted ? "unmute_channel" : "mute_channel"),
      run: set("is_muted"),
    },
    ...ofChannel.slice(0, -1),
    { name: "back", text: t("unsubscribe"), run: () => leave(channel), is_grave: true },
    ...ofChannel.slice(-1),
  ];
}

/** @param {Narrow} narrow @returns {Item[]} */
function items(narrow) {
  const here = conversationOf(narrow.terms);
  /** @type {Item[]} */
  const all = [{ name: "check", text: t("mark_read"), run: () => attempt(() => read(narrow)) }];
  if (here?.kind === "topic") all.push(...forTopic(here.stream_id, here.topic));
  if (here?.kind === "channel") all.push(...forChannel(here.stream_id));
  return all;
}

/** @param {Narrow} narrow @param {HTMLElement} from the button */
export const openConversationMenu = (narrow, from) => openMenu(from, t("more"), items(narrow));
