// The inbox: what is unread, by conversation.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { ChannelSign } from "../channels/channel-sign.js";
import { Icon } from "../elements/icon.js";
import { MenuButton, useMenuOf } from "../frame/conversation-line.js";
import { laterView } from "../frame/later.js";
import { openInvite, readIn } from "../frame/open.js";
import { amOwner, mayInvite } from "../state/rights.js";
import { linkToPeople, linkToTopic } from "../state/route.js";
import { isMuted, namesOf, topicName } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../types.js").Unread} Unread */

/** @param {Unread} one @returns {import("../messages/conversation-menu.js").Conversation} */
const conversationOf = ({ stream_id, topic = "", user_ids = [] }) =>
  stream_id === undefined ? { kind: "direct", people: user_ids } : { kind: "topic", stream_id, topic };

/** @param {{ one: Unread, href: string, name: string }} properties */
const Line = ({ one, href, name }) =>
  html`<li ...${useMenuOf(() => conversationOf(one))}>
    <a href=${href}
      ><span class="name" dir="auto">${name}</span>
      ${one.ids.some((id) => store.mentions.value.has(id)) ? html`<span class="at" role="img" aria-label=${t("mentions")}>@</span>` : null}<span
        class="count"
        >${one.ids.length}</span
      ></a
    >
    <${MenuButton} of=${() => conversationOf(one)} />
    <button
      type="button"
      class="quiet"
      title=${t("mark_read")}
      aria-label=${t("mark_read_of", { name })}
      onClick=${() => readIn(conversationOf(one))}
    >
      <${Icon} name="check" />
    </button>
  </li>`;

const newest = (/** @type {Unread} */ one) => one.ids.at(-1) ?? 0;

/** Whether this person has the only account. */
function isAlone() {
  for (const one of store.users.value.values()) if (one.user_id !== store.me.value && !one.is_bot) return false;
  return true;
}

/** The names that a server is set up with by default. */
const UNNAMED = { realm: "Spindle", own: "Owner" };
const place = () => `spindle-named-${store.me.value}`;

function isAnswered() {
  try {
    return localStorage.getItem(place()) !== null;
  } catch {
    return false;
  }
}

const isAsked = signal(true);
function answered() {
  isAsked.value = false;
  try {
    localStorage.setItem(place(), "");
  } catch {
    // It is asked again with the next page.
  }
}

const isUnnamed = () =>
  amOwner() &&
  isAlone() &&
  store.realm.value["realm_name"] === UNNAMED.realm &&
  store.users.value.get(store.me.value)?.full_name === UNNAMED.own;

const FirstRun = laterView(
  async () => (await import("./first-run.js")).FirstRun,
  () => null,
);

const AllRead = () =>
  html`<h2>${t("all_read")}</h2>
    <p>${t("all_read_text")}</p>
    <p><a href="#recent">${t("recent")}</a></p>`;

const Alone = () =>
  html`<h2>${t("alone")}</h2>
    <p>${t("alone_text")}</p>
    <p><button type="button" class="primary" onClick=${openInvite}>${t("invite")}</button></p>`;

export function Inbox() {
  if (isAsked.value && isUnnamed() && !isAnswered())
    return html`<div class="page" tabindex="0" role="region" aria-label=${t("inbox")}>
      <${FirstRun} done=${answered} />
    </div>`;
  const unread = [...store.unread.value.values()];
  const directs = unread.filter((one) => one.stream_id === undefined).sort((a, b) => newest(b) - newest(a));
  /** @type {Map<number, Unread[]>} */
  const channels = new Map();
  for (const one of unread) {
    if (one.stream_id === undefined || isMuted(one.stream_id, one.topic ?? "")) continue;
    if (store.channels.value.get(one.stream_id)?.subscribed)
      channels.set(one.stream_id, [...(channels.get(one.stream_id) ?? []), one]);
  }
  const ordered = [...channels].sort(([a], [b]) => {
    const [one, other] = [store.channels.value.get(a), store.channels.value.get(b)];
    return (
      Number(other?.pin_to_top ?? false) - Number(one?.pin_to_top ?? false) ||
      (one?.name ?? "").localeCompare(other?.name ?? "")
    );
  });
  if (directs.length === 0 && ordered.length === 0)
    return html`<div class="page">
      <div class="nothing">${isAlone() && mayInvite() ? html`<${Alone} />` : html`<${AllRead} />`}</div>
    </div>`;
  return html`<div class="page" tabindex="0" role="region" aria-label=${t("inbox")}>
    <div class="sheet inbox">
      ${
        directs.length === 0
          ? null
          : html`<section>
              <h2>
                <span class="sign"><${Icon} name="people" /></span> ${t("directs")}
              </h2>
              <ul>
                ${directs.map((one) => html`<${Line} key=${one.user_ids?.join()} one=${one} href=${linkToPeople(one.user_ids ?? [])} name=${namesOf(one.user_ids ?? [])} />`)}
              </ul>
            </section>`
      }
      ${ordered.map(([id, list]) => {
        const channel = store.channels.value.get(id);
        return html`<section key=${id}>
          <h2><${ChannelSign} channel=${channel} /> ${channel?.name}</h2>
          <ul>
            ${list
              .sort((a, b) => newest(b) - newest(a))
              .map(
                (one) =>
                  html`<${Line}
                    key=${one.topic}
                    one=${one}
                    href=${linkToTopic(id, one.topic ?? "")}
                    name=${topicName(one.topic ?? "")}
                  />`,
              )}
          </ul>
        </section>`;
      })}
    </div>
  </div>`;
}
