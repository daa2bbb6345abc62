// The reducers against what a server has sent: a snapshot, everything that happened then, and the
// snapshot after it. Applying the events to the first has to give the second.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { narrowKey } from "../web/state/narrow.js";
import { REDUCERS, reduce } from "../web/state/reduce.js";
import { fromSnapshot } from "../web/state/snapshot.js";

const recorded = JSON.parse(readFileSync(new URL("recorded.json", import.meta.url), "utf8"));
const NOW = 1_800_000_000_000;

const replayed = () =>
  recorded.events.reduce((state, event) => reduce(state, event, NOW), fromSnapshot(recorded.before));
const expected = () => fromSnapshot(recorded.after);

/** Lists whose order means nothing. */
const sorted = (list, key) => [...list].sort((a, b) => (a[key] > b[key] ? 1 : -1));

for (const slice of ["settings", "groups", "folders", "emoji", "starred", "policies", "statuses", "muted"]) {
  test(`${slice}: events lead to what a new snapshot says`, () => {
    const order = (value) =>
      value instanceof Map
        ? new Map([...value].sort())
        : value instanceof Set
          ? new Set([...value].sort())
          : Array.isArray(value)
            ? sorted(value, "id")
            : value;
    const members = (value) =>
      slice === "groups"
        ? new Map(
            [...value].map(([id, group]) => [
              id,
              {
                ...group,
                members: [...group.members].sort(),
                direct_subgroup_ids: [...group.direct_subgroup_ids].sort(),
              },
            ]),
          )
        : value;
    assert.deepEqual(order(members(replayed()[slice])), order(members(expected()[slice])));
  });
}

test("unread messages by conversation", () => {
  const plain = (state) => new Map([...state.unread].map(([key, one]) => [key, one.ids]).sort());
  assert.deepEqual(plain(replayed()), plain(expected()));
});

test("unread mentions, but for wildcards in channels that are muted by now", () => {
  const state = replayed();
  const muted = [...state.unread.values()]
    .filter((one) => state.channels.get(one.stream_id)?.is_muted)
    .flatMap((one) => one.ids);
  const counted = [...state.mentions].filter((id) => !muted.includes(id));
  assert.deepEqual(counted, [...expected().mentions]);
  assert.ok(state.mentions.size > 0);
});

test("channels, as far as they are shown", () => {
  const shown = (state) =>
    new Map(
      [...state.channels]
        .sort(([a], [b]) => a - b)
        .map(([id, one]) => [
          id,
          [
            one.name,
            one.description,
            one.rendered_description,
            one.subscribed,
            one.is_muted ?? false,
            one.color,
            one.folder_id,
            one.invite_only,
            one.is_archived,
            one.subscriber_count,
          ],
        ]),
    );
  const [got, wanted] = [shown(replayed()), shown(expected())];
  assert.deepEqual(got, wanted);
});

test("people", () => {
  const shown = (state) =>
    new Map(
      [...state.users]
        .sort(([a], [b]) => a - b)
        .map(([id, one]) => [id, [one.full_name, one.role, one.is_active, one.email]]),
    );
  assert.deepEqual(shown(replayed()), shown(expected()));
});

test("conversations with people, by their newest message", () => {
  assert.deepEqual(new Map([...replayed().directs].sort()), new Map([...expected().directs].sort()));
});

for (const [field, key] of Object.entries({
  alert_words: null,
  drafts: "id",
  scheduled_messages: "scheduled_message_id",
  reminders: "reminder_id",
  saved_snippets: "id",
  navigation_views: "fragment",
  realm_linkifiers: "id",
  realm_playgrounds: "id",
  realm_domains: "domain",
  custom_profile_fields: "id",
  realm_default_streams: null,
  realm_user_settings_defaults: null,
})) {
  test(`${field}: events lead to what a new snapshot says`, () => {
    const order = (list) => (key === null ? (Array.isArray(list) ? [...list].sort() : list) : sorted(list ?? [], key));
    assert.deepEqual(order(replayed().personal[field]), order(expected().personal[field]));
  });
}

test("the recording has most types of events", () => {
  const types = new Set(recorded.events.map((event) => event.type));
  assert.ok(types.size >= 30, String(types.size));
});

test("every type of event that the document knows has a reducer", () => {
  const folder = new URL("../../../crates/openapi/schemas/events/", import.meta.url);
  const known = new Set();
  for (const name of readdirSync(folder)) {
    const text = readFileSync(new URL(name, folder), "utf8");
    for (const [, type] of text.matchAll(/^ {4}(?: {4})?type: \{const: (\w+)\}$/gmu)) known.add(type);
  }
  // What messages are, not events.
  for (const type of ["stream", "private", "direct", "channel"]) if (type !== "stream") known.delete(type);
  assert.ok(known.size > 35, String(known.size));
  assert.deepEqual([...known].filter((type) => !(type in REDUCERS)).sort(), []);
});

test("an unknown type and an unknown op throw", () => {
  const state = expected();
  assert.throws(() => reduce(state, { type: "weather", id: 1 }, NOW), /unknown event/u);
  for (const type of ["stream", "subscription", "realm", "drafts", "user_group", "navigation_view", "channel_folder"]) {
    const event = { type, op: "fold", id: 1, group_id: [...state.groups.keys()][0] };
    assert.throws(() => reduce(state, event, NOW), /unknown event/u, type);
  }
});

