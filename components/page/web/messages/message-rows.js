// Draws the rows of a message list: days, recipients, the mark of new messages, and each message.

import { html } from "htm/preact";
import { day, dayKey } from "../elements/time.js";
import { keyOf } from "../state/conversation.js";
import { conversationOf } from "../state/narrow.js";
import { now } from "../state/store.js";
import { t } from "../strings/text.js";
import { MessageRow } from "./message-row.js";
import { RecipientBar } from "./recipient-bar.js";

/** @typedef {import("../types.js").Message} Message */
/** @typedef {import("../state/narrow.js").Narrow} Narrow */

/** Seconds; then the sender is said again. */
const GROUP = 600;
/** Messages whose rows are kept; those that have left the window are among them. */
const MOST_KNOWN = 3000;

/** Whether the sender is said again. @param {Message | undefined} before @param {Message} message */
const isSaidAgain = (before, message) =>
  before === undefined ||
  before.sender_id !== message.sender_id ||
  message.timestamp - before.timestamp > GROUP ||
  before.is_me_message ||
  message.is_me_message;

/**
 * What was drawn of each message: as long as it and its place are the same, it is not even compared again.
 * @typedef {Map<number, { message: Message, place: string, drawn: any[] }>} Known
 */

/**
 * @param {Message[]} messages @param {Narrow} narrow @param {number} first unread when the view was opened
 * @param {Known} known
 */
export function rows(messages, narrow, first, known) {
  const isOne = ["topic", "direct"].includes(conversationOf(narrow.terms)?.kind ?? "");
  const found = narrow.terms.some((term) => term.operator === "search");
  if (known.size > MOST_KNOWN) known.clear();
  /** @type {any[]} */
  const rows = [];
  /** @type {Message | undefined} */
  let before;
  for (const message of messages) {
    const isNewDay = before === undefined || dayKey(before.timestamp) !== dayKey(message.timestamp);
    const isElsewhere =
      !isOne && (before === undefined || isNewDay || keyOf(before, now().me) !== keyOf(message, now().me));
    const isFirst = message.id === first;
    const isHead = isNewDay || isElsewhere || isFirst || isSaidAgain(before, message);
    const near = narrow.near === message.id;
    const place = [isNewDay, isElsewhere, isFirst, isHead, near].map(Number).join("");
    let one = known.get(message.id);
    if (one?.message !== message || one.place !== place) {
      const drawn = [];
      if (isNewDay)
        drawn.push(html`<h2 class="day" key=${`day-${message.id}`}><span>${day(message.timestamp)}</span></h2>`);
      if (isFirst) drawn.push(html`<p class="new" key="new"><span>${t("new_messages")}</span></p>`);
      if (isElsewhere) drawn.push(html`<${RecipientBar} key=${`to-${message.id}`} message=${message} />`);
      drawn.push(
        html`<${MessageRow} key=${message.id} message=${message} head=${isHead} near=${near} found=${found} />`,
      );
      one = { message, place, drawn };
      known.set(message.id, one);
    }
    rows.push(...one.drawn);
    before = message;
  }
  return rows;
}
