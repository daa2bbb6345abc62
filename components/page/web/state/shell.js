// The offline shell: a service worker that keeps the page and its files. Browsers allow one only with
// https or on this computer; without it everything else works as well.

import { scriptUrl, SHELL } from "../frame/trusted.js";

export function keepShell() {
  if (!isSecureContext || !("serviceWorker" in navigator)) return;
  const url = /** @type {any} */ (scriptUrl(SHELL));
  // Not allowed, or no room: there is no shell then.
  navigator.serviceWorker.register(url, { scope: "/" }).catch(() => undefined);
}
