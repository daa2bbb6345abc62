// Who is writing here, and saying that oneself is.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { setTyping } from "../api/messages.js";
import { keyOfRecipient } from "../state/outbox.js";
import { nameOf } from "../state/select.js";
import { now, store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../state/outbox.js").Recipient} Recipient */

const tick = signal(0);

/** @param {{ to: Recipient | null }} properties */
export function Typing({ to }) {
  useEffect(() => {
    const timer = setInterval(() => (tick.value += 1), 2000);
    return () => clearInterval(timer);
  }, []);
  void tick.value;
  const writers = to === null ? undefined : store.typing.value.get(keyOfRecipient(to));
  const names = [...(writers ?? [])]
    .filter(([id, until]) => until > Date.now() && id !== store.me.value && !store.muted.value.has(id))
    .map(([id]) => nameOf(id));
  return html`<p class="typing" aria-live="polite">
    ${names.length === 0 ? "" : names.length > 3 ? t("many_type") : t("type", { n: names.length, names: names.join(", ") })}
  </p>`;
}

/** @type {{ to: Recipient, key: string, at: number } | null} */
let said = null;
let timer = 0;

/** @param {"start" | "stop"} op @param {Recipient} to */
function say(op, to) {
  const setting = to.kind === "topic" ? "send_stream_typing_notifications" : "send_private_typing_notifications";
  if (now().settings[setting] === false) return;
  const where =
    to.kind === "topic"
      ? { type: /** @type {const} */ ("channel"), stream_id: to.stream_id, topic: to.topic }
      : { type: /** @type {const} */ ("direct"), to: to.people };
  // A notice that does not arrive is no loss.
  setTyping(op, where).catch(() => undefined);
}

/** Something was typed. @param {Recipient | null} to */
export function noteTyping(to) {
  if (to === null || (to.kind === "direct" && to.people.length === 0)) return;
  const { realm } = now();
  const key = keyOfRecipient(to);
  if (said !== null && said.key !== key) endTyping();
  if (said === null || Date.now() - said.at > (realm.server_typing_started_wait_period_milliseconds ?? 10_000)) {
    said = { to, key, at: Date.now() };
    say("start", to);
  }
  clearTimeout(timer);
  timer = setTimeout(endTyping, realm.server_typing_stopped_wait_period_milliseconds ?? 5000);
}

/** It was sent or left. */
export function endTyping() {
  clearTimeout(timer);
  if (said !== null) say("stop", said.to);
  said = null;
}
