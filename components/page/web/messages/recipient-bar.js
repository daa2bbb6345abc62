// Where the messages below it were sent to, in views of several conversations.

import { html } from "htm/preact";
import { linkToChannel, linkToMessage, linkToPeople } from "../state/route.js";
import { namesOf, topicName } from "../state/select.js";
import { now, store } from "../state/store.js";
import { t } from "../strings/text.js";
import { ChannelSign } from "../channels/channel-sign.js";
import { memo } from "../elements/memo.js";

/** @typedef {import("../types.js").Message} Message */

export const RecipientBar = memo((/** @type {{ message: Message }} */ { message }) => {
  if (message.type === "private") {
    const people = Array.isArray(message.display_recipient) ? message.display_recipient.map((one) => one.id) : [];
    const others = people.filter((id) => id !== now().me);
    const shown = others.length > 0 ? others : people;
    return html`<p class="to"><a href=${linkToPeople(shown)}>${t("direct_with", { names: namesOf(shown) })}</a></p>`;
  }
  const channel = store.channels.value.get(message.stream_id ?? 0);
  return html`<p class="to">
    <a href=${linkToChannel(message.stream_id ?? 0)}
      ><${ChannelSign} channel=${channel} /> ${channel?.name ?? message.display_recipient}</a
    >
    <a href=${linkToMessage(message, false)}>${topicName(message.subject)}</a>
  </p>`;
});
