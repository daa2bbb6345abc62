// Modules that come when they are first needed. After an upgrade they are gone: then the banner asks
// for a reload.

import { html } from "htm/preact";
import { signal } from "@preact/signals";
import { checkVersion } from "../state/version.js";
import { learnMore, t } from "../strings/text.js";
import { attempt } from "./note.js";

/** @template T @param {() => Promise<T>} load */
async function fetched(load) {
  try {
    const [found] = await Promise.all([load(), learnMore()]);
    return found;
  } catch {
    void checkVersion();
    throw new Error(t("not_loaded"));
  }
}

/** Runs something of a module. @template T @param {() => Promise<T>} load @param {(module: T) => unknown} run */
export const withModule = (load, run) =>
  attempt(async () => {
    await run(await fetched(load));
  });

/** A view of a module; a second visit tries again what failed. @param {() => Promise<any>} load of the view */
export function laterView(load) {
  /** @type {import("@preact/signals-core").Signal<{ view: any }>} */
  const loaded = signal({ view: null });
  let isAsked = false;
  return (/** @type {any} */ properties) => {
    const { view } = loaded.value;
    if (view !== null) return html`<${view} ...${properties} />`;
    if (!isAsked) {
      isAsked = true;
      void withModule(load, (found) => (loaded.value = { view: found })).then(() => (isAsked = false));
    }
    return html`<div class="page"><p class="edge" role="status">${t("loading")}</p></div>`;
  };
}
