// The language of the search field.

import assert from "node:assert/strict";
import { test } from "node:test";
import { read, suggest, wordsOf, write } from "../web/state/search.js";

const known = {
  me: 9,
  channels: [
    { id: 5, name: "looms" },
    { id: 6, name: "dye works" },
    { id: 7, name: 'the "quoted" one' },
  ],
  people: [
    { id: 9, name: "Ada Webster", email: "ada@example.org" },
    { id: 3, name: "Jo Carder", email: "jo@example.org" },
    { id: 4, name: "Jo Carder", email: "other@example.org" },
    { id: 2, name: "Mina", email: "mina@example.org" },
  ],
  topicsOf: (id) => (id === 5 ? ["warping plan", "the old one", "✔ brake"] : []),
};
const term = (operator, operand) => ({ operator, operand });

test("quotes hold words together", () => {
  assert.deepEqual(
    wordsOf('a  topic:"the old one" "two words" "open').map((word) => word.text),
    ["a", 'topic:"the old one"', '"two words"', '"open'],
  );
});

test("operators and words are read", () => {
  const cases = {
    'channel:looms topic:"the old one" brake': [
      term("channel", 5),
      term("topic", "the old one"),
      term("search", "brake"),
    ],
    'stream:"dye works" from:mina@example.org': [term("channel", 6), term("sender", 2)],
    "sender:me is:starred has:link": [term("sender", 9), term("is", "starred"), term("has", "link")],
    'dm:Mina,"Jo Carder|4"': [term("dm", [2, 4])],
    "-is:resolved two words": [{ ...term("is", "resolved"), negated: true }, term("search", "two words")],
    'say "as it is" http://example.org': [term("search", 'say "as it is" http://example.org')],
  };
  for (const [text, terms] of Object.entries(cases)) assert.deepEqual(read(text, known).terms, terms, text);
  assert.equal(read("near:12 word", known).near, 12);
  assert.deepEqual(read("channel:looms date:2026-11-23", known), {
    terms: [term("channel", 5)],
    date: "2026-11-23",
    unknown: [],
  });
  assert.deepEqual(read("date:yesterday date:2026-13-40", known).unknown, ["date:yesterday", "date:2026-13-40"]);
  assert.deepEqual(read("channel:nowhere sender:no is:odd near:x", known).unknown, [
    "channel:nowhere",
    "sender:no",
    "is:odd",
    "near:x",
  ]);
});

test("what is written is read as the same", () => {
  for (const terms of [
    [term("channel", 6), term("topic", "the old one"), term("search", "brake slips")],
    [term("channel", 7), term("topic", "")],
    [term("sender", 3), { ...term("has", "image"), negated: true }],
    [term("dm", [2, 4])],
    [term("dm", [9]), term("search", '"as it is"')],
  ])
    assert.deepEqual(read(write(terms, known), known).terms, terms, write(terms, known));
});

test("the last word is completed", () => {
  const inserts = (text, within) => suggest(text, known, within).choices.map((one) => one.insert);
  assert.deepEqual(inserts("channel:dy"), ['channel:"dye works" ']);
  assert.deepEqual(inserts("channel:looms topic:old"), ['topic:"the old one" ']);
  assert.deepEqual(inserts("topic:", [term("channel", 5)]), [
    'topic:"warping plan" ',
    'topic:"the old one" ',
    'topic:"✔ brake" ',
  ]);
  assert.deepEqual(inserts("-has:im"), ["-has:image "]);
  assert.deepEqual(inserts("sender:jo"), ['sender:"Jo Carder|3" ', 'sender:"Jo Carder|4" ']);
  assert.deepEqual(inserts("brake s"), ["sender:"]);
  assert.deepEqual(inserts("is:starred"), []);
  assert.ok(inserts("").length > 5);
  assert.equal(suggest("brake ch", known).start, 6);
  assert.deepEqual(inserts("nothing"), []);
});
