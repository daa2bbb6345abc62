// The sidebar: the built-in views, conversations with people, channels under their folders.

import { html } from "htm/preact";
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { isResolved } from "../state/conversation.js";
import { conversation, hash, linkToChannel, linkToPeople, linkToTopic, route } from "../state/route.js";
import { directs, isMuted, namesOf, sections, topicName, topicsOf, unreadIn } from "../state/select.js";
import { findPeople } from "../state/people.js";
import { mayCreateChannel } from "../state/rights.js";
import { learnTopics } from "../state/topics.js";
import { t } from "../strings/text.js";
import { goToWrite, startWriting } from "../compose/compose-state.js";
import { PersonLine } from "../people/person-line.js";
import { ChannelSign } from "../channels/channel-sign.js";
import { Count } from "../elements/count.js";
import { useDrawn } from "../elements/gradually.js";
import { Icon } from "../elements/icon.js";
import { memo } from "../elements/memo.js";
import { ConversationLine, followsLink } from "./conversation-line.js";
import { openNewChannel } from "./open.js";
import { ViewLinks } from "./view-links.js";

/** @typedef {import("../types.js").Channel} Channel */

const FEW_DIRECTS = 6;
const FEW_TOPICS = 6;
const IN_PART = 20;
/** People that the filter shows besides those one has written to. */
const MOST_PEOPLE = 20;
const sought = signal("");
const areAllDirectsShown = signal(false);
/** Channels whose topics are shown besides that of the view. @type {import("@preact/signals-core").Signal<ReadonlySet<number>>} */
const unfolded = signal(new Set());
/** Folders and sections that are folded. @type {import("@preact/signals-core").Signal<ReadonlySet<string>>} */
const folded = signal(new Set());

const openChannel = computed(() => {
  const now = conversation.value;
  return now !== null && now.kind !== "direct" ? now.stream_id : 0;
});

/** @template T @param {import("@preact/signals-core").Signal<ReadonlySet<T>>} set @param {T} value */
function flip(set, value) {
  const next = new Set(set.value);
  if (!next.delete(value)) next.add(value);
  set.value = next;
}

/** @param {string} name */
const fits = (name) => sought.value === "" || name.toLowerCase().includes(sought.value.toLowerCase());

function Directs() {
  const all = directs.value.filter((one) => fits(namesOf(one.people)));
  if (all.length === 0 && sought.value !== "") return null;
  const shown =
    areAllDirectsShown.value || sought.value !== ""
      ? all.slice(0, 100)
      : all.filter((one, at) => at < FEW_DIRECTS || one.unread > 0);
  const here = conversation.value;
  const current = here?.kind === "direct" ? here.people.join() : "";
  const add = { label: t("new_direct"), run: () => startWriting({ kind: "direct", people: [] }) };
  return html`<${Section} name="directs" title=${t("directs")} add=${add}>
    <ul>
      ${shown.map(
        (one) =>
          html`<li key=${one.key}>
            ${
              one.people.length === 1
                ? html`<${PersonLine}
                    id=${one.people[0]}
                    name=${namesOf(one.people)}
                    isHere=${current === one.people.join()}
                    unread=${one.unread}
                  />`
                : html`<${ConversationLine}
                    of=${() => ({ kind: "direct", people: one.people })}
                    href=${linkToPeople(one.people)}
                    isHere=${current === one.people.join()}
                    isToWrite
                  >
                    <span class="sign"><${Icon} name="people" /></span>
                    <span class="name" dir="auto">${namesOf(one.people)}</span>
                    <${Count} count=${one.unread} />
                  <//>`
            }
          </li>`,
      )}
    </ul>
    ${all.length > shown.length ? html`<button type="button" class="more" onClick=${() => (areAllDirectsShown.value = true)}>${t("more_directs", { n: all.length - shown.length })}</button>` : null}
  <//>`;
}

