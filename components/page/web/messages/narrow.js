// A view of messages: what it is called, its messages, and the field to write in.

import { html } from "htm/preact";
import { PresenceDot } from "../people/avatar.js";
import { ChannelSign } from "../channels/channel-sign.js";
import { Compose } from "../compose/compose.js";
import { recipient } from "../compose/compose-state.js";
import { Icon } from "../elements/icon.js";
import { withModule } from "../frame/later.js";
import { openConversationMenu, openMenuOf, openPerson } from "../frame/open.js";
import { Rendered } from "./rendered.js";
import { StatusGlyph } from "../people/status.js";
import { Typing } from "../compose/typing.js";
import { conversationOf, narrowKey } from "../state/narrow.js";
import { mayAdminister } from "../state/rights.js";
import { linkTo, linkToChannel, linkToReactions } from "../state/route.js";
import { conversationName, nameOf, namesOf, topicName } from "../state/select.js";
import { store } from "../state/store.js";
import { t } from "../strings/text.js";
import { Top } from "../frame/top.js";
import { MessageList } from "./message-list.js";

/** @typedef {import("../state/narrow.js").Narrow} Narrow */

/** The name of a view, for the title of the page too. @param {Narrow} narrow */
export function titleOf(narrow) {
  const here = conversationOf(narrow.terms);
  if (here !== null) return conversationName(here, t("unknown_channel"));
  if (narrow.terms.length === 0) return t("feed");
  const [term] = narrow.terms;
  if (narrow.terms.length === 1 && term?.operator === "is" && term.operand === "mentioned") return t("mentions");
  if (narrow.terms.length === 1 && term?.operator === "is" && term.operand === "starred") return t("starred");
  if (linkTo({ terms: narrow.terms }) === linkToReactions()) return t("reactions_to_me");
  if (narrow.terms.length === 1 && term?.operator === "sender")
    return t("said_by", { name: nameOf(Number(term.operand)) });
  const words = narrow.terms.find((one) => one.operator === "search");
  return words === undefined ? t("search") : t("search_for", { words: String(words.operand) });
}

/** @param {{ narrow: Narrow }} properties */
function Name({ narrow }) {
  const here = conversationOf(narrow.terms);
  if (here === null) return html`<h1>${titleOf(narrow)}</h1>`;
  if (here.kind === "direct")
    return html`<h1>
      ${here.people.length === 1 ? html`<${PresenceDot} id=${here.people[0]} />` : null}
      ${
        here.people.length === 1
          ? html`<button
                type="button"
                class="name"
                aria-haspopup="dialog"
                onClick=${() => openPerson(here.people[0] ?? 0)}
              >
                <bdi>${namesOf(here.people)}</bdi></button
              ><${StatusGlyph} id=${here.people[0]} />`
          : html`<span dir="auto">${namesOf(here.people)}</span>`
      }
    </h1>`;
  const channel = store.channels.value.get(here.stream_id);
  const name = channel?.name ?? t("unknown_channel");
  if (here.kind === "channel")
    return html`<h1><${ChannelSign} channel=${channel} /> <span dir="auto">${name}</span></h1>
      ${channel?.description ? html`<div class="about"><${Rendered} html=${channel.rendered_description} /></div>` : null}`;
  return html`<h1>
    <a href=${linkToChannel(here.stream_id)}><${ChannelSign} channel=${channel} /> <span dir="auto">${name}</span></a>
    <span class="topic" dir="auto">${topicName(here.topic)}</span>
  </h1>`;
}

/** @param {(api: typeof import("../api/channels.js")) => Promise<unknown>} run */
const withChannels = (run) => withModule(() => import("../api/channels.js"), run);

/** What one should know before the messages of a channel, and can change. @param {{ channel: import("../types.js").Channel }} properties */
function About({ channel }) {
  if (channel.is_archived)
    return html`<p class="banner">
      ${t("archived")}
      ${
        mayAdminister(channel)
          ? html`<button
              type="button"
              class="plain"
              onClick=${() => withChannels((it) => it.updateChannel(channel.stream_id, { is_archived: false }))}
            >
              ${t("restore")}
            </button>`
          : null
      }
    </p>`;
  if (channel.subscribed) return null;
  return html`<p class="banner">
    ${t("not_subscribed")}
    <button type="button" class="plain" onClick=${() => withChannels((it) => it.subscribe([channel.name]))}>
      ${t("subscribe")}
    </button>
  </p>`;
}

/** @param {{ narrow: Narrow }} properties */
const ConversationMenu = ({ narrow }) =>
  html`<button
    type="button"
    class="quiet"
    title=${t("more")}
    aria-label=${t("more")}
    aria-haspopup="menu"
    onClick=${(/** @type {any} */ event) => openConversationMenu(narrow, event.currentTarget)}
  >
    <${Icon} name="more" />
  </button>`;

/** @param {Narrow} narrow */
function emptyOf(narrow) {
  const here = conversationOf(narrow.terms);
  if (here?.kind === "direct")
    return html`<div class="nothing">
      <h2>${t("no_directs")}</h2>
      <p>${t("no_directs_text", { names: namesOf(here.people) })}</p>
    </div>`;
  if (here !== null)
    return html`<div class="nothing">
      <h2>${t("no_messages")}</h2>
      <p>${t("no_messages_text")}</p>
    </div>`;
  const sought = narrow.terms.filter((term) => term.operator === "search");
  if (sought.length > 0)
    return html`<div class="nothing">
      <h2>${t("nothing_found")}</h2>
      <p>${t("nothing_found_text")}</p>
      ${sought.length < narrow.terms.length ? html`<p><a href=${linkTo({ terms: sought })}>${t("search_everywhere")}</a></p>` : null}
    </div>`;
  return html`<div class="nothing"><h2>${t("no_messages")}</h2></div>`;
}

/** The name of a conversation has its menu as well. @param {{ narrow: Narrow }} properties */
const Title = ({ narrow }) =>
  html`<div
    class="named"
    onContextMenu=${(/** @type {any} */ event) => {
      const here = conversationOf(narrow.terms);
      if (here === null) return;
      event.preventDefault();
      void openMenuOf(here, event.currentTarget, { x: event.clientX, y: event.clientY });
    }}
  >
    <${Name} narrow=${narrow} />
  </div>`;

/** @param {{ narrow: Narrow }} properties */
export function NarrowView({ narrow }) {
  const here = conversationOf(narrow.terms);
  const channel = here !== null && here.kind !== "direct" ? store.channels.value.get(here.stream_id) : undefined;
  const isUnknown = here !== null && here.kind !== "direct" && channel === undefined;
  return html`<${Top} actions=${html`<${ConversationMenu} narrow=${narrow} />`}>
      <${Title} narrow=${narrow} />
    <//>
    ${channel === undefined ? null : html`<${About} channel=${channel} />`}
    ${
      isUnknown
        ? html`<div class="page">
            <div class="nothing">
              <h2>${t("unknown_channel")}</h2>
              <p>${t("unknown_channel_text")}</p>
            </div>
          </div>`
        : html`<${MessageList} key=${narrowKey(narrow.terms)} narrow=${narrow} empty=${emptyOf(narrow)} />`
    }
    <${Typing} to=${here?.kind === "topic" || here?.kind === "direct" ? recipient.value : null} />
    ${isUnknown || channel?.is_archived ? null : html`<${Compose} />`}`;
}
