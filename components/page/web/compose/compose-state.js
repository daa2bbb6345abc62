// What is being written, and to whom. The view of it is `compose.js`.

import { effect, signal, untracked } from "@preact/signals";
import { getMessage } from "../api/messages.js";
import { othersIn } from "../state/conversation.js";
import { isSame, keyFor } from "../state/draft-list.js";
import {
  draftIn,
  isTypedHere,
  keepDraft,
  linkDraft,
  linkOf,
  newUid,
  typedElsewhere,
  wasSent,
} from "../state/drafts.js";
import { fenceFor } from "../state/lists.js";
import { conversation, go, linkToMessage } from "../state/route.js";
import { nameOf } from "../state/select.js";
import { now, store } from "../state/store.js";
import { t } from "../strings/text.js";

/** @typedef {import("../state/outbox.js").Recipient} Recipient */
/** @typedef {import("../state/draft-list.js").Draft} Draft */
/** @typedef {import("../types.js").Message} Message */

/** @type {import("@preact/signals-core").Signal<Recipient | null>} */
export const recipient = signal(null);
export const text = signal("");
/**
 * The message that is being changed, and what draws it: `message-editor.js`, once it is here.
 * @type {import("@preact/signals-core").Signal<{ id: number, view: any }>}
 */
export const editing = signal({ id: 0, view: null });
/** Whether the field is open in a view that has none of its own. */
export const isWriting = signal(false);
/**
 * What the field is to do as soon as it is there: take the focus, with another recipient than the view's.
 * @type {import("@preact/signals-core").Signal<{ to: Recipient | undefined } | null>}
 */
export const focusWanted = signal(null);
/** Opens the field, with the focus in it. @param {Recipient} [to] instead of whom the view writes to */
export function startWriting(to) {
  isWriting.value = true;
  focusWanted.value = { to };
}
/** A keyboard on the screen would cover the conversation. */
const hasKeys = () => !matchMedia("(pointer: coarse)").matches;
/**
 * In the conversation that an address leads to, the field takes the focus. A channel is read: the topic of a message
 * is still to be chosen there.
 * @param {string} target which is about to be opened
 */
export function writeAt(target) {
  const begin = () => {
    if (hasKeys() && conversation.peek() !== null && conversation.peek()?.kind !== "channel")
      focusWanted.value = { to: undefined };
  };
  if (new URL(target, location.href).hash === location.hash) begin();
  else addEventListener("hashchange", begin, { once: true });
}
/** Opens a conversation to write in it. @param {string} target */
export function goToWrite(target) {
  writeAt(target);
  go(target);
}
/** The draft in the field, and the conversation where the writing began; before one is open, none. */
let uid = "";
let place = "";
/** The draft to open with the next view. @type {Draft | null} */
let wanted = null;

/** @param {Draft} draft */
function show(draft) {
  uid = draft.uid;
  text.value = draft.text;
  if (!draft.isHere) linkDraft(uid, { id: draft.id, base: draft.text });
}

/** Another view is open: its own draft. @param {Recipient | null} to */
export function openDraft(to) {
  place = keyFor(to, now().me);
  const draft = wanted ?? draftIn(place);
  wanted = null;
  recipient.value = draft === undefined || keyFor(draft.to, now().me) === place ? to : draft.to;
  uid = newUid();
  text.value = "";
  if (draft !== undefined) show(draft);
}

/** The next view opens this draft. @param {Draft} draft */
export const openNext = (draft) => (wanted = draft);

/** @param {string} words */
export function write(words) {
  text.value = words;
  uid = keepDraft({ uid, key: place, to: recipient.value, text: words });
}

/** Nothing is written here any more. */
function clear() {
  text.value = "";
  uid = newUid();
}

/**
 * Follows what other tabs and devices do with the draft, unless something was typed here since. A text that is sent
 * there must not stay here: the next key would send it again.
 * @param {readonly import("../state/draft-list.js").Stored[]} stored
 * @param {ReturnType<typeof typedElsewhere>} other
 */
function follow(stored, other) {
  if (place === "" || isTypedHere(uid)) return;
  if (other !== undefined) {
    if (other.text.trim() === "") clear();
    else if (!isSame(other.text, text.peek())) text.value = other.text;
    return;
  }
  const link = linkOf(uid);
  if (link === undefined) {
    // Another tab has brought it to the server.
    const draft = draftIn(place);
    if (draft !== undefined && (text.peek() === "" || isSame(draft.text, text.peek()))) show(draft);
    return;
  }
  const there = stored.find((one) => one.id === link.id);
  if (there === undefined) {
    if (isSame(text.peek(), link.base)) clear();
  } else if (!isSame(there.content, text.peek()) && !wasSent(there.content)) {
    text.value = there.content;
    linkDraft(uid, { id: link.id, base: there.content });
  }
}

effect(() => {
  const stored = store.personal.value["drafts"] ?? [];
  const other = typedElsewhere(uid, linkOf(uid)?.id ?? 0);
  untracked(() => follow(stored, other));
});

/** The recipient changes while the text stays. @param {Recipient} to */
export function address(to) {
  recipient.value = to;
  if (text.value.trim() !== "") write(text.value);
}

/** @param {Message} message @returns {Recipient} */
export function recipientOf(message) {
  if (message.type === "stream") return { kind: "topic", stream_id: message.stream_id ?? 0, topic: message.subject };
  const others = othersIn(message).filter((id) => id !== now().me);
  return { kind: "direct", people: others.length > 0 ? others : [now().me] };
}

/** @param {Message} message */
export function replyTo(message) {
  address(recipientOf(message));
  startWriting();
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
