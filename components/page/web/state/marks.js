// Marks: read and starred. What is read is noted here at once and sent in batches.

import { ApiError } from "../api/http.js";
import { updateFlags, updateFlagsOfNarrow } from "../api/messages.js";
import { updateMessageFlags } from "./reducers/messages.js";
import { now, patch } from "./store.js";

/** Milliseconds; as one scrolls, messages become read one after the other. */
const GATHER = 800;

/** @type {Set<number>} */
const waiting = new Set();
/** What "mark unread from here" has marked: scrolling must not undo it while the view is open. @type {Set<number>} */
const kept = new Set();
let timer = 0;

/** @param {number[]} messages @param {"add" | "remove"} op @param {"read" | "starred"} flag */
function show(messages, op, flag) {
  patch(
    updateMessageFlags(now(), { type: "update_message_flags", id: -1, op, flag, messages, all: false }, Date.now()),
  );
}

/** @param {Iterable<number>} ids of messages that were seen */
export function seen(ids) {
  const fresh = [...ids].filter((id) => !kept.has(id) && now().messages.get(id)?.flags.includes("read") === false);
  if (fresh.length === 0) return;
  for (const id of fresh) waiting.add(id);
  show(fresh, "add", "read");
  if (timer === 0) timer = setTimeout(() => void send(), GATHER);
}

async function send() {
  timer = 0;
  const ids = [...waiting];
  waiting.clear();
  if (ids.length === 0) return;
  try {
    await updateFlags(ids, "add", "read");
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isPassing) return;
    for (const id of ids) waiting.add(id);
    timer = setTimeout(() => void send(), GATHER * 5);
  }
}

/** Another view is open. */
export const release = () => kept.clear();

/** @param {number} id @param {boolean} isStarred */
export async function star(id, isStarred) {
  const op = isStarred ? "add" : "remove";
  await updateFlags([id], op, "starred");
}

const PART = 1000;

/**
 * Everything of a narrow from a message on is unread again.
 * @param {number} id @param {import("../types.js").Term[]} narrow
 */
export async function unreadFrom(id, narrow) {
  for (const one of now().messages.keys()) if (one >= id) kept.add(one);
  // Messages seen a moment ago are sent as read first; sent later, they would undo this.
  clearTimeout(timer);
  await send();
  await updateAll(narrow, id, "remove");
}

/** Everything of a narrow is read. @param {import("../types.js").Term[]} narrow */
export const readAll = (narrow) => updateAll([...narrow, { operator: "is", operand: "unread" }], "oldest", "add");

/**
 * Adds or removes `read` for all messages of a narrow from an anchor on, part by part.
 * @param {import("../types.js").Term[]} narrow @param {number | "oldest"} from @param {"add" | "remove"} op
 */
async function updateAll(narrow, from, op) {
  let anchor = from;
  for (;;) {
    const done = await updateFlagsOfNarrow({
      anchor,
      include_anchor: anchor === from,
      num_before: 0,
      num_after: PART,
      narrow,
      op,
      flag: "read",
    });
    if (done.found_newest || done.last_processed_id === null) return;
    anchor = done.last_processed_id;
  }
}
