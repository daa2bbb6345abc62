// Addresses of webhooks, the setup of services, zuliprc files, and the preview of templates.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { problemOf, previewer } from "../web/state/template-preview.js";
import { emblemOf, findIntegrations, NOTHING, setupOf, webhookAddress, zuliprc } from "../web/state/webhook.js";

const SITE = "https://chat.example.org";

test("an address has what was chosen, and nothing else", () => {
  assert.equal(webhookAddress(`${SITE}/`, "github", "k1", NOTHING), `${SITE}/api/v1/external/github?api_key=k1`);
  const address = webhookAddress(SITE, "github", "k1", {
    stream: "7",
    topic: " a&b = ü#1 ",
    options: { branches: "main,*/x", other: "" },
    filter: "exclude_events",
    events: ["push", "pull_*"],
  });
  const { searchParams } = new URL(address);
  assert.deepEqual(
    [...searchParams],
    [
      ["api_key", "k1"],
      ["stream", "7"],
      ["topic", "a&b = ü#1"],
      ["branches", "main,*/x"],
      ["exclude_events", '["push","pull_*"]'],
    ],
  );
  // Setups have it in quotation marks, for shells, YAML and scripts.
  assert.match(address, /^[\w:/.?=&%*~!'()-]+$/u);
});

test("an unknown key stays blank, and direct messages have no topic", () => {
  const choice = { ...NOTHING, topic: "left over" };
  assert.equal(webhookAddress(SITE, "json", "", choice), `${SITE}/api/v1/external/json?api_key=KEY`);
  assert.equal(
    zuliprc("a@b.example.org", "", SITE),
    "[api]\nemail=a@b.example.org\nkey=KEY\nsite=https://chat.example.org\n",
  );
  assert.match(zuliprc("a@b.example.org", "k1", SITE), /^key=k1$/mu);
});

test("a setup is filled in, whatever the secret is", () => {
  const setup = "Settings > Webhooks\nURL: ADDRESS\nSecret: WEBHOOK_SECRET=SECRET";
  assert.deepEqual(setupOf(setup, "https://x/?a=$&", "the ADDRESS"), {
    way: ["Settings", "Webhooks"],
    entries: ["URL: https://x/?a=$&", "Secret: WEBHOOK_SECRET=the ADDRESS"],
  });
});

test("integrations are found by both names", () => {
  const all = [
    { name: "json", display_name: "JSON formatter" },
    { name: "clubhouse", display_name: "Shortcut" },
    { name: "github", display_name: "GitHub" },
  ].map((one) => ({ ...one, all_event_types: null, config_options: [], url_options: [] }));
  const found = (sought) => findIntegrations(all, sought).map((one) => one.name);
  assert.deepEqual(found(""), ["github", "json", "clubhouse"]);
  assert.deepEqual(found(" HUB "), ["github"]);
  assert.deepEqual(found("club"), ["clubhouse"]);
});

test("each integration has a picture of its own", () => {
  const document = readFileSync(new URL("../../../docs/INTEGRATIONS.md", import.meta.url), "utf8");
  const names = [...document.matchAll(/^### (.+)$/gmu)].map(([, name]) => name);
  assert.ok(names.length > 40);
  const emblems = names.map(emblemOf);
  assert.equal(new Set(emblems.map(({ letters, hue }) => `${letters} ${hue}`)).size, names.length);
  assert.ok(emblems.every(({ letters }) => letters.length === 2));
  assert.equal(emblemOf("GitHub").letters, "GH");
  assert.equal(emblemOf("Taiga").letters, "Ta");
});

const draft = (text_template) => ({ topic_template: "t", text_template, body: "{}" });
const passed = () => new Promise((resolve) => setTimeout(resolve, 5));

test("of drafts in quick succession, only the last is previewed", async () => {
  const asked = [];
  const shown = [];
  const ask = async ({ text_template }) => {
    asked.push(text_template);
    return { topic: "t", rendered: text_template };
  };
  const preview = previewer(ask, (result) => shown.push(result), 0);
  for (const text of ["a", "ab", "abc"]) preview(draft(text));
  while (shown.length === 0) await passed();
  assert.deepEqual(asked, ["abc"]);
  assert.deepEqual(shown, [{ preview: { topic: "t", rendered: "abc" }, problem: null }]);
});

test("the answer to an earlier draft is dropped, and an error belongs to its field", async () => {
  const answers = [];
  const shown = [];
  const ask = () => new Promise((resolve, reject) => answers.push({ resolve, reject }));
  const preview = previewer(ask, (result) => shown.push(result), 0);
  preview(draft("old"));
  while (answers.length < 1) await passed();
  preview(draft("new"));
  while (answers.length < 2) await passed();
  answers[1].reject(new Error("text_template, line 3: unexpected end of input"));
  answers[0].resolve({ topic: "t", rendered: "old" });
  await passed();
  const message = "text_template, line 3: unexpected end of input";
  assert.deepEqual(shown, [{ preview: null, problem: { field: "text", message } }]);
  assert.equal(problemOf("topic_template, line 1: x").field, "topic");
  assert.equal(problemOf("The server is busy").field, "");
});
