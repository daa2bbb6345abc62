// The poller: what it asks after a failure.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Poller } from "../web/state/poller.js";

test("after a lost connection the first answer does not wait for an event", async () => {
  const asked = [];
  let isCut = true;
  globalThis.fetch = async (address, { signal }) => {
    const { pathname, searchParams } = new URL(address, "http://localhost");
    const answer = (body) => new Response(JSON.stringify({ result: "success", ...body }));
    if (pathname.endsWith("/register")) return answer({ queue_id: "q", last_event_id: -1 });
    asked.push(searchParams.get("dont_block"));
    if (isCut) {
      isCut = false;
      throw new TypeError("the network is gone");
    }
    if (asked.at(-1) === "true") return answer({ events: [] });
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const said = [];
  let live;
  const isLive = new Promise((resolve) => (live = resolve));
  const poller = new Poller({
    onRegistered() {},
    onSnapshot() {},
    onEvents() {},
    onStatus({ kind }) {
      said.push(kind);
      if (kind === "live" && said.includes("offline")) live();
    },
  });
  poller.start();
  await isLive;
  // The next one waits again.
  while (asked.length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
  poller.stop();
  assert.deepEqual(said, ["connecting", "live", "offline", "live"]);
  assert.deepEqual(asked, [null, "true", null]);
});
