// Addresses: what clients write, what older ones wrote, and what becomes of either.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  address,
  conversationOf,
  decodePart,
  encodePart,
  isReading,
  matches,
  narrowKey,
  parse,
  termsOf,
} from "../web/state/narrow.js";

const known = { me: 9, channelByName: (name) => ({ general: 5, "two words": 6 })[name] };
const names = {
  channelName: (id) => ({ 5: "general", 6: "two words & more" })[id],
  userName: (id) => ({ 3: "Ada Lovelace" })[id],
};
const term = (operator, operand) => ({ operator, operand });

test("a topic's name survives its encoding", () => {
  for (const text of ["hello world", "a.b/c%d(é)", "✔ done", "100% #!'*", "", "نور"]) {
    assert.equal(decodePart(encodePart(text)), text);
    assert.match(encodePart(text), /^[\w.~-]*$/u);
  }
  assert.equal(encodePart("a.b/c%d(é)"), "a.2Eb.2Fc.25d.28.C3.A9.29");
});

test("addresses are read, in all spellings", () => {
  const cases = {
    "#narrow/channel/5-general/topic/hello.20world": [term("channel", 5), term("topic", "hello world")],
    "#narrow/stream/5-general/subject/x": [term("channel", 5), term("topic", "x")],
    "#narrow/stream/general": [term("channel", 5)],
    "#narrow/channel/5": [term("channel", 5)],
    "#narrow/dm/3,7-group": [term("dm", [3, 7])],
    "#narrow/pm-with/3-ada": [term("dm", [3])],
    "#narrow/dm/me": [term("dm", [9])],
    "#narrow/is/private": [term("is", "dm")],
    "#narrow/is/starred": [term("is", "starred")],
    "#narrow/search/two.20words": [term("search", "two words")],
    "#narrow/has/reaction/sender/me": [term("has", "reaction"), term("sender", 9)],
    "#narrow/channel/5-general/topic/": [term("channel", 5), term("topic", "")],
  };
  for (const [hash, terms] of Object.entries(cases)) assert.deepEqual(parse(hash, known)?.terms, terms, hash);
  assert.deepEqual(parse("#narrow/-is/starred", known)?.terms, [{ ...term("is", "starred"), negated: true }]);
  assert.equal(parse("#narrow/channel/5-general/topic/x/near/12", known)?.near, 12);
  assert.equal(parse("#narrow/channel/5-general/topic/x/with/12", known)?.with, 12);
});

test("what is no address of messages is none", () => {
  for (const hash of ["", "#inbox", "#narrow", "#narrow/", "#narrow/stream/nowhere", "#narrow/dm/nobody", "#sign-in/x"])
    assert.equal(parse(hash, known), null, hash);
  assert.equal(parse("#narrow/is/starred/near/x", known)?.near, undefined);
});

test("what is written is read as the same", () => {
  for (const narrow of [
    { terms: [term("channel", 6), term("topic", "a/b ✔")], near: 12 },
    { terms: [term("dm", [3, 7])] },
    { terms: [term("dm", [3])] },
    { terms: [term("search", '"two words" more*')] },
    { terms: [term("channel", 77), term("topic", "x")], with: 4 },
  ])
    assert.deepEqual(parse(address(narrow, names), known), narrow);
  assert.equal(
    address({ terms: [term("channel", 5), term("topic", "x")], near: 12 }, names),
    "#narrow/channel/5-general/topic/x/near/12",
  );
});

test("equal narrows have one key, which holds the terms", () => {
  const one = [term("channel", 5), term("topic", "Loom")];
  assert.equal(narrowKey(one), narrowKey([term("channel", 5), term("topic", "loom")]));
  assert.equal(narrowKey([term("dm", [7, 3])]), narrowKey([term("dm", [3, 7])]));
  assert.notEqual(narrowKey(one), narrowKey([term("channel", 5)]));
  assert.deepEqual(termsOf(narrowKey([term("dm", [7, 3])])), [{ ...term("dm", [3, 7]), negated: false }]);
});

test("whether a message belongs to a narrow, and when only the server knows", () => {
  const state = { me: 9 };
  const message = {
    id: 4,
    type: "stream",
    stream_id: 5,
    subject: "Loom",
    sender_id: 3,
    flags: ["starred"],
    reactions: [],
    display_recipient: "general",
  };
  const direct = {
    ...message,
    type: "private",
    stream_id: undefined,
    subject: "",
    display_recipient: [{ id: 9 }, { id: 3 }],
  };
  const is = (...terms) => matches(terms, message, state);
  assert.equal(is(), true);
  assert.equal(is(term("channel", 5), term("topic", "loom")), true);
  assert.equal(is(term("channel", 6)), false);
  assert.equal(is({ ...term("channel", 6), negated: true }), true);
  assert.equal(is(term("is", "starred")), true);
  assert.equal(is(term("is", "dm")), false);
  assert.equal(is(term("search", "x")), undefined);
  assert.equal(is(term("search", "x"), term("channel", 6)), false);
  assert.equal(matches([term("dm", [3])], direct, state), true);
  assert.equal(matches([term("dm", [3, 7])], direct, state), false);
  assert.equal(matches([term("is", "dm")], direct, state), true);
});

test("which narrows are a conversation", () => {
  assert.equal(conversationOf([term("channel", 5), term("topic", "x")])?.kind, "topic");
  assert.equal(conversationOf([term("channel", 5)])?.kind, "channel");
  assert.equal(conversationOf([term("dm", [3])])?.kind, "direct");
  assert.equal(conversationOf([]), null);
  assert.equal(conversationOf([term("channel", 5), term("search", "x")]), null);
  assert.equal(conversationOf([{ ...term("channel", 5), negated: true }]), null);
});

test("looking at whole conversations reads them; looking through mentions, a search or one person's messages does not", () => {
  const reads = (...terms) => isReading(terms.map(([operator, operand, negated]) => ({ operator, operand, negated })));
  assert.ok(reads());
  assert.ok(reads(["channel", 5]));
  assert.ok(reads(["channel", 5], ["topic", "loom"]));
  assert.ok(reads(["dm", [3]]));
  assert.ok(reads(["is", "dm"]));
  assert.ok(reads(["is", "followed"]));
  assert.ok(!reads(["is", "mentioned"]));
  assert.ok(!reads(["is", "unread"]));
  assert.ok(!reads(["search", "okapi"]));
  assert.ok(!reads(["channel", 5], ["search", "okapi"]));
  assert.ok(!reads(["sender", 3]));
  assert.ok(!reads(["has", "reaction"], ["sender", 9]));
  assert.ok(!reads(["is", "starred"]));
  assert.ok(!reads(["channel", 5, true]));
  assert.ok(!reads(["id", 7]));
});
