// What an account has set for topics: found whatever the case, shown in the case in which it was set.

import assert from "node:assert/strict";
import { test } from "node:test";
import { policyOf, topicKey } from "../web/state/conversation.js";
import { userTopic } from "../web/state/reducers/personal.js";
import { emptyState, fromSnapshot } from "../web/state/snapshot.js";

const event = { type: "user_topic", id: 1, stream_id: 5, topic_name: "Launch party", visibility_policy: 3 };
const followed = { policy: 3, name: "Launch party" };

test("a topic that is followed keeps its case, in the snapshot and after an event", () => {
  const snapshot = fromSnapshot({ user_id: 1, user_topics: [event] });
  const { policies } = userTopic(emptyState(), event, 0);
  for (const found of [snapshot.policies, policies]) {
    assert.deepEqual([...found.values()], [followed]);
    assert.equal(policyOf(found, topicKey(5, "LAUNCH PARTY")), 3);
    assert.equal(policyOf(found, topicKey(6, "launch party")), 0);
  }
});
