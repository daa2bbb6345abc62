// All channels that one may see: finding, subscribing, leaving.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { subscribe, updateChannel } from "../api/channels.js";
import { ChannelSign } from "./channel-sign.js";
import { Filter } from "../elements/filter.js";
import { Icon } from "../elements/icon.js";
import { leave } from "./leave.js";
import { attempt } from "../frame/note.js";
import { openNewChannel } from "../frame/open.js";
import { wordsOfRendered } from "../messages/rendered.js";
import { mayAdminister, mayCreateChannel } from "../state/rights.js";
import { linkToChannel } from "../state/route.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../types.js").Channel} Channel */

/** Lines that are drawn at once; filtering finds the rest. */
const MOST = 300;
const sought = signal("");
const isOfArchived = signal(false);

/** @param {Channel} one */
const fits = (one) =>
  one.is_archived === isOfArchived.value &&
  `${one.name} ${one.description}`.toLowerCase().includes(sought.value.trim().toLowerCase());

/** What can be done with a channel of the list. @param {Channel} channel @returns {{ action: string, run: () => unknown } | null} */
function actionFor(channel) {
  if (channel.is_archived)
    return mayAdminister(channel)
      ? {
          action: t("restore"),
          run: () => attempt(() => updateChannel(channel.stream_id, { is_archived: false })),
        }
      : null;
  return channel.subscribed
    ? { action: t("unsubscribe"), run: () => leave(channel) }
    : { action: t("subscribe"), run: () => attempt(() => subscribe([channel.name])) };
}

/** @param {{ channel: Channel }} properties */
function Line({ channel }) {
  const offered = actionFor(channel);
  return html`<li>
    <a href=${linkToChannel(channel.stream_id)}>
      <${ChannelSign} channel=${channel} />
      <span class="name"><bdi>${channel.name}</bdi></span>
      <span class="about"><bdi>${wordsOfRendered(channel.rendered_description)}</bdi></span>
    </a>
    <span class="people-count">${t("subscriber_count", { n: channel.subscriber_count ?? 0 })}</span>
    ${
      offered === null
        ? null
        : html`<button
            type="button"
            class="plain"
            aria-label=${`${offered.action}: ${channel.name}`}
            onClick=${offered.run}
          >
            ${offered.action}
          </button>`
    }
  </li>`;
}

export function Channels() {
  const archived = [...store.channels.value.values()].filter((one) => one.is_archived).length;
  // The last of them was restored.
  if (archived === 0) isOfArchived.value = false;
  const all = [...store.channels.value.values()].filter(fits).sort((a, b) => a.name.localeCompare(b.name));
  return html`<div class="page" tabindex="0" role="region" aria-label=${t("all_channels")}>
    <div class="sheet browse">
      <div class="buttons">
        ${
          archived === 0
            ? null
            : html`<button type="button" class="plain" onClick=${() => (isOfArchived.value = !isOfArchived.value)}>
                ${isOfArchived.value ? t("channels_in_use") : t("archived_channels", { n: archived })}
              </button>`
        }
        ${
          mayCreateChannel(false) || mayCreateChannel(true)
            ? html`<button type="button" class="plain" onClick=${openNewChannel}>
                <${Icon} name="add" /> ${t("new_channel")}
              </button>`
            : null
        }
      </div>
      <${Filter} sought=${sought} />
      <ul>
        ${all.slice(0, MOST).map((channel) => html`<${Line} key=${channel.stream_id} channel=${channel} />`)}
      </ul>
      ${all.length === 0 ? html`<p class="edge">${t("nothing_found")}</p>` : null}
    </div>
  </div>`;
}
