// Every type and op of event that the OpenAPI document knows: those that `recorded.json` lacks are here,
// with what each does to the state.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { reduce } from "../web/state/reduce.js";
import { emptyState } from "../web/state/snapshot.js";

const NOW = 1_800_000_000_000;
const recorded = JSON.parse(readFileSync(new URL("recorded.json", import.meta.url), "utf8"));

/** A state with one of everything. */
const state = () => ({
  ...emptyState(),
  me: 1,
  realm: { zulip_version: "1", zulip_feature_level: 1, realm_name: "Mill" },
  users: new Map([[2, { user_id: 2, full_name: "Jo" }]]),
  groups: new Map([[3, { id: 3, members: [2], direct_subgroup_ids: [] }]]),
  channels: new Map([[4, { stream_id: 4, name: "looms", subscribed: true }]]),
  emoji: new Map([["5", { id: "5", name: "shuttle", deactivated: false }]]),
  personal: {
    attachments: [{ id: 1, name: "a" }],
    upload_space_used: 10,
    reminders: [{ reminder_id: 6 }],
    saved_snippets: [{ id: 7 }],
    navigation_views: [{ fragment: "narrow/is/alerted", is_pinned: true }],
    realm_domains: [{ domain: "example.org", allow_subdomains: false }],
    realm_bots: [{ user_id: 8, full_name: "Counter", owner_id: 1 }],
  },
});

/** An event, and what can be seen of it; without that nothing changes. */
const SAMPLES = [
  [{ type: "heartbeat" }],
  [
    { type: "attachment", op: "add", attachment: { id: 2, name: "b" }, upload_space_used: 30 },
    (next) => [next.personal.attachments.map((one) => one.name), next.personal.upload_space_used],
    [["b", "a"], 30],
  ],
  [
    { type: "attachment", op: "update", attachment: { id: 1, name: "c" }, upload_space_used: 20 },
    (next) => [next.personal.attachments, next.personal.upload_space_used],
    [[{ id: 1, name: "c" }], 20],
  ],
  [
    { type: "attachment", op: "remove", attachment: { id: 1 }, upload_space_used: 0 },
    (next) => [next.personal.attachments, next.personal.upload_space_used],
    [[], 0],
  ],
  [
    { type: "app_answer", message_id: 3, bot_id: 2, content: "<p>Noted</p>" },
    (next) => [...next.answers],
    [[3, [{ bot_id: 2, content: "<p>Noted</p>" }]]],
  ],
  [{ type: "device", op: "add", device_id: 1 }],
  [{ type: "device", op: "update", device_id: 1 }],
  [{ type: "device", op: "remove", device_id: 1 }],
  [{ type: "push_device", push_account_id: "1", status: "active" }],
  [{ type: "invites_changed" }],
  [{ type: "realm_export", exports: [] }],
  [{ type: "realm_export_consent", user_id: 2, consented: true }],
  [{ type: "typing_edit_message", op: "stop", sender_id: 2, message_id: 1, recipient: {} }],
  [
    { type: "navigation_view", op: "remove", fragment: "narrow/is/alerted" },
    (next) => next.personal.navigation_views,
    [],
  ],
  [{ type: "reminders", op: "remove", reminder_id: 6 }, (next) => next.personal.reminders, []],
  [{ type: "saved_snippets", op: "remove", saved_snippet_id: 7 }, (next) => next.personal.saved_snippets, []],
  [{ type: "realm", op: "update", property: "name", value: "Loom" }, (next) => next.realm.realm_name, "Loom"],
  [{ type: "realm", op: "deactivated", realm_id: 1 }, (next) => next.realm.realm_deactivated, true],
  [
    { type: "realm_domains", op: "change", realm_domain: { domain: "example.org", allow_subdomains: true } },
    (next) => next.personal.realm_domains,
    [{ domain: "example.org", allow_subdomains: true }],
  ],
  [{ type: "realm_domains", op: "remove", domain: "example.org" }, (next) => next.personal.realm_domains, []],
  [
    { type: "realm_bot", op: "add", bot: { user_id: 9 } },
    (next) => next.personal.realm_bots.map((bot) => bot.user_id),
    [8, 9],
  ],
  [
    { type: "realm_bot", op: "update", bot: { user_id: 8, full_name: "Other" } },
    (next) => next.personal.realm_bots,
    [{ user_id: 8, full_name: "Other", owner_id: 1 }],
  ],
  [{ type: "realm_bot", op: "delete", bot: { user_id: 8 } }, (next) => next.personal.realm_bots, []],
  [
    { type: "realm_emoji", op: "add", emoji: { id: "6", name: "reed" } },
    (next) => [...next.emoji.values()].map((one) => one.name),
    ["shuttle", "reed"],
  ],
  [
    { type: "realm_emoji", op: "edit", emoji_id: "5", data: { name: "spool" } },
    (next) => next.emoji.get("5").name,
    "spool",
  ],
  [
    { type: "realm_emoji", op: "update_one", emoji_id: "5", data: { name: "spool" } },
    (next) => next.emoji.get("5").name,
    "spool",
  ],
  [{ type: "realm_emoji", op: "remove", emoji_id: "5" }, (next) => next.emoji.get("5").deactivated, true],
  [{ type: "realm_emoji", op: "update", realm_emoji: {} }, (next) => next.emoji.size, 0],
  [{ type: "realm_user", op: "remove", person: { user_id: 2 } }, (next) => next.users.size, 0],
  [{ type: "user_group", op: "remove", group_id: 3 }, (next) => next.groups.size, 0],
  [{ type: "stream", op: "delete", streams: [{ stream_id: 4 }], stream_ids: [4] }, (next) => next.channels.size, 0],
  [
    { type: "restart", server_generation: 2, zulip_version: "2", zulip_feature_level: 1, zulip_merge_base: "" },
    (next) => next.realm.is_outdated,
    true,
  ],
];

