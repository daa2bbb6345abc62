// The first module that runs: starts the worker that all tabs share, which registers while the other modules of
// the page are still loading, and asks for the texts.

import { scriptUrl } from "./frame/trusted.js";
import { LOADS, ofBrowser } from "./strings/tables.js";

function start() {
  const url = new URL("worker.js", import.meta.url).href;
  const worker = new SharedWorker(/** @type {any} */ (scriptUrl(url)), { type: "module", name: "spindle" });
  /** Ends when the worker cannot be loaded. @type {Promise<unknown>} */
  const failed = new Promise((resolve) => (worker.onerror = resolve));
  return { port: worker.port, failed };
}

/** Null in a browser without such workers. */
export const worker = typeof SharedWorker === "undefined" ? null : start();

// Whether they came is seen by `beginToSpeak`, which asks for them again. Unit tests have no document.
if (typeof document !== "undefined") LOADS[ofBrowser()]?.().catch(() => undefined);
