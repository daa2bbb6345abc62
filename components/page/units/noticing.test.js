// Which messages notify, and what is said of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { topicKey } from "../web/state/conversation.js";
import { iconCount, noticeOf, textOf } from "../web/state/noticing.js";
import { emptyState } from "../web/state/snapshot.js";

const ALL = { screen: true, sound: true };
const NONE = { screen: false, sound: false };
const state = (more = {}) => ({
  ...emptyState(),
  me: 1,
  settings: { enable_desktop_notifications: true, enable_sounds: true, wildcard_mentions_notify: true },
  channels: new Map([[5, { stream_id: 5, subscribed: true }]]),
  ...more,
});
const said = (more = {}) => ({ type: "stream", sender_id: 2, stream_id: 5, subject: "loom", flags: [], ...more });

test("direct messages, mentions and alert words notify; one's own, read and muted ones do not", () => {
  assert.deepEqual(noticeOf(state(), said({ type: "private" })), ALL);
  assert.deepEqual(noticeOf(state(), said({ flags: ["mentioned"] })), ALL);
  assert.deepEqual(noticeOf(state(), said({ flags: ["has_alert_word"] })), ALL);
  assert.deepEqual(noticeOf(state(), said()), NONE);
  assert.deepEqual(noticeOf(state(), said({ type: "private", sender_id: 1 })), NONE);
  assert.deepEqual(noticeOf(state(), said({ type: "private", flags: ["read"] })), NONE);
  assert.deepEqual(noticeOf(state({ muted: new Set([2]) }), said({ type: "private" })), NONE);
});

test("a channel's own setting counts before that of the account", () => {
  const settings = { enable_stream_desktop_notifications: true };
  assert.deepEqual(noticeOf(state({ settings }), said()), { screen: true, sound: false });
  const channels = new Map([[5, { desktop_notifications: false, audible_notifications: true }]]);
  assert.deepEqual(noticeOf(state({ settings, channels }), said()), { screen: false, sound: true });
});

test("followed topics have settings of their own, and muted ones none", () => {
  const settings = { enable_followed_topic_desktop_notifications: true };
  const policies = (policy) => new Map([[topicKey(5, "loom"), { policy, name: "loom" }]]);
  assert.deepEqual(noticeOf(state({ settings, policies: policies(3) }), said()), { screen: true, sound: false });
  const channels = new Map([[5, { desktop_notifications: true, audible_notifications: true }]]);
  assert.deepEqual(noticeOf(state({ channels, policies: policies(1) }), said()), NONE);
  const muted = new Map([[5, { desktop_notifications: true, is_muted: true }]]);
  assert.deepEqual(noticeOf(state({ channels: muted }), said()), NONE);
  assert.equal(noticeOf(state({ channels: muted, policies: policies(2) }), said()).screen, true);
});

test("mentions of all can be switched off", () => {
  const message = said({ flags: ["stream_wildcard_mentioned"] });
  assert.deepEqual(noticeOf(state(), message), ALL);
  const channels = new Map([[5, { wildcard_mentions_notify: false }]]);
  assert.deepEqual(noticeOf(state({ channels }), message), NONE);
});

test("the text of a message has no markup, and an end", () => {
  assert.equal(textOf("<p>a <b>b</b> &amp; &lt;c&gt;</p>\n<p>d<br>e</p>"), "a b & <c> d e");
  assert.equal(textOf("&amp;lt;"), "&lt;");
  assert.equal([...textOf(`<p>${"🎉".repeat(300)}</p>`)].length, 201);
});

test("the number on the icon", () => {
  const counts = { all: 9, direct: 2, mentions: 1 };
  assert.equal(iconCount(undefined, counts), 9);
  assert.equal(iconCount(1, counts), 9);
  assert.equal(iconCount(2, counts), 3);
  assert.equal(iconCount(4, counts), 0);
});