/** Those whom the filter finds besides the conversations above. */
function People() {
  const above = directs.value.filter((one) => one.people.length === 1 && fits(namesOf(one.people)));
  const except = above.map((one) => one.people[0] ?? 0);
  const found = findPeople(sought.value, except, MOST_PEOPLE);
  if (found.length === 0) return null;
  return html`<${Section} name="people" title=${t("people")}>
    <ul>
      ${found.map(({ user_id: id, full_name: name }) => html`<li key=${id}><${PersonLine} id=${id} name=${name} /></li>`)}
    </ul>
  <//>`;
}

/** @typedef {{ label: string, run: () => unknown }} Add what the button next to a heading begins */

/** @param {{ name: string, title: string, add?: Add | null, children?: any }} properties */
function Section({ name, title, add = null, children }) {
  const isFolded = folded.value.has(name) && sought.value === "";
  return html`<section>
    <div class="head">
      <h2><button type="button" aria-expanded=${!isFolded} onClick=${() => flip(folded, name)}>${title}</button></h2>
      ${
        add === null
          ? null
          : html`<button type="button" class="quiet" title=${add.label} aria-label=${add.label} onClick=${add.run}>
              <${Icon} name="add" />
            </button>`
      }
    </div>
    ${isFolded ? null : children}
  </section>`;
}

/** @param {{ name: string, title: string, channels: Channel[], add?: Add | null }} properties add: its heading is always there */
function Channels({ name, title, channels, add = null }) {
  const shown = channels.filter(
    (one) => fits(one.name) || (sought.value !== "" && topicsOf(one.stream_id).some((topic) => fits(topic.name))),
  );
  const open = openChannel.value;
  const isChannel = conversation.value?.kind === "channel";
  const drawn = useDrawn(shown.length);
  const here = Math.floor(shown.findIndex((one) => one.stream_id === open) / IN_PART);
  const line = (/** @type {Channel} */ channel) => {
    const id = channel.stream_id;
    return html`<${ChannelLine}
      key=${id}
      channel=${channel}
      isOpen=${open === id || unfolded.value.has(id) || (sought.value !== "" && !fits(channel.name))}
      isHere=${isChannel && open === id}
    />`;
  };
  if (shown.length === 0 && (add === null || sought.value !== "")) return null;
  // What is not drawn yet keeps its room: the channel of the view is where it will be.
  const lists = parts(shown).map((part, at) =>
    at * IN_PART < drawn || (here >= 0 && Math.abs(at - here) <= 1)
      ? html`<ul key=${at} class=${part.length === IN_PART ? "many" : ""}>
          ${part.map(line)}
        </ul>`
      : html`<div key=${`room-${at}`} class="room"></div>`,
  );
  return html`<${Section} name=${name} title=${title} add=${add}>${lists}<//>`;
}

/** Lists of a few channels each: the browser lays out only those that are on the screen. @param {Channel[]} channels */
function parts(channels) {
  const count = Math.ceil(channels.length / IN_PART);
  return Array.from({ length: count }, (_, at) => channels.slice(at * IN_PART, (at + 1) * IN_PART));
}

/** @typedef {{ channel: Channel, isOpen: boolean, isHere: boolean }} Line */

/** There may be a thousand of these: each is drawn again only when it changes itself. */
const ChannelLine = memo((/** @type {Line} */ { channel, isOpen, isHere }) => {
  const id = channel.stream_id;
  const unfold = () => {
    void learnTopics(id);
    flip(unfolded, id);
  };
  const fold = html`<button
    type="button"
    class="quiet fold"
    aria-expanded=${isOpen}
    aria-label=${t("topics_of", { name: channel.name })}
    onClick=${unfold}
  >
    <${Icon} name="fold" />
  </button>`;
  return html`<li class=${channel.is_muted ? "hushed" : ""}>
    <${ConversationLine}
      class="channel"
      of=${() => ({ kind: "channel", stream_id: id })}
      href=${linkToChannel(id)}
      isHere=${isHere}
      after=${fold}
    >
      <${ChannelSign} channel=${channel} /> <span class="name" dir="auto">${channel.name}</span>
      <${Count} count=${unreadIn(id)} />
    <//>
    ${isOpen ? html`<${Topics} channel=${channel} />` : null}
  </li>`;
});

