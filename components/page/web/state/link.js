// The tab's end of the connection: to the shared worker, or, where a browser has none, to a poller
// of its own.

import { signal } from "@preact/signals-core";
import { worker } from "../start.js";
import { askAhead, showAhead } from "./ahead.js";
import { Poller } from "./poller.js";
import { fromSnapshot } from "./snapshot.js";
import { apply, begin, forgetLine, now } from "./store.js";
import { checkVersion } from "./version.js";

/** @typedef {import("./poller.js").Status} Status */
/**
 * @typedef {{ kind: "registered" }
 *   | { kind: "snapshot", text: string }
 *   | { kind: "state", state: import("../types.js").State, queue: string }
 *   | { kind: "events", events: import("../types.js").Event[] }
 *   | { kind: "status", status: Status }} FromWorker
 */
/** @typedef {"start" | "stop" | "reset" | "wake" | "bye"} ToWorker */

/** @type {import("@preact/signals-core").Signal<Status>} */
export const status = signal({ kind: "connecting" });
/** Whether there is a state to show. */
export const isReady = signal(false);
/** The queue that messages of this client are marked in. */
export const queue = { id: "" };

/** @type {(message: ToWorker) => void} */
let send = () => {};

/** @param {FromWorker} message */
function hear(message) {
  switch (message.kind) {
    case "registered":
      if (!isReady.value) askAhead(location.hash);
      break;
    case "snapshot":
      read(message.text);
      break;
    case "state":
      // Another person has signed in: nothing of the one before stays in memory.
      if (now().me !== 0 && now().me !== message.state.me) {
        location.reload();
        return;
      }
      // Registered anew: the server may have been away, for an upgrade too.
      if (isReady.value) void checkVersion();
      forgetLine();
      begin(message.state);
      queue.id = message.queue;
      showAhead();
      isReady.value = true;
      break;
    case "events":
      if (message.events.some((event) => event.type === "restart")) void checkVersion();
      void apply(message.events, (error) => {
        console.error(error);
        send("reset");
      });
      break;
    case "status":
      if (status.value.kind === "offline" && message.status.kind !== "offline") void checkVersion();
      status.value = message.status;
      if (message.status.kind === "signed-out") isReady.value = false;
      break;
  }
}

/** @param {string} text the answer of POST /register */
function read(text) {
  /** @type {any} */
  let raw = null;
  try {
    raw = JSON.parse(text);
  } catch {
    // The worker cannot read it either, and registers again.
  }
  // When there is no queue, the worker says what has happened.
  if (typeof raw?.queue_id === "string") hear({ kind: "state", state: fromSnapshot(raw), queue: raw.queue_id });
}

/** Connects once; a second call begins again after signing in. */
export function connect() {
  if (send !== idle) {
    send("start");
    return;
  }
  send = worker === null ? alone() : shared(worker);
  addEventListener("online", () => send("wake"));
  document.addEventListener("visibilitychange", () => document.hidden || send("wake"));
  addEventListener("pagehide", (event) => event.persisted || send("bye"));
}

const idle = send;

/** @param {NonNullable<typeof worker>} worker what it has sent until now is kept by its port */
function shared({ port, failed }) {
  void failed.then(checkVersion);
  port.onmessage = ({ data }) => hear(data);
  return (/** @type {ToWorker} */ message) => port.postMessage(message);
}

function alone() {
  const poller = new Poller({
    onRegistered: () => hear({ kind: "registered" }),
    onSnapshot: (raw) => hear({ kind: "state", state: fromSnapshot(raw), queue: raw.queue_id }),
    onEvents: (events) => hear({ kind: "events", events }),
    onStatus: (status) => hear({ kind: "status", status }),
  });
  poller.start();
  return (/** @type {ToWorker} */ message) => {
    if (message === "start") poller.start();
    else if (message === "reset") poller.reset();
    else if (message === "wake") poller.wake();
    else if (message === "stop") {
      poller.stop();
      hear({ kind: "status", status: { kind: "signed-out" } });
    }
  };
}

/** The session has ended: every tab is signed out. */
export const disconnect = () => send("stop");
/** Tries at once what waits for the network. */
export const wake = () => send("wake");
