// The switcher: one field that leads to any conversation, person, view or setting, the most used first.

import { html } from "htm/preact";
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ChannelSign } from "../channels/channel-sign.js";
import { goToWrite } from "../compose/compose-state.js";
import { close, Dialog, open } from "../elements/dialog.js";
import { Count } from "../elements/count.js";
import { Icon } from "../elements/icon.js";
import { PresenceDot } from "../people/avatar.js";
import { directKey, topicKey } from "../state/conversation.js";
import { ORGANIZATION, SETTINGS, WITHIN } from "../state/places.js";
import { knownTopics } from "../state/known-topics.js";
import { learnRecent, recent } from "../state/recent.js";
import { ranked, withVisit } from "../state/ranking.js";
import { conversation, hash, linkToChannel, linkToPeople, linkToReactions, linkToTopic } from "../state/route.js";
import { directs, namesOf, topicName } from "../state/select.js";
import { store } from "../state/store.js";
import { learnTopics } from "../state/topics.js";
import { viewsOf } from "../state/views.js";
import { t } from "../strings/text.js";

/**
 * @typedef {object} Place
 * @property {string} key
 * @property {string} href
 * @property {string} name
 * @property {string} more
 * @property {any} sign
 * @property {number} max_id of its newest message
 */

const MOST = 30;
/** Channels whose topics are asked for, because they fit the words. */
const MOST_ASKED = 3;
const words = signal("");
const at = signal(0);

const storage = () => `spindle-used-${store.me.peek()}`;
/** @returns {import("../state/ranking.js").Uses} */
function uses() {
  try {
    return JSON.parse(localStorage.getItem(storage()) ?? "{}");
  } catch {
    return {};
  }
}

/** A conversation is the same place however it is called. */
function keyOfView() {
  const here = conversation.peek();
  if (here === null) return hash.peek();
  if (here.kind === "direct") return directKey(here.people, store.me.peek());
  return here.kind === "topic" ? topicKey(here.stream_id, here.topic) : linkToChannel(here.stream_id);
}

// From the moment at which this is loaded, which is soon after the page.
hash.subscribe(() => {
  if (hash.peek() === "") return;
  try {
    localStorage.setItem(storage(), JSON.stringify(withVisit(uses(), keyOfView(), Date.now())));
  } catch {
    // Not remembered: then the latest conversations come first.
  }
});

const icon = (/** @type {import("../elements/icon.js").Name} */ name) =>
  html`<span class="sign"><${Icon} name=${name} /></span>`;

/** @returns {Place[]} */
function people() {
  const newest = new Map(directs.value.map((one) => [one.key, one.max_id]));
  const groups = directs.value.filter((one) => one.people.length > 1).map((one) => one.people);
  const single = [...store.users.value.values()].filter((one) => one.is_active).map((one) => [one.user_id]);
  return [...single, ...groups].map((ids) => {
    const key = directKey(ids, store.me.value);
    const sign = ids.length === 1 ? html`<${PresenceDot} id=${ids[0]} />` : icon("people");
    const user = ids.length === 1 ? store.users.value.get(ids[0] ?? 0) : undefined;
    const more = user?.is_bot ? t("bot") : "";
    return { key, href: linkToPeople(ids), name: namesOf(ids), more, sign, max_id: newest.get(key) ?? 0 };
  });
}

/** @returns {Place[]} */
function channels() {
  return [...store.channels.value.values()]
    .filter((one) => !one.is_archived)
    .flatMap((channel) => {
      const id = channel.stream_id;
      const sign = html`<${ChannelSign} channel=${channel} />`;
      const topics = knownTopics(id).map(({ name, max_id }) => ({
        key: topicKey(id, name),
        href: linkToTopic(id, name),
        name: topicName(name),
        more: channel.name,
        sign,
        max_id,
      }));
      const newest = Math.max(0, ...topics.map((one) => one.max_id));
      const href = linkToChannel(id);
      return [
        { key: href, href, name: channel.name, more: t("channel"), sign, max_id: channel.subscribed ? newest : 0 },
        ...topics,
      ];
    });
}

