// The keys that work everywhere but in a field. Their list is `shortcut-list.js`.

import { go } from "../state/route.js";
import { open } from "./above.js";
import { withModule } from "./later.js";

/** @typedef {import("../strings/text.js").Key} Key */
/** @typedef {"keys_going" | "keys_message" | "keys_writing"} Group */
/** @typedef {{ keys: readonly string[], text: Key, group: Group, run: (() => void) | null }} Shortcut run: null for keys that a field answers */

/** Does something with the message that is chosen. @param {(it: typeof import("../messages/selection.js")) => void} run */
const chosen = (run) => () => withModule(() => import("../messages/selection.js"), run);

/** @type {Shortcut[]} */
const shortcuts = [
  { keys: ["I"], text: "inbox", group: "keys_going", run: () => go("#inbox") },
  { keys: ["t"], text: "recent", group: "keys_going", run: () => go("#recent") },
  { keys: ["a"], text: "feed", group: "keys_going", run: () => go("#feed") },
  { keys: ["@"], text: "mentions", group: "keys_going", run: () => go("#narrow/is/mentioned") },
  { keys: ["*"], text: "starred", group: "keys_going", run: () => go("#narrow/is/starred") },
  { keys: ["d"], text: "drafts", group: "keys_going", run: () => go("#drafts") },
  { keys: ["?"], text: "shortcuts", group: "keys_going", run: () => list() },
  { keys: ["j", "ArrowDown"], text: "next_message", group: "keys_message", run: chosen((it) => it.step(1)) },
  { keys: ["k", "ArrowUp"], text: "previous_message", group: "keys_message", run: chosen((it) => it.step(-1)) },
  { keys: ["G"], text: "last_message", group: "keys_message", run: chosen((it) => it.toEnd()) },
  { keys: ["r"], text: "reply", group: "keys_message", run: chosen((it) => it.reply()) },
  { keys: [">"], text: "quote", group: "keys_message", run: chosen((it) => it.quoteChosen()) },
  { keys: ["e"], text: "edit", group: "keys_message", run: chosen((it) => it.edit()) },
  { keys: [":"], text: "add_reaction", group: "keys_message", run: chosen((it) => it.chooseReaction()) },
  { keys: ["+"], text: "thumbs_up", group: "keys_message", run: chosen((it) => it.thumbsUp()) },
  { keys: ["S"], text: "to_conversation", group: "keys_message", run: chosen((it) => it.toConversation()) },
  { keys: ["u"], text: "show_sender", group: "keys_message", run: chosen((it) => it.showSender()) },
  { keys: ["i"], text: "more", group: "keys_message", run: chosen((it) => it.openMenu()) },
  { keys: ["Ctrl+Enter"], text: "send", group: "keys_writing", run: null },
  { keys: ["Ctrl+B", "Ctrl+I", "Ctrl+K"], text: "keys_marks", group: "keys_writing", run: null },
  { keys: ["Escape"], text: "leave_field", group: "keys_writing", run: null },
];

/** @param {string} key @param {{ text: Key, run: () => void, group?: Group }} shortcut */
export const addShortcut = (key, { text, run, group = "keys_going" }) =>
  shortcuts.push({ keys: [key], text, group, run });

const list = () =>
  withModule(
    () => import("./shortcut-list.js"),
    (it) => it.listShortcuts(shortcuts),
  );

/** Arrows scroll whatever else has the focus. @param {EventTarget | null} target */
const isAtMessages = (target) =>
  target === document.body || (target instanceof Element && target.closest(".messages") !== null);

/** @param {KeyboardEvent} event */
export function shortcut(event) {
  const target = event.target;
  const isField = target instanceof Element && target.matches("input, textarea, select, [contenteditable]");
  if (isField || open.value !== null || event.ctrlKey || event.metaKey || event.altKey) return;
  const found = shortcuts.find(({ keys }) => keys.includes(event.key));
  if (!found?.run || (event.key.startsWith("Arrow") && !isAtMessages(target))) return;
  if (found.group === "keys_message" && document.querySelector(".messages") === null) return;
  event.preventDefault();
  found.run();
}
