// Moments for sending later: in the future, in the morning, and the same after a trip through a field.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldOf, momentsFrom, secondsOf } from "../web/state/later.js";

test("an hour, tomorrow and Monday, also on a Monday and at the end of a month", () => {
  for (const now of [new Date(2026, 10, 23, 8, 30, 12), new Date(2026, 11, 31, 23, 59), new Date(2026, 10, 22, 12)]) {
    const [hour, tomorrow, monday] = momentsFrom(now).map((one) => one.at);
    assert.ok(hour - now > 3_500_000 && hour - now <= 3_600_000);
    assert.equal(tomorrow.getHours(), 9);
    assert.equal(tomorrow.getDate(), new Date(now.getTime() + 86_400_000).getDate());
    assert.equal(monday.getDay(), 1);
    assert.equal(monday.getHours(), 9);
    assert.ok(monday > now && monday - now < 8 * 86_400_000);
  }
});

test("a field keeps the minute", () => {
  const date = new Date(2026, 0, 5, 7, 3);
  assert.equal(fieldOf(date), "2026-01-05T07:03");
  assert.equal(secondsOf(fieldOf(date)), date.getTime() / 1000);
  assert.equal(secondsOf(""), 0);
});
