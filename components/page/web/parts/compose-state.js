// What is being written, and to whom. The view of it is `compose.js`.

import { signal } from "@preact/signals";
import { getMessage } from "../api/messages.js";
import { othersIn } from "../state/conversation.js";
import { draftOf, keepDraft } from "../state/drafts.js";
import { keyOfRecipient } from "../state/outbox.js";
import { linkToMessage } from "../state/route.js";
import { nameOf } from "../state/select.js";
import { now } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../state/outbox.js").Recipient} Recipient */
/** @typedef {import("../types.js").Message} Message */

/** @type {import("@preact/signals-core").Signal<Recipient | null>} */
export const recipient = signal(null);
export const text = signal("");
/** Counts up when the field is to take the focus. */
export const focusWanted = signal(0);
/** Under which the text is kept: of the conversation where the writing began. */
let draftKey = "";

/** @param {Recipient | null} to */
const keyFor = (to) => (to === null ? "new" : keyOfRecipient(to));

/** Another view is open: its own draft. @param {Recipient | null} to */
export function openDraft(to) {
  recipient.value = to;
  draftKey = keyFor(to);
  text.value = draftOf(draftKey);
}

/** @param {string} words */
export function write(words) {
  text.value = words;
  keepDraft(draftKey, words);
}

/** The recipient changes while the text stays. @param {Recipient} to */
export const address = (to) => (recipient.value = to);

/** @param {Message} message @returns {Recipient} */
export function recipientOf(message) {
  if (message.type === "stream") return { kind: "topic", stream_id: message.stream_id ?? 0, topic: message.subject };
  const others = othersIn(message).filter((id) => id !== now().me);
  return { kind: "direct", people: others.length > 0 ? others : [now().me] };
}

/** @param {Message} message */
export function replyTo(message) {
  address(recipientOf(message));
  focusWanted.value += 1;
}

/** A fence longer than any in the text. @param {string} content */
function fenceFor(content) {
  const longest = [...content.matchAll(/^`{3,}/gmu)].reduce((most, [run]) => Math.max(most, run.length), 2);
  return "`".repeat(longest + 1);
}

/** Puts a message into what is written. @param {Message} message */
export async function quote(message) {
  const { raw_content } = await getMessage(message.id);
  const fence = fenceFor(raw_content);
  const link = new URL(linkToMessage(message), `${location.origin}/`).href;
  const said = `@_**${nameOf(message.sender_id)}|${message.sender_id}** [${t("said")}](${link}):\n${fence}quote\n${raw_content}\n${fence}\n`;
  replyTo(message);
  write(text.value.trim() === "" ? said : `${text.value.trimEnd()}\n\n${said}`);
}
