// Goes along when the conversation on the screen is moved or renamed.

import { isMoveOf } from "./conversation.js";
import { conversation, go, linkToTopic } from "./route.js";
import { watchers } from "./store.js";

/** @param {import("../types.js").Event} event */
function follow(event) {
  const here = conversation.peek();
  if (here?.kind !== "topic" || !isMoveOf(event, here.stream_id, here.topic)) return;
  go(linkToTopic(event["new_stream_id"] ?? event["stream_id"], event["subject"] ?? event["orig_subject"]), true);
}

watchers.add(follow);
