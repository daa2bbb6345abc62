// The square part of a picture.

import assert from "node:assert/strict";
import { test } from "node:test";
import { draggedBy, frameOf } from "../web/state/crop.js";

const wide = { width: 400, height: 200 };

test("the part begins in the middle and is as large as it can be", () => {
  assert.deepEqual(frameOf(wide, { x: 0.5, y: 0.5, zoom: 1 }), { left: 100, top: 0, side: 200 });
  assert.deepEqual(frameOf(wide, { x: 0.5, y: 0.5, zoom: 2 }), { left: 150, top: 50, side: 100 });
});

test("it never leaves the picture", () => {
  let part = { x: 0.5, y: 0.5, zoom: 2 };
  part = draggedBy(wide, part, -100, -100);
  assert.deepEqual(frameOf(wide, part), { left: 300, top: 100, side: 100 });
  // From the edge, it comes back at once.
  part = draggedBy(wide, part, 0.5, 0);
  assert.deepEqual(frameOf(wide, part), { left: 250, top: 100, side: 100 });
  part = draggedBy(wide, { ...part, zoom: 1 }, 0, 0);
  assert.deepEqual(frameOf(wide, part), { left: 200, top: 0, side: 200 });
});