test("a reducer changes nothing that it was given", () => {
  const freeze = (value) => {
    if (value === null || typeof value !== "object" || Object.isFrozen(value)) return value;
    Object.freeze(value);
    for (const part of value instanceof Map ? value.values() : Object.values(value)) freeze(part);
    return value;
  };
  let state = freeze(fromSnapshot(recorded.before));
  for (const event of recorded.events) {
    const before = new Map([...state.unread].map(([key, one]) => [key, [...one.ids]]));
    const next = reduce(state, freeze(event), NOW);
    assert.deepEqual(new Map([...state.unread].map(([key, one]) => [key, [...one.ids]])), before);
    state = freeze(next);
  }
});

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

/** A state in which a topic is open. */
function withWindow(ids, ends = { oldest: true, newest: true }) {
  const key = narrowKey([
    { operator: "channel", operand: 5 },
    { operator: "topic", operand: "loom" },
  ]);
  const state = expected();
  state.windows = new Map([[key, { ids, ...ends }]]);
  state.messages = new Map(ids.map((id) => [id, message(id)]));
  return { state, window: (next) => next.windows.get(key)?.ids };
}

test("a new message goes where its conversation is open to the end, and nowhere else", () => {
  const open = withWindow([1, 2]);
  const event = (more) => ({ type: "message", id: 1, message: message(3, more), flags: [] });
  assert.deepEqual(open.window(reduce(open.state, event({}), NOW)), [1, 2, 3]);
  assert.deepEqual(open.window(reduce(open.state, event({ subject: "LOOM" }), NOW)), [1, 2, 3]);
  assert.deepEqual(open.window(reduce(open.state, event({ subject: "other" }), NOW)), [1, 2]);
  const short = withWindow([1, 2], { oldest: true, newest: false });
  assert.deepEqual(short.window(reduce(short.state, event({}), NOW)), [1, 2]);
});

test("a day of messages leaves no more than a window of them", () => {
  let state = withWindow([1]).state;
  for (let id = 2; id < 10_000; id += 1)
    state = reduce(state, { type: "message", id, message: message(id), flags: ["read"] }, NOW);
  const [window] = state.windows.values();
  assert.ok(window.ids.length <= 1500 && window.ids.at(-1) === 9999 && !window.oldest);
  assert.ok(state.messages.size <= 8001, String(state.messages.size));
  assert.ok(window.ids.every((id) => state.messages.has(id)));
});

test("what is moved or deleted leaves, what is moved here comes in order", () => {
  const { state, window } = withWindow([1, 2, 4]);
  const moved = {
    type: "update_message",
    id: 1,
    message_id: 2,
    message_ids: [2],
    stream_id: 5,
    orig_subject: "loom",
    subject: "reed",
    propagate_mode: "change_one",
    flags: [],
  };
  const after = reduce(state, moved, NOW);
  assert.deepEqual(window(after), [1, 4]);
  const back = { ...moved, orig_subject: "reed", subject: "loom" };
  assert.deepEqual(window(reduce(after, back, NOW)), [1, 2, 4]);
  assert.deepEqual(
    window(
      reduce(
        state,
        { type: "delete_message", id: 2, message_ids: [1, 4], message_type: "stream", stream_id: 5, topic: "loom" },
        NOW,
      ),
    ),
    [2],
  );
});

test("a window that gains messages which are not at hand is dropped, to be loaded anew", () => {
  const { state, window } = withWindow([1, 2]);
  const event = {
    type: "update_message",
    id: 1,
    message_id: 7,
    message_ids: [7, 8],
    stream_id: 6,
    new_stream_id: 5,
    orig_subject: "loom",
    propagate_mode: "change_all",
    flags: [],
  };
  assert.equal(window(reduce(state, event, NOW)), undefined);
});

test("an edit keeps what the reader has set", () => {
  const { state } = withWindow([1]);
  state.messages.set(1, message(1, { flags: ["read", "starred", "mentioned"], match_content: "<p>old</p>" }));
  const event = {
    type: "update_message",
    id: 1,
    message_id: 1,
    message_ids: [1],
    rendered_content: "<p>new</p>",
    flags: ["has_alert_word"],
    edit_timestamp: 5,
  };
  const edited = reduce(state, event, NOW).messages.get(1);
  assert.deepEqual(
    [edited.match_content ?? edited.content, edited.flags.toSorted(), edited.last_edit_timestamp],
    ["<p>new</p>", ["has_alert_word", "read", "starred"], 5],
  );
});

test("subscribers of a channel that appears are counted once", () => {
  const subscription = (op, user_ids) => ({ type: "subscription", op, id: 1, stream_ids: [77], user_ids });
  const create = {
    type: "stream",
    op: "create",
    id: 1,
    streams: [{ stream_id: 77, name: "new", subscriber_count: 2 }],
  };
  const events = [
    create,
    subscription("peer_add", [5, 6]),
    subscription("peer_add", [7]),
    subscription("peer_remove", [5]),
  ];
  const state = events.reduce((before, event) => reduce(before, event, NOW), fromSnapshot(recorded.before));
  assert.equal(state.channels.get(77).subscriber_count, 2);
});

test("a deactivated user leaves the groups", () => {
  const before = fromSnapshot(recorded.before);
  const isIn = (state) => [...state.groups.values()].some((group) => group.members.includes(6));
  const event = { type: "realm_user", op: "update", id: 1, person: { user_id: 6, is_active: false } };
  assert.deepEqual([isIn(before), isIn(reduce(before, event, NOW))], [true, false]);
});
