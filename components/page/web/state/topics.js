// The topics of a channel, which the snapshot lacks: loaded when a list or a suggestion first needs them.

import { getTopics } from "../api/messages.js";
import { now, patch } from "./store.js";

/** @param {number} stream_id */
export async function learnTopics(stream_id) {
  if (now().topics.has(stream_id)) return;
  try {
    const { topics } = await getTopics(stream_id);
    patch({ topics: new Map(now().topics).set(stream_id, topics) });
  } catch {
    // Suggestions only.
  }
}