/** @returns {Place[]} */
function views() {
  const place = (
    /** @type {string} */ href,
    /** @type {string} */ name,
    /** @type {string} */ more,
    /** @type {import("../elements/icon.js").Name} */ sign,
  ) => ({ key: href, href, name, more, sign: icon(sign), max_id: 0 });
  const { pinned, others } = viewsOf(store.personal.value["navigation_views"] ?? []);
  return [
    ...[...pinned, ...others].map((one) => {
      const href = one.fragment === "narrow/has/reaction/sender/me" ? linkToReactions() : `#${one.fragment}`;
      return place(href, "key" in one ? t(one.key) : one.name, t("view"), "icon" in one ? one.icon : "next");
    }),
    place("#narrow/is/dm", t("directs"), t("view"), "people"),
    place("#channels/all", t("all_channels"), t("view"), "hash"),
    place("#people", t("people"), t("view"), "people"),
    place("#groups", t("groups"), t("view"), "people"),
    ...SETTINGS.flatMap((part) => {
      const href = `#settings/${part.key}`;
      const within = WITHIN[part.key] ?? [];
      return [
        place(href, t(part.title), t("settings"), "edit"),
        ...within.map((key) => ({
          ...place(href, t(key), `${t("settings")} › ${t(part.title)}`, "edit"),
          key: `${href}/${key}`,
        })),
      ];
    }),
    ...ORGANIZATION.filter((part) => part.may()).map((part) =>
      place(`#organization/${part.key}`, t(part.title), t("organization"), "globe"),
    ),
  ];
}

const places = computed(() =>
  [...people(), ...channels(), ...views()].sort((a, b) => b.max_id - a.max_id || a.name.length - b.name.length),
);
const found = computed(() => ranked(places.value, words.value, uses(), Date.now(), MOST));

/** The topics of channels that fit are among the places, too. */
function askForTopics() {
  const [first = ""] = words.value.trim().toLowerCase().split(/\s+/u);
  const all = [...store.channels.value.values()].filter((one) => one.subscribed);
  const fitting = first === "" ? [] : all.filter((one) => one.name.toLowerCase().includes(first));
  for (const channel of fitting.slice(0, MOST_ASKED)) void learnTopics(channel.stream_id);
}

/** @param {Place | undefined} place */
function choose(place) {
  if (place === undefined) return;
  close();
  goToWrite(place.href);
}

/** @param {KeyboardEvent} event */
function key(event) {
  const count = found.value.length;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.isComposing) return;
  if (step !== undefined && count > 0) at.value = (at.value + step + count) % count;
  else if (event.key === "Enter") choose(found.value[at.value]);
  else return;
  event.preventDefault();
}

/** @param {{ place: Place, index: number }} properties */
const Line = ({ place, index }) =>
  html`<li
    id=${`place-${index}`}
    role="option"
    aria-selected=${index === at.value}
    onClick=${() => choose(place)}
    onPointerMove=${() => (at.value = index)}
  >
    ${place.sign} <span class="name" dir="auto">${place.name}</span>
    <span class="about" dir="auto">${place.more}</span>
    <${Count} count=${store.unread.value.get(place.key)?.ids.length ?? 0} />
  </li>`;

function Switcher() {
  useEffect(askForTopics, [words.value]);
  useEffect(() => void learnRecent(), [recent.value]);
  useEffect(() => document.getElementById(`place-${at.value}`)?.scrollIntoView({ block: "nearest" }), [at.value]);
  return html`<${Dialog} title=${t("switch_to")} class="switcher">
    <input
      type="text"
      role="combobox"
      autofocus
      autocomplete="off"
      dir="auto"
      aria-label=${t("switch_to")}
      aria-autocomplete="list"
      aria-expanded=${found.value.length > 0}
      aria-controls="places"
      aria-activedescendant=${found.value.length > 0 ? `place-${at.value}` : undefined}
      placeholder=${t("switch_hint")}
      value=${words.value}
      onInput=${(/** @type {any} */ event) => ((words.value = event.target.value), (at.value = 0))}
      onKeyDown=${key}
    />
    ${found.value.length === 0 ? html`<p class="edge" role="status">${t("nothing_found")}</p>` : null}
    <ul id="places" class="names" role="listbox" aria-label=${t("suggestions")}>
      ${found.value.map((place, index) => html`<${Line} key=${place.key} place=${place} index=${index} />`)}
    </ul>
  <//>`;
}

export function openSwitcher() {
  words.value = "";
  at.value = 0;
  open.value = () => html`<${Switcher} />`;
}
