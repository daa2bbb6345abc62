// Lists of people, as spreadsheets write them, and the faults of their lines.

import assert from "node:assert/strict";
import test from "node:test";
import { peopleIn, rowsOf } from "../web/state/people-list.js";

test("tables of spreadsheets are read", () => {
  const text = '\uFEFFemail,role\r\n1,"x, ""y"""\r\n\r\n,\r\n"2\n3",\r\n4';
  assert.deepEqual(rowsOf(text), [
    { line: 1, fields: ["email", "role"] },
    { line: 2, fields: ["1", 'x, "y"'] },
    { line: 5, fields: ["2\n3", ""] },
    { line: 7, fields: ["4"] },
  ]);
  assert.deepEqual(rowsOf("a;b\n1;x, y")[1]?.fields, ["1", "x, y"]);
  assert.deepEqual(rowsOf("a\tb\n1\t")[1]?.fields, ["1", ""]);
});

test("people have a role, channels and groups", () => {
  const people = peopleIn("Role,EMAIL,channels,groups\nmoderator,ann@x.org,planning; looms;,\n,bob@x.org,,weavers\n");
  assert.deepEqual(people, [
    { line: 2, email: "ann@x.org", role: 300, channels: ["planning", "looms"], groups: [], problem: null },
    { line: 3, email: "bob@x.org", role: 400, channels: [], groups: ["weavers"], problem: null },
  ]);
});

test("faults are named", () => {
  const people = peopleIn("email,role\nnobody,\nann@x.org,boss\nbob@x.org,guest\nBob@x.org,\n") ?? [];
  assert.deepEqual(
    people.map((one) => one.problem),
    ["list_no_address", "list_no_role", null, "list_twice"],
  );
  for (const text of ["", "name\nAnn", "email,shoe\n", "email,email\n"]) assert.equal(peopleIn(text), null);
});
