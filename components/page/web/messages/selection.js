// The message that is chosen by keys: it has the focus. Moving to the next one, and acting on it.

import { go, linkToMessage } from "../state/route.js";
import { now } from "../state/store.js";
import { quote, replyTo } from "../compose/compose-state.js";
import { startEditing } from "./message-editor.js";
import { mayEdit } from "./message-menu.js";
import { attempt } from "../frame/note.js";
import { openPerson, openPicker } from "../frame/open.js";
import { react } from "./reactions.js";

/** @typedef {import("../types.js").Message} Message */

/** Pixels that may be hidden of a message without scrolling within it. */
const HIDDEN = 24;
/** The share of the list that a long message is scrolled by. */
const SCREEN = 0.7;
/** @type {import("../emoji/emoji.js").Emoji} */
const THUMBS_UP = { emoji_name: "+1", emoji_code: "1f44d", reaction_type: "unicode_emoji" };

const list = () => /** @type {HTMLElement | null} */ (document.querySelector(".messages"));
const rows = () => [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".messages [data-id]"))];

/** The one with the focus, else the last of those that are seen whole. @returns {HTMLElement | undefined} */
function current() {
  const own = document.activeElement?.closest("[data-id]");
  if (own instanceof HTMLElement) return own;
  const bottom = list()?.getBoundingClientRect().bottom ?? 0;
  return rows().findLast((row) => row.getBoundingClientRect().bottom <= bottom + HIDDEN);
}

/** @param {HTMLElement | undefined} row */
function choose(row) {
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
}

/** @param {1 | -1} direction */
export function step(direction) {
  const box = list();
  const all = rows();
  const row = current();
  if (box === null || row === undefined) return choose(all.at(-1));
  // Nothing was chosen yet: it begins here.
  if (!row.contains(document.activeElement)) return choose(row);
  const edges = row.getBoundingClientRect();
  const { top, bottom, height } = box.getBoundingClientRect();
  const isMoreHidden = direction > 0 ? edges.bottom > bottom + HIDDEN : edges.top < top - HIDDEN;
  if (isMoreHidden) box.scrollBy(0, direction * height * SCREEN);
  else choose(all[all.indexOf(row) + direction]);
}

export function toEnd() {
  const box = list();
  choose(rows().at(-1));
  if (box !== null) box.scrollTop = box.scrollHeight;
}

/** @param {(message: Message, row: HTMLElement) => unknown} act */
function withChosen(act) {
  const row = current();
  const message = now().messages.get(Number(row?.dataset["id"]));
  if (row !== undefined && message !== undefined) act(message, row);
}

export const reply = () => withChosen(replyTo);
export const quoteChosen = () => withChosen((message) => attempt(() => quote(message)));
export const edit = () => withChosen((message) => mayEdit(message) && startEditing(message.id));
export const thumbsUp = () => withChosen((message) => react(message, THUMBS_UP));
export const showSender = () => withChosen((message) => openPerson(message.sender_id));
export const toConversation = () => withChosen((message) => go(linkToMessage(message)));
export const chooseReaction = () =>
  withChosen((message, row) => openPicker(row, (emoji) => void react(message, emoji)));
/** Behind the last of the buttons beside it. */
export const openMenu = () =>
  withChosen((_message, row) =>
    /** @type {HTMLElement | null} */ (row.querySelector(".tools button:last-child"))?.click(),
  );
