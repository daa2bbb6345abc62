// The views in the sidebar.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BUILT_IN, viewsOf } from "../web/state/views.js";

const fragments = (views) => views.map((one) => one.fragment);

test("without a choice all built-in views are seen, in their order", () => {
  assert.deepEqual(viewsOf([]), { pinned: BUILT_IN, others: [] });
});

test("what is not pinned is behind the fold, and own views come last", () => {
  const { pinned, others } = viewsOf([
    { fragment: "recent", is_pinned: false },
    { fragment: "inbox", is_pinned: true },
    { fragment: "narrow/is/alerted", is_pinned: true, name: "Words" },
    { fragment: "narrow/has/link", is_pinned: false, name: "Links" },
  ]);
  assert.deepEqual(fragments(others), ["recent", "narrow/has/link"]);
  assert.equal(pinned.length, BUILT_IN.length);
  assert.deepEqual(fragments(pinned).at(-1), "narrow/is/alerted");
});
