// The worker that all tabs of a browser share: one queue, one poll, one state to hand to a new tab.
//
// A browser opens six connections to a server at most; a poll for each tab would take them all.

import { fromSnapshot } from "./state/snapshot.js";
import { Poller } from "./state/poller.js";
import { reduce } from "./state/reduce.js";
import { inBatch } from "./state/reducers/tools.js";

/** @typedef {import("./state/link.js").FromWorker} FromWorker */

/** @type {Set<MessagePort>} */
const ports = new Set();
/** @type {import("./types.js").State | null} */
let state = null;
/** @type {import("./state/poller.js").Status} */
let status = { kind: "connecting" };

/** @param {FromWorker} message */
function tell(message) {
  for (const port of ports) port.postMessage(message);
}

const poller = new Poller({
  onRegistered: () => tell({ kind: "registered" }),
  // A tab reads it faster than it receives what was read here, object by object; and both read at the same time.
  onText: (text) => tell({ kind: "snapshot", text }),
  onSnapshot: (raw) => (state = fromSnapshot(raw)),
  onEvents(events) {
    if (state === null) return;
    try {
      let next = state;
      inBatch(() => {
        for (const event of events) next = reduce(next, event, Date.now());
      });
      state = next;
    } catch {
      poller.reset();
      return;
    }
    tell({ kind: "events", events });
  },
  onStatus(now) {
    if (now.kind === "signed-out") state = null;
    if (now.kind === status.kind && now.message === status.message) return;
    status = now;
    tell({ kind: "status", status });
  },
});

/** @param {import("./state/link.js").ToWorker} message @param {MessagePort} port */
function hear(message, port) {
  switch (message) {
    case "start":
      poller.start();
      break;
    case "stop":
      poller.stop();
      state = null;
      status = { kind: "signed-out" };
      tell({ kind: "status", status });
      break;
    case "reset":
      poller.reset();
      break;
    case "wake":
      poller.wake();
      break;
    case "bye":
      ports.delete(port);
      break;
  }
}

/** @type {any} */ (globalThis).onconnect = (/** @type {MessageEvent} */ event) => {
  const port = /** @type {MessagePort} */ (event.ports[0]);
  ports.add(port);
  port.onmessage = ({ data }) => hear(data, port);
  port.postMessage({ kind: "status", status });
  if (state !== null) {
    port.postMessage({ kind: "registered" });
    port.postMessage({ kind: "state", state, queue: poller.queue });
  }
  poller.start();
};
