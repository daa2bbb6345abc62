// Recent conversations: each with when, who, and how much of it is unread.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError } from "../api/http.js";
import { Avatar } from "../people/avatar.js";
import { ChannelSign } from "../channels/channel-sign.js";
import { Icon } from "../elements/icon.js";
import { short } from "../elements/time.js";
import { conversationWith, keyOf, othersIn } from "../state/conversation.js";
import { useMenuOf } from "../frame/conversation-line.js";
import { narrowKey } from "../state/narrow.js";
import { linkToMessage } from "../state/route.js";
import { isMuted, nameOf, namesOf, topicName } from "../state/select.js";
import { now, store } from "../state/store.js";
import { grow, load } from "../state/windows.js";
import { t } from "../strings/text.js";

/** @typedef {import("../types.js").Message} Message */

const FEED = narrowKey([]);
/** Pages of the feed that are looked through. */
const PAGES = 4;
const MOST_FACES = 4;
const problem = signal("");

async function learn() {
  try {
    problem.value = "";
    if (!now().windows.get(FEED)?.newest) await load(FEED, "newest");
    for (let page = 0; page < PAGES; page += 1) await grow(FEED, "older");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    problem.value = error.status === 0 ? t("no_answer") : error.message;
  }
}

/** @returns {{ key: string, last: Message, senders: number[] }[]} */
function conversations() {
  /** @type {Map<string, { key: string, last: Message, senders: number[] }>} */
  const found = new Map();
  const ids = store.windows.value.get(FEED)?.ids ?? [];
  for (const id of ids.toReversed()) {
    const message = store.messages.value.get(id);
    if (message === undefined) continue;
    if (message.type === "stream" && isMuted(message.stream_id ?? 0, message.subject)) continue;
    const key = keyOf(message, store.me.value);
    const one = found.get(key) ?? { key, last: message, senders: [] };
    if (!one.senders.includes(message.sender_id)) one.senders.push(message.sender_id);
    found.set(key, one);
  }
  return [...found.values()];
}

/** @param {Message} message */
function nameOfDirect(message) {
  const others = othersIn(message).filter((id) => id !== store.me.value);
  return namesOf(others.length > 0 ? others : [store.me.value]);
}

/** @param {{ one: { key: string, last: Message, senders: number[] } }} properties */
function Line({ one }) {
  const { last, senders, key } = one;
  const channel = last.type === "stream" ? store.channels.value.get(last.stream_id ?? 0) : undefined;
  const unread = store.unread.value.get(key)?.ids.length ?? 0;
  const menu = useMenuOf(() => conversationWith(last, store.me.value));
  return html`<li class=${unread > 0 ? "unread" : ""} ...${menu}>
    <a href=${linkToMessage(last, false)}>
      <span class="where">
        ${last.type === "stream" ? html`<${ChannelSign} channel=${channel} /> <span class="channel">${channel?.name ?? last.display_recipient}</span>` : html`<span class="sign"><${Icon} name="people" /></span> <span class="channel">${t("direct")}</span>`}
      </span>
      <span class="name" dir="auto">${last.type === "stream" ? topicName(last.subject) : nameOfDirect(last)}</span>
      <span class="faces" role="img" aria-label=${senders.map(nameOf).join(", ")}
        >${senders.slice(0, MOST_FACES).map((id) => html`<${Avatar} key=${id} id=${id} />`)}${senders.length > MOST_FACES ? html`<span>+${senders.length - MOST_FACES}</span>` : null}</span
      >
      ${unread > 0 ? html`<span class="count">${unread}</span>` : html`<span></span>`}
      <time>${short(last.timestamp)}</time>
    </a>
  </li>`;
}

export function Recent() {
  useEffect(() => void learn(), [store.windows.value.get(FEED) === undefined]);
  const all = conversations();
  const isLoading = store.windows.value.get(FEED) === undefined;
  return html`<div class="page" tabindex="0" role="region" aria-label=${t("recent")}>
    <div class="sheet recent">
      ${problem.value === "" ? null : html`<p class="edge error" role="alert">${problem}</p>`}
      ${isLoading && problem.value === "" ? html`<p class="edge" role="status">${t("loading")}</p>` : null}
      ${
        !isLoading && all.length === 0
          ? html`<div class="nothing">
              <h2>${t("no_conversations")}</h2>
              <p>${t("no_conversations_text")}</p>
            </div>`
          : null
      }
      <ul>
        ${all.map((one) => html`<${Line} key=${one.key} one=${one} />`)}
      </ul>
    </div>
  </div>`;
}
