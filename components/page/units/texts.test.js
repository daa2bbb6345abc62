// The tables of texts: complete in both languages, and every text is used.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { de as german } from "../web/strings/de.js";
import { en as english } from "../web/strings/en.js";
import { de as laterGerman } from "../web/strings/later/de.js";
import { en as laterEnglish } from "../web/strings/later/en.js";
import { GROUPS } from "../web/state/audit-kinds.js";

const root = new URL("../web/", import.meta.url);
const files = readdirSync(root, { recursive: true }).filter(
  (name) => /\.js$/u.test(name) && !/^(?:vendor|strings)/u.test(name),
);
const code = files.map((name) => readFileSync(new URL(name, root), "utf8")).join("\n");

const [en, de] = [
  { ...english, ...laterEnglish },
  { ...german, ...laterGerman },
];

test("a text is in one table only", () => {
  assert.deepEqual(
    Object.keys(laterEnglish).filter((key) => key in english),
    [],
  );
  assert.deepEqual(Object.keys(laterGerman).sort(), Object.keys(laterEnglish).sort());
});

test("both languages have the same keys, and the same blanks in each text", () => {
  assert.deepEqual(Object.keys(de).sort(), Object.keys(en).sort());
  const blanks = (text) => [...new Set(text.match(/\{\w+\}/gu) ?? [])].sort();
  for (const key of Object.keys(en)) {
    assert.deepEqual(blanks(de[key]), blanks(en[key]), key);
    assert.equal(de[key].split("|").length, en[key].split("|").length, key);
  }
});

test("every text is used", () => {
  // `t(mode)` of the dialog that moves messages.
  const computed = ["change_one", "change_later", "change_all", ...Object.keys(GROUPS)];
  // Sentences about entries of the audit log.
  const isUsed = (key) => code.includes(`"${key}"`) || code.includes(`"${key.replace(/^audit_/u, "")}"`);
  for (const key of Object.keys(en)) assert.ok(computed.includes(key) || isUsed(key), key);
});

test("modules that the page begins with say only what is in the first tables", () => {
  // Early: what these import, however indirectly.
  const early = new Set();
  const add = (url) => {
    const name = url.href.slice(root.href.length);
    if (early.has(name) || !files.includes(name)) return;
    early.add(name);
    for (const [, path] of readFileSync(url, "utf8").matchAll(/(?: from |^import )"(\.[^"]+)"/gmu))
      add(new URL(path, url));
  };
  for (const name of ["start.js", "main.js"]) add(new URL(name, root));
  assert.ok(early.size > 50 && early.size < files.length - 50, String(early.size));
  for (const name of early)
    for (const [, key] of readFileSync(new URL(name, root), "utf8").matchAll(/\bt\("(\w+)"/gu))
      assert.ok(key in english, `${name}: ${key}`);
});

test("every file says in its first line what it is for", () => {
  for (const name of files) assert.match(readFileSync(new URL(name, root), "utf8"), /^\/\/ [A-Z]/u, name);
});
