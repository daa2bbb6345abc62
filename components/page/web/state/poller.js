// Registers a queue and polls it, for as long as it runs. Runs in a worker that all tabs share, or
// in a tab. Knows no document.
//
// A queue that the server no longer has, and a state that its events do not fit, begin anew. What
// fails in passing is tried again, at growing distances.

import { ApiError, pause } from "../api/http.js";
import { getEvents, register } from "../api/events.js";

/** @typedef {{ kind: "connecting" | "live" | "offline" | "signed-out" | "refused", message?: string }} Status */

/**
 * @typedef {object} Listener
 * @property {() => void} onRegistered the queue exists; its snapshot is on its way
 * @property {(text: string) => void} [onText] the snapshot as it has come, for those who read it themselves
 * @property {(raw: Record<string, any>) => void} onSnapshot
 * @property {(events: import("../types.js").Event[]) => void} onEvents
 * @property {(status: Status) => void} onStatus
 */

/** Seconds. */
const SHORTEST = 0.5;
const LONGEST = 30;

export class Poller {
  /** @param {Listener} listener */
  constructor(listener) {
    this.listener = listener;
    this.failures = 0;
    /** @type {AbortController | null} */
    this.running = null;
    /** @type {AbortController | null} */
    this.waiting = null;
    this.queue = "";
  }

  /** Begins, unless it has begun. */
  start() {
    if (this.running !== null) return;
    this.running = new AbortController();
    this.failures = 0;
    void this.#run(this.running.signal);
  }

  stop() {
    this.running?.abort(new Error("stopped"));
    this.running = null;
  }

  /** The state must begin anew. */
  reset() {
    const failures = this.failures + 1;
    this.stop();
    this.running = new AbortController();
    this.failures = failures;
    void this.#run(this.running.signal);
  }

  /** The network may be back: there is no need to wait any longer. */
  wake() {
    this.waiting?.abort(new Error("woken"));
  }

  /** @param {AbortSignal} signal */
  async #run(signal) {
    this.#say({ kind: "connecting" });
    if (this.failures > 0) await this.#wait(signal);
    while (!signal.aborted) {
      try {
        const raw = await register(signal, {
          onBegun: () => signal.aborted || this.listener.onRegistered(),
          onText: (text) => signal.aborted || this.listener.onText?.(text),
        });
        if (signal.aborted) return;
        // A visitor's view of the organization has no queue: the session has ended.
        if (raw["queue_id"] === null) throw new ApiError("", { status: 401, code: "UNAUTHORIZED" });
        this.queue = raw.queue_id;
        this.listener.onSnapshot(raw);
        this.#say({ kind: "live" });
        await this.#poll(raw.queue_id, raw.last_event_id, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!(await this.#outlast(error, signal))) return;
      }
    }
  }

  /** @param {string} queue @param {number} last @param {AbortSignal} signal */
  async #poll(queue, last, signal) {
    for (;;) {
      try {
        // After a failure the answer says that the server is there: it must not wait for an event.
        const dont_block = this.failures > 0 || undefined;
        const { events } = await getEvents(queue, last, { signal, dont_block });
        if (signal.aborted) return;
        this.failures = 0;
        this.#say({ kind: "live" });
        last = events.reduce((most, event) => Math.max(most, event.id), last);
        if (events.length > 0) this.listener.onEvents(events);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof ApiError) || !error.isPassing) throw error;
        if (!(await this.#outlast(error, signal))) return;
      }
    }
  }

  /**
   * Waits after a failure. False when there is nothing to wait for.
   * @param {unknown} error @param {AbortSignal} signal
   */
  async #outlast(error, signal) {
    this.failures += 1;
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) {
      this.running = null;
      this.#say({ kind: "signed-out", message: error.code });
      return false;
    }
    if (error.code === "BAD_EVENT_QUEUE_ID") {
      if (this.failures > 1) await this.#wait(signal);
      return true;
    }
    this.#say(error.isPassing ? { kind: "offline" } : { kind: "refused", message: error.message });
    await this.#wait(signal);
    return true;
  }

  /** @param {AbortSignal} signal */
  async #wait(signal) {
    const most = Math.min(LONGEST, SHORTEST * 2 ** this.failures);
    this.waiting = new AbortController();
    try {
      await pause(most * (0.5 + Math.random() / 2), AbortSignal.any([signal, this.waiting.signal]));
    } catch {
      // Woken, or stopped.
    }
    this.waiting = null;
  }

  /** @param {Status} status */
  #say(status) {
    this.listener.onStatus(status);
  }
}
