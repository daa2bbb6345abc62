// A page of messages that was on its way while events came: the events win.

import assert from "node:assert/strict";
import { test } from "node:test";
import { caughtUp } from "../web/state/catch-up.js";
import { narrowKey } from "../web/state/narrow.js";
import { askAhead, showAhead, shownAhead } from "../web/state/ahead.js";
import { emptyState } from "../web/state/snapshot.js";
import { apply, begin, forgetLine, now } from "../web/state/store.js";
import { load } from "../web/state/windows.js";

// Every frame is drawn at once.
globalThis.document = {
  hidden: false,
  timeline: {
    get currentTime() {
      return performance.now();
    },
  },
};
globalThis.requestAnimationFrame = (run) => setImmediate(run);

const NOW = 1_800_000_000_000;
const KEY = narrowKey([
  { operator: "channel", operand: 5 },
  { operator: "topic", operand: "loom" },
]);

const message = (id, more = {}) => ({
  id,
  type: "stream",
  stream_id: 5,
  subject: "loom",
  sender_id: 9,
  content: `<p>${id}</p>`,
  reactions: [],
  submessages: [],
  flags: [],
  display_recipient: "x",
  ...more,
});

const edit = (id, rendered_content) => ({
  type: "update_message",
  id: 1,
  message_id: id,
  message_ids: [id],
  rendered_content,
  flags: [],
  edit_timestamp: 5,
});

/** The page of some ids with events after it. */
function after(ids, events, { newest = true, state = emptyState() } = {}) {
  const page = ids.map((id) => message(id));
  const { window, messages } = caughtUp(state, KEY, { ids, oldest: true, newest }, page, events, NOW);
  return { window, messages, contents: messages.map((one) => one.content) };
}

test("an edit, a reaction and a mark that came meanwhile are in the page", () => {
  const reaction = { type: "reaction", op: "add", id: 2, message_id: 2, user_id: 3, emoji_code: "1f44d" };
  const mark = { type: "update_message_flags", op: "add", id: 3, flag: "read", messages: [1], all: false };
  const { messages, contents } = after([1, 2], [edit(1, "<p>new</p>"), reaction, mark]);
  assert.deepEqual(contents, ["<p>new</p>", "<p>2</p>"]);
  assert.equal(messages[1].reactions.length, 1);
  assert.deepEqual(messages[0].flags, ["read"]);
});

test("what was deleted or moved away meanwhile does not come back", () => {
  const gone = { type: "delete_message", id: 1, message_ids: [1], message_type: "stream", stream_id: 5, topic: "loom" };
  const moved = {
    ...edit(2, undefined),
    stream_id: 5,
    orig_subject: "loom",
    subject: "reed",
    propagate_mode: "change_one",
  };
  const { window, messages } = after([1, 2, 3], [gone, moved]);
  assert.deepEqual(window.ids, [3]);
  assert.deepEqual(
    messages.map((one) => one.id),
    [2, 3],
  );
});

test("a message that came meanwhile is added where the page reaches the end, once", () => {
  const event = { type: "message", id: 1, message: message(3), flags: [] };
  assert.deepEqual(after([1, 2], [event, edit(3, "<p>new</p>")]).window.ids, [1, 2, 3]);
  assert.equal(after([1, 2], [event, edit(3, "<p>new</p>")]).contents.at(-1), "<p>new</p>");
  assert.deepEqual(after([1, 2, 3], [event]).window.ids, [1, 2, 3]);
  assert.deepEqual(after([1, 2], [event], { newest: false }).window.ids, [1, 2]);
});

test("what is at hand besides is left as it is", () => {
  const state = { ...emptyState(), messages: new Map([[3, message(3, { flags: ["read"] })]]) };
  const event = { type: "message", id: 1, message: message(3), flags: [] };
  const { window, messages } = after([1], [event], { state });
  assert.deepEqual(window.ids, [1, 3]);
  assert.deepEqual(
    messages.map((one) => one.id),
    [1],
  );
});

