// Where the messages below it were sent to, in views of several conversations.

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { MenuButton, useMenuOf } from "../frame/conversation-line.js";
import { othersIn } from "../state/conversation.js";
import { linkToChannel, linkToMessage, linkToPeople } from "../state/route.js";
import { namesOf, topicName } from "../state/select.js";
import { now, store } from "../state/store.js";
import { t } from "../strings/text.js";
import { ChannelSign } from "../channels/channel-sign.js";
import { memo } from "../elements/memo.js";

/** @typedef {import("../types.js").Message} Message */

/** @param {Message} message @returns {import("./conversation-menu.js").Conversation} */
function conversationOf(message) {
  if (message.type === "stream") return { kind: "topic", stream_id: message.stream_id ?? 0, topic: message.subject };
  const people = othersIn(message);
  const others = people.filter((id) => id !== now().me);
  return { kind: "direct", people: others.length > 0 ? others : people };
}

export const RecipientBar = memo((/** @type {{ message: Message }} */ { message }) => {
  const [isUsed, setUsed] = useState(false);
  const use = isUsed ? undefined : () => setUsed(true);
  const of = () => conversationOf(message);
  const one = of();
  const channel = store.channels.value.get(message.stream_id ?? 0);
  const names =
    one.kind === "direct"
      ? html`<a href=${linkToPeople(one.people)}>${t("direct_with", { names: namesOf(one.people) })}</a>`
      : html`<a href=${linkToChannel(message.stream_id ?? 0)}
            ><${ChannelSign} channel=${channel} /> ${channel?.name ?? message.display_recipient}</a
          >
          <a href=${linkToMessage(message, false)}>${topicName(message.subject)}</a>`;
  return html`<p class="to" onPointerEnter=${use} onFocusIn=${use} ...${useMenuOf(of)}>
    ${names} ${isUsed ? html`<${MenuButton} of=${of} />` : null}
  </p>`;
});
