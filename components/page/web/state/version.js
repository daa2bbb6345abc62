// Whether the server still has the files of this client: after an upgrade it has others, and a worker
// or a module that is loaded later would be missing.

import { signal } from "@preact/signals-core";
import { isServed } from "../api/files.js";

/** Once the files are gone, they stay gone: only a reload helps. */
export const isOutdated = signal(false);

/** Asks the server; no answer says nothing. */
export async function checkVersion() {
  if (isOutdated.value) return;
  try {
    isOutdated.value = !(await isServed(import.meta.url));
  } catch {
    // Asked again with the next connection.
  }
}
