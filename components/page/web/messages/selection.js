// The message that is chosen by keys: it has the focus. Moving to the next one, and acting on it.

import { quote, replyTo, startWriting, text, write } from "../compose/compose-state.js";
import { withModule } from "../frame/later.js";
import { attempt } from "../frame/note.js";
import { openPerson, openPicker, openPicture } from "../frame/open.js";
import { conversation, go, linkToChannel, linkToMessage } from "../state/route.js";
import { nameOf } from "../state/select.js";
import { now } from "../state/store.js";
import { startEditing } from "./message-editor.js";
import { copyLink, mayEdit, openHistory, openMove, readers, unread } from "./message-menu.js";
import { goToEnd } from "./message-list.js";
import { toggleStar } from "./message-tools.js";
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

export const toStart = () => goToEnd("oldest");
export const toEnd = () => goToEnd("newest");

/** @param {(message: Message, row: HTMLElement) => unknown} act */
function withChosen(act) {
  const row = current();
  const message = now().messages.get(Number(row?.dataset["id"]));
  if (row !== undefined && message !== undefined) act(message, row);
}

/** Scrolls by a screen. @param {1 | -1} direction */
export function page(direction) {
  const box = list();
  box?.scrollBy(0, direction * box.clientHeight * 0.9);
}

export const reply = () => withChosen(replyTo);
export const replyDirectly = () =>
  withChosen((message) => startWriting({ kind: "direct", people: [message.sender_id] }));
export const replyMentioning = () =>
  withChosen((message) => {
    replyTo(message);
    const before = text.value.trim() === "" ? "" : `${text.value.trimEnd()} `;
    const name = nameOf(message.sender_id);
    const isAmbiguous = [...now().users.values()].filter((one) => one.full_name === name).length > 1;
    write(`${before}@**${name}${isAmbiguous ? `|${message.sender_id}` : ""}** `);
  });
export const quoteChosen = () => withChosen((message) => attempt(() => quote(message)));
export const edit = () => withChosen((message) => mayEdit(message) && startEditing(message.id));
export const thumbsUp = () => withChosen((message) => react(message, THUMBS_UP));
/** Edits the last message of one's own that is here. @param {() => void} [done] after it was saved or given up */
export function editLast(done) {
  const ids = rows().map((row) => Number(row.dataset["id"]));
  const mine = ids.findLast((id) => now().messages.get(id)?.sender_id === now().me);
  const message = now().messages.get(mine ?? 0);
  if (message !== undefined && mayEdit(message)) return startEditing(message.id, done);
  return undefined;
}
/** The first reaction of a message is one's own as well. */
export const sameReaction = () =>
  withChosen((message) => message.reactions[0] !== undefined && react(message, message.reactions[0]));
export const starChosen = () => withChosen(toggleStar);
export const unreadFromChosen = () => withChosen(unread);
export const copyLinkOfChosen = () => withChosen(copyLink);
export const showReaders = () => withChosen((message) => attempt(() => readers(message)));
export const showHistory = () => withChosen(openHistory);
export const moveChosen = () => withChosen((message) => message.type === "stream" && openMove(message));
export const showPictures = () =>
  withChosen((_message, row) => {
    const picture = row.querySelector(".message_inline_image a, img.inline-image");
    if (picture !== null) void openPicture(picture);
  });
/** Of the message that is chosen; in an empty view of a topic, of that. */
export const muteTopic = () => {
  const here = conversation.peek();
  const toggle = (/** @type {number} */ stream_id, /** @type {string} */ topic) =>
    withModule(
      () => import("./conversation-menu.js"),
      (it) => it.toggleMute(stream_id, topic),
    );
  if (here?.kind === "topic") return toggle(here.stream_id, here.topic);
  return withChosen((message) => message.type === "stream" && toggle(message.stream_id ?? 0, message.subject));
};
export const showSender = () => withChosen((message) => openPerson(message.sender_id));
export const toConversation = () => withChosen((message) => go(linkToMessage(message, false)));
/** Where the message stands among the others of its conversation. */
export const toContext = () => withChosen((message) => go(linkToMessage(message)));
export function toChannel() {
  const here = conversation.peek();
  if (here !== null && here.kind !== "direct") go(linkToChannel(here.stream_id));
  else withChosen((message) => message.type === "stream" && go(linkToChannel(message.stream_id ?? 0)));
}
export const chooseReaction = () =>
  withChosen((message, row) => openPicker(row, (emoji) => void react(message, emoji)));
/** Behind the last of the buttons beside it. */
export const openMenu = () =>
  withChosen((_message, row) =>
    /** @type {HTMLElement | null} */ (row.querySelector(".tools button:last-child"))?.click(),
  );
