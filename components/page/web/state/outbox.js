// Messages on their way: shown at once, kept until the server has them, visible when it refuses.

import { signal } from "@preact/signals-core";
import { ApiError } from "../api/http.js";
import { getMessage, sendMessage } from "../api/messages.js";
import { directKey, topicKey } from "./conversation.js";
import { dropTyped, keepDraft } from "./drafts.js";
import { queue } from "./link.js";
import { message as messageEvent } from "./reducers/messages.js";
import { now, patch, store } from "./store.js";

/** @typedef {{ kind: "topic", stream_id: number, topic: string } | { kind: "direct", people: number[] }} Recipient */
/**
 * @typedef {object} Waiting
 * @property {string} local_id
 * @property {Recipient} to
 * @property {string} content Markdown
 * @property {number} timestamp seconds
 * @property {"sending" | "sent" | "failed"} state
 * @property {number} [id] once it is sent
 * @property {string} [problem]
 */

/** Milliseconds in which the event of a message comes that was sent. */
const PATIENCE = 2000;

/** @type {import("@preact/signals-core").Signal<Waiting[]>} */
export const outbox = signal([]);

/** @param {Recipient} to */
export const keyOfRecipient = (to) =>
  to.kind === "topic" ? topicKey(to.stream_id, to.topic) : directKey(to.people, now().me);

/** @param {string} local_id @param {Partial<Waiting> | null} change null: it is gone */
function change(local_id, change) {
  outbox.value = outbox.value.flatMap((one) =>
    one.local_id !== local_id ? [one] : change === null ? [] : [{ ...one, ...change }],
  );
}

// What has arrived in a window is shown there.
store.messages.subscribe((messages) => {
  if (outbox.peek().some((one) => one.id !== undefined && messages.has(one.id)))
    outbox.value = outbox.peek().filter((one) => one.id === undefined || !messages.has(one.id));
});

/** @param {Recipient} to @param {string} content */
export function send(to, content) {
  const local_id = crypto.getRandomValues(new Uint32Array(2)).join(".");
  outbox.value = [...outbox.value, { local_id, to, content, timestamp: Date.now() / 1000, state: "sending" }];
  return attempt(local_id);
}

/** @param {string} local_id */
export async function attempt(local_id) {
  const one = outbox.value.find((waiting) => waiting.local_id === local_id);
  if (one === undefined) return;
  change(local_id, { state: "sending" });
  const where =
    one.to.kind === "topic"
      ? { type: /** @type {const} */ ("channel"), to: String(one.to.stream_id), topic: one.to.topic }
      : { type: /** @type {const} */ ("direct"), to: JSON.stringify(one.to.people) };
  try {
    const { id } = await sendMessage({
      ...where,
      content: one.content,
      local_id,
      ...(queue.id === "" ? {} : { queue_id: queue.id }),
    });
    dropTyped(`unsent-${local_id}`);
    if (now().messages.has(id)) change(local_id, null);
    else {
      change(local_id, { state: "sent", id });
      setTimeout(() => void learn(id), PATIENCE);
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    change(local_id, { state: "failed", problem: error.status === 0 ? "" : error.message });
  }
}

/** In a channel that one is not subscribed to, no event brings one's own message. @param {number} id */
async function learn(id) {
  if (now().messages.has(id)) return;
  try {
    const { message } = await getMessage(id);
    patch(messageEvent(now(), { type: "message", id: -1, message, flags: message.flags }, Date.now()));
  } catch {
    // It is there when the conversation is opened again.
  }
}

/** @param {string} local_id */
export const discard = (local_id) => change(local_id, null);

/** @param {Waiting} one */
const uidOf = (one) => `unsent-${one.local_id}`;

// A tab in the background may end without a word: what has not arrived is a draft then.
globalThis.document?.addEventListener("visibilitychange", () => {
  for (const one of outbox.peek().filter((waiting) => waiting.state !== "sent")) {
    if (!document.hidden) dropTyped(uidOf(one));
    else keepDraft({ uid: uidOf(one), key: keyOfRecipient(one.to), to: one.to, text: one.content, isHeld: true });
  }
});
