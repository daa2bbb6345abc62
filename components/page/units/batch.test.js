// Events that are applied together: what they lead to, what they copy, and how often the page is drawn.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { effect } from "@preact/signals-core";
import { narrowKey } from "../web/state/narrow.js";
import { reduce } from "../web/state/reduce.js";
import { inBatch } from "../web/state/reducers/tools.js";
import { emptyState, fromSnapshot } from "../web/state/snapshot.js";
import { apply, begin, now, store } from "../web/state/store.js";

const NOW = 1_800_000_000_000;
const KEY = narrowKey([
  { operator: "channel", operand: 5 },
  { operator: "topic", operand: "loom" },
]);
const recorded = JSON.parse(readFileSync(new URL("recorded.json", import.meta.url), "utf8"));

const event = (id) => ({
  type: "message",
  id,
  flags: [],
  message: {
    id,
    type: "stream",
    stream_id: 5,
    subject: "loom",
    sender_id: 9,
    content: "",
    reactions: [],
    submessages: [],
    display_recipient: "x",
  },
});

const state = () => ({
  ...emptyState(),
  me: 1,
  windows: new Map([[KEY, { ids: [], oldest: true, newest: true }]]),
});

test("a batch leads to the same state as its events one by one, and leaves the state before as it was", () => {
  const alone = recorded.events.reduce((before, one) => reduce(before, one, NOW), fromSnapshot(recorded.before));
  const before = fromSnapshot(recorded.before);
  let together = before;
  inBatch(() => {
    for (const one of recorded.events) together = reduce(together, one, NOW);
  });
  assert.deepEqual(together, alone);
  assert.deepEqual(before, fromSnapshot(recorded.before));
});

test("the messages are copied once for a batch, and for each event outside", () => {
  const before = state();
  /** @type {Set<unknown>} */
  const maps = new Set();
  let next = before;
  inBatch(() => {
    for (let id = 1; id <= 50; id += 1) {
      next = reduce(next, event(id), NOW);
      maps.add(next.messages);
    }
  });
  assert.equal(maps.size, 1);
  assert.equal(next.messages.size, 50);
  assert.equal(before.messages.size, 0);
  assert.equal(reduce(next, event(51), NOW).messages.size, 51);
  assert.equal(next.messages.size, 50);
});

test("an event is seen at once, a burst once for each frame", async () => {
  /** @type {(() => void)[]} */
  let frames = [];
  const timeline = { currentTime: 0 };
  globalThis.document = { hidden: false, timeline };
  globalThis.requestAnimationFrame = (run) => frames.push(run);
  begin(state());
  let seen = -1;
  const end = effect(() => {
    void store.messages.value;
    seen += 1;
  });
  const fail = (error) => assert.fail(String(error));
  const frame = async () => {
    timeline.currentTime += 16;
    const run = frames;
    frames = [];
    for (const one of run) one();
    await new Promise((resolve) => setImmediate(resolve));
  };
  // Those that come before the frame which shows the first wait for another one.
  for (let id = 1; id <= 240; id += 1) void apply([event(id)], fail);
  assert.deepEqual([seen, now().messages.size, frames.length], [1, 1, 1]);
  while (now().messages.size < 240) {
    const drawn = seen;
    await frame();
    assert.equal(seen, drawn + 1);
  }
  // However fast it is, a frame takes a part of them.
  assert.ok(seen >= 4, `${seen} frames`);
  // What comes after the last of them, in the same frame, waits too; what comes after a pause does not.
  void apply([event(241)], fail);
  assert.equal(now().messages.size, 240);
  await frame();
  assert.equal(now().messages.size, 241);
  await frame();
  void apply([event(242)], fail);
  assert.equal(now().messages.size, 242);
  // In the background no frame comes, and none is needed.
  globalThis.document = { hidden: true, timeline };
  await apply([event(243)], fail);
  assert.equal(now().messages.size, 243);
  end();
});