/** A server that answers when the test says so. */
function heldServer() {
  /** @type {((messages: unknown[]) => void)[]} */
  const waiting = [];
  globalThis.fetch = () =>
    new Promise((resolve) => {
      waiting.push((messages) => {
        const page = { anchor: 1, found_anchor: true, found_oldest: true, found_newest: true, messages };
        resolve(new Response(JSON.stringify({ result: "success", ...page })));
      });
    });
  return waiting;
}

const fail = (error) => assert.fail(error);
const snapshot = () => begin({ ...emptyState(), me: 9 });

test("an edit while the conversation is fetched is not undone by the answer", async () => {
  snapshot();
  const waiting = heldServer();
  const loaded = load(KEY, 1);
  await apply([edit(1, "<p>new</p>")], fail);
  waiting[0]([message(1)]);
  await loaded;
  assert.equal(now().messages.get(1).content, "<p>new</p>");
});

test("an answer over a gap in the events is asked for again", async () => {
  snapshot();
  const waiting = heldServer();
  const loaded = load(KEY, 1);
  forgetLine();
  waiting[0]([message(1)]);
  while (waiting.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  waiting[1]([message(1), message(2)]);
  await loaded;
  assert.deepEqual(now().windows.get(KEY).ids, [1, 2]);
});

const ADDRESS = "#narrow/channel/5/topic/loom";

/** Its page is asked for before the snapshot, which is here first. @returns {ReturnType<typeof shownAhead>} */
function shownAfterSnapshot() {
  snapshot();
  askAhead(ADDRESS);
  snapshot();
  showAhead();
  return shownAhead(KEY, "first_unread");
}

test("a page that was asked for ahead is shown with the snapshot, and events after it change both", async () => {
  const waiting = heldServer();
  snapshot();
  askAhead(ADDRESS);
  waiting[0]([message(1), message(2)]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(now().windows.size, 0);
  snapshot();
  showAhead();
  assert.deepEqual(now().windows.get(KEY).ids, [1, 2]);
  assert.equal(await shownAhead(KEY, "first_unread"), null);
  await apply([edit(1, "<p>new</p>")], fail);
  assert.equal(now().messages.get(1).content, "<p>new</p>");
  assert.equal(waiting.length, 1);
});

test("a page that comes after the snapshot is what the events since then have left of it", async () => {
  const waiting = heldServer();
  const shown = shownAfterSnapshot();
  assert.equal(await shownAhead(KEY, 1), null);
  await apply([edit(1, "<p>new</p>"), { type: "delete_message", id: 3, message_ids: [2] }], fail);
  waiting[0]([message(1), message(2)]);
  await shown;
  assert.deepEqual(now().windows.get(KEY).ids, [1]);
  assert.equal(now().messages.get(1).content, "<p>new</p>");
});

test("a page of an earlier registration is not shown", async () => {
  const waiting = heldServer();
  snapshot();
  askAhead(ADDRESS);
  askAhead(ADDRESS);
  snapshot();
  showAhead();
  const shown = shownAhead(KEY, "first_unread");
  waiting[0]([message(1)]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(now().windows.size, 0);
  // The queue has ended before the page was here: the view asks itself.
  forgetLine();
  waiting[1]([message(1)]);
  assert.equal(await shown, null);
  assert.equal(now().windows.size, 0);
});

test("a page is not shown with the snapshot of a later registration", async () => {
  const waiting = heldServer();
  const shown = shownAfterSnapshot();
  forgetLine();
  snapshot();
  showAhead();
  waiting[0]([message(1)]);
  assert.equal(await shown, null);
  assert.equal(now().windows.size, 0);
});

test("an address that needs the snapshot waits for it", () => {
  const waiting = heldServer();
  for (const address of ["", "#inbox", "#narrow/dm/me", "#narrow/channel/looms", "#narrow/channel/5/topic/loom/with/3"])
    askAhead(address);
  assert.equal(waiting.length, 0);
  askAhead("#feed");
  assert.equal(waiting.length, 1);
});
