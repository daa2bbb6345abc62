// Calls: their addresses, headers and bodies.

import assert from "node:assert/strict";
import { test } from "node:test";
import { call, fill } from "../web/api/http.js";

test("parameters that an address names are put into it, escaped, and nowhere else", () => {
  assert.deepEqual(fill("/realm/domains/{domain}", { domain: "a/b c", allow_subdomains: false }), {
    path: "/realm/domains/a%2Fb%20c",
    rest: { allow_subdomains: false },
  });
  assert.deepEqual(fill("/messages", { anchor: 3 }), { path: "/messages", rest: { anchor: 3 } });
});

test("a call sends its parameters in the query string or in the form", async (t) => {
  const sent = [];
  t.mock.method(globalThis, "fetch", async (url, { method, body }) => {
    sent.push([method, url, body?.toString()]);
    return new Response(JSON.stringify({ result: "success", id: 7 }));
  });
  assert.equal((await call("GET /messages/{message_id}", { message_id: 7, apply_markdown: false })).id, 7);
  await call("GET /attachments", {});
  await call("PATCH /streams/{stream_id}", { stream_id: 4, is_archived: false, new_name: undefined });
  assert.deepEqual(sent, [
    ["GET", "/api/v1/messages/7?apply_markdown=false", undefined],
    ["GET", "/api/v1/attachments", undefined],
    ["PATCH", "/api/v1/streams/4", "is_archived=false"],
  ]);
});
