// What is completed while one types.

import assert from "node:assert/strict";
import { test } from "node:test";
import { tokenOf } from "../web/state/token.js";

const of = (before) => {
  const token = tokenOf(before);
  return token === null ? null : [token.sign, token.word, token.start, ...(token.channel ? [token.channel] : [])];
};

test("people, channels and emoji", () => {
  assert.deepEqual(of("hello @ad"), ["@", "ad", 6]);
  assert.deepEqual(of("@_Ada Web"), ["@_", "Ada Web", 0]);
  assert.deepEqual(of("see #lo"), ["#", "lo", 4]);
  assert.deepEqual(of("(:tad"), [":", "tad", 1]);
  for (const text of ["a@b", "12:30", ":t", "nothing", "@ ", "#**looms** "]) assert.equal(of(text), null, text);
});

test("topics after a channel", () => {
  assert.deepEqual(of("see #**looms>the o"), [">", "the o", 4, "looms"]);
  assert.deepEqual(of("#**dye works**>"), [">", "", 0, "dye works"]);
  assert.equal(of("#**looms>the old one** "), null);
  assert.equal(of("a > b"), null);
  // As people type it: without stars, or after a completed channel.
  assert.deepEqual(of("see #looms>the o"), [">", "the o", 4, "looms"]);
  assert.deepEqual(of("#dye works>"), [">", "", 0, "dye works"]);
  assert.deepEqual(of("#**dye works** >re"), [">", "re", 0, "dye works"]);
  for (const text of ["a#b>c", "# a > b", "#a>b*", "#**looms** and >"]) assert.notEqual(of(text)?.[0], ">", text);
});

test("commands, at the beginning only", () => {
  assert.deepEqual(of("/"), ["/", "", 0]);
  assert.deepEqual(of("/po"), ["/", "po", 0]);
  assert.deepEqual(of("/on-call2"), ["/", "on-call2", 0]);
  for (const text of ["a /po", "/poll ", "/usr/bin", "/-a", "/2"]) assert.equal(of(text), null, text);
});
