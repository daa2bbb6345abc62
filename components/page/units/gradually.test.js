// Which messages of a long list are drawn.

import assert from "node:assert/strict";
import { test } from "node:test";
import { around, still } from "../web/elements/gradually.js";

const ids = Array.from({ length: 100 }, (_, at) => 10 * (at + 1));

test("a screen is filled around the place where one begins", () => {
  assert.deepEqual(around(ids, 0, 20), { from: 80, to: 100 });
  assert.deepEqual(around(ids, 500, 20), { from: 44, to: 64 });
  assert.deepEqual(around(ids, 501, 20), { from: 45, to: 65 });
  assert.deepEqual(around(ids, 20, 20), { from: 0, to: 20 });
  assert.deepEqual(around(ids, 990, 20), { from: 80, to: 100 });
  assert.deepEqual(around(ids, 5000, 20), { from: 80, to: 100 });
  assert.deepEqual(around(ids.slice(0, 5), 20, 20), { from: 0, to: 5 });
  assert.deepEqual(around([], 0, 20), { from: 0, to: 0 });
});

test("what was drawn stays, a few new ones are drawn at once and many in parts", () => {
  assert.deepEqual(still(ids, { first: 450, last: 640 }), { from: 44, to: 64 });
  assert.deepEqual(still(ids, { first: 50, last: 940 }), { from: 0, to: 100 });
  // The first and the last one were deleted.
  assert.deepEqual(still(ids, { first: 449, last: 641 }), { from: 44, to: 64 });
  assert.equal(still(ids, { first: 2000, last: 3000 }), null);
  assert.equal(still(ids, { first: 1, last: 5 }), null);
});
