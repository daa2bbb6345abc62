// The first module that runs: starts the worker that all tabs share, which registers while the other modules of
// the page are still loading.

import { scriptUrl } from "./parts/trusted.js";

function start() {
  const url = new URL("worker.js", import.meta.url).href;
  const worker = new SharedWorker(/** @type {any} */ (scriptUrl(url)), { type: "module", name: "spindle" });
  /** Ends when the worker cannot be loaded. @type {Promise<unknown>} */
  const failed = new Promise((resolve) => (worker.onerror = resolve));
  return { port: worker.port, failed };
}

/** Null in a browser without such workers. */
export const worker = typeof SharedWorker === "undefined" ? null : start();
