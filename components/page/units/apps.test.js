// Apps: the form of their rights and settings, and what their events change.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  asksForMore,
  channelsOf,
  commandsOf,
  linesOf,
  ownHostsOf,
  rightsOf,
  settingsOf,
} from "../web/state/app-rights.js";
import { reduce } from "../web/state/reduce.js";
import { emptyState } from "../web/state/snapshot.js";

const NOW = 1_800_000_000_000;
const NONE = { events: [], commands: [], hosts: [] };

const app = (change = {}) => ({
  manifest: {
    events: ["command", "click"],
    commands: [
      { name: "vote", description: "Starts a poll" },
      { name: "close", description: "Ends one" },
    ],
    hosts: ["api.example.org"],
    channels: "all",
    settings: [
      { name: "title", kind: "text" },
      { name: "most", kind: "number" },
      { name: "loud", kind: "switch" },
      { name: "room", kind: "channel" },
    ],
    secrets: [],
  },
  rights: null,
  missing_rights: NONE,
  ...change,
});

const chosenIn = (one) => (field) =>
  linesOf(one)
    .filter((line) => line.field === field && line.isChosen)
    .map((line) => line.name);

test("a new app asks for everything, and a form that was not touched grants that", () => {
  assert.deepEqual(
    linesOf(app()).map(({ field, name, isChosen, isNew }) => [field, name, isChosen, isNew]),
    [
      ["commands", "vote", true, false],
      ["commands", "close", true, false],
      ["events", "click", true, false],
      ["hosts", "api.example.org", true, false],
    ],
  );
  assert.deepEqual(rightsOf(app(), chosenIn(app()), channelsOf(app())), {
    events: ["command", "click"],
    commands: ["vote", "close"],
    hosts: ["api.example.org"],
    channels: null,
  });
});

test("without a command, its event is not granted either", () => {
  const rights = rightsOf(app(), (field) => (field === "events" ? ["click"] : []), [4]);
  assert.deepEqual(rights, { events: ["click"], commands: [], hosts: [], channels: [4] });
});

test("what an update asks for waits for consent", () => {
  const granted = { events: ["command", "click"], commands: ["vote"], hosts: ["api.example.org"], channels: [4] };
  const now = app({ rights: granted, missing_rights: { ...NONE, commands: ["close"] } });
  assert.equal(asksForMore(app()), false);
  assert.equal(asksForMore(app({ rights: granted })), false);
  assert.equal(asksForMore(now), true);
  assert.deepEqual(
    linesOf(now)
      .filter((line) => line.isNew)
      .map(({ name, isChosen }) => [name, isChosen]),
    [["close", false]],
  );
  assert.deepEqual(rightsOf(now, chosenIn(now), channelsOf(now)), granted);
});

test("hosts that are written stand in place of any host", () => {
  const { manifest } = app();
  const any = app({ manifest: { ...manifest, hosts: ["*", "api.example.org"] } });
  const hosts = (written) => rightsOf(any, chosenIn(any), null, written).hosts;
  assert.deepEqual(hosts(""), ["*", "api.example.org"]);
  assert.deepEqual(hosts(" , "), ["*", "api.example.org"]);
  assert.deepEqual(hosts("a.example, b.example:8080 a.example"), ["api.example.org", "a.example", "b.example:8080"]);
  const granted = { events: [], commands: [], hosts: ["api.example.org", "a.example"], channels: null };
  assert.deepEqual(ownHostsOf({ ...any, rights: granted }), ["a.example"]);
  assert.deepEqual(ownHostsOf(any), []);
});

test("channels are all only if the app asks for all", () => {
  const { manifest } = app();
  const chosen = app({ manifest: { ...manifest, channels: "chosen" } });
  const all = { events: [], commands: [], hosts: [], channels: null };
  assert.equal(channelsOf(app()), null);
  assert.equal(channelsOf(app({ rights: all })), null);
  assert.deepEqual(channelsOf(app({ rights: { ...all, channels: [] } })), []);
  assert.deepEqual(channelsOf(chosen), []);
  assert.deepEqual(channelsOf({ ...chosen, rights: all }), []);
});

test("settings without a value are taken back, except texts and switches", () => {
  const entered = (values) => (name) => values[name] ?? null;
  assert.deepEqual(settingsOf(app(), entered({ title: "", most: "", room: "" })), {
    title: "",
    most: null,
    loud: "false",
    room: null,
  });
  assert.deepEqual(settingsOf(app(), entered({ title: "A", most: "5", loud: "true", room: "7" })), {
    title: "A",
    most: "5",
    loud: "true",
    room: "7",
  });
});

test("only granted commands of running apps are offered", () => {
  const rights = { events: [], commands: ["vote"], hosts: [], channels: null };
  const active = app({ title: "Polls", state: "active", rights });
  const others = [app({ state: "waiting" }), { ...active, state: "paused" }];
  assert.deepEqual(commandsOf([...others, active]), [
    { name: "vote", description: "Starts a poll", app_title: "Polls" },
  ]);
});

test("an edit replaces the buttons of a message, and other edits leave them", () => {
  const buttons = [{ id: "a", label: "A" }];
  const message = { id: 1, type: "stream", content: "<p>Before</p>", flags: [], buttons };
  const before = { ...emptyState(), messages: new Map([[1, message]]) };
  const edit = { type: "update_message", id: 1, message_id: 1, message_ids: [1], edit_timestamp: 5, flags: [] };
  const after = (change) => reduce(before, { ...edit, ...change }, NOW).messages.get(1);
  assert.deepEqual(after({ rendered_content: "<p>After</p>" }).buttons, buttons);
  assert.deepEqual(after({ rendered_content: "<p>After</p>", buttons: [] }).buttons, []);
  const pressed = after({ buttons: [{ id: "a", label: "A (1)" }] });
  assert.deepEqual([pressed.content, pressed.buttons], ["<p>Before</p>", [{ id: "a", label: "A (1)" }]]);
});

test("an answer replaces that of the same app, and the oldest of many are forgotten", () => {
  const answer = (message_id, bot_id, content) => ({ type: "app_answer", id: 1, message_id, bot_id, content });
  const all = (events) => events.reduce((state, event) => reduce(state, event, NOW), emptyState()).answers;
  assert.deepEqual(all([answer(1, 2, "a"), answer(1, 3, "b"), answer(1, 2, "c")]).get(1), [
    { bot_id: 3, content: "b" },
    { bot_id: 2, content: "c" },
  ]);
  const many = all(Array.from({ length: 60 }, (_, at) => answer(at, 2, "x")));
  assert.deepEqual([many.size, many.has(9), many.has(10), many.has(59)], [50, false, true, true]);
});
