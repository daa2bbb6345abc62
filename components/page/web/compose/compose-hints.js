// What one should know before sending: that one is not subscribed, that many are mentioned.

import { html } from "htm/preact";
import { t } from "../strings/text.js";

/** Fewer are not worth a word. */
const MANY = 15;
const EVERYBODY = /(?<![\w`])@\*\*(?:all|everyone|channel|stream)\*\*/u;

/** @param {{ channel: import("../types.js").Channel | undefined, text: string, isHere: boolean }} properties isHere: the view is what one writes to */
export function ComposeHints({ channel, text, isHere }) {
  if (channel === undefined) return null;
  const people = channel.subscriber_count ?? 0;
  return html`${!channel.subscribed && isHere ? html`<p class="hint">${t("not_subscribed")}</p>` : null}
  ${people > MANY && EVERYBODY.test(text) ? html`<p class="hint" role="status">${t("mentions_many", { n: people })}</p>` : null}`;
}
