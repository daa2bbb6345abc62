// The audit log: each kind that the server has is in one group, and has a sentence.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { GROUPS } from "../web/state/audit-kinds.js";
import { audit } from "../web/strings/later/en-audit.js";

const rust = readFileSync(new URL("../../../crates/domain/src/audit.rs", import.meta.url), "utf8");
const [list] = rust.slice(rust.indexOf("pub const KINDS")).split("];");
const kinds = [...list.matchAll(/^ {4}"(\w+)",$/gmu)].map(([, kind]) => kind);

test("each kind is in one group", () => {
  assert.ok(kinds.length > 80);
  assert.deepEqual(Object.values(GROUPS).flat().sort(), kinds);
});

test("each kind has a sentence", () => {
  assert.deepEqual(
    Object.keys(audit),
    kinds.map((kind) => `audit_${kind}`),
  );
});
