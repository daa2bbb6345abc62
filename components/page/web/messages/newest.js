// The button to the newest message, for a reader far above it: shows how many messages are new, and whether one
// mentions the reader.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { Icon } from "../elements/icon.js";
import { directKey, topicKey } from "../state/conversation.js";
import { conversationOf } from "../state/narrow.js";
import { isMuted } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../state/narrow.js").Narrow} Narrow */

/** The last message on the screen; 0: the newest is about there. */
export const lastSeen = signal(0);

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
