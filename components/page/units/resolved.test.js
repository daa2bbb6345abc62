// Resolving a topic renames it without moving its messages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { reduce } from "../web/state/reduce.js";
import { emptyState } from "../web/state/snapshot.js";

const NOW = 1_800_000_000_000;
const message = { id: 1, type: "stream", stream_id: 5, subject: "loom", sender_id: 9, reactions: [], flags: [] };

const rename = (orig_subject, subject, more = {}) => ({
  type: "update_message",
  id: 1,
  message_id: 1,
  message_ids: [1],
  stream_id: 5,
  orig_subject,
  subject,
  edit_timestamp: 7,
  flags: [],
  ...more,
});

test("resolving a topic is no move of its messages", () => {
  const state = { ...emptyState(), messages: new Map([[1, message]]) };
  const movedAt = (now) => now.messages.get(1).last_moved_timestamp;
  const resolved = reduce(state, rename("loom", "✔ loom"), NOW);
  assert.equal(resolved.messages.get(1).subject, "✔ loom");
  assert.equal(movedAt(resolved), undefined);
  assert.equal(movedAt(reduce(resolved, rename("✔ loom", "loom"), NOW)), undefined);
  assert.equal(movedAt(reduce(state, rename("loom", "reed"), NOW)), 7);
  assert.equal(movedAt(reduce(state, rename("loom", "loom", { new_stream_id: 6 }), NOW)), 7);
});
