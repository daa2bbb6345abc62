// Drafts: what is typed here against what the server has, and sending it there.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { allDrafts, asSent, deedOf, keyFor, recipientOfKey } from "../web/state/draft-list.js";
import {
  draftIn,
  drafts,
  isUnsent,
  keepDraft,
  linkDraft,
  newUid,
  removeDraft,
  restoreDraft,
  sendNow,
} from "../web/state/drafts.js";
import { status } from "../web/state/link.js";
import { drafts as reducer } from "../web/state/reducers/personal.js";
import { emptyState } from "../web/state/snapshot.js";
import { begin, now, patch } from "../web/state/store.js";

// Pauses before something is sent must not keep the run waiting.
mock.timers.enable({ apis: ["setTimeout"] });

const ME = 9;
const loom = { kind: "topic", stream_id: 5, topic: "loom" };
const stored = (id, content, more = {}) => ({
  id,
  type: "stream",
  to: [5],
  topic: "loom",
  content,
  timestamp: id,
  ...more,
});
const typed = (text, more = {}) => ({
  uid: "x",
  key: keyFor(loom, ME),
  to: loom,
  text,
  at: 100,
  id: 0,
  base: "",
  by: "tab",
  until: 0,
  ...more,
});
const NONE = new Set();

test("a recipient survives its key and its way to the server", () => {
  for (const to of [loom, { kind: "direct", people: [3, 7] }, { kind: "direct", people: [ME] }]) {
    assert.deepEqual(recipientOfKey(keyFor(to, ME)), to);
    const [draft] = allDrafts([{ id: 1, ...asSent({ to, text: "a", at: 1 }) }], [], NONE, ME);
    assert.deepEqual([draft.to, draft.key], [to, keyFor(to, ME)]);
  }
  for (const to of [null, { kind: "topic", stream_id: 0, topic: "" }, { kind: "direct", people: [] }]) {
    assert.equal(keyFor(to, ME), "new");
    assert.deepEqual(asSent({ to, text: "a", at: 1 }), { type: "", to: [], topic: "", content: "a", timestamp: 1 });
  }
});

test("what was typed here stands in the place of what the server has", () => {
  const server = [stored(1, "old"), stored(2, "other")];
  const texts = (local, sent = NONE) => allDrafts(server, local, sent, ME).map((one) => one.text);
  assert.deepEqual(texts([]), ["other", "old"]);
  assert.deepEqual(texts([typed("new", { id: 1, base: "old" })]), ["new", "other"]);
  assert.deepEqual(texts([typed("", { id: 1, base: "old" })]), ["other"]);
  // Another device has changed it meanwhile: both stay.
  assert.deepEqual(texts([typed("new", { id: 1, base: "older" })]), ["new", "other", "old"]);
  assert.deepEqual(texts([typed("new", { id: 1, base: "older" })], new Set(["old"])), ["new", "other"]);
});

test("which request brings the server up to date", () => {
  const server = [stored(1, "old")];
  const deed = (text, more) => deedOf(typed(text, more), server, NONE);
  assert.equal(deed("new"), "create");
  assert.equal(deed(" "), "nothing");
  assert.equal(deed("new", { id: 1, base: "old" }), "replace");
  assert.equal(deed("old \n", { id: 1, base: "old" }), "nothing");
  assert.equal(deed("old", { id: 1, base: "old", to: { ...loom, topic: "reed" } }), "replace");
  assert.equal(deed("", { id: 1, base: "old" }), "delete");
  assert.equal(deed("new", { id: 1, base: "older" }), "create");
  assert.equal(deed("", { id: 1, base: "older" }), "nothing");
  assert.equal(deed("new", { id: 7, base: "gone" }), "create");
});

/** A server that keeps drafts and says what was asked of it. */
function server() {
  const asked = [];
  globalThis.fetch = async (path, { method, body }) => {
    asked.push(`${method} ${path.replace("/api/v1", "").replace(/\d+$/u, "N")}`);
    const answer = (fields, status = 200) => new Response(JSON.stringify(fields), { status });
    if (server.refuses) return answer({ result: "error", msg: "no", code: "BAD_REQUEST" }, server.refuses);
    const ids = method === "POST" ? JSON.parse(body.get("drafts")).map(() => (server.last += 1)) : undefined;
    return answer({ result: "success", ids });
  };
  server.refuses = 0;
  begin({ ...emptyState(), me: ME, personal: { drafts: [] } });
  status.value = { kind: "live" };
  return asked;
}
/** Ids are never given twice. */
server.last = 0;

