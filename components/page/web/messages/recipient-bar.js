// Where the messages below it were sent to, in views of several conversations.

import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { MenuButton, useMenuOf } from "../frame/conversation-line.js";
import { conversationWith } from "../state/conversation.js";
import { linkToChannel, linkToMessage, linkToPeople } from "../state/route.js";
import { namesOf, topicName } from "../state/select.js";
import { now, store } from "../state/store.js";
import { t } from "../strings/text.js";
import { ChannelSign } from "../channels/channel-sign.js";
import { memo } from "../elements/memo.js";

/** @typedef {import("../types.js").Message} Message */

export const RecipientBar = memo((/** @type {{ message: Message }} */ { message }) => {
  const [isUsed, setUsed] = useState(false);
  const use = isUsed ? undefined : () => setUsed(true);
  const of = () => conversationWith(message, now().me);
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
