// What a profile shows: each kind of field, and nothing of what is empty or unsafe.

import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf, roleKey } from "../web/state/profile.js";

const field = (id, type, more = {}) => ({ id, type, name: `field ${id}`, order: id, field_data: "", ...more });

test("fields in the order of the organization, without those that are empty", () => {
  const fields = [field(1, 1, { order: 3 }), field(2, 2, { order: 1 }), field(3, 4, { order: 2 }), field(4, 1)];
  const data = {
    1: { value: "weaver", rendered_value: "<p>weaver</p>" },
    2: { value: "" },
    3: { value: "1815-12-10" },
    4: { value: null },
  };
  assert.deepEqual(
    linesOf(data, fields).map((line) => [line.key, line.text ?? line.html]),
    [
      ["3", "1815-12-10"],
      ["1", "<p>weaver</p>"],
    ],
  );
});

test("a choice is shown by its text", () => {
  const fields = [field(1, 3, { field_data: JSON.stringify({ 0: { text: "Tea", order: "1" } }) })];
  assert.equal(linesOf({ 1: { value: "0" } }, fields)[0].text, "Tea");
  assert.equal(linesOf({ 1: { value: "9" } }, fields)[0].text, "9");
});

test("links lead to the web only", () => {
  const fields = [field(1, 5), field(2, 5)];
  const data = { 1: { value: "https://example.org" }, 2: { value: "javascript:alert(1)" } };
  assert.deepEqual(
    linesOf(data, fields).map((line) => line.link),
    ["https://example.org", undefined],
  );
});

test("accounts elsewhere: the pattern of the field, or of the organization", () => {
  const known = { github: { url_pattern: "https://github.com/%(username)s" } };
  const fields = [
    field(1, 7, { field_data: JSON.stringify({ subtype: "github" }) }),
    field(2, 7, {
      field_data: JSON.stringify({ subtype: "custom", url_pattern: "https://loom.example/%(username)s/" }),
    }),
    field(3, 7, { field_data: "no JSON" }),
  ];
  const data = { 1: { value: "ada" }, 2: { value: "a b" }, 3: { value: "x" } };
  assert.deepEqual(
    linesOf(data, fields, known).map((line) => line.link),
    ["https://github.com/ada", "https://loom.example/a%20b/", undefined],
  );
});

test("people, as a list or as JSON", () => {
  const fields = [field(1, 6), field(2, 6), field(3, 6)];
  const data = { 1: { value: [4, 5] }, 2: { value: "[6]" }, 3: { value: [] } };
  assert.deepEqual(
    linesOf(data, fields).map((line) => line.people),
    [[4, 5], [6]],
  );
});

test("roles", () => {
  assert.equal(roleKey(100), "role_owner");
  assert.equal(roleKey(600), "role_guest");
  assert.equal(roleKey(undefined), "role_member");
});
