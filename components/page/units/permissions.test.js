// Who may hold a permission, and how values of several groups and people are written.

import assert from "node:assert/strict";
import { test } from "node:test";
import { asSet, holders, simplest } from "../web/state/permissions.js";
import { linkOf } from "../web/state/linkifier.js";

const group = (id, name, more = {}) => ({
  id,
  name,
  is_system_group: name.startsWith("role:"),
  deactivated: false,
  ...more,
});
const ALL = [
  group(1, "role:nobody"),
  group(2, "role:members"),
  group(3, "role:everyone"),
  group(4, "role:internet"),
  group(5, "weavers"),
  group(6, "carders"),
  group(7, "gone", { deactivated: true }),
];
const names = (limits) => holders(ALL, limits).map((one) => one.name);

test("groups of roles come first, those that are deactivated or not allowed are left out", () => {
  assert.deepEqual(names({}), ["role:everyone", "role:members", "role:nobody", "carders", "weavers"]);
  assert.deepEqual(names({ allow_everyone_group: false, allow_nobody_group: false }), [
    "role:members",
    "carders",
    "weavers",
  ]);
  assert.deepEqual(names({ require_system_group: true, allow_internet_group: true }), [
    "role:internet",
    "role:everyone",
    "role:members",
    "role:nobody",
  ]);
  assert.deepEqual(names({ require_system_group: true, allowed_system_groups: ["role:members"] }), ["role:members"]);
});

test("one group stands for itself, more of them and people are a set", () => {
  assert.deepEqual(asSet(5), { direct_members: [], direct_subgroups: [5] });
  assert.equal(simplest(asSet(5)), 5);
  const both = { direct_members: [9], direct_subgroups: [5] };
  assert.equal(simplest(both), both);
  assert.equal(asSet(both), both);
  const none = { direct_members: [], direct_subgroups: [] };
  assert.equal(simplest(none), none);
});

test("a linkifier is tried with a text", () => {
  const pattern = "#(?P<id>[0-9]+)";
  assert.deepEqual(linkOf(pattern, "https://x.example/{id}?q={other}", "see #12 and #13"), {
    text: "#12",
    url: "https://x.example/12?q={other}",
  });
  assert.equal(linkOf(pattern, "https://x.example/{id}", "nothing"), null);
  assert.equal(linkOf("(", "https://x.example/", "("), null);
});
