// Known topics of a channel, without a request: loaded topics and recent conversations.

import { computed } from "@preact/signals-core";
import { recent } from "./recent.js";
import { topicsOf } from "./select.js";

/** Topics of recent conversations, by channel. */
const recentTopics = computed(() => {
  /** @type {Map<number, { name: string, max_id: number }[]>} */
  const topics = new Map();
  for (const { of, max_id } of recent.value.values()) {
    if (of.kind !== "topic") continue;
    const list = topics.get(of.stream_id) ?? [];
    list.push({ name: of.topic, max_id });
    topics.set(of.stream_id, list);
  }
  return topics;
});

/** @param {number} id of a channel @returns {{ name: string, max_id: number }[]} */
export function knownTopics(id) {
  const all = topicsOf(id);
  const names = new Set(all.map((one) => one.name.toLowerCase()));
  return [...all, ...(recentTopics.value.get(id) ?? []).filter((one) => !names.has(one.name.toLowerCase()))];
}
