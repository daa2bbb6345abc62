// The keys that work everywhere, as people know them from Zulip. Their list is `shortcut-list.js`.

import { isWriting, startWriting } from "../compose/compose-state.js";
import { openSearch } from "../search/search-box.js";
import { go } from "../state/route.js";
import { withModule } from "./later.js";
import { filterPeople } from "./people-column.js";
import { isField } from "./shortcuts.js";
import { isSidebarOpen } from "./top.js";

/** @typedef {import("../strings/text.js").Key} Key */
/** @typedef {"keys_going" | "keys_finding" | "keys_message" | "keys_writing"} Group */
/** @typedef {{ keys: readonly string[], text: Key, group: Group, run: (() => unknown) | null }} Shortcut run: null for keys that a field answers */

/** Does something with the message that is chosen, or the conversation of the view. @param {(it: typeof import("../messages/selection.js")) => void} run */
const chosen = (run) => () => withModule(() => import("../messages/selection.js"), run);
/** @param {(it: typeof import("./next.js")) => void} run */
const next = (run) => () => withModule(() => import("./next.js"), run);
/** @param {string} href */
const to = (href) => () => go(href);

function filter() {
  isSidebarOpen.value = true;
  requestAnimationFrame(() => document.getElementById("filter")?.focus());
}

const switchTo = () =>
  withModule(
    () => import("./switcher.js"),
    (it) => it.openSwitcher(),
  );

const list = () =>
  withModule(
    () => import("./shortcut-list.js"),
    (it) => it.listShortcuts(SHORTCUTS),
  );

/** @type {[Group, [keys: string, text: Key, run: (() => unknown) | null][]][]} */
const GROUPS = [
  [
    "keys_finding",
    [
      ["Ctrl+K", "switch_to", switchTo],
      ["/", "search", openSearch],
      ["q", "filter", filter],
      ["w", "filter_people", filterPeople],
      ["?", "shortcuts", list],
    ],
  ],
  [
    "keys_going",
    [
      ["n", "next_unread", next((it) => it.toNextTopic(false))],
      ["N", "next_followed", next((it) => it.toNextTopic(true))],
      ["p", "next_direct", next((it) => it.toNextDirect())],
      ["I", "inbox", to("#inbox")],
      ["t", "recent", to("#recent")],
      ["a", "feed", to("#feed")],
      ["P", "directs", to("#narrow/is/dm")],
      ["*", "starred", to("#narrow/is/starred")],
      ["d", "drafts", to("#drafts")],
      ["A", "previous_channel", next((it) => it.toChannel(-1))],
      ["D", "next_channel", next((it) => it.toChannel(1))],
      ["s", "to_conversation", chosen((it) => it.toConversation())],
      ["S", "to_channel", chosen((it) => it.toChannel())],
      ["z", "to_context", chosen((it) => it.toContext())],
    ],
  ],
  [
    "keys_message",
    [
      ["j ArrowDown", "next_message", chosen((it) => it.step(1))],
      ["k ArrowUp", "previous_message", chosen((it) => it.step(-1))],
      ["J PageDown Space", "page_down", chosen((it) => it.page(1))],
      ["K PageUp", "page_up", chosen((it) => it.page(-1))],
      ["Home", "first_message", chosen((it) => it.toStart())],
      ["G End", "last_message", chosen((it) => it.toEnd())],
      ["r Enter", "reply", chosen((it) => it.reply())],
      ["R", "reply_directly", chosen((it) => it.replyDirectly())],
      [">", "quote", chosen((it) => it.quoteChosen())],
      ["@", "reply_mentioning", chosen((it) => it.replyMentioning())],
      ["e", "edit", chosen((it) => it.edit())],
      ["ArrowLeft", "edit_last", chosen((it) => it.editLast())],
      [":", "add_reaction", chosen((it) => it.chooseReaction())],
      ["+", "thumbs_up", chosen((it) => it.thumbsUp())],
      ["=", "same_reaction", chosen((it) => it.sameReaction())],
      ["Ctrl+S", "star", chosen((it) => it.starChosen())],
      ["U", "unread_from_here", chosen((it) => it.unreadFromChosen())],
      ["M", "mute_topic", chosen((it) => it.muteTopic())],
      ["m", "move", chosen((it) => it.moveChosen())],
      ["L", "copy_link", chosen((it) => it.copyLinkOfChosen())],
      ["v", "show_pictures", chosen((it) => it.showPictures())],
      ["V", "read_by", chosen((it) => it.showReaders())],
      ["H", "history", chosen((it) => it.showHistory())],
      ["u", "show_sender", chosen((it) => it.showSender())],
      ["i", "more", chosen((it) => it.openMenu())],
    ],
  ],
  [
    "keys_writing",
    [
      ["c", "write", () => startWriting()],
      ["x", "new_direct", () => startWriting({ kind: "direct", people: [] })],
      ["Ctrl+Enter", "send", null],
      ["Ctrl+B Ctrl+I Ctrl+K", "keys_marks", null],
      ["ArrowUp", "edit_last", null],
      ["Escape", "leave_field", () => (isWriting.value = false)],
    ],
  ],
];

/** @type {readonly Shortcut[]} */
const SHORTCUTS = GROUPS.flatMap(([group, lines]) =>
  lines.map(([keys, text, run]) => ({ keys: keys.split(" "), text, group, run })),
);

/** These scroll or press whatever else has the focus. */
const OF_BROWSER = /^(?:Arrow|Page|Home|End|Enter|Space)/u;

/** @param {EventTarget | null} target */
const isAtMessages = (target) =>
  target === document.body || (target instanceof Element && target.closest(".messages") !== null);

/** @param {EventTarget | null} target */
const isPressed = (target) => target instanceof Element && target.closest("a, button, summary, audio, video") !== null;

/** @param {KeyboardEvent} event */
function nameOf(event) {
  const key = event.key === " " ? "Space" : event.key;
  return event.ctrlKey || event.metaKey ? `Ctrl+${key.toUpperCase()}` : key;
}

/** @param {KeyboardEvent} event */
export function run(event) {
  const name = nameOf(event);
  if (event.altKey || (isField(event.target) && name !== "Ctrl+K")) return;
  const found = SHORTCUTS.find((one) => one.run !== null && one.keys.includes(name));
  if (!found?.run) return;
  if (OF_BROWSER.test(name) && (!isAtMessages(event.target) || isPressed(event.target))) return;
  if (found.group === "keys_message" && document.querySelector(".messages") === null) return;
  event.preventDefault();
  void found.run();
}
