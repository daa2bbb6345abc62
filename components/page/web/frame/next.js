// Keys that go to another conversation: the next unread one, the channel before or after that of the view.

import { directKey, policyOf, topicKey } from "../state/conversation.js";
import { nextDirect, nextTopic } from "../state/next-unread.js";
import { conversation, go, linkToChannel, linkToPeople, linkToTopic } from "../state/route.js";
import { FOLLOWED, isMuted, sections } from "../state/select.js";
import { now, store } from "../state/store.js";
import { t } from "../strings/text.js";
import { note } from "./note.js";

/** @typedef {import("../types.js").Unread} Unread */

/** The channels of the sidebar, in its order. */
function channels() {
  const { pinned, folders, others } = sections.peek();
  return [...pinned, ...folders.flatMap((one) => one.channels), ...others].map((one) => one.stream_id);
}

/** @returns {import("../state/next-unread.js").Here} */
function here() {
  const one = conversation.peek();
  if (one === null) return { key: "", stream_id: 0 };
  if (one.kind === "direct") return { key: directKey(one.people, now().me), stream_id: 0 };
  return { key: one.kind === "topic" ? topicKey(one.stream_id, one.topic) : "", stream_id: one.stream_id };
}

/** @param {Unread | undefined} one */
function open(one) {
  if (one === undefined) note(t("no_more_unread"));
  else if (one.stream_id === undefined) go(linkToPeople(one.user_ids ?? []));
  else go(linkToTopic(one.stream_id, one.topic ?? ""));
}

/** @param {boolean} onlyFollowed */
export function toNextTopic(onlyFollowed) {
  const wanted = [...store.unread.peek()].filter(
    ([key, { stream_id = 0, topic = "" }]) =>
      !isMuted(stream_id, topic) && (!onlyFollowed || policyOf(store.policies.peek(), key) === FOLLOWED),
  );
  open(nextTopic(wanted, channels(), here()));
}

export const toNextDirect = () => open(nextDirect([...store.unread.peek()], here()));

/** @param {1 | -1} step */
export function toChannel(step) {
  const all = channels();
  const at = all.indexOf(here().stream_id);
  const next = all.at(at < 0 ? (step > 0 ? 0 : -1) : (at + step) % all.length);
  if (next !== undefined) go(linkToChannel(next));
}
