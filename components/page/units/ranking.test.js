// The order of the switcher, and which unread conversation comes next.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nextDirect, nextTopic } from "../web/state/next-unread.js";
import { fitOf, ranked, withVisit } from "../web/state/ranking.js";

const WEEK = 7 * 24 * 3_600_000;
const place = (name, more = "") => ({ key: name, name, more });
const names = (places) => places.map((one) => one.name);

test("the better fit comes first, then what is used more, then the given order", () => {
  const places = [place("the old loom"), place("bloom"), place("Loom"), place("loom shed"), place("reed", "loom")];
  assert.deepEqual(names(ranked(places, "loom", {}, 0, 9)), ["Loom", "loom shed", "the old loom", "reed", "bloom"]);
  assert.deepEqual(names(ranked(places, " old  lo", {}, 0, 9)), ["the old loom"]);
  assert.deepEqual(names(ranked(places, "nothing", {}, 0, 9)), []);
  const used = withVisit(withVisit({}, "reed", 0), "bloom", 0);
  assert.deepEqual(names(ranked(places, "", used, 0, 2)), ["bloom", "reed"]);
});

test("a word may stand behind the name", () => {
  assert.equal(fitOf(place("reed", "Looms"), "reed loo"), 3);
  assert.equal(fitOf(place("reed", "Looms"), "ooms"), 5);
  assert.equal(fitOf(place("reed", "Looms"), "weft"), null);
});

test("visits fade, and the least used places are forgotten", () => {
  const old = withVisit(withVisit({}, "a", 0), "a", 0);
  const both = withVisit(old, "b", 2 * WEEK);
  assert.deepEqual(names(ranked([place("a"), place("b")], "", both, 2 * WEEK, 9)), ["b", "a"]);
  assert.deepEqual(names(ranked([place("b"), place("a")], "", withVisit(old, "b", 0), 0, 9)), ["a", "b"]);
  let many = {};
  for (let at = 0; at < 310; at += 1) many = withVisit(many, `place ${at}`, at * WEEK);
  assert.ok(Object.keys(many).length <= 300);
  assert.ok("place 309" in many && !("place 0" in many));
});

const topic = (stream_id, name, id) => [`c/${stream_id}/${name}`, { stream_id, topic: name, ids: [id] }];
const direct = (user, id) => [`d/${user}`, { user_ids: [user], ids: [id] }];
const unread = [topic(1, "a", 10), topic(1, "b", 20), topic(2, "c", 5), topic(3, "d", 6), direct(7, 1), direct(8, 2)];

test("the next topic is of the same channel, then of those below, then of the first again", () => {
  const next = (key, stream_id) => nextTopic(unread, [2, 1], { key, stream_id })?.topic;
  assert.equal(next("", 0), "c");
  assert.equal(next("c/1/x", 1), "b");
  assert.equal(next("c/1/b", 1), "a");
  assert.equal(next("c/1/a", 1), "c");
  assert.equal(next("c/2/c", 2), "b");
  assert.equal(nextTopic([topic(1, "a", 1)], [1], { key: "c/1/a", stream_id: 1 }), undefined);
  assert.equal(nextTopic([], [1], { key: "", stream_id: 0 }), undefined);
  assert.equal(nextTopic([], [], { key: "", stream_id: 0 }), undefined);
});

test("the next conversation with people is the latest, then those before it", () => {
  const next = (key) => nextDirect(unread, { key, stream_id: 0 })?.user_ids;
  assert.deepEqual(next(""), [8]);
  assert.deepEqual(next("d/8"), [7]);
  assert.deepEqual(next("d/7"), [8]);
  assert.equal(nextDirect([direct(7, 1)], { key: "d/7", stream_id: 0 }), undefined);
});
