// The way to the newest message, for a reader far above it: how many messages are new, and whether one mentions the
// reader. At the end, unread messages above it can be marked as read.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { Icon } from "../elements/icon.js";
import { readNarrow } from "../frame/open.js";
import { directKey, topicKey } from "../state/conversation.js";
import { conversationOf } from "../state/narrow.js";
import { isMuted } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../state/narrow.js").Narrow} Narrow */

/** The last message on the screen; 0: the newest is about there. */
export const lastSeen = signal(0);

/** What a jump to the newest message passed over. @type {import("@preact/signals").Signal<readonly number[]>} */
export const skipped = signal([]);

/** Unread messages of a narrow, as far as they are known without its messages. @param {Narrow} narrow @returns {number[]} */
function unreadOf({ terms }) {
  const here = conversationOf(terms);
  const all = store.unread.value;
  if (here?.kind === "topic") return all.get(topicKey(here.stream_id, here.topic))?.ids ?? [];
  if (here?.kind === "direct") return all.get(directKey(here.people, store.me.value))?.ids ?? [];
  if (here === null && terms.length > 0) return [];
  return [...all.values()]
    .filter(({ stream_id = 0, topic = "" }) =>
      here === null ? stream_id === 0 || !isMuted(stream_id, topic) : stream_id === here.stream_id,
    )
    .flatMap((one) => one.ids);
}

/** @param {{ narrow: Narrow, go: () => void }} properties */
export function Newest({ narrow, go }) {
  const last = lastSeen.value;
  if (last === 0) return null;
  const fresh = unreadOf(narrow).filter((id) => id > last);
  const isMentioned = fresh.some((id) => store.mentions.value.has(id));
  return html`<div class="newest">
    <button type="button" class="plain" onClick=${go}>
      ${isMentioned ? html`<span class="at" role="img" aria-label=${t("mentions")}>@</span>` : null}
      <span>${fresh.length === 0 ? t("newest") : t("new_below", { n: fresh.length })}</span> <${Icon} name="down" />
    </button>
  </div>`;
}

/**
 * The reader has jumped to the newest message. The messages on the screen count until they are seen: the button below
 * them may push some of them out before.
 * @param {Narrow} narrow @param {number} first that is on the screen now
 */
export function noteSkipped(narrow, first) {
  const unread = unreadOf(narrow);
  skipped.value = unread.some((id) => id < first) ? unread : [];
}

/**
 * Below the last message. Looking at a view of single messages marks none of them.
 * @param {{ narrow: Narrow, isMarking: boolean, messages: readonly import("../types.js").Message[] }} properties
 */
export function StillUnread({ narrow, isMarking, messages }) {
  const unread = isMarking ? new Set(unreadOf(narrow)) : null;
  const isLeft = unread === null && messages.some((message) => !message.flags.includes("read"));
  const left = unread === null ? [] : skipped.value.filter((id) => unread.has(id));
  if (!isLeft && left.length === 0) return null;
  return html`<p class="edge">
    <button type="button" class="plain" onClick=${() => readNarrow(narrow)}>
      ${isLeft ? t("mark_read") : t("mark_read_count", { n: left.length })}
    </button>
  </p>`;
}
