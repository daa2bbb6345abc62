// Recent conversations: each with when, who, and how much of it is unread. Further ones are loaded as one scrolls.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Avatar } from "../people/avatar.js";
import { ChannelSign } from "../channels/channel-sign.js";
import { Count } from "../elements/count.js";
import { Filter } from "../elements/filter.js";
import { Icon } from "../elements/icon.js";
import { memo } from "../elements/memo.js";
import { short } from "../elements/time.js";
import { useMenuOf } from "../frame/conversation-line.js";
import { attempt } from "../frame/note.js";
import { isComplete, isStale, loadRecent, recent } from "../state/recent.js";
import { linkToPeople, linkToTopic } from "../state/route.js";
import { isMuted, nameOf, namesOf, topicName } from "../state/select.js";
import { beginnings, store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../state/recent.js").Recent} Recent */
/** @typedef {"all" | "unread" | "directs" | "mine"} Kind */

const MOST_FACES = 4;
/** Pixels before the end of the list at which the next page is asked for. */
const AHEAD = 800;
const problem = signal("");
const sought = signal("");
const kind = signal(/** @type {Kind} */ ("all"));
const withMuted = signal(false);

/** @type {readonly [Kind, import("../strings/text.js").Key][]} */
const KINDS = [
  ["all", "all_conversations"],
  ["unread", "only_unread"],
  ["directs", "directs"],
  ["mine", "taken_part"],
];

/** Whether a filter lets it through. @param {string} key @param {Recent} one */
function isWanted(key, { of, senders }) {
  const isUnread = store.unread.value.has(key);
  if (kind.value === "unread" && !isUnread) return false;
  if (kind.value === "directs" && of.kind !== "direct") return false;
  if (kind.value === "mine" && !senders.includes(store.me.value)) return false;
  const channel = of.kind === "topic" ? store.channels.value.get(of.stream_id) : undefined;
  if (of.kind === "topic" && channel?.subscribed !== true) return false;
  if (of.kind === "topic" && !withMuted.value && isMuted(of.stream_id, of.topic)) return false;
  const name = of.kind === "topic" ? `${channel?.name} ${topicName(of.topic)}` : namesOf(of.people);
  const words = sought.value.trim().toLowerCase().split(/\s+/u);
  return words.every((word) => name.toLowerCase().includes(word));
}

const Line = memo((/** @type {{ id: string, one: Recent }} */ { id, one }) => {
  const { of, senders, timestamp } = one;
  const channel = of.kind === "topic" ? store.channels.value.get(of.stream_id) : undefined;
  const unread = store.unread.value.get(id)?.ids ?? [];
  const menu = useMenuOf(() => of);
  const where =
    of.kind === "topic"
      ? html`<${ChannelSign} channel=${channel} /> <span class="channel" dir="auto">${channel?.name}</span>`
      : html`<span class="sign"><${Icon} name="people" /></span> <span class="channel">${t("direct")}</span>`;
  return html`<li class=${unread.length > 0 ? "unread" : ""} ...${menu}>
    <a href=${of.kind === "topic" ? linkToTopic(of.stream_id, of.topic) : linkToPeople(of.people)}>
      <span class="where">${where}</span>
      <span class="name" dir="auto">${of.kind === "topic" ? topicName(of.topic) : namesOf(of.people)}</span>
      <span class="faces" role="img" aria-label=${senders.map(nameOf).join(", ")}
        >${senders.slice(0, MOST_FACES).map((sender) => html`<${Avatar} key=${sender} id=${sender} />`)}${senders.length > MOST_FACES ? html`<span>+${senders.length - MOST_FACES}</span>` : null}</span
      >
      <span class="counts">
        ${unread.some((message) => store.mentions.value.has(message)) ? html`<span class="at" role="img" aria-label=${t("mentions")}>@</span>` : null}
        <${Count} count=${unread.length} />
      </span>
      <time>${short(timestamp)}</time>
    </a>
  </li>`;
});

const learn = () => attempt(loadRecent, problem);

/** Arrows go from line to line. @param {KeyboardEvent & { currentTarget: HTMLElement }} event */
function key(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const all = [...event.currentTarget.querySelectorAll("li a")];
  const next = all[all.indexOf(/** @type {Element} */ (document.activeElement)) + step];
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  next.focus();
}

const Filters = () =>
  html`<div class="filters">
    <${Filter} sought=${sought} />
    <div class="kinds" role="group" aria-label=${t("filter")}>
      ${KINDS.map(
        ([name, text]) =>
          html`<button
            type="button"
            class="chip"
            aria-pressed=${kind.value === name}
            onClick=${() => (kind.value = name)}
          >
            ${t(text)}
          </button>`,
      )}
      <button
        type="button"
        class="chip"
        aria-pressed=${withMuted.value}
        onClick=${() => (withMuted.value = !withMuted.value)}
      >
        ${t("muted_too")}
      </button>
    </div>
  </div>`;

export function Recent() {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const all = [...recent.value].filter(([id, one]) => isWanted(id, one)).sort(([, a], [, b]) => b.max_id - a.max_id);
  const isOver = isComplete.value && !isStale.value;
  const look = () => {
    const box = place.current;
    if (box === null || isOver || problem.value !== "") return;
    if (isStale.value || box.scrollHeight - box.scrollTop - box.clientHeight < AHEAD) void learn();
  };
  // A filter may leave less than the screen shows.
  useEffect(look);
  // Connected again, or another visit: it is tried again.
  useEffect(() => void (problem.value = ""), [beginnings.value]);
  return html`<div
    ref=${place}
    class="page"
    tabindex="0"
    role="region"
    aria-label=${t("recent")}
    onScroll=${look}
    onKeyDown=${key}
  >
    <div class="sheet recent">
      <${Filters} />
      <ul>
        ${all.map(([id, one]) => html`<${Line} key=${id} id=${id} one=${one} />`)}
      </ul>
      ${
        problem.value === ""
          ? null
          : html`<p class="edge error" role="alert">
              ${problem.value} <button type="button" class="plain" onClick=${learn}>${t("try_again")}</button>
            </p>`
      }
      ${!isOver && problem.value === "" ? html`<p class="edge" role="status">${t("loading")}</p>` : null}
      ${
        isOver && all.length === 0
          ? html`<div class="nothing">
              <h2>${t(recent.value.size === 0 ? "no_conversations" : "nothing_found")}</h2>
              ${recent.value.size === 0 ? html`<p>${t("no_conversations_text")}</p>` : null}
            </div>`
          : null
      }
    </div>
  </div>`;
}
