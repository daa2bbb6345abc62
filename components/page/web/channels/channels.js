// All channels that one may see: finding, subscribing, leaving.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { subscribe } from "../api/channels.js";
import { ChannelSign } from "./channel-sign.js";
import { Icon } from "../elements/icon.js";
import { withModule } from "../frame/later.js";
import { leave } from "./leave.js";
import { attempt } from "../frame/note.js";
import { wordsOfRendered } from "../messages/rendered.js";
import { mayCreateChannel } from "../state/rights.js";
import { linkToChannel } from "../state/route.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../types.js").Channel} Channel */

/** Lines that are drawn at once; filtering finds the rest. */
const MOST = 300;
const sought = signal("");

/** @param {Channel} one */
const fits = (one) =>
  !one.is_archived && `${one.name} ${one.description}`.toLowerCase().includes(sought.value.trim().toLowerCase());

/** @param {{ channel: Channel }} properties */
function Line({ channel }) {
  const act = () => (channel.subscribed ? leave(channel) : attempt(() => subscribe([channel.name])));
  const action = t(channel.subscribed ? "unsubscribe" : "subscribe");
  return html`<li>
    <a href=${linkToChannel(channel.stream_id)}>
      <${ChannelSign} channel=${channel} />
      <span class="name"><bdi>${channel.name}</bdi></span>
      <span class="about"><bdi>${wordsOfRendered(channel.rendered_description)}</bdi></span>
    </a>
    <span class="people-count">${t("subscriber_count", { n: channel.subscriber_count ?? 0 })}</span>
    <button type="button" class="plain" aria-label=${`${action}: ${channel.name}`} onClick=${act}>${action}</button>
  </li>`;
}

export function Channels() {
  const all = [...store.channels.value.values()].filter(fits).sort((a, b) => a.name.localeCompare(b.name));
  return html`<div class="page" tabindex="0" role="region" aria-label=${t("all_channels")}>
    <div class="sheet browse">
      ${
        mayCreateChannel(false) || mayCreateChannel(true)
          ? html`<div class="buttons">
              <button
                type="button"
                class="plain"
                onClick=${() =>
                  withModule(
                    () => import("./channel-form.js"),
                    (it) => it.openNewChannel(),
                  )}
              >
                <${Icon} name="add" /> ${t("new_channel")}
              </button>
            </div>`
          : null
      }
      <input
        type="search"
        aria-label=${t("filter")}
        placeholder=${t("filter")}
        value=${sought.value}
        onInput=${(/** @type {any} */ event) => (sought.value = event.target.value)}
      />
      <ul>
        ${all.slice(0, MOST).map((channel) => html`<${Line} key=${channel.stream_id} channel=${channel} />`)}
      </ul>
      ${all.length === 0 ? html`<p class="edge">${t("nothing_found")}</p>` : null}
    </div>
  </div>`;
}