/** @param {{ channel: Channel }} properties */
function Topics({ channel }) {
  const id = channel.stream_id;
  void learnTopics(id);
  const here = conversation.value;
  const current = here?.kind === "topic" && here.stream_id === id ? here.topic.toLowerCase() : null;
  const all = topicsOf(id).filter((one) => fits(one.name) || fits(channel.name));
  const isWanted = (/** @type {typeof all[number]} */ one, /** @type {number} */ at) =>
    sought.value !== "" ||
    one.name.toLowerCase() === current ||
    (!isResolved(one.name) && (one.unread > 0 || at < FEW_TOPICS));
  const shown = all.filter(isWanted).slice(0, 30);
  return html`<ul class="topics">
    ${shown.map(
      (one) =>
        html`<li key=${one.name} class=${isMuted(id, one.name) && !channel.is_muted ? "hushed" : ""}>
          <${ConversationLine}
            of=${() => ({ kind: "topic", stream_id: id, topic: one.name })}
            href=${linkToTopic(id, one.name)}
            isHere=${one.name.toLowerCase() === current}
          >
            <span class="name" dir="auto">${one.name === "" ? html`<i>${topicName("")}</i>` : one.name}</span>
            <${Count} count=${one.unread} quiet=${isMuted(id, one.name)} />
          <//>
        </li>`,
    )}
    ${all.length > shown.length ? html`<li><a class="more" href=${linkToChannel(id)}>${t("more_topics", { n: all.length - shown.length })}</a></li>` : null}
  </ul>`;
}

/** Enter opens the first conversation that the filter leaves, to write in it; Escape empties it. @param {KeyboardEvent} event */
function filterKey(event) {
  if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
  const link = document.querySelector(".sidebar ul a");
  if (event.key === "Enter" && sought.value !== "" && link instanceof HTMLAnchorElement) goToWrite(link.hash);
  sought.value = "";
  /** @type {HTMLElement} */ (event.target).blur();
}

/** Scrolls by the least, and only if the line of the view is not seen. */
const showCurrent = () => document.querySelector(".sidebar [aria-current]")?.scrollIntoView({ block: "nearest" });

export function Sidebar() {
  useEffect(showCurrent, [hash.value]);
  const { pinned, folders, others } = sections.value;
  const mayAdd = mayCreateChannel(false) || mayCreateChannel(true);
  const add = mayAdd ? { label: t("new_channel"), run: openNewChannel } : null;
  return html`<nav
    class="sidebar"
    aria-label=${t("conversations")}
    onClick=${(/** @type {MouseEvent} */ event) => followsLink(event) && (sought.value = "")}
  >
    <label class="filter"
      ><span class="aside">${t("filter")}</span
      ><input
        id="filter"
        type="search"
        placeholder=${t("filter")}
        value=${sought.value}
        onInput=${(/** @type {any} */ event) => (sought.value = event.target.value)}
        onKeyDown=${filterKey}
    /></label>
    ${sought.value === "" ? html`<${ViewLinks} />` : null}
    <${Directs} /><${People} />
    <${Channels} name="pinned" title=${t("pinned")} channels=${pinned} />
    ${folders.map(({ folder, channels }) => html`<${Channels} key=${folder.id} name=${`folder-${folder.id}`} title=${folder.name} channels=${channels} />`)}
    <${Channels}
      name="others"
      title=${t(folders.length > 0 ? "other_channels" : "channels")}
      channels=${others}
      add=${add}
    />
    <p class="all">
      <a href="#channels/all" aria-current=${route.value.view === "channels" ? "page" : undefined}
        >${t("all_channels")}</a
      >
      <a href="#groups" aria-current=${route.value.view === "groups" ? "page" : undefined}>${t("groups")}</a>
      <a href="#people" aria-current=${route.value.view === "people" ? "page" : undefined}>${t("people")}</a>
    </p>
  </nav>`;
}