test("a draft is created, changed and deleted on the server as one types", async () => {
  const asked = server();
  const uid = keepDraft({ uid: newUid(), key: keyFor(loom, ME), to: loom, text: "a" });
  assert.equal(draftIn(keyFor(loom, ME)).isHere, true);
  await sendNow();
  assert.deepEqual([isUnsent(uid), draftIn(keyFor(loom, ME)).isHere, now().personal.drafts.length], [false, false, 1]);
  keepDraft({ uid, key: keyFor(loom, ME), to: loom, text: "ab" });
  await sendNow();
  assert.equal(draftIn(keyFor(loom, ME)).text, "ab");
  keepDraft({ uid, key: keyFor(loom, ME), to: loom, text: "" });
  assert.equal(draftIn(keyFor(loom, ME)), undefined);
  await sendNow();
  assert.deepEqual(asked, ["POST /drafts", "PATCH /drafts/N", "DELETE /drafts/N"]);
  assert.deepEqual([drafts.value, now().personal.drafts], [[], []]);
});

test("a draft that was deleted here does not come back with a late event of its beginning", async () => {
  server();
  const uid = keepDraft({ uid: newUid(), key: keyFor(loom, ME), to: loom, text: "sent now" });
  await sendNow();
  const [draft] = now().personal.drafts;
  keepDraft({ uid, key: keyFor(loom, ME), to: loom, text: "" });
  await sendNow();
  patch(reducer(now(), { type: "drafts", op: "add", id: 1, drafts: [draft] }, 0));
  assert.equal(draftIn(keyFor(loom, ME)), undefined);
  // Taken back, it is another one.
  await restoreDraft({ key: keyFor(loom, ME), to: loom, text: "sent now" });
  assert.deepEqual([drafts.value.length, draftIn(keyFor(loom, ME)).isHere], [1, false]);
});

test("what is typed while the server is asked is sent afterwards", async () => {
  const asked = server();
  const uid = newUid();
  keepDraft({ uid, key: "new", to: null, text: "a" });
  const sending = sendNow();
  keepDraft({ uid, key: "new", to: null, text: "ab" });
  await sending;
  assert.deepEqual([isUnsent(uid), draftIn("new").text], [true, "ab"]);
  await sendNow();
  assert.deepEqual(asked, ["POST /drafts", "PATCH /drafts/N"]);
  assert.equal(drafts.value.length, 1);
  await removeDraft(drafts.value[0]);
});

test("without the server, and where it refuses, a draft stays here", async () => {
  const asked = server();
  const uid = newUid();
  status.value = { kind: "offline" };
  keepDraft({ uid, key: "new", to: null, text: "kept" });
  await sendNow();
  assert.deepEqual(asked, []);
  status.value = { kind: "live" };
  server.refuses = 400;
  await sendNow();
  await sendNow();
  assert.deepEqual([asked.length, draftIn("new").text, draftIn("new").isHere], [1, "kept", true]);
  server.refuses = 0;
  keepDraft({ uid, key: "new", to: null, text: "kept now" });
  await sendNow();
  assert.equal(draftIn("new").isHere, false);
});

test("a draft that another device deleted or changed is not written over", async () => {
  const asked = server();
  patch(reducer(now(), { type: "drafts", op: "add", id: 1, drafts: [stored(41, "theirs")] }, 0));
  linkDraft("s41", { id: 41, base: "theirs" });
  keepDraft({ uid: "s41", key: keyFor(loom, ME), to: loom, text: "mine" });
  patch(reducer(now(), { type: "drafts", op: "update", id: 2, draft: stored(41, "theirs again") }, 0));
  await sendNow();
  assert.deepEqual(asked, ["POST /drafts"]);
  assert.deepEqual(drafts.value.map((one) => one.text).sort(), ["mine", "theirs again"]);
});

test("a text of another tab is left to it, while its own are sent; one of a tab that is gone is taken over", async () => {
  const asked = server();
  const other = (uid, until) => typed(uid, { uid, until: Date.now() + until, by: "another" });
  const kept = JSON.stringify([other("theirs", 60_000), other("left behind", -1)]);
  globalThis.localStorage = { getItem: (name) => (name.includes("typed") ? kept : null), setItem: () => {} };
  begin({ ...emptyState(), me: 10, personal: { drafts: [] } });
  keepDraft({ uid: newUid(), key: "new", to: null, text: "mine" });
  await sendNow();
  assert.deepEqual(asked, ["POST /drafts", "POST /drafts"]);
  const contents = now().personal.drafts.map((one) => one.content);
  assert.deepEqual(contents.sort(), ["left behind", "mine"]);
  delete globalThis.localStorage;
});