for (const [event, seen, expected] of SAMPLES)
  test(`${event.type} ${event.op ?? ""}`, () => {
    const before = state();
    const next = reduce(before, { id: 1, ...event }, NOW);
    if (seen === undefined) assert.deepEqual(next, before);
    else assert.deepEqual(seen(next), expected);
  });

test("a list of files that was not loaded stays unknown", () => {
  const before = emptyState();
  const event = { type: "attachment", id: 1, op: "add", attachment: { id: 2 }, upload_space_used: 30 };
  assert.deepEqual(reduce(before, event, NOW), before);
  assert.throws(() => reduce(before, { ...event, op: "rename" }, NOW));
});

/** Type and op of each schema of an event. */
function known() {
  const folder = new URL("../../../crates/openapi/schemas/events/", import.meta.url);
  const pairs = new Set();
  for (const name of readdirSync(folder)) {
    for (const schema of readFileSync(new URL(name, folder), "utf8").split(/^(?=\w)/mu)) {
      if (!/^\w+Event:/u.test(schema)) continue;
      const type = /^ {4}type: \{const: (\w+)\}$/mu.exec(schema)?.[1];
      if (type === undefined) continue;
      const ops = /^ {4}op: \{(?:const: (\w+)|enum: \[([^\]]+)\])/mu.exec(schema);
      for (const op of (ops?.[1] ?? ops?.[2] ?? "").split(/, */u)) pairs.add(`${type} ${op}`);
    }
  }
  return pairs;
}

test("each type and op that the document knows is tried", () => {
  const tried = new Set(
    [...recorded.events, ...SAMPLES.map(([event]) => event)].map(({ type, op = "" }) => `${type} ${op}`),
  );
  const pairs = known();
  assert.ok(pairs.size > 70, String(pairs.size));
  assert.deepEqual(
    [...pairs].filter((pair) => !tried.has(pair)),
    [],
  );
});
